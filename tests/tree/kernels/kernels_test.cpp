// The inner loops against scalar twins, for all paddings, bin widths and instruction levels.
#include "tree/kernels/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "base/fixed_point.h"
#include "base/random.h"
#include "base/simd/isa.h"

namespace simplexboost {

SIMPLEXBOOST_ISA_COPIES(Kernels, kKernels)

namespace {

// The copies that this machine can run, the narrowest first.
std::vector<const Kernels*> copies() {
  std::vector<const Kernels*> result{&v1::kKernels};
#if defined(__x86_64__)
  if (isa_level() >= IsaLevel::kV3) result.push_back(&v3::kKernels);
  if (isa_level() >= IsaLevel::kV4) result.push_back(&v4::kKernels);
#endif
  return result;
}

std::vector<std::size_t> paddings() {
  std::vector<std::size_t> result{4};
  for (std::size_t channels = 8; channels <= 120; channels += 8) result.push_back(channels);
  return result;
}

std::vector<std::int32_t> random_integers(std::size_t count, Random& random) {
  std::vector<std::int32_t> result(count);
  for (auto& x : result) x = static_cast<std::int32_t>(random.below(2'000'001)) - 1'000'000;
  return result;
}

std::uint32_t bits(float x) {
  std::uint32_t result;
  std::memcpy(&result, &x, sizeof result);
  return result;
}

template <class Bin>
struct FillCase {
  std::size_t rows = 300;
  std::size_t stride = 16;
  std::size_t width = 0;
  std::size_t channels = 0;
  std::vector<Bin> bins;
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> columns;
  bool packed;
  std::vector<std::int32_t> stats;
  std::vector<std::uint32_t> chosen;
  std::size_t total_bins = 0;

  FillCase(std::size_t used_width, std::size_t used_channels, bool apart, Random& random)
      : width(used_width), channels(used_channels), bins(rows * stride), packed(apart) {
    std::vector<std::size_t> sizes;
    for (std::size_t f = 0; f < width; ++f) {
      sizes.push_back(1 + random.below(sizeof(Bin) == 1 ? 256 : 700));
      offsets.push_back(static_cast<std::uint32_t>(total_bins));
      columns.push_back(static_cast<std::uint32_t>(packed ? 2 * f : f));
      total_bins += sizes.back();
    }
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t f = 0; f < width; ++f)
        bins[i * stride + columns[f]] = static_cast<Bin>(random.below(sizes[f]));
    stats = random_integers(rows * channels, random);
    for (std::uint32_t i = 0; i < rows; ++i)
      if (random.below(3) == 0) chosen.push_back(i);
  }

  FillArgs<Bin> args(bool subset, std::int32_t* histogram) const {
    return {bins.data(),
            stride,
            width,
            offsets.data(),
            stats.data(),
            channels,
            subset ? chosen.data() : nullptr,
            subset ? chosen.size() : rows,
            histogram,
            packed ? columns.data() : nullptr};
  }

