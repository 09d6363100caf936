#include "explain/players.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "base/image/filter_taps.h"
#include "explain/shap_kernels.h"

namespace simplexboost {
namespace {

auto key_of(const ImageFilter& filter) {
  return std::tuple(filter.kind, filter.channel, filter.y, filter.x, filter.height, filter.width);
}

// Calls use(feature) for every pixel that a filter looks at.
template <class Use>
void each_pixel(const ImageFilter& filter, const ImageShape& image, const Use& use) {
  const FilterGrid grid = filter_grid(filter.kind);
  const std::size_t last_y = filter.y + std::size_t{grid.down} * filter.height;
  const std::size_t last_x = filter.x + std::size_t{grid.across} * filter.width;
  for (std::size_t y = filter.y; y < last_y; ++y)
    for (std::size_t x = filter.x; x < last_x; ++x)
      use((y * image.width + x) * image.channels + filter.channel);
}

}  // namespace

Players::Players(const Forest& forest, std::size_t trees, std::size_t features)
    : forest_(forest), player_of_feature_(features) {
  constexpr std::uint32_t kUsed = 1;
  const std::size_t nodes = trees == 0 ? 0 : forest.trees[trees - 1].node_end;
  std::map<decltype(key_of({})), std::uint32_t> seen;
  for (std::size_t i = 0; i < nodes; ++i) {
    const Node& node = forest.nodes[i];
    if (node.filter == kNoFilter)
      player_of_feature_[node.feature] = kUsed;
    else
      seen.emplace(key_of(forest.filters[node.filter]), 0);
  }
  for (std::size_t t = 0; t < trees; ++t)
    for (std::size_t k = forest.trees[t].linear_begin; k < forest.trees[t].linear_end; ++k)
      player_of_feature_[forest.linear_features[k].feature] = kUsed;
  for (std::uint32_t f = 0; f < features; ++f) {
    if (player_of_feature_[f] != kUsed) continue;
    player_of_feature_[f] = static_cast<std::uint32_t>(features_.size());
    features_.push_back(f);
  }
  auto player = static_cast<std::uint32_t>(features_.size());
  for (auto& [key, number] : seen) {
    number = player++;
    const auto& [kind, channel, y, x, height, width] = key;
    filters_.push_back({x, y, width, height, channel, kind});
  }
  for (const ImageFilter& filter : forest.filters) {
    const auto found = seen.find(key_of(filter));
    player_of_filter_.push_back(found == seen.end() ? 0 : found->second);
  }
}

std::uint32_t Players::of_node(const Node& node) const {
  return node.filter == kNoFilter ? player_of_feature_[node.feature]
                                  : player_of_filter_[node.filter];
}

void Players::gather(const Dataset& data, std::size_t begin, std::size_t end,
                     double* values) const {
  for (std::size_t p = 0; p < features_.size(); ++p)
    data.columns[features_[p]].copy(begin, end, values + p * kShapRows);
  if (filters_.empty()) return;
  const ImageShape& image = forest_.image;
  const std::size_t rows = end - begin;
  std::vector<double> column(rows);
  std::vector<double> pixels(rows * image.features());
  for (std::size_t f = 0; f < image.features(); ++f) {
    data.columns[f].copy(begin, end, column.data());
    for (std::size_t i = 0; i < rows; ++i) pixels[i * image.features() + f] = column[i];
  }
  std::vector<double> integral(integral_places(image));
  std::vector<FilterTaps> taps;
  for (const ImageFilter& filter : filters_) taps.push_back(filter_taps(filter, image));
  for (std::size_t i = 0; i < rows; ++i) {
    integrate_image(pixels.data() + i * image.features(), image, integral.data());
    for (std::size_t p = 0; p < taps.size(); ++p)
      values[(features_.size() + p) * kShapRows + i] =
          taps[p].value([&](std::uint32_t place) { return integral[place]; });
  }
}

void Players::spread(const double* of_players, std::size_t stride, std::size_t columns,
                     double* of_features) const {
  for (std::size_t p = 0; p < features_.size(); ++p)
    for (std::size_t c = 0; c < columns; ++c)
      of_features[features_[p] * columns + c] += of_players[p * stride + c];
  for (std::size_t p = 0; p < filters_.size(); ++p) {
    const double* const from = of_players + (features_.size() + p) * stride;
    std::size_t pixels = 0;
    each_pixel(filters_[p], forest_.image, [&](std::size_t) { ++pixels; });
    each_pixel(filters_[p], forest_.image, [&](std::size_t feature) {
      for (std::size_t c = 0; c < columns; ++c)
        of_features[feature * columns + c] += from[c] / static_cast<double>(pixels);
    });
  }
}

}  // namespace simplexboost
