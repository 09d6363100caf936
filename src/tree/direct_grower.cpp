#include "tree/direct_grower.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

#include "base/threads/parallel.h"
#include "tree/split/cuts.h"

namespace simplexboost {
namespace {

// Work below this many additions is not worth waking other threads for.
constexpr std::size_t kParallelCurves = 50'000;

void add(std::int32_t* to, const std::int32_t* from, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) to[j] += from[j];
}

void subtract(std::int32_t* from, const std::int32_t* what, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) from[j] -= what[j];
}

void add_marks(std::span<const std::uint32_t> marks, std::int32_t weight, std::int32_t* sums) {
  for (const std::uint32_t mark : marks) {
    const auto falls = static_cast<std::int32_t>(mark & 1);
    sums[mark >> 1] += (weight ^ -falls) + falls;
  }
}

// Adds the cells, or marks, of a row.
void add_row(const StepCurves& curves, std::size_t row, std::int32_t* sums) {
  if (!curves.dense) return add_marks(curves.marks(row), curves.weights[row], sums);
  const std::span<const std::int32_t> cells = curves.cells(row);
  add(sums, cells.data(), cells.size());
}

// How many rows each bin has. Where there are few bins the same one comes up again before its last
// count is in memory: four tables count in turn.
template <class Values>
void count_bins(std::span<const std::uint32_t> rows, const Values& values, std::size_t all_bins,
                std::uint32_t* counts) {
  constexpr std::size_t kFewBins = 64;
  std::size_t i = 0;
  if (all_bins <= kFewBins && rows.size() >= 4 * kFewBins) {
    std::array<std::array<std::uint32_t, kFewBins>, 4> tables{};
    for (; i + 4 <= rows.size(); i += 4)
      for (std::size_t t = 0; t < 4; ++t) ++tables[t][values[rows[i + t]]];
    for (std::size_t bin = 0; bin < all_bins; ++bin)
      for (const auto& table : tables) counts[bin] += table[bin];
  }
  for (; i < rows.size(); ++i) ++counts[values[rows[i]]];
}

}  // namespace

