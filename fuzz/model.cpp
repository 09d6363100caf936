// Model files: refused, or a model that works. One row and the batch, one thread and two give the
// same bits; probabilities are some; and the model written and read again is the same. Changes are
// made to single arrays and settings and written anew, so that the checksum fits.
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "model/file/safetensors.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"
#include "simplexboost/exchange.h"
#include "simplexboost/model.h"
#include "target.h"
#include "telling_numbers.h"

namespace simplexboost::fuzz {
namespace {

constexpr std::size_t kRows = 9;
constexpr std::size_t kMostClasses = 500;  // beyond, one input takes too long

bool same_bits(const Matrix& first, const Matrix& second) {
  return first.values.size() == second.values.size() &&
         std::memcmp(first.values.data(), second.values.data(),
                     first.values.size() * sizeof(float)) == 0;
}

std::vector<double> row_of(const Dataset& data, std::size_t row) {
  std::vector<double> values(data.columns.size());
  for (std::size_t c = 0; c < values.size(); ++c) data.columns[c].copy(row, row + 1, &values[c]);
  return values;
}

void check_predictions(const Model& model, const Dataset& data) {
  const Matrix one = model.predict_scores(data, {.threads = 1});
  require(same_bits(one, model.predict_scores(data, {.threads = 2})), "threads change the scores");
  std::vector<float> scores(model.schema().classes.size());
  for (std::size_t i = 0; i < data.rows; ++i) {
    model.predict_row(row_of(data, i), scores);
    require(std::memcmp(scores.data(), one.row(i), scores.size() * sizeof(float)) == 0,
            "a row alone has other scores than in the batch");
    for (const float u : scores) require(std::isfinite(u), "a score that is not finite");
  }
  const std::size_t all = model.rounds();
  if (all > 0)
    model.predict_staged(data, {&all, 1}, [&](std::size_t, const Matrix& last) {
      require(same_bits(one, last), "the last stage differs from the prediction");
    });
  model.predict_outputs(data, {.threads = 1});
  model.predict_leaves(data, {.threads = 1});
  if (model.schema().multi_label)
    model.predict_labels(data, {.threads = 1});
  else
    for (const std::int32_t label : model.predict(data, {.threads = 1}))
      require(label >= 0 && static_cast<std::size_t>(label) < scores.size(), "no such class");
}

void check_probabilities(const Model& model, const Dataset& data) {
  if (!model.has_proba()) return;
  const Matrix proba = model.predict_proba(data, {.threads = 1});
  for (std::size_t i = 0; i < proba.rows; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < proba.columns; ++k) {
      require(proba.row(i)[k] >= 0 && proba.row(i)[k] <= 1, "a probability outside 0 to 1");
      sum += static_cast<double>(proba.row(i)[k]);
    }
    require(model.schema().multi_label || std::abs(sum - 1) < 1e-3,
            "probabilities that do not sum to 1");
  }
}

void explain(const Model& model) {
  for (std::size_t t = 0; t < model.forest().trees.size(); ++t) model.tree_text(t);
  model.importance();
  model.class_importance();
}

std::optional<Model> load(Bytes bytes) {
  try {
    return Model::from_bytes(std::as_bytes(bytes));
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check_model(const std::optional<Model>& model) {
  if (!model) return;
  const std::vector<std::byte> written = model->to_bytes();
  require(Model::from_bytes(written).to_bytes() == written,
          "written and read again it is another model");
  if (model->schema().classes.size() > kMostClasses) return;
  const Dataset data = random_data(model->schema(), kRows, 1);
  check_predictions(*model, data);
  check_probabilities(*model, data);
  explain(*model);
}

void run(Bytes bytes) { check_model(load(bytes)); }

// Models of other programs: refused, or a model of ours that works as any other.
void run_import(Bytes bytes) {
  std::optional<Model> model;
  try {
    model = import_model(text_of(bytes));
  } catch (const Error&) {
    return;
  }
  check_model(model);
}

// One entry of an array becomes one of the numbers at which things break.
void change_entry(std::vector<std::byte>& bytes, std::size_t width, std::minstd_rand& draw) {
  const std::uint64_t value = kTellingNumbers[draw() % kTellingNumbers.size()];
  std::memcpy(bytes.data() + draw() % (bytes.size() / width) * width, &value, width);
}

// The arrays must stay whole numbers of entries, and shapes must fit.
void change_array(Tensor& tensor, std::vector<std::byte>& kept, std::minstd_rand& draw) {
  kept.assign(tensor.bytes.begin(), tensor.bytes.end());
  const std::size_t width = dtype_size(tensor.dtype);
  if (!kept.empty() && draw() % 2 == 0) {
    change_entry(kept, width, draw);
  } else {
    const std::size_t size = kept.size();
    kept.resize(size + 8 * width);
    const std::size_t changed = LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(kept.data()), size,
                                                 draw() % 2 == 0 ? size + 1 : kept.size());
    kept.resize(tensor.shape.size() == 1 ? changed / width * width : size);
  }
  if (tensor.shape.size() == 1) tensor.shape[0] = kept.size() / width;
  tensor.bytes = kept;
}

void change_text(std::string& text) {
  const std::size_t size = text.size();
  text.resize(size + 32);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t limit, unsigned seed) {
  std::minstd_rand draw(seed);
  if (draw() % 8 == 0) return LLVMFuzzerMutate(data, size, limit);
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data),
                                     reinterpret_cast<const std::byte*>(data) + size);
  TensorFile file;
  try {
    file = parse_safetensors(bytes);
  } catch (const Error&) {
    return LLVMFuzzerMutate(data, size, limit);
  }
  std::vector<std::vector<std::byte>> kept(3);
  for (std::size_t i = 0, changes = 1 + draw() % kept.size(); i < changes; ++i) {
    if (!file.metadata.empty() && draw() % 6 == 0) {
      change_text(std::next(file.metadata.begin(),
                            static_cast<std::ptrdiff_t>(draw() % file.metadata.size()))
                      ->second);
    } else if (!file.tensors.empty()) {
      change_array(
          std::next(file.tensors.begin(), static_cast<std::ptrdiff_t>(draw() % file.tensors.size()))
              ->second,
          kept[i], draw);
    }
  }
  const std::string out = write_safetensors(file);
  return out.size() <= limit ? put_back(out, data, limit) : LLVMFuzzerMutate(data, size, limit);
}

}  // namespace

const Target kModelTarget = {"model", run, mutate};
const Target kImportTarget = {"import", run_import, nullptr};

}  // namespace simplexboost::fuzz
