// The formulas of losses, criteria and leaf rules as a CUDA compiler reads them: that it compiles
// is a test. Run on a machine with a GPU, it compares what the device makes of them with what the
// host does, bit by bit, and ends with 0 if all agree.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "loss/loss_table.h"
#include "tree/kernels/criteria.h"
#include "tree/leaf/leaf_formulas.h"

namespace simplexboost::plain {
namespace {

// One number for each thread: everything that a loss says of a row, and exp and log.
template <class Formula>
__host__ __device__ float loss_figure(float top, float sum, int figure) {
  const RowSum<float> row(top, sum);
  const RowPulls<float> pulls = Formula::pulls(row);
  const float pull = pulls.pull * exp_of(Formula::log_weight(top));
  switch (figure) {
    case 0: return Formula::log_value(top);
    case 1: return Formula::value(row);
    case 2: return Formula::gamma(row.sum);
    case 3: return Formula::gamma_slope(row.sum);
    case 4: return pulls.bend;
    case 5: return own_curvature<Formula>(pull * sum, pulls.own);
    case 6: return entry_curvature<Formula>(pull, sum, pulls.bend);
    default: return pull;
  }
}

constexpr int kFigures = 8;
constexpr int kCriteria = static_cast<int>(CriterionKind::kShare) + 1;

__host__ __device__ float score_of(const CriterionSpec& spec, const std::int32_t* left,
                                   const std::int32_t* total) {
  switch (spec.kind) {
    case CriterionKind::kVote: return LaneScore<Vote, 8, 2>::of(spec, left, total);
    case CriterionKind::kClass: return LaneScore<Class, 8, 2>::of(spec, left, total);
    case CriterionKind::kSubset: return LaneScore<Subset, 8, 2>::of(spec, left, total);
    case CriterionKind::kConfidence: return DiagonalScore<Confidence, 8>::of(spec, left, total);
    case CriterionKind::kShare: return DiagonalScore<Share, 8>::of(spec, left, total);
    case CriterionKind::kCodeword: return CodewordScore::of(spec, left, total);
    default: return LaneScore<LeastSquares, 8, 2>::of(spec, left, total);
  }
}

struct Case {
  float top;
  float sum;
  std::int32_t left[16];
  std::int32_t total[16];
};

constexpr int kLosses = decltype(kLossTable)::kSize;
constexpr int kLeafRules = 4;
constexpr int kResults = kLosses * kFigures + kCriteria + kLeafRules;

// All that this case gives, kResults numbers.
__host__ __device__ void fill_results(const Case& given, const float* codewords, float* out) {
  for (int row = 0; row < kLosses; ++row)
    visit_formula(row, [&](auto formula) {
      for (int i = 0; i < kFigures; ++i)
        *out++ = loss_figure<decltype(formula)>(given.top, given.sum, i);
    });
  for (int kind = 0; kind < kCriteria; ++kind) {
    CriterionSpec spec;
    spec.kind = static_cast<CriterionKind>(kind);
    spec.channels = 16;
    spec.pulls = diagonal(spec.kind) ? 6 : 14;
    spec.l2 = 1;
    spec.codewords = codewords;
    spec.codeword_stride = 8;
    *out++ = score_of(spec, given.left, given.total);
  }
  *out++ = static_cast<float>(leaf_mean<double>(given.left[2], given.total[1]));
  *out++ = static_cast<float>(leaf_share<double>(given.left[2], given.total[2], 7));
  *out++ = leaf_vote(given.left[2], given.total[2], true);
  *out++ = static_cast<float>(leaf_confidence<double>(given.left[2], given.total[1], 1.0));
}

__global__ void fill_all(const Case* cases, const float* codewords, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) fill_results(cases[i], codewords, out + i * kResults);
}

std::vector<Case> random_cases(int count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<Case> cases(count);
  for (int i = 0; i < count; ++i) {
    const float size = i % 3 == 0 ? 100.0F : i % 3 == 1 ? 10.0F : 1.0F;
    cases[i].top = size * (2 * uniform(random) - 1);
    cases[i].sum = 1 + 20 * uniform(random);
    for (int j = 0; j < 16; ++j) {
      const bool pull = j >= 2 && j < 8;
      cases[i].left[j] = static_cast<int>(random() % 2'000'000) - (pull ? 1'000'000 : 0);
      cases[i].total[j] = cases[i].left[j] + static_cast<int>(random() % 2'000'000);
    }
  }
  return cases;
}

// Which NaN it is does not matter.
bool same_bits(float a, float b) { return (a != a && b != b) || std::memcmp(&a, &b, 4) == 0; }

}  // namespace
}  // namespace simplexboost::plain

int main() {
  using namespace simplexboost::plain;
  constexpr int kCount = 100'000;
  const std::vector<Case> cases = random_cases(kCount);
  std::vector<float> codewords(14 * 8);
  for (std::size_t i = 0; i < codewords.size(); ++i) codewords[i] = i % 3 == 0 ? -0.25F : 0.75F;
  Case* device_cases = nullptr;
  float* device_words = nullptr;
  float* device_out = nullptr;
  std::vector<float> found(std::size_t{kCount} * kResults);
  cudaMalloc(&device_cases, cases.size() * sizeof(Case));
  cudaMalloc(&device_words, codewords.size() * sizeof(float));
  cudaMalloc(&device_out, found.size() * sizeof(float));
  cudaMemcpy(device_cases, cases.data(), cases.size() * sizeof(Case), cudaMemcpyHostToDevice);
  cudaMemcpy(device_words, codewords.data(), codewords.size() * sizeof(float),
             cudaMemcpyHostToDevice);
  fill_all<<<(kCount + 127) / 128, 128>>>(device_cases, device_words, device_out, kCount);
  cudaMemcpy(found.data(), device_out, found.size() * sizeof(float), cudaMemcpyDeviceToHost);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    std::printf("no result from the device: %s\n", cudaGetErrorString(error));
    return 2;
  }
  int differences = 0;
  for (int i = 0; i < kCount; ++i) {
    float expected[kResults];
    fill_results(cases[i], codewords.data(), expected);
    for (int j = 0; j < kResults; ++j) {
      const float device = found[std::size_t{static_cast<unsigned>(i)} * kResults + j];
      if (same_bits(device, expected[j])) continue;
      if (++differences <= 20)
        std::printf("case %d, result %d: %.9g on the device, %.9g here\n", i, j, device,
                    expected[j]);
    }
  }
  std::printf("%d results of %d cases, %d differ\n", kResults, kCount, differences);
  return differences == 0 ? 0 : 1;
}