template <class Values>
void DirectGrower::Scratch::count(std::size_t all_bins, std::span<const std::uint32_t> rows,
                                  const Values& values) {
  for (const std::uint32_t bin : bins) counts[bin] = 0;
  bins.clear();
  counts.resize(std::max(counts.size(), all_bins));
  slots.resize(counts.size());
  seen.resize(counts.size() / 64 + 1);
  const auto take = [&](std::uint32_t bin) {
    slots[bin] = static_cast<std::uint32_t>(bins.size());
    bins.push_back(bin);
  };
  if (rows.size() >= all_bins) {
    count_bins(rows, values, all_bins, counts.data());
    for (std::uint32_t bin = 0; bin < all_bins; ++bin)
      if (counts[bin] > 0) take(bin);
    return;
  }
  // Deep trees have many nodes of a few rows: these do not go through all bins.
  for (const std::uint32_t row : rows) {
    const std::uint32_t bin = values[row];
    ++counts[bin];
    seen[bin / 64] |= std::uint64_t{1} << (bin % 64);
  }
  for (std::uint32_t word = 0; word <= all_bins / 64; ++word)
    for (std::uint64_t bits = std::exchange(seen[word], 0); bits != 0; bits &= bits - 1)
      take(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
}

// The cuts of one feature at one node. Bins without rows are left out: small nodes have few.
struct DirectGrower::Search {
  const DirectGrower& grower;
  Scratch& scratch;
  const FeatureBins& bins;
  const Sums& total;            // labels x steps, of the node
  const std::int32_t* without;  // the other leaves' envelopes, by step
  std::size_t rows;             // of the node
  Candidate& best;
  std::size_t left_rows = 0;

  std::size_t size() const { return total.size(); }
  std::size_t steps() const { return grower.curves_->steps; }
  const std::int32_t* slot(std::size_t s) const { return scratch.histogram.data() + s * size(); }
  std::size_t count(std::size_t s) const { return scratch.counts[scratch.bins[s]]; }

  void clear() {
    scratch.left.assign(size(), 0);
    left_rows = 0;
    left_mass = 0;
    left_weight = 0;
  }
  void move_left(std::size_t s) {
    add(scratch.left.data(), slot(s), size());
    left_rows += count(s);
    if (!scratch.masses.empty()) left_mass += scratch.masses[s];
    if (!scratch.weights.empty()) left_weight += scratch.weights[s];
  }
  void move_right(std::size_t s) {
    subtract(scratch.left.data(), slot(s), size());
    left_rows -= count(s);
    if (!scratch.masses.empty()) left_mass -= scratch.masses[s];
    if (!scratch.weights.empty()) left_weight -= scratch.weights[s];
  }
  CutFit fit() const {
    const auto least = static_cast<std::size_t>(std::max(grower.options_.min_rows, 1));
    if (left_rows < least) return CutFit::kNo;
    if (rows - left_rows < least) return CutFit::kNoMore;
    const double least_weight = grower.options_.min_weight;
    const bool light = !scratch.weights.empty() &&
                       (left_weight < least_weight || weight - left_weight < least_weight);
    return light ? CutFit::kNo : CutFit::kYes;
  }

  // Of both sides' envelopes, where there is one step: that alone tells most cuts to be no better,
  // without the loop over steps (an eighth of the time of deep trees).
  std::int32_t one_step_sum() const {
    const std::int32_t* const left = scratch.left.data();
    const std::int32_t* const whole = total.data();
    std::int32_t low = left[0];
    std::int32_t high = whole[0] - left[0];
    for (std::size_t y = 1; y < size(); ++y) {
      low = std::max(low, left[y]);
      high = std::max(high, whole[y] - left[y]);
    }
    return low + high;
  }

  // How much more the labels differ in what they would bring on the two sides than in the node as a
  // whole, by the Gini index, at the best step so far; no less than 0, and 0 where all rows want
  // the same.
  double parted() const {
    constexpr double kRounding = 1e-9;
    const std::size_t n = steps();
    const std::size_t label_count = size() / n;
    const auto labels = static_cast<double>(label_count);
    double square[3] = {};
    double sum[3] = {};
    for (std::size_t at = grower.tie_step_; at < size(); at += n) {
      const auto whole = static_cast<double>(total[at]);
      const auto left = static_cast<double>(scratch.left[at]);
      const double parts[3] = {left, whole - left, whole};
      for (int s = 0; s < 3; ++s) {
        square[s] += parts[s] * parts[s];
        sum[s] += parts[s];
      }
    }
    const auto spread = [&](int s, std::int64_t count) {
      const double all = square[s] - sum[s] * sum[s] / labels;
      return count > 0 ? all / static_cast<double>(count) : 0;
    };
    const double whole = spread(2, mass);
    const double more = spread(0, left_mass) + spread(1, mass - left_mass) - whole;
    return more > kRounding * whole ? more : 0;
  }

  // Judges the cut that has the rows of `left` on its left. Returns whether it is the best so far.
  bool judge() {
    const std::size_t n = steps();
    if (n == 1 && best.found && one_step_sum() <= best.left[0] + best.right[0]) return false;
    std::int32_t* const low = scratch.left_envelope.data();
    std::int32_t* const high = scratch.right_envelope.data();
    const std::int32_t* left = scratch.left.data();
    const std::int32_t* whole = total.data();
    for (std::size_t k = 0; k < n; ++k) {
      low[k] = left[k];
      high[k] = whole[k] - left[k];
    }
    for (std::size_t y = n; y < size(); y += n)
      for (std::size_t k = 0; k < n; ++k) {
        low[k] = std::max(low[k], left[y + k]);
        high[k] = std::max(high[k], whole[y + k] - left[y + k]);
      }
    Worth worth = grower.worth(low, high, without);
    if (!grower.curves_->dense) worth.parted = parted();
    if (best.found && !(worth > best.worth)) return false;
    best.found = true;
    best.worth = worth;
    best.left.assign(low, low + n);
    best.right.assign(high, high + n);
    return true;
  }

  // As for_numeric_cuts() wants it; what comes last may be the missing values.
  bool missing() const { return scratch.bins.back() == bins.missing_bin(); }
  std::size_t values() const { return scratch.bins.size() - (missing() ? 1 : 0); }
  void start(bool missing_left) {
    clear();
    if (missing_left) move_left(values());
  }
  static bool empty(std::size_t /*s*/) { return false; }
  void try_cut(std::size_t s, bool missing_left) {
    if (!judge()) return;
    best.split.bin = scratch.bins[s];
    best.split.missing_left = missing_left;
    best.split.missing_seen = missing();
  }

  // As CategoricalCuts wants it.
  bool try_set() { return fit() == CutFit::kYes && judge(); }
  void take_set(std::span<const std::size_t> members) {
    Split& split = best.split;
    split.categorical = true;
    split.left_set.assign(bins.value_bins / 32 + 1, 0);
    const auto put = [&](std::uint32_t bin) { split.left_set[bin / 32] |= 1U << (bin % 32); };
    for (const std::size_t s : members) put(scratch.bins[s]);
    // Missing values go to the side that holds them, else to the larger one; categories that this
    // node does not have go where missing values go.
    split.missing_left =
        missing() ? in_set(split.left_set, bins.missing_bin()) : 2 * left_rows > rows;
    if (!split.missing_left) return;
    for (std::uint32_t bin = 0; bin < bins.value_bins; ++bin)
      if (scratch.counts[bin] == 0) put(bin);
  }

  // Categories by how much more they want one label than another, at the best step so far: the
  // two labels that the node as a whole, and the rest of it, want most.
  template <class Use>
  void for_orders(const Use& use) const {
    const std::size_t n = steps();
    const std::size_t k = grower.best_step();
    std::size_t first = 0;
    for (std::size_t y = 1; y < size() / n; ++y)
      if (total[y * n + k] > total[first * n + k]) first = y;
    for (std::size_t y = 0; y < size() / n; ++y) {
      if (y == first) continue;
      std::vector<std::size_t> order(scratch.bins.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      const auto mean = [&](std::size_t s) {
        return static_cast<double>(std::int64_t{slot(s)[y * n + k]} - slot(s)[first * n + k]) /
               static_cast<double>(count(s));
      };
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return mean(a) > mean(b); });
      use(order);
    }
  }

  double weight = 0;
  double left_weight = 0;
  // Weights in the units of the curves, where the error is the objective.
  std::int64_t mass = 0;
  std::int64_t left_mass = 0;
};

