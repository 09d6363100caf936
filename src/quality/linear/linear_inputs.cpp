#include "quality/linear/linear_inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/rows/stored_values.h"

namespace simplexboost {
namespace {

// A feature of more is rather a name than a property.
constexpr std::size_t kMostCategories = 1000;
// Of a feature that counts even where there would be too many coefficients with larger ones.
constexpr std::size_t kFewCategories = 64;

// The inputs of features of no more than so many categories.
std::size_t inputs_within(const Dataset& data, std::size_t most_categories) {
  std::size_t sum = 0;
  for (const Column& column : data.columns) {
    if (column.schema.type == FeatureType::kNumeric)
      ++sum;
    else if (column.schema.categories.size() <= most_categories)
      sum += column.schema.categories.size();
  }
  return sum;
}

std::size_t most_categories(const Dataset& data) {
  const std::size_t coefficients =
      (inputs_within(data, kMostCategories) + 1) * data.labels.classes.size();
  return coefficients <= LinearInputs::kMostCoefficients ? kMostCategories : kFewCategories;
}

// The finite values of a column, zeros being counted only.
struct FiniteValues {
  std::vector<double> others;  // in the order of the rows
  std::size_t zeros = 0;

  FiniteValues(const Column& column, std::size_t rows) {
    std::size_t seen = 0;
    for_each_value(column, rows, [&](std::size_t, double x) {
      ++seen;
      if (x == 0)
        ++zeros;
      else if (std::isfinite(x))
        others.push_back(x);
    });
    zeros += rows - seen;
  }

  std::size_t count() const { return others.size() + zeros; }
  // Then they stay 0, and cost nothing.
  bool mostly_zero(std::size_t rows) const { return 4 * zeros > 3 * rows; }
};

std::vector<double> finite_values(const Column& column, std::size_t rows) {
  std::vector<double> values(rows);
  column.copy(0, rows, values.data());
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  return values;
}

// The range that counts: but for the last two hundredths at both ends, which may be anywhere.
void set_range(std::vector<double>& values, bool whole, LinearFeature& scale) {
  const std::size_t off = whole ? 0 : values.size() / 50;
  const auto at = [&](std::size_t place) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place),
                     values.end());
    return values[place];
  };
  scale.low = at(off);
  scale.high = at(values.size() - 1 - off);
}

// A tree that tells the categories apart, by halves; what is none of them always goes right, to
// the last leaf.
class CategoryTree {
 public:
  CategoryTree(Forest& forest, std::uint32_t feature) : forest_(forest), feature_(feature) {}

  // The child for the leaves [begin, end).
  std::int32_t grow(std::uint32_t begin, std::uint32_t end) {
    if (end - begin == 1) return ~static_cast<std::int32_t>(begin);
    const std::uint32_t middle = begin + (end - begin) / 2;
    const auto number = nodes.size();
    Node node;
    node.feature = feature_;
    node.categorical = true;
    node.set = static_cast<std::uint32_t>(forest_.set_words.size());
    node.set_size = static_cast<std::uint16_t>((middle - 1) / 32 + 1);
    forest_.set_words.resize(node.set + node.set_size);
    for (std::uint32_t code = begin; code < middle; ++code)
      forest_.set_words[node.set + code / 32] |= std::uint32_t{1} << (code % 32);
    nodes.push_back(node);
    nodes[number].left = grow(begin, middle);
    nodes[number].right = grow(middle, end);
    return static_cast<std::int32_t>(number);
  }

  std::vector<Node> nodes;

 private:
  Forest& forest_;
  std::uint32_t feature_;
};

}  // namespace

std::size_t LinearInputs::most_inputs(const Dataset& data) {
  return inputs_within(data, most_categories(data));
}

LinearInputs::LinearInputs(const Dataset& data) : rows_(data.rows), ends_(data.rows + 1) {
  std::vector<double> values(data.rows);
  const std::size_t most = most_categories(data);
  for (std::uint32_t j = 0; j < data.columns.size(); ++j) {
    const Column& column = data.columns[j];
    const bool number = column.schema.type == FeatureType::kNumeric;
    if (number) {
      add_number(column, j);
    } else if (column.schema.categories.size() <= most) {
      column.copy(0, data.rows, values.data());
      add_categories(column, values, j);
    }
  }
  fill(data);
}

double LinearInputs::most_entries(const Dataset& data) {
  double sum = 0;
  for (const Column& column : data.columns)
    sum += static_cast<double>(column.sparse ? stored_rows(column).size() : data.rows);
  return sum;
}

