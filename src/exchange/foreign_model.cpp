#include "exchange/foreign_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMostClasses = std::size_t{1} << 20U;
// Few bytes of a file, a large code, can ask for a large set.
constexpr std::size_t kMostSetWords = std::size_t{1} << 25U;

// The set of a node, in the table of the forest.
void place_set(Forest& forest, Node& node, const std::vector<std::uint32_t>& words) {
  if (words.size() > std::numeric_limits<std::uint16_t>::max())
    refuse_model(fmt::format("a set of categories has codes up to {}; ours end at {}",
                             32 * words.size(), 32 * 65535));
  if (forest.set_words.size() + words.size() > kMostSetWords)
    refuse_model(fmt::format("the sets of categories take more than {} MB",
                             kMostSetWords * sizeof words[0] >> 20U));
  node.set = static_cast<std::uint32_t>(forest.set_words.size());
  node.set_size = static_cast<std::uint16_t>(words.size());
  forest.set_words.insert(forest.set_words.end(), words.begin(), words.end());
}

// How many codes the trees know of each feature: one more than the largest.
std::vector<std::size_t> code_counts(const Ensemble& ensemble) {
  std::vector<std::size_t> counts(ensemble.schema.features.size(), 0);
  for (const Node& node : ensemble.forest.nodes) {
    if (!node.categorical) continue;
    std::size_t& count = counts[node.feature];
    for (std::size_t w = node.set_size; w-- > 0;) {
      const std::uint32_t word = ensemble.forest.set_words[node.set + w];
      if (word == 0) continue;
      count = std::max(count, 32 * w + static_cast<std::size_t>(std::bit_width(word)));
      break;
    }
  }
  return counts;
}

// Names twice would make codes ambiguous, and codes without names are called by their numbers.
std::vector<std::string> whole_names(std::vector<std::string> names, std::size_t codes) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  const std::size_t count = std::max(codes, names.size());
  if (twice || names.size() < codes) names.clear();
  for (std::size_t c = names.size(); c < count; ++c) names.push_back(std::to_string(c));
  return names;
}

}  // namespace

void refuse_model(const std::string& what) { throw ModelError(what); }

void ForeignForest::add_tree(std::size_t count,
                             const std::function<ForeignNode(std::size_t)>& node_at,
                             std::size_t output, std::size_t width) {
  const std::size_t number = ensemble_.forest.trees.size();
  const auto fail = [&](const std::string& what) {
    refuse_model(fmt::format("tree {}: {}", number, what));
  };
  // Children after their parents, each met once: a stack of who is to be told where a child is.
  struct Visit {
    std::int64_t node;
    std::int32_t parent;
    bool left;
  };
  std::vector<bool> seen(count);
  std::vector<Visit> stack{{0, -1, false}};
  std::vector<Node> nodes;
  std::vector<float> gains;
  std::vector<float> values;
  std::int32_t leaves = 0;
  while (!stack.empty()) {
    const Visit visit = stack.back();
    stack.pop_back();
    const auto at = static_cast<std::size_t>(visit.node);
    if (visit.node < 0 || at >= count) fail(fmt::format("it has no node {}", visit.node));
    if (seen[at]) fail(fmt::format("node {} has two parents", visit.node));
    seen[at] = true;
    ForeignNode found = node_at(at);
    const std::int32_t here = found.leaf ? ~leaves : static_cast<std::int32_t>(nodes.size());
    if (visit.parent >= 0) {
      Node& parent = nodes[static_cast<std::size_t>(visit.parent)];
      (visit.left ? parent.left : parent.right) = here;
    }
    if (found.leaf) {
      if (found.values.size() != width)
        fail(fmt::format("a leaf has {} values for {} outputs", found.values.size(), width));
      values.insert(values.end(), found.values.begin(), found.values.end());
      ++leaves;
      continue;
    }
    if (found.test.feature >= ensemble_.schema.features.size())
      fail(fmt::format("node {} asks for feature {} of {}", visit.node, found.test.feature,
                       ensemble_.schema.features.size()));
    if (found.test.categorical) place_set(ensemble_.forest, found.test, found.set);
    nodes.push_back(found.test);
    gains.push_back(found.gain);
    stack.push_back({found.right, here, false});
    stack.push_back({found.left, here, true});
  }
  append_tree(ensemble_.forest, nodes, values, output, width, gains);
}

void ForeignForest::end_round() {
  ensemble_.forest.round_end.push_back(static_cast<std::uint32_t>(ensemble_.forest.trees.size()));
}

Ensemble foreign_ensemble(const std::string& program, std::size_t classes) {
  if (classes < 2 || classes > kMostClasses)
    refuse_model(fmt::format("{} classes; a model has 2 to {}", classes, kMostClasses));
  Ensemble ensemble;
  ensemble.algorithm = program;
  for (std::size_t k = 0; k < classes; ++k) ensemble.schema.classes.push_back(std::to_string(k));
  ensemble.schema.label_columns = {"class"};
  ensemble.forest.outputs = static_cast<std::uint32_t>(classes);
  ensemble.bias.assign(classes, 0);
  ensemble.log.stop_reason = "imported";
  return ensemble;
}

void name_categories(Ensemble& ensemble, const std::vector<bool>& categorical,
                     const CategoryNames& names) {
  const std::vector<std::size_t> codes = code_counts(ensemble);
  std::size_t place = 0;
  for (std::size_t f = 0; f < categorical.size(); ++f) {
    if (!categorical[f]) continue;
    FeatureSchema& schema = ensemble.schema.features[f];
    schema.type = FeatureType::kCategorical;
    schema.categories = whole_names(names(f, place), codes[f]);
    ++place;
  }
}

}  // namespace simplexboost
