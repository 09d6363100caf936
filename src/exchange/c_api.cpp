#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include "base/threads/parallel.h"
#include "simplexboost/error.h"
#include "simplexboost/model.h"
#include "simplexboost/simplexboost.h"
#include "simplexboost/version.h"

struct sb_model {
  simplexboost::Model model;
};

namespace simplexboost {
namespace {

// No allocation: the words may be about memory.
thread_local std::array<char, 512> last_error{};

sb_status fail_call(sb_status status, const char* what) noexcept {
  const std::size_t length = std::min(std::strlen(what), last_error.size() - 1);
  std::memcpy(last_error.data(), what, length);
  last_error[length] = '\0';
  return status;
}

// No exception may leave: what it says becomes the last error.
template <class Work>
sb_status guarded_call(const Work& work) noexcept {
  try {
    return work();
  } catch (const IoError& error) {
    return fail_call(SB_SYSTEM, error.what());
  } catch (const ParameterError& error) {
    return fail_call(SB_BAD_ARGUMENT, error.what());
  } catch (const Error& error) {
    return fail_call(SB_BAD_MODEL, error.what());
  } catch (const std::bad_alloc&) {
    return fail_call(SB_NO_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail_call(SB_FAILED, error.what());
  } catch (...) {
    return fail_call(SB_FAILED, "unknown error");
  }
}

template <class Make>
sb_status make_handle(const void* from, sb_model** model, const Make& make) noexcept {
  if (!model) return fail_call(SB_BAD_ARGUMENT, "the place for the model is null");
  *model = nullptr;
  if (!from) return fail_call(SB_BAD_ARGUMENT, "the path or the bytes are null");
  return guarded_call([&] {
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): guarded_call() has handlers
    *model = new sb_model{make()};
    return SB_OK;
  });
}

// Codes as columns hold them; what is too large for a code is beyond every set, like the largest.
std::int32_t code_of(double value) {
  if (!(value >= 0)) return -1;
  constexpr auto kLargest = std::numeric_limits<std::int32_t>::max();
  return value >= kLargest ? kLargest : static_cast<std::int32_t>(value);
}

// Numbers are seen where they are.
Dataset view_rows(const Schema& schema, const double* features, std::size_t rows) {
  const std::size_t width = schema.features.size();
  Dataset data;
  data.rows = rows;
  for (std::size_t f = 0; f < width; ++f) {
    if (schema.features[f].type == FeatureType::kCategorical) {
      std::vector<std::int32_t> codes(rows);
      for (std::size_t i = 0; i < rows; ++i) codes[i] = code_of(features[i * width + f]);
      data.columns.push_back(Column::categorical(schema.features[f].name, std::move(codes),
                                                 schema.features[f].categories));
      continue;
    }
    Column column;
    column.schema = schema.features[f];
    column.scalar = Scalar::kFloat64;
    column.data = reinterpret_cast<const std::byte*>(features + f);
    column.stride = static_cast<std::ptrdiff_t>(width * sizeof(double));
    data.columns.push_back(std::move(column));
  }
  return data;
}

// Checks what every prediction is given, then predicts one row by `one` and more by `many`.
template <class One, class Many>
sb_status predict_with(const sb_model* model, const double* features, std::size_t rows, int threads,
                       const void* out, const One& one, const Many& many) noexcept {
  if (!model) return fail_call(SB_BAD_ARGUMENT, "the model is null");
  if (threads < 0) return fail_call(SB_BAD_ARGUMENT, "threads must be 0 or more");
  if (rows == 0) return SB_OK;
  if (!features || !out) return fail_call(SB_BAD_ARGUMENT, "the rows or the results are null");
  return guarded_call([&] {
    const Model& whole = model->model;
    const Schema& schema = whole.schema();
    if (rows == 1)
      one(whole, std::span(features, schema.features.size()));
    else
      many(whole, view_rows(schema, features, rows), PredictOptions{threads, 0});
    return SB_OK;
  });
}

// The scores of one row, kept by the thread.
std::span<float> row_scores(const Model& model, std::span<const double> features) {
  thread_local std::vector<float> scores;
  scores.resize(model.schema().classes.size());
  model.predict_row(features, scores);
  return scores;
}

template <class Strings>
const char* name_at(const Strings& names, std::size_t number) {
  return number < names.size() ? names[number].c_str() : nullptr;
}

const FeatureSchema* feature_at(const sb_model* model, std::size_t feature) {
  if (!model || feature >= model->model.schema().features.size()) return nullptr;
  return &model->model.schema().features[feature];
}

}  // namespace
}  // namespace simplexboost

