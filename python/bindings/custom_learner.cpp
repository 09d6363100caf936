#include "bindings/custom_learner.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "simplexboost/error.h"

namespace simplexboost::python {
namespace {

using Matrix2 = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Rows x features; category codes as numbers, what is missing as NaN.
nb::object matrix_of(const Dataset& data) {
  const std::size_t width = data.columns.size();
  std::vector<double> matrix(data.rows * width);
  std::vector<double> column(data.rows);
  for (std::size_t j = 0; j < width; ++j) {
    data.columns[j].copy(0, data.rows, column.data());
    for (std::size_t i = 0; i < data.rows; ++i) matrix[i * width + j] = column[i];
  }
  return nb::cast(to_array<double, 2>(std::move(matrix), {data.rows, width}));
}

nb::object indices(std::span<const std::uint32_t> values) {
  if (values.empty()) return nb::none();
  return nb::cast(to_array(std::vector<std::uint32_t>(values.begin(), values.end())));
}

// A tree as Tree.arrays() in _learner.py gives it.
void take_tree(const nb::object& tree, Forest& forest) {
  const auto feature = nb::cast<Vector<std::int64_t>>(tree[0]);
  const auto threshold = nb::cast<Vector<double>>(tree[1]);
  const auto left = nb::cast<Vector<std::int64_t>>(tree[2]);
  const auto right = nb::cast<Vector<std::int64_t>>(tree[3]);
  const auto missing_left = nb::cast<Vector<std::int64_t>>(tree[4]);
  const auto values = nb::cast<Matrix2>(tree[5]);
  const auto gains = nb::cast<Vector<float>>(tree[6]);
  std::vector<Node> nodes(feature.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].feature = static_cast<std::uint32_t>(feature(i));
    nodes[i].threshold = threshold(i);
    nodes[i].left = static_cast<std::int32_t>(left(i));
    nodes[i].right = static_cast<std::int32_t>(right(i));
    nodes[i].missing_left = missing_left(i) != 0;
  }
  append_tree(forest, nodes, {values.data(), values.size()}, 0, values.shape(1),
              {gains.data(), gains.size()});
}

class PythonLearner : public CustomLearner {
 public:
  PythonLearner(std::shared_ptr<nb::object> learner, const LearnerContext& context)
      : learner_(std::move(learner)) {
    const nb::gil_scoped_acquire lock;
    learner_->attr("start")(matrix_of(context.data));
  }

  Forest fit(const FitTarget& target, const Sample& sample) override {
    const nb::gil_scoped_acquire lock;
    const std::size_t size = target.rows * target.width;
    const nb::object pulls = nb::cast(to_array<float, 2>(
        std::vector<float>(target.pulls, target.pulls + size), {target.rows, target.width}));
    std::vector<float> weights(target.rows, 1.0F);
    if (target.weights) std::copy_n(target.weights, target.rows, weights.begin());
    const nb::object trees = learner_->attr("grow")(pulls, to_array(std::move(weights)),
                                                    indices(sample.rows), indices(sample.features));
    Forest forest;
    for (const nb::handle tree : trees) take_tree(nb::borrow(tree), forest);
    return forest;
  }

 private:
  std::shared_ptr<nb::object> learner_;
};

}  // namespace

MakeLearner make_learner(const nb::object& learner) {
  return [held = hold(learner)](const LearnerContext& context) {
    return std::make_unique<PythonLearner>(held, context);
  };
}

}  // namespace simplexboost::python
