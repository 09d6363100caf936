#include "optimizer/target/projection.h"

#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(PullKernels, kPullKernels)

void project_rows(const ProjectionArgs& args) {
  SIMPLEXBOOST_ISA_CHOICE(kPullKernels).project(args);
}

void halve_pulls(float* pulls, std::size_t rows, std::size_t depth, float factor,
                 float* curvatures) {
  SIMPLEXBOOST_ISA_CHOICE(kPullKernels).halve(pulls, rows, depth, factor, curvatures);
}

}  // namespace simplexboost