DirectGrower::DirectGrower(const BinnedDataset& data, const GrowthOptions& options, int threads)
    : data_(data), options_(options), threads_(threads), all_features_(data.features()) {
  std::iota(all_features_.begin(), all_features_.end(), 0U);
  scratch_.resize(static_cast<std::size_t>(std::max(threads_, 1)));
}

// Step functions from their marks.
void DirectGrower::integrate(std::int32_t* sums) const {
  if (curves_->dense) return;
  const std::size_t n = curves_->steps;
  for (std::size_t y = 0; y < curves_->classes; ++y)
    std::partial_sum(sums + y * n, sums + (y + 1) * n, sums + y * n);
}

DirectGrower::Sums DirectGrower::node_sums(const GrownNode& node) const {
  Sums sums(curves_->classes * curves_->steps);
  for (const std::uint32_t row : tree_.rows(node)) add_row(*curves_, row, sums.data());
  integrate(sums.data());
  return sums;
}

// Whether one label is the best for each row of the node, so that no cut can gain. Only a single
// step is looked at: with more, a cut may gain at one and lose at another.
bool DirectGrower::settled(const GrownNode& node, const Sums& sums) const {
  if (!curves_->dense) return false;
  const auto best = std::max_element(sums.begin(), sums.end()) - sums.begin();
  const std::span<const std::uint32_t> rows = tree_.rows(node);
  return std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) {
    const std::span<const std::int32_t> cells = curves_->cells(row);
    return cells.empty() ||
           cells[static_cast<std::size_t>(best)] == *std::max_element(cells.begin(), cells.end());
  });
}

void DirectGrower::envelope(const Sums& sums, Sums& out) const {
  const std::size_t n = curves_->steps;
  out.assign(sums.begin(), sums.begin() + static_cast<long>(n));
  for (std::size_t y = n; y < sums.size(); y += n)
    for (std::size_t k = 0; k < n; ++k) out[k] = std::max(out[k], sums[y + k]);
}

