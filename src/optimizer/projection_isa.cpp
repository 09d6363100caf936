// One copy for each instruction level (see base/isa.h).
#include "base/lanes.h"
#include "optimizer/projection.h"

namespace simplexboost::SIMPLEXBOOST_ISA {
namespace {

void project(const ProjectionArgs& args) {
  for (std::size_t i = 0; i < args.rows; ++i) {
    const float* row = args.in + i * args.depth;
    float* out = args.out + i * args.width;
    for (std::size_t s = 0; s < args.width; s += 8) {
      Float<8> sum{};
      for (std::size_t j = 0; j < args.depth; ++j)
        sum += load<Float<8>>(args.matrix + j * args.stride + s) * row[j];
      const std::size_t left = args.width - s;
      for (std::size_t t = 0; t < (left < 8 ? left : 8); ++t) out[s + t] = sum[t];
    }
  }
}

}  // namespace

using Projection = void (*)(const ProjectionArgs&);
extern const Projection kProjectRows;
const Projection kProjectRows = project;

}  // namespace simplexboost::SIMPLEXBOOST_ISA