  // Calls use(place of the bin, statistics) for every row and feature.
  template <class Use>
  void for_each_place(bool subset, const Use& use) const {
    std::vector<std::uint32_t> all(rows);
    std::iota(all.begin(), all.end(), 0U);
    for (const std::uint32_t row : subset ? chosen : all)
      for (std::size_t f = 0; f < width; ++f)
        use((offsets[f] + bins[row * stride + columns[f]]) * channels,
            stats.data() + row * channels);
  }
};

template <class Bin>
void expect_filling_and_clearing(std::uint64_t seed) {
  Random random(seed);
  for (const std::size_t channels : paddings()) {
    for (const std::size_t width : {1U, 2U, 5U, 8U}) {
      for (const int kind : {0, 1, 2, 3}) {
        const bool subset = kind % 2 != 0;
        const FillCase<Bin> fill(width, channels, kind >= 2, random);
        std::vector<std::int32_t> filled(fill.total_bins * channels);
        std::vector<std::int32_t> cleared(filled.size(), 7);
        fill.for_each_place(subset, [&](std::size_t place, const std::int32_t* stats) {
          for (std::size_t j = 0; j < channels; ++j) {
            filled[place + j] += stats[j];
            cleared[place + j] = 0;
          }
        });
        for (const Kernels* copy : copies()) {
          std::vector<std::int32_t> histogram(filled.size());
          copy->fill(fill.args(subset, histogram.data()));
          ASSERT_EQ(histogram, filled) << channels << " channels, " << width << " features";
          histogram.assign(filled.size(), 7);
          copy->clear(fill.args(subset, histogram.data()));
          ASSERT_EQ(histogram, cleared) << channels << " channels, " << width << " features";
        }
      }
    }
  }
}

// Three features in the first of two bytes, one in the second.
TEST(Kernels, FillAndClearTheBinsOfFeaturesThatShareBytes) {
  constexpr std::size_t kRows = 300;
  constexpr std::array<std::uint32_t, 4> kColumns = {0, 0, 0, 1};
  constexpr std::array<std::uint32_t, 4> kBins = {4, 5, 13, 256};
  constexpr std::array<std::uint32_t, 4> kOffsets = {0, 4, 9, 22};
  Random random(11);
  std::array<std::array<std::uint8_t, 256>, 4> digits{};
  std::array<const std::uint8_t*, 4> tables{};
  for (std::size_t f = 0; f < 4; ++f) {
    for (std::uint8_t& digit : digits[f]) digit = static_cast<std::uint8_t>(random.below(kBins[f]));
    tables[f] = digits[f].data();
  }
  std::vector<std::uint8_t> bytes(kRows * 3);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < kRows; row += 1 + row % 2) rows.push_back(row);
  for (const std::size_t channels : paddings()) {
    const std::vector<std::int32_t> stats = random_integers(kRows * channels, random);
    std::vector<std::int32_t> filled(278 * channels);
    std::vector<std::int32_t> cleared(filled.size(), 7);
    for (const std::uint32_t row : rows)
      for (std::size_t f = 0; f < 4; ++f)
        for (std::size_t j = 0; j < channels; ++j) {
          const std::size_t bin = kOffsets[f] + digits[f][bytes[row * 3 + kColumns[f]]];
          filled[bin * channels + j] += stats[row * channels + j];
          cleared[bin * channels + j] = 0;
        }
    for (const Kernels* copy : copies()) {
      std::vector<std::int32_t> histogram(filled.size());
      FillArgs<std::uint8_t> args{
          bytes.data(), 3,           4,       kOffsets.data(), stats.data(), channels,
          rows.data(),  rows.size(), nullptr, kColumns.data(), tables.data()};
      args.histogram = histogram.data();
      copy->fill(args);
      ASSERT_EQ(histogram, filled) << channels;
      histogram.assign(filled.size(), 7);
      args.histogram = histogram.data();
      copy->clear(args);
      ASSERT_EQ(histogram, cleared) << channels;
    }
  }
}

TEST(Kernels, FillAndClearTheBinsOfRowsInBytes) { expect_filling_and_clearing<std::uint8_t>(1); }
TEST(Kernels, FillAndClearTheBinsOfRowsInTwoBytes) {
  expect_filling_and_clearing<std::uint16_t>(2);
}

template <class Bin>
void expect_parting(std::int32_t bins) {
  constexpr std::size_t kStride = 5;
  const auto values_end = static_cast<std::uint32_t>(bins) + 1;
  Random random(values_end);
  for (const std::size_t count : {1U, 15U, 16U, 17U, 100U, 1000U}) {
    const std::size_t all = 3 * count;
    std::vector<Bin> values(all * kStride + 3);  // three bytes more at least
    for (Bin& value : values) value = static_cast<Bin>(random.below(values_end));
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back(static_cast<std::uint32_t>(3 * i + random.below(3)));
    for (const bool missing_left : {false, true}) {
      for (const std::int32_t cut : {-1, 0, bins / 2, bins - 1}) {
        const auto goes_left = [&](std::uint32_t row) {
          const std::int32_t bin = values[row * kStride];
          return bin == bins ? missing_left : bin <= cut;
        };
        std::vector<std::uint32_t> naive = rows;
        const auto middle = std::stable_partition(naive.begin(), naive.end(), goes_left);
        const auto lefts = static_cast<std::size_t>(middle - naive.begin());
        for (const Kernels* kernels : copies()) {
          std::vector<std::uint32_t> left = rows;
          std::vector<std::uint32_t> right(count + 1, 77);
          const std::size_t found = kernels->part(PartArgs<Bin>{
              values.data(), kStride, cut, bins, missing_left, left.data(), right.data(), count});
          ASSERT_EQ(found, lefts);
          EXPECT_TRUE(std::equal(naive.begin(), middle, left.begin()));
          EXPECT_TRUE(std::equal(middle, naive.end(), right.begin()));
          EXPECT_EQ(right[count], 77U);
        }
      }
    }
  }
}

