#include "boosting/setup/data_check.h"

#include <algorithm>
#include <limits>
#include <string>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

class Checker {
 public:
  explicit Checker(const Dataset& data) : data_(data) {}

  void require(bool condition, const char* what) const {
    if (!condition) throw DataError(Place{data_.source}, what);
  }

  // `least`: the smallest class code allowed, -1 where classes may be unknown.
  void check_labels(std::int32_t least) const {
    const Labels& labels = data_.labels;
    const auto known = [&](std::int32_t code) {
      return code >= least && code < static_cast<std::int32_t>(labels.classes.size());
    };
    require(std::all_of(labels.codes.begin(), labels.codes.end(), known),
            "a row's class is not in the list");
    if (labels.multi_label()) return check_sets();
    require(labels.codes.size() == data_.rows, "there must be one label a row");
  }

  void check_known(const RowSpace& space) const {
    const std::vector<float>& weights = data_.labels.weights;
    if (!space.any(!weights.empty())) return;
    require(space.any(std::any_of(weights.begin(), weights.end(), [](float w) { return w > 0; })),
            "no label has a weight above 0: all of them are unknown");
  }

  void check_weights() const {
    require(data_.weights.empty() || data_.weights.size() == data_.rows,
            "there must be one weight a row");
    // Written so that NaN fails.
    require(std::all_of(data_.weights.begin(), data_.weights.end(),
                        [](double w) { return w >= 0 && w <= std::numeric_limits<double>::max(); }),
            "weights must be finite numbers of 0 or more");
    check_label_weights();
  }

 private:
  void check_label_weights() const {
    const Labels& labels = data_.labels;
    if (labels.weights.empty()) return;
    require(labels.weights.size() == data_.rows * labels.classes.size(),
            "the weights of labels must be one for each row and class");
    require(std::all_of(labels.weights.begin(), labels.weights.end(),
                        [](float w) { return w >= 0 && w <= std::numeric_limits<float>::max(); }),
            "weights of labels must be finite numbers of 0 or more");
  }

  void check_sets() const {
    const Labels& labels = data_.labels;
    const auto& offsets = labels.offsets;
    require(offsets.size() == data_.rows + 1 && offsets.front() == 0 &&
                offsets.back() == labels.codes.size() &&
                std::is_sorted(offsets.begin(), offsets.end()),
            "the rows' lists of labels do not fit together");
    for (std::size_t i = 0; i < data_.rows; ++i)
      for (std::size_t k = offsets[i]; k < offsets[i + 1]; ++k)
        require(labels.codes[k] >= 0 && (k == offsets[i] || labels.codes[k] > labels.codes[k - 1]),
                "a row's labels must be ascending, each once");
  }

  const Dataset& data_;
};

}  // namespace

void check_rows(const Dataset& data, std::int32_t least) {
  const Checker check(data);
  check.check_labels(least);
  check.check_weights();
}

void check_training_data(const Dataset& data, const RowSpace& space) {
  const Checker check(data);
  check.require(space.all() >= 2, "training needs at least two rows");
  check.require(!data.columns.empty(), "training needs at least one feature");
  check.require(data.rows == 0 || !data.labels.empty(), "training needs labels");
  const std::size_t classes = data.labels.classes.size();
  check.require(classes >= (data.labels.multi_label() ? 1U : 2U),
                "training needs at least two classes");
  check_rows(data, 0);
  check.check_known(space);
}

void check_validation_data(const Dataset& valid, const Dataset& data, const RowSpace& space) {
  const Checker check(valid);
  check.require(!space.every(valid.labels.empty()), "validation needs labels");
  check.require(valid.columns.size() == data.columns.size() &&
                    valid.labels.classes.size() == data.labels.classes.size() &&
                    valid.labels.multi_label() == data.labels.multi_label(),
                "validation data must have the columns and classes of the training data");
  check_rows(valid, -1);
  check.check_known(space);
}

}  // namespace simplexboost