DirectGrower::Worth DirectGrower::worth(const std::int32_t* a, const std::int32_t* b,
                                        const std::int32_t* without) const {
  Worth result{-std::numeric_limits<double>::infinity(), 0};
  for (std::size_t k = 0; k < curves_->steps; ++k) {
    const std::int64_t sum = std::int64_t{a[k]} + (b ? b[k] : 0) + without[k];
    const double value =
        curves_->offset[k] + curves_->factor[k] * share_ * static_cast<double>(sum);
    result.best = std::max(result.best, value);
    result.all += value;
  }
  return result;
}

std::size_t DirectGrower::best_step() const {
  std::size_t best = 0;
  const auto value = [&](std::size_t k) {
    return curves_->offset[k] + curves_->factor[k] * share_ * static_cast<double>(total_[k]);
  };
  // The last of equals: a step forward rather than back.
  for (std::size_t k = 1; k < curves_->steps; ++k)
    if (value(k) >= value(best)) best = k;
  return best;
}

bool DirectGrower::may_split(const GrownNode& node) const {
  if (options_.max_depth > 0 && node.depth >= options_.max_depth) return false;
  return node.end - node.begin >= 2 * static_cast<std::uint32_t>(std::max(options_.min_rows, 1));
}

// The slot of a bin that most rows of the node are in, or none: what the other bins leave of the
// node's sums is its own, exactly, for they are integers.
std::uint32_t DirectGrower::rest_slot(const Scratch& scratch, std::size_t rows) {
  for (std::uint32_t s = 0; s < scratch.bins.size(); ++s)
    if (2 * std::size_t{scratch.counts[scratch.bins[s]]} >= rows) return s;
  return kNoSlot;
}

// From the marks of all rows but those in the slot `rest` to cells.
void DirectGrower::fill_histogram(Scratch& scratch, std::uint32_t rest, const Sums& total) const {
  const auto slot = [&](std::size_t s) { return scratch.histogram.data() + s * total.size(); };
  if (rest != kNoSlot) std::copy(total.begin(), total.end(), slot(rest));
  for (std::size_t s = 0; s < scratch.bins.size(); ++s) {
    if (s == rest) continue;
    integrate(slot(s));
    if (rest != kNoSlot) subtract(slot(rest), slot(s), total.size());
  }
}

// Where each row's part lies is asked once for all features; rows far from the edge of the margins
// have none.
void DirectGrower::list_adding_rows(const GrownNode& node) {
  adding_.clear();
  for (const std::uint32_t row : tree_.rows(node)) {
    if (curves_->dense) {
      const std::span<const std::int32_t> cells = curves_->cells(row);
      if (!cells.empty()) adding_.push_back({row, 0, cells.data(), {}});
    } else {
      const std::span<const std::uint32_t> marks = curves_->marks(row);
      if (!marks.empty()) adding_.push_back({row, curves_->weights[row], nullptr, marks});
    }
  }
}

// Sets the sums of the bins that rows of the node are in, by `values`, the bins of all rows.
template <class Values>
void DirectGrower::sum_bins(const Values& values, const FeatureBins& bins, std::size_t node,
                            Scratch& scratch) const {
  const std::span<const std::uint32_t> rows = tree_.rows(tree_.nodes[node]);
  const std::size_t size = curves_->classes * curves_->steps;
  scratch.weights.clear();
  scratch.count(bins.missing_bin() + 1, rows, values);
  if (scratch.bins.size() < 2) return;
  scratch.histogram.assign(scratch.bins.size() * size, 0);
  const std::uint32_t rest = rest_slot(scratch, rows.size());
  for (const AddingRow& row : adding_) {
    const std::uint32_t slot = scratch.slots[values[row.row]];
    if (slot == rest) continue;
    std::int32_t* const sums = scratch.histogram.data() + slot * size;
    if (curves_->dense) {
      add(sums, row.cells, size);
    } else {
      add_marks(row.marks, row.weight, sums);
    }
  }
  fill_histogram(scratch, rest, sums_[node]);
  scratch.masses.clear();
  if (!curves_->dense) {
    scratch.masses.assign(scratch.bins.size(), 0);
    for (const std::uint32_t row : rows)
      scratch.masses[scratch.slots[values[row]]] += curves_->weights[row];
  }
  if (options_.min_weight > 0 && weights_) {
    scratch.weights.assign(scratch.bins.size(), 0);
    for (const std::uint32_t row : rows)
      scratch.weights[scratch.slots[values[row]]] += static_cast<double>(weights_[row]);
  }
}

