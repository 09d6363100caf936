#include "explain/explain_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/aligned_vector.h"
#include "base/threads/parallel.h"
#include "explain/shap_kernels.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// What the sums of the rows that a thread has at hand may take.
constexpr std::size_t kTaskBytes = std::size_t{16} << 20;

std::vector<std::int32_t> distinct(std::span<const std::int32_t> labels) {
  std::vector<std::int32_t> classes(labels.begin(), labels.end());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

std::vector<std::uint32_t> places_among(const std::vector<std::int32_t>& classes,
                                        std::span<const std::int32_t> labels) {
  std::vector<std::uint32_t> places;
  for (const std::int32_t label : labels)
    places.push_back(static_cast<std::uint32_t>(
        std::lower_bound(classes.begin(), classes.end(), label) - classes.begin()));
  return places;
}

}  // namespace

ExplainRun::ExplainRun(const ExplainState& state, const Dataset& data, std::size_t begin,
                       std::size_t end, const ShapRequest& request)
    : state_(state),
      data_(data),
      begin_(begin),
      rows_(end - begin),
      contrast_(request.contrast.has_value()),
      columns_(state.columns_of(request)),
      a_row_(contrast_ ? 2 : columns_) {
  check_columns(state.model.schema(), data);
  if (begin > end || end > data.rows)
    throw ParameterError(
        fmt::format("rows {} to {} of {} cannot be explained", begin, end, data.rows));
  own_ = state.choose(data, begin, end, request, labels_);
  if (own_) return;
  shared_.emplace(state.ensemble(), distinct(labels_), a_row_);
  order_ = places_among(shared_->classes(), labels_);
  as_they_are_ = !contrast_ && std::is_sorted(order_.begin(), order_.end(), std::less_equal<>());
}

std::vector<std::int32_t> ExplainRun::row_classes() const {
  if (own_) return labels_;
  std::vector<std::int32_t> all;
  for (std::size_t i = 0; i < rows_; ++i) all.insert(all.end(), labels_.begin(), labels_.end());
  return all;
}

std::vector<double> ExplainRun::base() const {
  std::vector<double> result;
  const auto expected = [&](std::size_t row, std::size_t c) {
    return state_.expected[static_cast<std::size_t>(labels_[own_ ? row * a_row_ + c : c])];
  };
  for (std::size_t row = 0; row < rows_; ++row) {
    if (contrast_) result.push_back(expected(row, 0) - expected(row, 1));
    for (std::size_t c = 0; c < columns_ && !contrast_; ++c) result.push_back(expected(row, c));
  }
  return result;
}

void ExplainRun::decode(const Place& place, std::size_t row, std::size_t targets,
                        std::size_t stride, const double* sums, double* out) const {
  const ScoreSpace& space = place.space;
  if (as_they_are_ && !space.in_classes()) return space.decode(sums, targets, stride, out);
  std::vector<double> decoded;  // targets x classes of the space
  std::size_t step = stride;
  if (!space.in_classes()) {
    step = space.classes().size();
    decoded.resize(targets * step);
    space.decode(sums, targets, stride, decoded.data());
    sums = decoded.data();
  }
  // Sums in classes hold a row's own columns in their order already.
  const auto column = [&](std::size_t c) -> std::size_t {
    if (!own_) return order_[c];
    return space.in_classes() ? c : place.chosen[row * a_row_ + c];
  };
  for (std::size_t t = 0; t < targets; ++t) {
    const double* const from = sums + t * step;
    if (contrast_) {
      out[t] = from[column(0)] - from[column(1)];
      continue;
    }
    if (as_they_are_) {
      std::copy_n(from, columns_, out + t * columns_);
      continue;
    }
    for (std::size_t c = 0; c < columns_; ++c) out[t * columns_ + c] = from[column(c)];
  }
}

void ExplainRun::run_task(std::span<const PathForest* const> forests, const Place& place,
                          std::size_t first, std::size_t last, const RowUse& use,
                          double* numbers) const {
  const std::size_t rows = last - first;
  const bool picks = own_ && place.space.in_classes();
  const std::size_t stride = shap_stride(picks ? a_row_ : place.space.width());
  ShapTask task(state_.ensemble(), state_.players, data_, begin_ + first, begin_ + last);
  if (numbers && as_they_are_ && place.space.in_classes()) {
    // The sums are what is asked for.
    const std::size_t row_stride = targets_of(*forests[0]) * columns_;
    task.add(*forests[0], place.space, place.chosen, a_row_, columns_, row_stride,
             numbers + first * row_stride);
    return;
  }
  std::vector<UntouchedVector<double>> sums;
  for (const PathForest* const forest : forests) {
    const std::size_t row_stride = targets_of(*forest) * stride;
    UntouchedVector<double>& one = sums.emplace_back(rows * row_stride);
    task.add(*forest, place.space, place.chosen, a_row_, stride, row_stride, one.data());
  }
  std::vector<std::vector<double>> decoded(forests.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t f = 0; f < forests.size(); ++f) {
      const std::size_t targets = targets_of(*forests[f]);
      decoded[f].resize(numbers ? 0 : targets * columns_);
      double* const out = numbers ? numbers + (first + r) * targets * columns_ : decoded[f].data();
      decode(place, r, targets, stride, sums[f].data() + r * targets * stride, out);
    }
    if (!numbers) use(first + r, decoded);
  }
}

void ExplainRun::run(std::span<const PathForest* const> forests, const RowUse& use,
                     double* numbers) const {
  std::size_t targets = 0;
  for (const PathForest* const forest : forests) targets += targets_of(*forest);
  const std::size_t width = own_ ? a_row_ : shared_->width();
  const std::size_t bytes = std::max<std::size_t>(targets * shap_stride(width), 1) * sizeof(double);
  const std::size_t rows = std::clamp<std::size_t>(kTaskBytes / bytes, 1, kShapRows);
  parallel_blocks(state_.threads, rows_, rows, [&](std::size_t first, std::size_t last) {
    if (!own_) return run_task(forests, Place{*shared_, {}}, first, last, use, numbers);
    const auto labels = std::span(labels_).subspan(first * a_row_, (last - first) * a_row_);
    const ScoreSpace space(state_.ensemble(), distinct(labels), a_row_);
    run_task(forests, Place{space, places_among(space.classes(), labels)}, first, last, use,
             numbers);
  });
}

}  // namespace simplexboost
