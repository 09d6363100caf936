#include "explain/shap_task.h"

#include <algorithm>

#include "explain/shap_kernels.h"

namespace simplexboost {

std::size_t pair_place(std::size_t i, std::size_t j, std::size_t players) {
  if (i > j) std::swap(i, j);
  return i * players - i * (i + 1) / 2 + j;
}

// Where the values go.
struct ShapTask::Sink {
  GameKind kind;
  const ScoreSpace& space;
  const std::vector<std::uint32_t>& chosen;
  std::size_t a_row;
  std::size_t stride;
  std::size_t row_stride;
  double* sums;
  std::size_t players;
  std::size_t rows;
  bool fresh = true;  // nothing is there yet

  std::size_t place_of(const PathTarget& target) const {
    return kind == GameKind::kPairs ? pair_place(target.player, target.other, players)
                                    : target.player;
  }
  std::size_t places() const { return row_stride / std::max<std::size_t>(stride, 1); }
  double* of(std::size_t place, std::size_t row) const {
    return sums + row * row_stride + place * stride;
  }
  bool own() const { return !chosen.empty() && space.in_classes(); }
  // Zeros, where sums are to be added to.
  void begin() {
    if (fresh) std::fill_n(sums, rows * row_stride, 0.0);
    fresh = false;
  }
};

ShapTask::ShapTask(const Ensemble& ensemble, const Players& players, const Dataset& data,
                   std::size_t begin, std::size_t end)
    : ensemble_(ensemble),
      players_(players),
      rows_(end - begin),
      values_(players.count() * kShapRows) {
  players.gather(data, begin, end, values_.data());
}

void ShapTask::add(const PathForest& forest, const ScoreSpace& space,
                   const std::vector<std::uint32_t>& chosen, std::size_t a_row, std::size_t stride,
                   std::size_t row_stride, double* sums) {
  Sink sink{forest.kind, space, chosen, a_row, stride, row_stride, sums, players_.count(), rows_};
  for (std::size_t t = 0; t < forest.trees.size(); ++t) {
    add_tree(forest, t, sink);
    const TreeSpan& span = forest.trees[t].span();
    if (!span.linear() || forest.kind != GameKind::kFeatures) continue;
    flush(sink);
    add_linear(forest, span, sink);
  }
  flush(sink);
  sink.begin();
}

// Trees that add to the same classes go together, so many that their weights stay in the caches:
// each sum is then taken in registers and written once. Which trees these are does not depend on
// rows or on the classes asked for, and so neither do bits.
void ShapTask::add_tree(const PathForest& forest, std::size_t t, Sink& sink) {
  constexpr std::size_t kBatchEntries = 4096;
  const PathTree& tree = forest.trees[t];
  if (tree.entries() == 0) return;
  const TreeSpan& span = tree.span();
  const std::size_t classes = ensemble_.classes();
  const auto alike = [&](std::uint32_t a, std::uint32_t b) {
    // Of another member the same classes are other outputs.
    const bool same = ensemble_.members.empty() || a == kNoOutput || b == kNoOutput;
    return same ? a == b : a % classes == b % classes;
  };
  const bool joins = !batch_.empty() && batch_.back().span->width == span.width &&
                     alike(batch_.back().span->output, span.output) &&
                     alike(batch_.back().span->minus_output, span.minus_output) &&
                     entries_.size() + tree.entries() <= kBatchEntries;
  const bool sparse = sink.space.sparse(span);
  if (!joins || sparse) flush(sink);
  answers_.resize(tree.leaves() * tree.words() * kShapRows);
  const std::size_t first = entries_.size();
  lines_.resize((first + tree.entries()) * kShapRows);
  tree.answers(values_.data(), scratch_, answers_.data());
  leaf_weights(tree, forest.kind, forest.background.empty() ? nullptr : &forest.background[t],
               answers_.data(), lines_.data() + first * kShapRows);
  if (sparse) {
    sink.begin();
    sink.space.leaf_entries_of(span, sparse_);
    for (const PathTarget& target : tree.targets()) add_sparse(target, tree.entry_leaves(), sink);
    return;
  }
  batch_.push_back({&span, tree.leaves(), leaves_});
  add_entries(tree.targets(), tree.entry_leaves(), tree.entries(), sink);
  leaves_ += tree.leaves();
}

// Those of the tree or linear part that came to the batch last.
void ShapTask::add_entries(std::span<const PathTarget> targets, const std::uint32_t* leaves,
                           std::size_t count, const Sink& sink) {
  const auto first = static_cast<std::uint32_t>(entries_.size());
  for (std::uint32_t e = 0; e < count; ++e)
    entries_.push_back({first + e, static_cast<std::uint32_t>(leaves_) + leaves[e]});
  for (const PathTarget& target : targets)
    jobs_.push_back({sink.place_of(target), first + static_cast<std::uint32_t>(target.begin),
                     first + static_cast<std::uint32_t>(target.end)});
}

// A job for each player or pair in the place of one in each tree.
void ShapTask::gather_jobs() {
  std::stable_sort(jobs_.begin(), jobs_.end(),
                   [](const Job& a, const Job& b) { return a.place < b.place; });
  std::vector<ShapEntry> ordered;
  ordered.reserve(entries_.size());
  std::vector<Job> joined;
  for (const Job& job : jobs_) {
    const auto begin = static_cast<std::uint32_t>(ordered.size());
    ordered.insert(ordered.end(), entries_.begin() + job.begin, entries_.begin() + job.end);
    if (joined.empty() || joined.back().place != job.place) joined.push_back({job.place, begin, 0});
    joined.back().end = static_cast<std::uint32_t>(ordered.size());
  }
  entries_ = std::move(ordered);
  jobs_ = std::move(joined);
}

void ShapTask::flush(Sink& sink, bool slopes) {
  if (batch_.empty()) return;
  gather_jobs();
  ranges_ = sink.space.ranges(*batch_.front().span);
  // One range of all columns: what is there need not be added to.
  const bool whole = ranges_.size() == 1 && !sink.own() && ranges_[0].columns == sink.space.width();
  const bool fresh = sink.fresh && whole;
  if (!fresh) sink.begin();
  for (std::size_t range = 0; range < ranges_.size(); ++range)
    sink.own() ? multiply_own(sink, range, slopes) : multiply_range(sink, range, slopes, fresh);
  sink.fresh = false;
  batch_.clear();
  entries_.clear();
  jobs_.clear();
  leaves_ = 0;
}

void ShapTask::fill_table(const Sink& sink, std::size_t range, bool slopes,
                          const ValueTable& table) const {
  for (const Weighed& one : batch_) {
    ValueTable part = table;
    part.values += one.first_leaf * table.stride;
    if (slopes)
      sink.space.slope_values(*one.span, ranges_[range], part);
    else
      sink.space.leaf_values(*one.span, ranges_[range], part);
  }
}

// So many columns at a time that the values of all leaves stay in the caches.
void ShapTask::multiply_range(const Sink& sink, std::size_t range, bool slopes, bool fresh) {
  constexpr std::size_t kTableNumbers = std::size_t{1} << 15U;
  const ValueRange& all = ranges_[range];
  const std::size_t fitting = kTableNumbers / leaves_ / kShapLanes * kShapLanes;
  const std::size_t some = std::min<std::size_t>(std::max<std::size_t>(fitting, 2 * kShapLanes),
                                                 shap_stride(all.columns));
  table_.resize(leaves_ * some);
  LeafProduct product;
  product.lines = lines_.data();
  product.values = table_.data();
  product.stride = some;
  product.rows = rows_;
  product.row_stride = sink.row_stride;
  product.fresh = fresh;
  for (std::size_t low = all.first; low < all.end(); low += some) {
    const std::size_t high = std::min(low + some, all.end());
    fill_table(sink, range, slopes, {low, high, some, table_.data()});
    product.columns = high - low;
    for (const Job& job : jobs_) {
      product.entries = entries_.data() + job.begin;
      product.count = job.end - job.begin;
      product.out = sink.of(job.place, 0) + low;
      shap_kernels().multiply(product);
    }
  }
  if (!fresh) return;
  // What has no job here.
  std::size_t next = 0;
  for (std::size_t place = 0; place < sink.places(); ++place) {
    if (next < jobs_.size() && jobs_[next].place == place) {
      ++next;
      continue;
    }
    for (std::size_t r = 0; r < rows_; ++r) std::fill_n(sink.of(place, r), all.columns, 0.0);
  }
}

// Where each row has columns of its own, these are picked out of the leaves' values first: a small
// table for each row in the place of a large one for all.
void ShapTask::multiply_own(const Sink& sink, std::size_t range, bool slopes) {
  const ValueRange& all = ranges_[range];
  const std::size_t whole = shap_stride(all.columns);
  table_.resize(leaves_ * whole);
  fill_table(sink, range, slopes, {all.first, all.end(), whole, table_.data()});
  LeafProduct product;
  product.lines = lines_.data();
  product.stride = shap_stride(sink.a_row);
  product.columns = sink.a_row;
  product.rows = 1;
  product.row_stride = sink.row_stride;
  picked_.assign(leaves_ * product.stride, 0);
  product.values = picked_.data();
  for (std::size_t r = 0; r < rows_; ++r) {
    for (std::size_t c = 0; c < sink.a_row; ++c) {
      const std::size_t column = sink.chosen[r * sink.a_row + c] - all.first;
      const bool there = column < all.columns;  // it wraps around below the first
      for (std::size_t leaf = 0; leaf < leaves_; ++leaf)
        picked_[leaf * product.stride + c] = there ? table_[leaf * whole + column] : 0;
    }
    product.first_row = r;
    for (const Job& job : jobs_) {
      product.entries = entries_.data() + job.begin;
      product.count = job.end - job.begin;
      product.out = sink.of(job.place, r);
      shap_kernels().multiply(product);
    }
  }
}

void ShapTask::add_sparse(const PathTarget& target, const std::uint32_t* leaves, const Sink& sink) {
  const std::size_t place = sink.place_of(target);
  for (std::size_t e = target.begin; e < target.end; ++e) {
    const double* const line = lines_.data() + e * kShapRows;
    const std::size_t leaf = leaves[e];
    for (std::size_t i = leaf == 0 ? 0 : sparse_.ends[leaf - 1]; i < sparse_.ends[leaf]; ++i) {
      const std::uint32_t column = sparse_.columns[i];
      for (std::size_t r = 0; r < rows_; ++r) {
        double* const out = sink.of(place, r);
        if (sink.chosen.empty()) {
          out[column] += line[r] * sparse_.values[i];
          continue;
        }
        for (std::size_t c = 0; c < sink.a_row; ++c)
          if (sink.chosen[r * sink.a_row + c] == column) out[c] += line[r] * sparse_.values[i];
      }
    }
  }
}

// A linear feature is alone in its term: its value is what it moves from its mean.
void ShapTask::add_linear(const PathForest& forest, const TreeSpan& tree, Sink& sink) {
  const std::size_t count = tree.linear_end - tree.linear_begin;
  lines_.resize(count * kShapRows);
  std::vector<std::uint32_t> leaves(count);
  std::vector<PathTarget> targets;
  for (std::size_t k = 0; k < count; ++k) {
    const LinearFeature& linear = ensemble_.forest.linear_features[tree.linear_begin + k];
    const std::uint32_t player = players_.of_feature(linear.feature);
    const double* const x = values_.data() + std::size_t{player} * kShapRows;
    leaves[k] = static_cast<std::uint32_t>(k);
    targets.push_back({player, player, k, k + 1});
    for (std::size_t r = 0; r < kShapRows; ++r)
      lines_[k * kShapRows + r] =
          linear.position(x[r]) - forest.linear_means[tree.linear_begin + k];
  }
  batch_.push_back({&tree, count, 0});
  add_entries(targets, leaves.data(), count, sink);
  leaves_ = count;
  flush(sink, true);
}

void ShapTask::add_scores(const PathForest& forest, const ScoreSpace& space, double* sums) {
  const std::size_t outputs = ensemble_.forest.outputs;
  std::vector<double> all(rows_ * outputs);
  for (const PathTree& tree : forest.trees) {
    const TreeSpan& span = tree.span();
    const std::size_t size = tree.words() * kShapRows;
    answers_.resize(tree.leaves() * size);
    tree.answers(values_.data(), scratch_, answers_.data());
    for (std::size_t r = 0; r < rows_; ++r) {
      std::size_t leaf = 0;
      while (!tree.reached(answers_.data() + leaf * size, leaf, r)) ++leaf;
      double* const to = all.data() + r * outputs;
      const auto give = [&](std::size_t c, double value) {
        to[span.output + c] += value;
        if (span.minus_output != kNoOutput) to[span.minus_output + c] -= value;
      };
      const std::vector<float> said = leaf_vector(ensemble_.forest, span, leaf);
      for (std::size_t c = 0; c < said.size(); ++c) give(c, static_cast<double>(said[c]));
      for (std::size_t k = span.linear_begin; k < span.linear_end; ++k) {
        const LinearFeature& linear = ensemble_.forest.linear_features[k];
        const double position =
            linear.position(values_[players_.of_feature(linear.feature) * kShapRows + r]);
        const float* const slope = ensemble_.forest.slopes.data() + span.slope_begin +
                                   (k - span.linear_begin) * span.width;
        for (std::size_t c = 0; c < span.width; ++c)
          give(c, position * static_cast<double>(slope[c]));
      }
    }
  }
  const std::size_t classes = ensemble_.classes();
  for (std::size_t r = 0; r < rows_; ++r) {
    const std::vector<double> scores = space.class_values({all.data() + r * outputs, outputs});
    for (std::size_t k = 0; k < classes; ++k) sums[r * classes + k] += scores[k];
  }
}

}  // namespace simplexboost