// The best cut between bins whose sums are there.
void DirectGrower::search_bins(const FeatureBins& bins, std::size_t node, Scratch& scratch,
                               Candidate& candidate) const {
  if (scratch.bins.size() < 2) return;
  scratch.left_envelope.resize(curves_->steps);
  scratch.right_envelope.resize(curves_->steps);
  const std::size_t rows = tree_.rows(tree_.nodes[node]).size();
  Search search{*this, scratch, bins, sums_[node], without_.data(), rows, candidate};
  for (const double weight : scratch.weights) search.weight += weight;
  for (const std::int64_t mass : scratch.masses) search.mass += mass;
  if (bins.type == FeatureType::kCategorical) {
    CategoricalCuts(search, scratch.bins.size()).try_all(options_.categorical);
  } else {
    for_numeric_cuts(search, static_cast<std::uint32_t>(search.values()), search.missing());
  }
}

void DirectGrower::search_feature(std::uint32_t feature, std::size_t node, Scratch& scratch,
                                  Candidate& candidate) const {
  const FeatureBins& bins = data_.bins(feature);
  candidate.found = false;
  candidate.split = Split{};
  candidate.split.feature = feature;
  data_.visit_values(feature, [&](const auto& values) { sum_bins(values, bins, node, scratch); });
  search_bins(bins, node, scratch, candidate);
}

void DirectGrower::search_filter(const ImageFilter& filter, std::size_t node, Scratch& scratch,
                                 Candidate& candidate) const {
  const IntegralImages& images = *data_.images();
  const std::span<const std::uint32_t> rows = tree_.rows(tree_.nodes[node]);
  candidate.found = false;
  scratch.filter_values.resize(rows.size());
  images.values(filter_taps(filter, images.shape()), rows, scratch.filter_values.data());
  scratch.filter_bins.assign(scratch.filter_values);
  scratch.bin_of_row.resize(data_.rows());
  for (std::size_t i = 0; i < rows.size(); ++i)
    scratch.bin_of_row[rows[i]] = scratch.filter_bins.bin_of(scratch.filter_values[i]);
  FeatureBins bins;
  bins.value_bins = scratch.filter_bins.size();
  candidate.split = Split{};
  sum_bins(scratch.bin_of_row, bins, node, scratch);
  search_bins(bins, node, scratch, candidate);
  if (!candidate.found) return;
  Split& split = candidate.split;
  split.filtered = true;
  split.filter = filter;
  split.limit = scratch.filter_bins.limit(std::exchange(split.bin, 0));
  split.feature = middle_pixel(filter, images.shape());
}

// The best of the cuts by features, then by filters; the first of equals, so that threads do not
// matter.
void DirectGrower::find_split(std::int32_t index) {
  const auto at = static_cast<std::size_t>(index);
  GrownNode& node = tree_.nodes[at];
  node.gain = 0;
  tie_step_ = best_step();
  if (sums_[at].empty()) sums_[at] = node_sums(node);
  if (settled(node, sums_[at])) {
    sums_[at] = Sums();
    return;
  }
  list_adding_rows(node);
  without_ = total_;
  subtract(without_.data(), envelopes_[at].data(), without_.size());
  std::vector<ImageFilter> filters;
  if (options_.filters > 0)
    filters = node_filters(data_.images()->shape(), options_.filters, chance_, tree_, at);
  const std::size_t rows = node.end - node.begin;
  const int threads = rows * candidates_.size() * curves_->classes < kParallelCurves ? 1 : threads_;
  parallel_for(threads, candidates_.size(), [&](std::size_t c) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(worker_index())];
    if (c < features_.size())
      search_feature(features_[c], at, scratch, candidates_[c]);
    else
      search_filter(filters[c - features_.size()], at, scratch, candidates_[c]);
  });
  Candidate* best = nullptr;
  for (Candidate& candidate : candidates_)
    if (candidate.found && (!best || candidate.worth > best->worth)) best = &candidate;
  sums_[at] = Sums();
  if (!best || !(best->worth > worth_)) return;
  const double gain = best->worth.best - worth_.best;
  if (options_.min_gain > 0 && gain <= options_.min_gain) return;
  if (gain > 0 && gain <= curves_->least_gain) return;
  found_[at] = *best;
  // A cut that only prepares later ones gains nothing by itself.
  node.gain = static_cast<float>(std::max(gain, 0.0));
  node.split = found_[at].split;
  node.split.score = static_cast<float>(best->worth.best);
}

