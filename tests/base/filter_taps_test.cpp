#include "base/image/filter_taps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/message_of.h"
#include "base/random.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

using testing::message_of;

double rectangle(const std::vector<double>& pixels, const ImageShape& shape, std::size_t x,
                 std::size_t y, const ImageFilter& filter) {
  double sum = 0;
  for (std::size_t j = y; j < y + filter.height; ++j)
    for (std::size_t i = x; i < x + filter.width; ++i)
      sum += pixels[(j * shape.width + i) * shape.channels + filter.channel];
  return sum;
}

// The twin: every pixel of every rectangle.
double naive_value(const std::vector<double>& pixels, const ImageShape& shape,
                   const ImageFilter& filter) {
  const auto at = [&](std::size_t i, std::size_t j) {
    return rectangle(pixels, shape, filter.x + i * filter.width, filter.y + j * filter.height,
                     filter);
  };
  switch (filter.kind) {
    case FilterKind::kTwoAcross: return at(1, 0) - at(0, 0);
    case FilterKind::kTwoDown: return at(0, 1) - at(0, 0);
    case FilterKind::kThreeAcross: return at(0, 0) - 2 * at(1, 0) + at(2, 0);
    case FilterKind::kThreeDown: return at(0, 0) - 2 * at(0, 1) + at(0, 2);
    case FilterKind::kFour: return at(0, 0) - at(1, 0) - at(0, 1) + at(1, 1);
  }
  return 0;
}

// Every filter that fits.
template <class Use>
void for_all_filters(const ImageShape& shape, const Use& use) {
  ImageFilter filter;
  for (std::uint32_t kind = 0; kind < kFilterKinds; ++kind)
    for (filter.channel = 0; filter.channel < shape.channels; ++filter.channel)
      for (filter.width = 1; filter.width <= shape.width; ++filter.width)
        for (filter.height = 1; filter.height <= shape.height; ++filter.height)
          for (filter.x = 0; filter.x < shape.width; ++filter.x)
            for (filter.y = 0; filter.y < shape.height; ++filter.y) {
              filter.kind = static_cast<FilterKind>(kind);
              if (fits_image(filter, shape)) use(filter);
            }
}

TEST(FilterTaps, AreTheSumsOverRectangles) {
  const ImageShape shape{7, 5, 2};
  Random random(1);
  std::vector<double> pixels(shape.features());
  for (double& pixel : pixels) pixel = static_cast<double>(random.below(256));
  std::vector<std::int32_t> whole(integral_places(shape));
  std::vector<double> real(integral_places(shape));
  integrate_image(pixels.data(), shape, whole.data());
  integrate_image(pixels.data(), shape, real.data());
  std::size_t count = 0;
  for_all_filters(shape, [&](const ImageFilter& filter) {
    const FilterTaps taps = filter_taps(filter, shape);
    const double expected = naive_value(pixels, shape, filter);
    ASSERT_EQ(taps.value([&](std::uint32_t place) { return whole[place]; }), expected);
    ASSERT_EQ(taps.value([&](std::uint32_t place) { return real[place]; }), expected);
    ASSERT_LT(middle_pixel(filter, shape), shape.features());
    ++count;
  });
  EXPECT_GT(count, 500U);
}

TEST(FilterTaps, FiltersMustLieWithinTheImage) {
  const ImageShape shape{4, 3, 1};
  EXPECT_TRUE(fits_image({0, 0, 2, 3, 0, FilterKind::kTwoAcross}, shape));
  EXPECT_FALSE(fits_image({1, 0, 2, 3, 0, FilterKind::kTwoAcross}, shape));
  EXPECT_FALSE(fits_image({0, 1, 2, 3, 0, FilterKind::kTwoAcross}, shape));
  EXPECT_FALSE(fits_image({0, 0, 0, 1, 0, FilterKind::kTwoAcross}, shape));
  EXPECT_FALSE(fits_image({0, 0, 1, 1, 1, FilterKind::kTwoAcross}, shape));
  EXPECT_FALSE(fits_image({65535, 0, 65535, 1, 0, FilterKind::kThreeAcross}, shape));
}

TEST(FilterTaps, PixelsAreScaledRoundedAndKeptWithinBounds) {
  const ImageShape shape{2, 1, 1, 4};
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double endless = std::numeric_limits<double>::infinity();
  const auto difference = [&](double left, double right) {
    const double pixels[] = {left, right};
    std::vector<std::int32_t> places(integral_places(shape));
    integrate_image(pixels, shape, places.data());
    return filter_taps({0, 0, 1, 1, 0, FilterKind::kTwoAcross}, shape)
        .value([&](std::uint32_t place) { return places[place]; });
  };
  EXPECT_EQ(difference(0.3, 1), 3) << "4 - round(1.2)";
  EXPECT_EQ(difference(none, 1), 4) << "missing pixels are 0";
  EXPECT_EQ(difference(-endless, endless), 2 * static_cast<std::int32_t>(most_pixel(shape)));
}

TEST(FilterTaps, ShapesAreReadFromText) {
  EXPECT_EQ(parse_image_shape("28x30"), (ImageShape{28, 30, 1}));
  EXPECT_EQ(parse_image_shape("32x32x3"), (ImageShape{32, 32, 3}));
  for (const char* wrong :
       {"", "28", "28x", "x28", "0x28", "28x28x", "2x2x2x2", "28 x 28", "28X28", "5000x2", "-2x2"})
    EXPECT_NE(message_of<ParameterError>([&] {
                parse_image_shape(wrong);
              }).find("is no shape of images; give WIDTHxHEIGHT"),
              std::string::npos)
        << wrong;
}

}  // namespace
}  // namespace simplexboost
