// Lanes as arrays of plain numbers, the form that a CUDA compiler reads, give the bits of lanes by
// vector instructions: in exp, in every loss and in every criterion.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "loss/loss.h"
#include "loss/loss_kernels.h"
#include "loss/math/vector_math.h"
#include "loss/math/vector_math_kernels.h"
#include "tree/kernels/kernels.h"

namespace simplexboost {

namespace arrays {
extern const VectorMathKernels kVectorMath;
extern const LossKernelTable kLossKernels;
float score(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total);
ScanResult scan(const ScanArgs& args, std::int32_t* left);
}  // namespace arrays

namespace {

// Which NaN it is does not matter.
std::uint32_t bits(float x) {
  return std::isnan(x) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(x);
}

void expect_same_bits(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(bits(found[i]), bits(expected[i])) << "at " << i;
}

TEST(PlainLanes, GiveTheBitsOfExp) {
  std::vector<float> in;
  for (std::uint64_t word = 0; word <= 0xffffffffU; word += 9973)
    in.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(word)));
  std::vector<float> found(in.size());
  std::vector<float> expected(in.size());
  arrays::kVectorMath.exp(in.data(), found.data(), in.size());
  vector_exp(in.data(), expected.data(), in.size());
  expect_same_bits(found, expected);
}

TEST(PlainLanes, GiveTheBitsOfEveryLoss) {
  constexpr std::size_t kRows = 61;
  Random random(7);
  for (const std::size_t classes : {2U, 5U, 8U, 9U, 19U, 35U}) {
    for (const bool with_costs : {false, true}) {
      std::vector<float> scores(kRows * classes);
      std::vector<std::int32_t> labels(kRows);
      std::vector<float> weights(kRows);
      std::vector<float> costs(classes * classes);
      for (float& u : scores) u = static_cast<float>(10 * random.normal());
      for (std::int32_t& c : labels) c = static_cast<std::int32_t>(random.below(classes));
      for (float& w : weights) w = static_cast<float>(random.below(4));
      for (float& c : costs) c = static_cast<float>(random.below(3));
      const LossBlock block{kRows,         classes,        scores.data(),
                            labels.data(), weights.data(), with_costs ? costs.data() : nullptr};
      for (const LossFacts& loss : loss_table()) {
        SCOPED_TRACE(loss.name);
        std::vector<float> found[] = {scores, scores};
        std::vector<float> expected[] = {scores, scores};
        const LossKernels& plain = arrays::kLossKernels.rows[loss.formula];
        const LossKernels& fast = loss_kernels().rows[loss.formula];
        EXPECT_EQ(plain.pulls(block, 1, found[0].data(), found[1].data()),
                  fast.pulls(block, 1, expected[0].data(), expected[1].data()));
        for (const int i : {0, 1}) expect_same_bits(found[i], expected[i]);
        EXPECT_EQ(plain.risk(block).sum, fast.risk(block).sum);
        EXPECT_EQ(plain.risk(block).log_scale, fast.risk(block).log_scale);
      }
    }
  }
}

// A feature of a few bins, the missing one included, and a criterion over it.
struct ScanCase {
  static constexpr std::uint32_t kBins = 9;
  std::vector<std::int32_t> histogram;
  std::vector<std::int32_t> total;
  std::vector<float> codewords;
  CriterionSpec spec;

  ScanCase(CriterionKind kind, std::size_t channels, Random& random)
      : histogram((kBins + 1) * channels), total(channels), codewords(channels * 8) {
    const std::size_t half = diagonal(kind) ? channels / 2 : channels;
    spec = {kind, channels,         half - kPullChannel - random.below(half > 4 ? 3 : 1),
            1.5F, codewords.data(), 8};
    for (float& y : codewords) y = static_cast<float>(random.normal());
    for (std::size_t b = 0; b <= kBins; ++b) {
      std::int32_t* const bin = histogram.data() + b * channels;
      bin[kCountChannel] = static_cast<std::int32_t>(random.below(5));
      if (bin[kCountChannel] == 0) continue;
      bin[kWeightChannel] = static_cast<std::int32_t>(random.below(100'000));
      for (std::size_t j = 0; j < spec.pulls; ++j) {
        const auto weight = static_cast<std::int32_t>(random.below(100'000));
        bin[kPullChannel + j] =
            static_cast<std::int32_t>(random.below(static_cast<std::size_t>(2 * weight) + 1)) -
            weight;
        if (diagonal(kind)) bin[half + kPullChannel + j] = weight;
      }
      for (std::size_t j = 0; j < channels; ++j) total[j] += bin[j];
    }
  }
};

TEST(PlainLanes, GiveTheBitsOfEveryCriterion) {
  Random random(3);
  for (int kind = 0; kind <= static_cast<int>(CriterionKind::kShare); ++kind) {
    SCOPED_TRACE(kind);
    for (const std::size_t channels : {4U, 8U, 16U, 24U, 32U, 40U, 48U, 64U}) {
      const auto criterion = static_cast<CriterionKind>(kind);
      if (diagonal(criterion) && channels % 16 != 0 && channels != 8) continue;
      for (int trial = 0; trial < 20; ++trial) {
        const ScanCase data(criterion, channels, random);
        const std::int32_t* const left = data.histogram.data();
        EXPECT_EQ(bits(arrays::score(data.spec, left, data.total.data())),
                  bits(kernels().score(data.spec, left, data.total.data())));
        const ScanArgs args{
            data.histogram.data(), ScanCase::kBins, true, data.total.data(), &data.spec, 1, 0};
        std::vector<std::int32_t> scratch(channels);
        const ScanResult found = arrays::scan(args, scratch.data());
        const ScanResult expected = kernels().scan(args, scratch.data());
        EXPECT_EQ(bits(found.score), bits(expected.score));
        EXPECT_EQ(found.bin, expected.bin);
        EXPECT_EQ(found.missing_left, expected.missing_left);
      }
    }
  }
}

}  // namespace
}  // namespace simplexboost