void LinearInputs::add_number(const Column& column, std::uint32_t feature) {
  Number number;
  number.scale.feature = feature;
  number.input = static_cast<std::uint32_t>(count_);
  FiniteValues found(column, rows_);
  if (found.count() == 0) return;
  const bool sparse = found.mostly_zero(rows_);
  const auto count = static_cast<double>(found.count());
  // The zeros of a sparse one add nothing to the sums; one of them tells the range.
  if (sparse) found.others.push_back(0);
  std::vector<double> values = sparse ? std::move(found.others) : finite_values(column, rows_);
  LinearFeature& scale = number.scale;
  set_range(values, sparse, scale);
  if (!(scale.low < scale.high)) set_range(values, true, scale);
  if (!(scale.low < scale.high) || !std::isfinite(scale.high - scale.low)) return;
  double sum = 0;
  for (const double x : values) sum += std::clamp(x, scale.low, scale.high) / count;
  scale.center = sparse ? 0 : std::clamp(sum, scale.low, scale.high);
  double mean = 0;
  double square = 0;
  for (const double x : values) {
    const double position = scale.position(x);
    mean += position / count;
    square += position * position / count;
  }
  number.spread = std::sqrt(square - mean * mean);
  if (!(number.spread > 1e-6)) return;
  ++count_;
  numbers_.push_back(number);
}

void LinearInputs::add_categories(const Column& column, const std::vector<double>& codes,
                                  std::uint32_t feature) {
  const std::size_t count = column.schema.categories.size();
  if (count < 2) return;
  Categories categories{feature, static_cast<std::uint32_t>(count_),
                        std::vector<double>(count + 1)};
  for (const double code : codes)
    ++categories.covers[code >= 0 ? static_cast<std::size_t>(code) : count];
  count_ += count;
  categories_.push_back(std::move(categories));
}

// Twice over the columns: first to count the entries of each row, then to put them there.
void LinearInputs::fill(const Dataset& data) {
  std::vector<double> values(rows_);
  std::vector<std::size_t> next;
  for (const bool counts : {true, false}) {
    const auto add = [&](std::size_t i, Entry entry) {
      if (counts)
        ++ends_[i + 1];
      else
        entries_[next[i]++] = entry;
    };
    for (const Number& number : numbers_) {
      const Column& column = data.columns[number.scale.feature];
      const auto add_position = [&](std::size_t i, double x) {
        if (const double position = number.scale.position(x); position != 0)
          add(i, {number.input, static_cast<float>(position / number.spread)});
      };
      if (number.scale.position(0) == 0) {
        for_each_value(column, rows_, add_position);
      } else {
        column.copy(0, rows_, values.data());
        for (std::size_t i = 0; i < rows_; ++i) add_position(i, values[i]);
      }
    }
    for (const Categories& categories : categories_) {
      data.columns[categories.feature].copy(0, rows_, values.data());
      for (std::size_t i = 0; i < rows_; ++i)
        if (values[i] >= 0) add(i, {categories.input + static_cast<std::uint32_t>(values[i]), 1});
    }
    if (!counts) break;
    for (std::size_t i = 0; i < rows_; ++i) ends_[i + 1] += ends_[i];
    entries_.resize(ends_.back());
    next.assign(ends_.begin(), ends_.end() - 1);
  }
}

Forest LinearInputs::to_forest(std::span<const double> intercept,
                               std::span<const double> coefficients) const {
  const std::size_t width = intercept.size();
  const auto rows = static_cast<float>(rows_);
  Forest forest;
  forest.outputs = static_cast<std::uint32_t>(width);
  std::vector<LinearFeature> features;
  std::vector<float> slopes;
  for (const Number& number : numbers_) {
    LinearFeature feature = number.scale;
    for (std::size_t k = 0; k < width; ++k) {
      const double slope = coefficients[number.input * width + k];
      // What it adds to the scores, by its spread, which is 1.
      feature.gain += rows * static_cast<float>(slope * slope) / 2;
      slopes.push_back(static_cast<float>(slope / number.spread));
    }
    features.push_back(feature);
  }
  append_linear(forest, features, std::vector<float>(intercept.begin(), intercept.end()), slopes,
                0);
  forest.leaf_cover.push_back(rows);
  for (const Categories& categories : categories_) {
    const auto count = static_cast<std::uint32_t>(categories.covers.size() - 1);
    const auto first = coefficients.subspan(categories.input * width, count * width);
    std::vector<float> leaves(first.begin(), first.end());
    leaves.resize(leaves.size() + width);
    double squares = 0;
    for (std::size_t c = 0; c < first.size(); ++c)
      squares += categories.covers[c / width] * first[c] * first[c] / 2;
    CategoryTree tree(forest, categories.feature);
    tree.grow(0, count + 1);
    const std::vector<float> gains(tree.nodes.size(), static_cast<float>(squares / count));
    append_tree(forest, tree.nodes, leaves, 0, width, gains);
    forest.leaf_cover.insert(forest.leaf_cover.end(), categories.covers.begin(),
                             categories.covers.end());
  }
  forest.round_end.push_back(static_cast<std::uint32_t>(forest.trees.size()));
  return forest;
}

}  // namespace simplexboost
