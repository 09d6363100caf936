#include "learner/hamming_product.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "base/threads/parallel.h"
#include "tree/pack.h"

namespace simplexboost {
namespace {

constexpr std::size_t kHammingProductRowBlock = 4096;

Split constant_factor() {
  Split split;
  split.constant = true;
  return split;
}

// sum_l |G_right,l - G_left,l|, and the votes that have this edge.
std::int64_t edge_of(const std::int32_t* left, const std::int32_t* right, std::size_t width,
                     float* votes) {
  std::int64_t edge = 0;
  for (std::size_t l = 0; l < width; ++l) {
    const std::int64_t difference =
        std::int64_t{right[kPullChannel + l]} - (left ? left[kPullChannel + l] : 0);
    edge += std::abs(difference);
    votes[width + l] = difference < 0 ? -1.0F : 1.0F;
    votes[l] = -votes[width + l];
  }
  return edge;
}

// Writes the tree of a product, pruned where earlier answers leave one side of a cut empty.
class ProductPacker {
 public:
  ProductPacker(const std::vector<Split>& splits, const std::vector<FeatureBins>& bins,
                const std::vector<float>& votes, Forest& forest)
      : bins_(bins), votes_(votes), width_(votes.size() / 2), forest_(forest) {
    CategorySets sets(forest, splits.size());
    for (const Split& split : splits) {
      if (split.constant) continue;
      cuts_.push_back(&split);
      templates_.push_back(pack_split(split, bins[split.feature], sets));
    }
  }

  void pack(double factor, double gain) {
    std::vector<std::vector<bool>> open(cuts_.size());
    for (std::size_t j = 0; j < cuts_.size(); ++j)
      open[j].assign(bins_[cuts_[j]->feature].missing_bin() + 1, true);
    add(0, open, false);
    for (float& value : values_) value = static_cast<float>(value * factor);
    const float share =
        static_cast<float>(gain / static_cast<double>(std::max<std::size_t>(nodes_.size(), 1)));
    append_tree(forest_, nodes_, values_, 0, width_, std::vector<float>(nodes_.size(), share));
  }

 private:
  // `open`: for each cut, the bins of its feature that the path so far allows (cuts of one feature
  // agree). `negative`: the sign of the factors before `cut`. Returns the child's number.
  std::int32_t add(std::size_t cut, const std::vector<std::vector<bool>>& open, bool negative) {
    if (cut == cuts_.size()) return add_leaf(negative);
    const Split& split = *cuts_[cut];
    const SplitPredicate goes_left(split, bins_[split.feature]);
    std::vector<bool> left = open[cut];
    std::vector<bool> right = open[cut];
    // Of filters nothing is known beforehand.
    if (!split.filtered)
      for (std::uint32_t bin = 0; bin < left.size(); ++bin)
        (goes_left(bin) ? right : left)[bin] = false;
    const auto empty = [](const std::vector<bool>& side) {
      return std::find(side.begin(), side.end(), true) == side.end();
    };
    if (empty(left)) return add(cut + 1, open, negative);
    if (empty(right)) return add(cut + 1, open, !negative);
    const std::size_t node = nodes_.size();
    nodes_.push_back(templates_[cut]);
    const auto narrowed = [&](const std::vector<bool>& side) {
      std::vector<std::vector<bool>> result = open;
      for (std::size_t j = cut + 1; j < cuts_.size(); ++j)
        if (cuts_[j]->feature == split.feature && !cuts_[j]->filtered) result[j] = side;
      return result;
    };
    const std::int32_t left_child = add(cut + 1, narrowed(left), !negative);
    const std::int32_t right_child = add(cut + 1, narrowed(right), negative);
    nodes_[node].left = left_child;
    nodes_[node].right = right_child;
    return static_cast<std::int32_t>(node);
  }

  std::int32_t add_leaf(bool negative) {
    const auto leaf = static_cast<std::int32_t>(values_.size() / width_);
    const float* vote = votes_.data() + (negative ? 0 : width_);
    values_.insert(values_.end(), vote, vote + width_);
    return ~leaf;
  }

