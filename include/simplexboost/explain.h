// Why a model says what it says of a row: Shapley values of its features, exact, for the scores of
// all classes at once or of chosen ones, and the interactions of pairs of features.
//
// docs/explain.md tells what is explained and how fast it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/export.h"
#include "simplexboost/model.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

struct ExplainOptions {
  int threads = 0;         // 0: all cores
  std::size_t rounds = 0;  // explain only the first so many rounds; 0: all
  // A feature that is not known yet has the values that it has in these rows, whatever the others
  // are (interventional). Null: those of the training rows in each node, by the covers of the model
  // (path-dependent). Need not outlive the explainer.
  const Dataset* background = nullptr;
};

// Why one class and not another.
struct Contrast {
  std::int32_t for_class = -1;      // -1: that of highest score, of each row
  std::int32_t against_class = -1;  // -1: the best of the others
};

// Which columns an explanation has. All of the model's classes unless something else is wanted.
struct ShapRequest {
  std::vector<std::int32_t> classes = {};  // these, in this order
  std::size_t top = 0;                     // or those of highest score of each row, best first
  std::optional<Contrast> contrast = {};   // or one column, of a difference
};

// Many numbers that are all about to be written: new ones hold nothing in particular until then.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class U>
  struct rebind {  // NOLINT(readability-identifier-naming): std::allocator_traits asks for it
    using other = UnsetAllocator<U>;
  };
  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>& /*other*/) {}

  template <class... Arguments>
  void construct(T* place, Arguments&&... arguments) const {
    if constexpr (sizeof...(Arguments) == 0)
      ::new (static_cast<void*>(place)) T;
    else
      ::new (static_cast<void*>(place)) T(static_cast<Arguments&&>(arguments)...);
  }
};
using ShapNumbers = std::vector<double, UnsetAllocator<double>>;

// rows x features x columns, row-major. What a row's values and its base sum to is what is
// explained (Explainer::explained()).
struct ShapValues {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::size_t columns = 0;
  ShapNumbers values;
  std::vector<double> base;  // rows x columns
  // Of each row the classes of its columns; of a contrast, rows x 2.
  std::vector<std::int32_t> classes;

  const double* row(std::size_t i) const { return values.data() + i * features * columns; }
};

// What is explained for a model with pooled members, and for others.
enum class Explained : std::uint8_t {
  kScore,         // the class scores of Model::predict_scores
  kOwnScore,      // those before calibration, or before other shares of the classes came in
  kMemberScores,  // the weighted sum of what members say before they are pooled
  kShares,        // where members say shares of the classes: their weighted mean
};

class SIMPLEXBOOST_API Explainer {
 public:
  // Throws ModelError where the model has no covers and there are no background rows.
  explicit Explainer(Model model, const ExplainOptions& options = {});

  const Model& model() const;
  Explained explained() const;
  // What values and base sum to, rows x classes, in double precision.
  std::vector<double> sums(const Dataset& data) const;
  // What is said where nothing is known of a row, one a class.
  const std::vector<double>& expected() const;

  // Rows of values() that take about so many bytes, at least one.
  std::size_t rows_for(const ShapRequest& request, std::size_t bytes) const;

  // Of rows [begin, end) of the data.
  ShapValues values(const Dataset& data, std::size_t begin, std::size_t end,
                    const ShapRequest& request = {}) const;

  // rows x features x features x columns: what pairs of features do together, half of it at each of
  // their two places; with what a feature does alone at its own, a line sums to the feature's
  // value. Not for models that cut images by filters (ModelError).
  ShapValues interactions(const Dataset& data, std::size_t begin, std::size_t end,
                          const ShapRequest& request = {}) const;

  // The mean over all rows of the magnitudes of their values, features x columns, in blocks: the
  // memory does not grow with the rows. With a contrast of two classes, the importance of the
  // features for telling these apart.
  std::vector<double> mean_magnitudes(const Dataset& data, const ShapRequest& request = {}) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