TEST(Kernels, PartRowsByBinsOfOneByteAndOfTwo) {
  expect_parting<std::uint8_t>(40);
  expect_parting<std::uint8_t>(255);
  expect_parting<std::uint16_t>(700);
}

TEST(Kernels, PartRowsByASetOfBytes) {
  constexpr std::size_t kStride = 3;
  Random random(5);
  for (const std::size_t count : {1U, 16U, 17U, 1000U}) {
    std::vector<std::uint8_t> bytes(count * kStride + 3);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
    std::array<std::uint32_t, kByteSetWords> set{};
    for (std::uint32_t& word : set) word = static_cast<std::uint32_t>(random.below(1ULL << 32));
    std::vector<std::uint32_t> rows(count);
    std::iota(rows.begin(), rows.end(), 0U);
    std::vector<std::uint32_t> naive = rows;
    const auto middle = std::stable_partition(naive.begin(), naive.end(), [&](std::uint32_t row) {
      const std::uint32_t byte = bytes[row * kStride];
      return (set[byte / 32] >> byte % 32 & 1) != 0;
    });
    for (const Kernels* kernels : copies()) {
      std::vector<std::uint32_t> left = rows;
      std::vector<std::uint32_t> right(count + 1, 77);
      const std::size_t found = kernels->part(PartArgs<std::uint8_t>{
          bytes.data(), kStride, 0, 0, false, left.data(), right.data(), count, set.data()});
      ASSERT_EQ(found, static_cast<std::size_t>(middle - naive.begin()));
      EXPECT_TRUE(std::equal(naive.begin(), middle, left.begin()));
      EXPECT_TRUE(std::equal(middle, naive.end(), right.begin()));
      EXPECT_EQ(right[count], 77U);
    }
  }
}

TEST(Kernels, AddLeafValuesAlikeAtEveryLevel) {
  Random random(8);
  constexpr std::size_t kRows = 60;
  constexpr std::size_t kLeaves = 4;
  for (const std::size_t width : {1U, 2U, 3U, 7U, 8U, 13U, 26U}) {
    std::vector<float> pulls(kRows * width);
    std::vector<float> weights(kRows);
    std::vector<std::uint32_t> leaf_of_row(kRows);
    for (float& pull : pulls) pull = static_cast<float>(2 * random.uniform() - 1);
    for (float& weight : weights) weight = static_cast<float>(random.uniform());
    for (std::uint32_t& leaf : leaf_of_row)
      leaf = static_cast<std::uint32_t>(random.below(kLeaves));
    std::vector<double> first;
    for (const Kernels* kernels : copies()) {
      std::vector<double> sums(kLeaves * 2 * width);
      ValueArgs args;
      args.pulls = pulls.data();
      args.width = width;
      args.curvature_factor = 0.5F;
      args.weights = weights.data();
      args.first = 10;
      args.count = 40;
      args.leaf_of_row = leaf_of_row.data();
      args.sums = sums.data();
      kernels->add_values(args);
      std::vector<double> naive(sums.size());
      for (std::size_t i = 10; i < 50; ++i) {
        for (std::size_t j = 0; j < width; ++j) {
          const double pull = pulls[i * width + j];
          double* const sum = naive.data() + std::size_t{leaf_of_row[i]} * 2 * width;
          sum[j] += weights[i] * pull;
          sum[width + j] += weights[i] * std::fabs(pull) * (1 - 0.5 * std::fabs(pull));
        }
      }
      for (std::size_t j = 0; j < sums.size(); ++j) EXPECT_NEAR(sums[j], naive[j], 1e-5);
      if (first.empty()) first = sums;
      EXPECT_EQ(sums, first);
    }
  }
}

