#include "cli/text/prediction_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "data/readers/csv_field.h"
#include "data/rows/row_split.h"
#include "metric/evaluation.h"

namespace simplexboost::cli {
namespace {

std::vector<std::string> fields_of(const std::vector<std::string>& names) {
  std::vector<std::string> fields;
  fields.reserve(names.size());
  for (const std::string& name : names) fields.push_back(csv_field(name));
  return fields;
}

class TopWriter : public PredictionWriter {
 public:
  TopWriter(const Model& model, std::size_t count, const PredictOptions& options)
      : model_(model),
        count_(count),
        options_(options),
        fields_(fields_of(model.schema().classes)) {}

  void begin(TextOutput& out) override {
    for (std::size_t j = 1; j <= count_; ++j)
      out.buffer() += fmt::format("{}class_{},probability_{}", j > 1 ? "," : "", j, j);
    out.buffer() += '\n';
  }
  void write(const Dataset& data, TextOutput& out) override {
    const std::size_t block = rows_per_block(count_);
    for (std::size_t first = 0; first < data.rows; first += block) {
      const std::size_t end = std::min(first + block, data.rows);
      const TopClasses top =
          predict_top(model_, slice_features(data, first, end), count_, options_);
      for (std::size_t j = 0; j < top.classes.size(); ++j) {
        fmt::format_to(std::back_inserter(out.buffer()), "{}{},{}", j % count_ > 0 ? "," : "",
                       fields_[static_cast<std::size_t>(top.classes[j])], top.probabilities[j]);
        if ((j + 1) % count_ == 0) out.buffer() += '\n';
        out.flush_if_large();
      }
    }
  }

 private:
  const Model& model_;
  std::size_t count_;
  PredictOptions options_;
  std::vector<std::string> fields_;
};

std::string escaped(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '|' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

class SetWriter : public PredictionWriter {
 public:
  SetWriter(const Model& model, const SetOptions& sets, const PredictOptions& options)
      : model_(model), sets_(sets), options_(options) {
    for (const std::string& name : model.schema().classes) names_.push_back(escaped(name));
  }

  void begin(TextOutput& out) override { out.buffer() += "size,set\n"; }
  void write(const Dataset& data, TextOutput& out) override {
    const ClassSets sets = predict_sets(model_, data, sets_, options_);
    for (std::size_t i = 0; i < data.rows; ++i) {
      std::string set;
      for (std::size_t j = sets.offsets[i]; j < sets.offsets[i + 1]; ++j)
        set += (j > sets.offsets[i] ? "|" : "") + names_[static_cast<std::size_t>(sets.classes[j])];
      fmt::format_to(std::back_inserter(out.buffer()), "{},{}\n",
                     sets.offsets[i + 1] - sets.offsets[i], csv_field(set));
      out.flush_if_large();
    }
  }

 private:
  const Model& model_;
  SetOptions sets_;
  PredictOptions options_;
  std::vector<std::string> names_;
};

class CostWriter : public PredictionWriter {
 public:
  CostWriter(const Model& model, std::vector<float> costs, std::optional<double> abstain_above,
             const PredictOptions& options)
      : model_(model),
        costs_(std::move(costs)),
        abstain_above_(abstain_above),
        options_(options),
        fields_(fields_of(model.schema().classes)) {}

  void begin(TextOutput& out) override { out.buffer() += "prediction,cost\n"; }
  void write(const Dataset& data, TextOutput& out) override {
    const CostlyDecision decision =
        predict_least_cost(model_, data, costs_, abstain_above_, options_);
    for (std::size_t i = 0; i < data.rows; ++i) {
      const std::int32_t code = decision.classes[i];
      fmt::format_to(std::back_inserter(out.buffer()), "{},{}\n",
                     code < 0 ? "" : fields_[static_cast<std::size_t>(code)], decision.costs[i]);
      out.flush_if_large();
    }
  }

 private:
  const Model& model_;
  std::vector<float> costs_;
  std::optional<double> abstain_above_;
  PredictOptions options_;
  std::vector<std::string> fields_;
};

}  // namespace

std::unique_ptr<PredictionWriter> top_writer(const Model& model, std::size_t count,
                                             const PredictOptions& options) {
  return std::make_unique<TopWriter>(model, count, options);
}

std::unique_ptr<PredictionWriter> set_writer(const Model& model, const SetOptions& sets,
                                             const PredictOptions& options) {
  return std::make_unique<SetWriter>(model, sets, options);
}

std::unique_ptr<PredictionWriter> cost_writer(const Model& model, std::vector<float> costs,
                                              std::optional<double> abstain_above,
                                              const PredictOptions& options) {
  return std::make_unique<CostWriter>(model, std::move(costs), abstain_above, options);
}

}  // namespace simplexboost::cli