void DirectGrower::cut(std::int32_t index) {
  const auto at = static_cast<std::size_t>(index);
  cut_node(tree_, partition_, index, data_, threads_);
  choose_missing_side(tree_, at, weights_);
  subtract(total_.data(), envelopes_[at].data(), total_.size());
  add(total_.data(), found_[at].left.data(), total_.size());
  add(total_.data(), found_[at].right.data(), total_.size());
  envelopes_.push_back(std::move(found_[at].left));
  envelopes_.push_back(std::move(found_[at].right));
  found_.resize(tree_.nodes.size());
  sums_.resize(tree_.nodes.size());
  found_[at] = Candidate{};
  const Sums none(total_.size());
  worth_ = worth(total_.data(), nullptr, none.data());
}

void DirectGrower::set_labels() {
  const std::size_t n = curves_->steps;
  const std::size_t k = best_step();
  objective_ = worth_.best;
  labels_.assign(tree_.nodes.size(), 0);
  parallel_for(threads_, tree_.nodes.size(), [&](std::size_t i) {
    if (!tree_.nodes[i].leaf()) return;
    const Sums sums = node_sums(tree_.nodes[i]);
    for (std::size_t y = 1; y < curves_->classes; ++y)
      if (sums[y * n + k] > sums[static_cast<std::size_t>(labels_[i]) * n + k])
        labels_[i] = static_cast<std::int32_t>(y);
  });
}

const GrownTree& DirectGrower::grow(const StepCurves& curves, const float* weights,
                                    const Sample& sample, const SplitChance& chance) {
  curves_ = &curves;
  weights_ = weights;
  chance_ = chance;
  features_ =
      sample.features.empty() ? std::span<const std::uint32_t>(all_features_) : sample.features;
  candidates_.resize(features_.size() + options_.filters);
  partition_.reset(data_.rows(), sample, threads_);
  share_ = static_cast<double>(data_.rows()) / static_cast<double>(partition_.size());
  tree_.nodes.assign(1, {});
  tree_.partition = &partition_;
  tree_.nodes[0].end = static_cast<std::uint32_t>(partition_.size());
  sums_.assign(1, node_sums(tree_.nodes[0]));
  envelopes_.assign(1, {});
  envelope(sums_[0], envelopes_[0]);
  found_.assign(1, {});
  total_ = envelopes_[0];
  const Sums none(total_.size());
  worth_ = worth(total_.data(), nullptr, none.data());

  // Level by level each node is judged when its turn comes, by the tree as it then is; the best
  // leaf first by what it promised when it came up.
  std::deque<std::int32_t> queue;
  const auto push = [&](std::int32_t index) {
    if (!may_split(tree_.nodes[static_cast<std::size_t>(index)])) return;
    if (options_.best_first) find_split(index);
    queue.push_back(index);
  };
  const auto found = [&](std::int32_t i) -> const Candidate& {
    return found_[static_cast<std::size_t>(i)];
  };
  push(0);
  int leaves = 1;
  while (!queue.empty() && (options_.max_leaves == 0 || leaves < options_.max_leaves)) {
    auto next = queue.begin();
    if (options_.best_first)
      next = std::max_element(queue.begin(), queue.end(), [&](std::int32_t a, std::int32_t b) {
        return found(b).found && (!found(a).found || found(b).worth > found(a).worth);
      });
    const std::int32_t index = *next;
    queue.erase(next);
    if (!options_.best_first) find_split(index);
    if (!found(index).found) continue;
    cut(index);
    ++leaves;
    const std::int32_t left = tree_.nodes[static_cast<std::size_t>(index)].left;
    push(left);
    push(left + 1);
  }
  set_labels();
  return tree_;
}

}  // namespace simplexboost