// As integers: each addend in units, midway between two the larger in size.
TEST(Kernels, LeafSumsAreExactSumsOfRoundedAddends) {
  Random random(9);
  constexpr std::size_t kRows = 2000;
  constexpr std::size_t kLeaves = 3;
  constexpr double kFactor = 0.5;
  const SumUnit unit(1.9, kRows);
  const double step = unit.real(1);
  for (const std::size_t width : {1U, 2U, 5U, 8U, 13U}) {
    std::vector<float> pulls(kRows * width);
    std::vector<float> weights(kRows);
    std::vector<std::uint32_t> leaf_of_row(kRows);
    for (float& pull : pulls) {
      pull = static_cast<float>(2 * random.uniform() - 1);
      // Some are units and a half.
      if (random.below(3) == 0)
        pull = static_cast<float>((static_cast<double>(random.below(1 << 20)) - 1000.5) * step);
    }
    for (float& weight : weights)
      weight = random.below(2) == 0 ? 1.0F : static_cast<float>(random.uniform());
    for (std::uint32_t& leaf : leaf_of_row)
      leaf = static_cast<std::uint32_t>(random.below(kLeaves));
    std::vector<std::int64_t> naive(kLeaves * 2 * width);
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        const float pull = pulls[i * width + j];
        const float size = std::fabs(pull);
        const float curvature = size * (1 - static_cast<float>(kFactor) * size);
        std::int64_t* const sum = naive.data() + std::size_t{leaf_of_row[i]} * 2 * width;
        sum[j] += std::llround(static_cast<double>(weights[i]) * pull / step);
        sum[width + j] += std::llround(static_cast<double>(weights[i]) * curvature / step);
      }
    }
    for (const Kernels* kernels : copies()) {
      std::vector<double> sums(kLeaves * 2 * width, unit.start());
      std::vector<std::int64_t> units(sums.size());
      ValueArgs args;
      args.pulls = pulls.data();
      args.width = width;
      args.curvature_factor = static_cast<float>(kFactor);
      args.weights = weights.data();
      args.factor = SumUnit::kNudge;
      args.leaf_of_row = leaf_of_row.data();
      args.sums = sums.data();
      for (args.first = 0; args.first < kRows; args.first += args.count) {
        args.count = std::min<std::size_t>(kRows - args.first, 700);
        kernels->add_values(args);
        kernels->take_values(
            {sums.data(), kLeaves, width, unit.start(), unit.start(), units.data()});
      }
      EXPECT_EQ(units, naive);
      EXPECT_EQ(sums, std::vector<double>(sums.size(), unit.start()));
    }
  }
}

TEST(Kernels, AddProductsOfSharesAlikeAtEveryLevel) {
  Random random(12);
  constexpr std::size_t kRows = 300;
  for (const std::size_t width : {2U, 3U, 5U, 8U, 13U, 26U}) {
    std::vector<float> pulls(kRows * width);
    std::vector<float> weights(kRows);
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < kRows; ++i) {
      weights[i] = random.below(9) == 0 ? 0.0F : static_cast<float>(random.uniform());
      if (random.below(3) > 0) rows.push_back(static_cast<std::uint32_t>(i));
      const std::size_t own = random.below(width);
      for (std::size_t j = 0; j < width; ++j) {
        const auto size = weights[i] * static_cast<float>(random.uniform());
        pulls[i * width + j] = j == own ? size : -size;
      }
    }
    const std::size_t k = random.below(width);
    const SumUnit unit(1, kRows);
    std::vector<std::int64_t> naive(width);
    for (const std::uint32_t row : rows) {
      const float weight = weights[row];
      const auto share = [&](std::size_t j) {
        const float pull = pulls[row * width + j];
        return pull > 0 ? weight - pull : -pull;
      };
      if (!(weight > 0)) continue;
      const float p = share(k) / weight;
      for (std::size_t j = 0; j < width; ++j)
        naive[j] += std::llround(static_cast<double>(p * share(j)) / unit.real(1));
    }
    for (const Kernels* kernels : copies()) {
      std::vector<double> sums(width, unit.start());
      kernels->add_products({pulls.data(), width, weights.data(), rows.data(), rows.size(), k,
                             SumUnit::kNudge, sums.data()});
      for (std::size_t j = 0; j < width; ++j) EXPECT_EQ(unit.units(sums[j]), naive[j]);
    }
  }
}