  const std::vector<FeatureBins>& bins_;
  const std::vector<float>& votes_;
  std::size_t width_;
  Forest& forest_;
  std::vector<const Split*> cuts_;
  std::vector<Node> templates_;
  std::vector<Node> nodes_;
  std::vector<float> values_;
};

}  // namespace

HammingProduct::HammingProduct(const BinnedDataset& data, const RowSpace& space,
                               const HammingProductOptions& options)
    : data_(data), space_(space), options_(options), grower_(data, space, options.growth) {
  assert(options.factors >= 1 && options.factors <= kMostFactors);
  assert(options.growth.max_depth == 1);
}

RowVectors HammingProduct::fit(const RoundTarget& target, const Sample& sample) {
  const std::size_t rows = data_.rows();
  const auto factors = static_cast<std::size_t>(options_.factors);
  stats_.assign(target, space_);
  const CriterionSpec criterion = stats_.criterion(CriterionKind::kVote, 0);
  splits_.assign(factors, constant_factor());
  negative_.resize(factors);
  for (auto& factor : negative_) factor.assign(rows, 0);
  flipped_.assign(rows, 0);
  wanted_.resize(rows);
  stream_ = target.stream;
  edge_ = -1;  // so that the first cut, or constant, is taken whatever its edge
  edges_.clear();
  votes_.assign(2 * stats_.width(), 1);
  // Until all the others have failed since the last factor that improved, which is the best for
  // them.
  for (std::size_t turn = 0, tried = 0; tried < factors; ++turn)
    tried = refit(turn % factors, criterion, sample) ? 1 : tried + 1;

  vote_of_row_.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    std::uint32_t sign = 1;
    for (const auto& factor : negative_) sign ^= factor[i];
    vote_of_row_[i] = sign;
  }
  output_ = target.to.output;
  return {vote_of_row_.data(), votes_.data(), stats_.width(), output_};
}

// Puts the best cut in place of a factor if that raises the edge; says whether it did.
bool HammingProduct::refit(std::size_t factor, const CriterionSpec& criterion,
                           const Sample& sample) {
  std::fill(wanted_.begin(), wanted_.end(), std::uint8_t{0});
  for (std::size_t j = 0; j < negative_.size(); ++j) {
    if (j == factor || splits_[j].constant) continue;
    for (std::size_t i = 0; i < wanted_.size(); ++i) wanted_[i] ^= negative_[j][i];
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i) flipped_[i] ^= wanted_[i];
  stats_.flip_pulls(flipped_, space_);
  flipped_ = wanted_;

  const GrownTree& stump = grower_.grow(stats_, criterion, sample, {stream_++, 0});
  const GrownNode& root = stump.nodes[0];
  std::vector<float> votes(votes_.size());
  const std::int64_t edge = root.leaf()
                                ? edge_of(nullptr, stump.total(0), stats_.width(), votes.data())
                                : edge_of(stump.total(static_cast<std::size_t>(root.left)),
                                          stump.total(static_cast<std::size_t>(root.right)),
                                          stats_.width(), votes.data());
  if (edge <= edge_) return false;
  edge_ = edge;
  edges_.push_back(static_cast<double>(edge) * stats_.pull_unit());
  votes_ = std::move(votes);
  splits_[factor] = root.leaf() ? constant_factor() : root.split;
  set_signs(data_, splits_[factor], negative_[factor]);
  return true;
}

void HammingProduct::set_signs(const BinnedDataset& data, const Split& split,
                               std::vector<std::uint8_t>& negative) const {
  negative.assign(data.rows(), 0);
  if (split.constant) return;
  if (split.filtered) {
    const FilterPredicate filter(split, *data.images());
    parallel_blocks(space_.threads(), data.rows(), kHammingProductRowBlock,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i) negative[i] = filter(i) ? 1 : 0;
                    });
    return;
  }
  const SplitPredicate goes_left(split, data.bins(split.feature));
  data.visit_values(split.feature, [&](const auto& values) {
    parallel_blocks(space_.threads(), data.rows(), kHammingProductRowBlock,
                    [&](std::size_t begin, std::size_t end) {
                      for (std::size_t i = begin; i < end; ++i)
                        negative[i] = goes_left(values[i]) ? 1 : 0;
                    });
  });
}

void HammingProduct::append_to(Forest& forest, double factor) const {
  ProductPacker(splits_, data_.all_bins(), votes_, forest)
      .pack(factor, edges_.empty() ? 0 : edges_.back());
  forest.trees.back().output = static_cast<std::uint32_t>(output_);
}

RowVectors HammingProduct::apply(const LearnerData& data) {
  vote_elsewhere_.assign(data.bins.rows(), 1);
  std::vector<std::uint8_t> negative;
  for (const Split& split : splits_) {
    set_signs(data.bins, split, negative);
    for (std::size_t i = 0; i < negative.size(); ++i) vote_elsewhere_[i] ^= negative[i];
  }
  return {vote_elsewhere_.data(), votes_.data(), stats_.width(), output_};
}

}  // namespace simplexboost
