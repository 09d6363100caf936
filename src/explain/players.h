// The players of the games that explain a forest: the features that its nodes cut and, where these
// are pixels of an image, the filters that they cut by, each of which is one player.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/forest.h"

namespace simplexboost {

class Players {
 public:
  // Of the first `trees` trees and their linear parts. `features`: of the schema.
  Players(const Forest& forest, std::size_t trees, std::size_t features);

  std::size_t count() const { return features_.size() + filters_.size(); }
  bool has_filters() const { return !filters_.empty(); }
  // Whether they are all features of the schema, which has so many, in its order.
  bool are_features(std::size_t features) const {
    return filters_.empty() && features_.size() == features;
  }
  std::uint32_t of_node(const Node& node) const;
  std::uint32_t of_feature(std::size_t feature) const { return player_of_feature_[feature]; }

  // The values of rows [begin, end) of the data, a line of kShapRows for each player.
  void gather(const Dataset& data, std::size_t begin, std::size_t end, double* values) const;

  // From players x stride to features x columns numbers of one row: a filter's go in equal shares
  // to the pixels that it looks at.
  void spread(const double* of_players, std::size_t stride, std::size_t columns,
              double* of_features) const;

  const std::vector<std::uint32_t>& features() const { return features_; }

 private:
  const Forest& forest_;
  std::vector<std::uint32_t> features_;           // of the schema, ascending
  std::vector<std::uint32_t> player_of_feature_;  // of the schema's; meaningless where unused
  std::vector<ImageFilter> filters_;              // different ones
  std::vector<std::uint32_t> player_of_filter_;   // of the forest's
};

}  // namespace simplexboost