TEST(Kernels, FindTheLargestSize) {
  Random random(10);
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 40U, 333U}) {
    std::vector<float> values(count);
    float naive = 0;
    for (float& value : values) {
      value = static_cast<float>(random.normal());
      naive = std::max(naive, std::fabs(value));
    }
    for (const Kernels* kernels : copies()) {
      EXPECT_EQ(kernels->largest_size(values.data(), count), naive);
      if (count == 0) continue;
      for (const float odd :
           {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
        std::vector<float> changed = values;
        changed[count / 2] = odd;
        EXPECT_TRUE(std::isinf(kernels->largest_size(changed.data(), count)));
      }
    }
  }
}

TEST(Kernels, SubtractsInPlaceAndApart) {
  Random random(3);
  for (const std::size_t size : {4U, 8U, 12U, 100U, 1028U}) {
    const auto whole = random_integers(size, random);
    const auto part = random_integers(size, random);
    std::vector<std::int32_t> expected(size);
    std::transform(whole.begin(), whole.end(), part.begin(), expected.begin(), std::minus<>());
    for (const Kernels* copy : copies()) {
      std::vector<std::int32_t> out(size);
      copy->subtract(out.data(), whole.data(), part.data(), size);
      EXPECT_EQ(out, expected);
      out = whole;
      copy->subtract(out.data(), out.data(), part.data(), size);
      EXPECT_EQ(out, expected);
    }
  }
}

TEST(Kernels, QuantiseAndSumAnyNumberOfValues) {
  Random random(4);
  for (std::size_t count = 1; count < 40; ++count) {
    std::vector<float> values(count);
    for (float& x : values) x = static_cast<float>(random.normal() * 1000);
    values[0] = -2.5F;  // halves round away from zero
    for (const Kernels* copy : copies()) {
      std::vector<std::int32_t> out(count + 1, 99);
      std::vector<float> sums(count + 1, 0.5F);
      copy->quantise(values.data(), count, 1, out.data());
      copy->add_absolute(values.data(), count, sums.data());
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(out[i], std::lround(values[i]));
        EXPECT_EQ(sums[i], 0.5F + std::fabs(values[i]));
      }
      EXPECT_EQ(out[count], 99);
      EXPECT_EQ(sums[count], 0.5F);
    }
  }
  for (std::size_t count = 4; count <= 120; count += 4) {
    const auto values = random_integers(count, random);
    for (const Kernels* copy : copies()) {
      std::vector<std::int32_t> sums(count, 1);
      copy->add_integers(values.data(), count, sums.data());
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(sums[i], values[i] + 1);
    }
  }
}

TEST(Kernels, AddBinsAsOneByOne) {
  Random random(5);
  for (const std::size_t channels : {4U, 8U, 12U, 16U, 24U})
    for (const std::size_t bins : {0U, 1U, 2U, 7U, 255U}) {
      const auto values = random_integers(bins * channels, random);
      std::vector<std::int32_t> expected(channels, 3);
      for (std::size_t i = 0; i < values.size(); ++i) expected[i % channels] += values[i];
      for (const Kernels* copy : copies()) {
        std::vector<std::int32_t> sums(channels, 3);
        copy->add_bins(values.data(), bins, channels, sums.data());
        EXPECT_EQ(sums, expected) << channels << " channels, " << bins << " bins";
      }
    }
}

// A histogram whose bins have counts, weights, pulls and, for Newton, curvatures.
struct ScanCase {
  CriterionSpec criterion;
  std::uint32_t value_bins;
  bool has_missing;
  std::vector<std::int32_t> histogram;
  std::vector<std::int32_t> total;
  std::vector<float> codewords;
  std::int32_t min_rows = 1;
  float min_weight = 0;

