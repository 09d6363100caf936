#include "tree/split/category_sets.h"

#include <algorithm>
#include <array>

namespace simplexboost {
namespace {

constexpr std::size_t kLargeSet = 16;     // words
constexpr std::size_t kNodesBack = 4096;  // that are looked at
constexpr std::size_t kManyNodes = 256;   // from which on an index pays

std::size_t first_looked_at(const Forest& forest) {
  return forest.nodes.size() - std::min(forest.nodes.size(), kNodesBack);
}

// Four chains at a time: one would wait for its multiplications.
std::uint64_t hash_of(std::span<const std::uint32_t> words, std::uint32_t feature) {
  constexpr std::uint64_t kFactor = 0xbf58476d1ce4e5b9U;
  std::array<std::uint64_t, 4> chains{1, 2, 3, feature};
  std::size_t i = 0;
  for (; i + 4 <= words.size(); i += 4)
    for (std::size_t c = 0; c < 4; ++c) {
      chains[c] = (chains[c] ^ words[i + c]) * kFactor;
      chains[c] ^= chains[c] >> 29U;
    }
  std::uint64_t hash = words.size();
  for (; i < words.size(); ++i) hash = (hash ^ words[i]) * kFactor;
  for (const std::uint64_t chain : chains) hash = ((hash ^ chain) * kFactor) ^ (chain >> 31U);
  return hash;
}

}  // namespace

CategorySets::CategorySets(Forest& forest, std::size_t nodes)
    : forest_(forest), indexed_(nodes >= kManyNodes), next_(first_looked_at(forest)) {}

void CategorySets::give(std::span<const std::uint32_t> words, Node& node) {
  node.set_size = static_cast<std::uint16_t>(words.size());
  if (words.size() >= kLargeSet) {
    if (const auto found = indexed_ ? look_up(words, node) : search(words, node)) {
      node.set = forest_.nodes[*found].set;
      return;
    }
  }
  node.set = static_cast<std::uint32_t>(forest_.set_words.size());
  forest_.set_words.insert(forest_.set_words.end(), words.begin(), words.end());
}

bool CategorySets::same(const Node& other, std::span<const std::uint32_t> words,
                        const Node& node) const {
  return other.categorical && other.feature == node.feature && other.set_size == words.size() &&
         std::equal(words.begin(), words.end(), forest_.set_words.begin() + other.set);
}

std::optional<std::size_t> CategorySets::search(std::span<const std::uint32_t> words,
                                                const Node& node) const {
  for (std::size_t i = forest_.nodes.size(); i-- > first_looked_at(forest_);)
    if (same(forest_.nodes[i], words, node)) return i;
  return std::nullopt;
}

std::optional<std::size_t> CategorySets::look_up(std::span<const std::uint32_t> words,
                                                 const Node& node) {
  for (; next_ < forest_.nodes.size(); ++next_) {
    const Node& other = forest_.nodes[next_];
    if (!other.categorical || other.set_size < kLargeSet) continue;
    const auto own = std::span(forest_.set_words).subspan(other.set, other.set_size);
    last_[hash_of(own, other.feature)] = next_;
  }
  const auto found = last_.find(hash_of(words, node.feature));
  if (found == last_.end() || found->second < first_looked_at(forest_)) return std::nullopt;
  if (!same(forest_.nodes[found->second], words, node)) return search(words, node);
  return found->second;
}

}  // namespace simplexboost
