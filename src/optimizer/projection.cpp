#include "optimizer/projection.h"

#include "base/isa.h"

namespace simplexboost {

using Projection = void (*)(const ProjectionArgs&);
SIMPLEXBOOST_ISA_COPIES(Projection, kProjectRows)

void project_rows(const ProjectionArgs& args) { SIMPLEXBOOST_ISA_CHOICE(kProjectRows)(args); }

}  // namespace simplexboost