  ScanCase(CriterionKind kind, std::size_t pulls, Random& random) {
    const bool diagonal = simplexboost::diagonal(kind);
    criterion.kind = kind;
    criterion.pulls = pulls;
    const std::size_t half = padded_channels(kPullChannel + pulls);
    criterion.channels = diagonal ? 2 * half : half;
    if (random.below(2) == 0) criterion.l2 = static_cast<float>(1000 * random.uniform());
    value_bins = 1 + static_cast<std::uint32_t>(random.below(20));
    has_missing = random.below(2) == 0;
    if (random.below(2) == 0) min_rows = 1 + static_cast<std::int32_t>(random.below(40));
    if (random.below(2) == 0) min_weight = static_cast<float>(2000 * random.uniform());
    if (kind == CriterionKind::kCodeword) make_codewords(random);
    total.assign(criterion.channels, 0);
    for (std::uint32_t bin = 0; bin < value_bins + (has_missing ? 1 : 0); ++bin)
      add_bin(half, diagonal, random);
  }

  void make_codewords(Random& random) {
    const std::size_t classes = 2 + random.below(12);
    criterion.codeword_stride = (classes + 7) / 8 * 8;
    for (std::size_t j = 0; j < criterion.pulls; ++j) {
      const std::size_t first = codewords.size();
      for (std::size_t k = 0; k < criterion.codeword_stride; ++k)
        codewords.push_back(k < classes ? static_cast<float>(random.normal()) : codewords[first]);
    }
    criterion.codewords = codewords.data();
  }