using namespace simplexboost;

const char* sb_version(void) { return SIMPLEXBOOST_VERSION; }

const char* sb_last_error(void) { return last_error.data(); }

sb_status sb_model_load(const char* path, sb_model** model) {
  return make_handle(path, model, [&] { return Model::load(path); });
}

sb_status sb_model_from_bytes(const void* bytes, size_t size, sb_model** model) {
  return make_handle(bytes, model, [&] {
    return Model::from_bytes({static_cast<const std::byte*>(bytes), size});
  });
}

sb_status sb_model_save(const sb_model* model, const char* path) {
  if (!model || !path) return fail_call(SB_BAD_ARGUMENT, "the model or the path is null");
  return guarded_call([&] {
    model->model.save(path);
    return SB_OK;
  });
}

void sb_model_free(sb_model* model) { delete model; }

size_t sb_model_feature_count(const sb_model* model) {
  return model ? model->model.schema().features.size() : 0;
}

size_t sb_model_class_count(const sb_model* model) {
  return model ? model->model.schema().classes.size() : 0;
}

size_t sb_model_round_count(const sb_model* model) { return model ? model->model.rounds() : 0; }

const char* sb_model_feature(const sb_model* model, size_t feature) {
  const FeatureSchema* const found = feature_at(model, feature);
  return found ? found->name.c_str() : nullptr;
}

const char* sb_model_class(const sb_model* model, size_t number) {
  return model ? name_at(model->model.schema().classes, number) : nullptr;
}

size_t sb_model_category_count(const sb_model* model, size_t feature) {
  const FeatureSchema* const found = feature_at(model, feature);
  return found ? found->categories.size() : 0;
}

const char* sb_model_category(const sb_model* model, size_t feature, size_t code) {
  const FeatureSchema* const found = feature_at(model, feature);
  return found ? name_at(found->categories, code) : nullptr;
}

int sb_model_has_proba(const sb_model* model) {
  return static_cast<int>(model && model->model.has_proba());
}

int sb_model_multi_label(const sb_model* model) {
  return static_cast<int>(model && model->model.schema().multi_label);
}

sb_status sb_predict(const sb_model* model, const double* features, size_t rows, int threads,
                     int32_t* classes) {
  return predict_with(
      model, features, rows, threads, classes,
      [&](const Model& whole, std::span<const double> row) {
        const std::span<float> scores = row_scores(whole, row);
        *classes = static_cast<std::int32_t>(std::max_element(scores.begin(), scores.end()) -
                                             scores.begin());
      },
      [&](const Model& whole, const Dataset& data, const PredictOptions& options) {
        const std::vector<std::int32_t> found = whole.predict(data, options);
        std::copy(found.begin(), found.end(), classes);
      });
}

sb_status sb_predict_scores(const sb_model* model, const double* features, size_t rows, int threads,
                            float* scores) {
  return predict_with(
      model, features, rows, threads, scores,
      [&](const Model& whole, std::span<const double> row) {
        whole.predict_row(row, {scores, whole.schema().classes.size()});
      },
      [&](const Model& whole, const Dataset& data, const PredictOptions& options) {
        const Matrix found = whole.predict_scores(data, options);
        std::copy(found.values.begin(), found.values.end(), scores);
      });
}

sb_status sb_predict_proba(const sb_model* model, const double* features, size_t rows, int threads,
                           double* probabilities) {
  return predict_with(
      model, features, rows, threads, probabilities,
      [&](const Model& whole, std::span<const double> row) {
        whole.scores_to_proba(row_scores(whole, row),
                              {probabilities, whole.schema().classes.size()});
      },
      [&](const Model& whole, const Dataset& data, const PredictOptions& options) {
        Matrix scores = whole.predict_scores(data, options);
        parallel_blocks(
            resolve_threads(threads), scores.rows, 256, [&](std::size_t begin, std::size_t end) {
              for (std::size_t i = begin; i < end; ++i)
                whole.scores_to_proba({scores.row(i), scores.columns},
                                      {probabilities + i * scores.columns, scores.columns});
            });
      });
}