  void add_bin(std::size_t half, bool diagonal, Random& random) {
    std::vector<std::int32_t> bin(criterion.channels);
    if (random.below(5) != 0) {
      bin[kCountChannel] = 1 + static_cast<std::int32_t>(random.below(20));
      bin[kWeightChannel] = static_cast<std::int32_t>(random.below(1000));
      for (std::size_t j = 0; j < criterion.pulls; ++j) {
        bin[kPullChannel + j] = static_cast<std::int32_t>(random.below(20'001)) - 10'000;
        if (diagonal)
          bin[half + kPullChannel + j] = 1 + static_cast<std::int32_t>(random.below(900));
        // Not less than the pull.
        if (criterion.kind == CriterionKind::kConfidence)
          bin[half + kPullChannel + j] += std::abs(bin[kPullChannel + j]);
      }
    }
    histogram.insert(histogram.end(), bin.begin(), bin.end());
    for (std::size_t j = 0; j < total.size(); ++j) total[j] += bin[j];
  }

  ScanArgs args() const {
    return {histogram.data(), value_bins, has_missing, total.data(),
            &criterion,       min_rows,   min_weight};
  }
};

double side_score(const CriterionSpec& spec, const std::vector<double>& side) {
  const double* g = side.data() + kPullChannel;
  const double* h = g + spec.channels / 2;
  const auto l2 = static_cast<double>(spec.l2);
  double result = 0;
  switch (spec.kind) {
    case CriterionKind::kLeastSquares: {
      for (std::size_t j = 0; j < spec.pulls; ++j) result += g[j] * g[j];
      const double weight = side[kWeightChannel] + l2;
      return weight > 0 ? result / weight : 0;
    }
    case CriterionKind::kConfidence:
      for (std::size_t j = 0; j < spec.pulls; ++j)
        result -= std::sqrt((h[j] - g[j]) * (h[j] + g[j]));
      return result;
    case CriterionKind::kShare: {
      double all = 0;
      for (std::size_t j = 0; j < spec.pulls; ++j) {
        result += g[j] * h[j];
        all += h[j];
      }
      return all > 0 ? result / all : 0;
    }
    case CriterionKind::kClass: return *std::max_element(g, g + spec.pulls);
    default: break;
  }
  result = -1e300;
  for (std::size_t k = 0; k < spec.codeword_stride; ++k) {
    double product = 0;
    for (std::size_t j = 0; j < spec.pulls; ++j)
      product += static_cast<double>(spec.codewords[j * spec.codeword_stride + k]) * g[j];
    result = std::max(result, product);
  }
  return result;
}

double naive_score(const CriterionSpec& spec, const std::int32_t* left, const std::int32_t* total) {
  std::vector<double> l(left, left + spec.channels);
  std::vector<double> r(spec.channels);
  double sum = 0;
  for (std::size_t j = 0; j < spec.channels; ++j) {
    r[j] = total[j] - l[j];
    if (j < kPullChannel || j >= kPullChannel + spec.pulls) continue;
    sum += std::fabs(r[j] - l[j]);
  }
  if (spec.kind == CriterionKind::kVote) return sum;
  return side_score(spec, l) + side_score(spec, r);
}

// The best allowed cut, by the definition of a cut.
double naive_scan(const ScanCase& scan) {
  const std::size_t channels = scan.criterion.channels;
  const auto allowed = [&](std::int32_t rows, std::int32_t weight) {
    return rows >= scan.min_rows && static_cast<float>(weight) >= scan.min_weight;
  };
  auto best = static_cast<double>(kNoCut);
  for (const bool missing_left : {false, true}) {
    if (missing_left && !scan.has_missing) break;
    std::vector<std::int32_t> left(channels);
    const auto add = [&](std::uint32_t bin) {
      for (std::size_t j = 0; j < channels; ++j) left[j] += scan.histogram[bin * channels + j];
    };
    if (missing_left) add(scan.value_bins);
    for (std::uint32_t bin = 0; bin < scan.value_bins; ++bin) {
      add(bin);
      if (!allowed(left[0], left[1]) || !allowed(scan.total[0] - left[0], scan.total[1] - left[1]))
        continue;
      best = std::max(best, naive_score(scan.criterion, left.data(), scan.total.data()));
    }
  }
  return best;
}

// Whether the reported cut has the reported score.
double score_of(const ScanCase& scan, const ScanResult& cut) {
  const std::size_t channels = scan.criterion.channels;
  std::vector<std::int32_t> left(channels);
  for (std::uint32_t bin = 0; bin < scan.value_bins + (scan.has_missing ? 1 : 0); ++bin) {
    if (bin == scan.value_bins ? !cut.missing_left : bin > cut.bin) continue;
    for (std::size_t j = 0; j < channels; ++j) left[j] += scan.histogram[bin * channels + j];
  }
  return naive_score(scan.criterion, left.data(), scan.total.data());
}

TEST(Kernels, ScanFindsTheBestCutOfEveryCriterionAndWidth) {
  for (const auto kind :
       {CriterionKind::kLeastSquares, CriterionKind::kVote, CriterionKind::kClass,
        CriterionKind::kCodeword, CriterionKind::kConfidence, CriterionKind::kShare}) {
    for (std::size_t pulls = 1; pulls <= 118; pulls += pulls < 50 ? 1 : 17) {
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Random random(seed, pulls);
        const ScanCase scan(kind, pulls, random);
        std::vector<std::int32_t> scratch(scan.criterion.channels);
        const ScanResult first = v1::kKernels.scan(scan.args(), scratch.data());
        const double best = naive_scan(scan);
        ASSERT_NEAR(static_cast<double>(first.score), best, 1e-6 * std::fabs(best) + 0.1);
        if (first.score > kNoCut) {
          ASSERT_NEAR(score_of(scan, first), best, 1e-6 * std::fabs(best) + 0.1);
        }
        for (const Kernels* copy : copies()) {
          const ScanResult found = copy->scan(scan.args(), scratch.data());
          ASSERT_EQ(bits(found.score), bits(first.score));
          ASSERT_EQ(found.bin, first.bin);
          ASSERT_EQ(found.missing_left, first.missing_left);
        }
      }
    }
  }
}

TEST(Kernels, ScoreIsTheSameAtEveryLevel) {
  for (const auto kind :
       {CriterionKind::kLeastSquares, CriterionKind::kVote, CriterionKind::kClass,
        CriterionKind::kCodeword, CriterionKind::kConfidence, CriterionKind::kShare}) {
    for (std::size_t pulls = 1; pulls <= 118; pulls += pulls < 50 ? 1 : 17) {
      Random random(5, pulls);
      const ScanCase scan(kind, pulls, random);
      const std::int32_t* left = scan.histogram.data();
      const float first = v1::kKernels.score(scan.criterion, left, scan.total.data());
      const double naive = naive_score(scan.criterion, left, scan.total.data());
      ASSERT_NEAR(static_cast<double>(first), naive, 1e-6 * std::fabs(naive) + 0.1);
      for (const Kernels* copy : copies())
        ASSERT_EQ(bits(copy->score(scan.criterion, left, scan.total.data())), bits(first));
    }
  }
}

}  // namespace
}  // namespace simplexboost
