// The public interface in one program: data from arrays, training round by round, a model's
// insides, its file in memory, scores after more and more rounds, codewords, evaluation.
// docs/cpp.md walks through it.
#include <simplexboost/dataset_builder.h>
#include <simplexboost/error.h>
#include <simplexboost/evaluate.h>
#include <simplexboost/generate.h>
#include <simplexboost/train.h>
#include <simplexboost/version.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace sb = simplexboost;

namespace {

// Twelve fruits, row after row: length in cm, weight in g (NaN: nobody weighed it), a number for
// the country that it came from.
const std::vector<float> kNumbers{
    3,  5,   1, 4,  6,   1, 3.5F, 5,  2, 4.5F, 8,   2, 15,   120, 3, 18,   150, 3,
    16, 130, 4, 17, NAN, 4, 6,    90, 1, 7,    150, 2, 6.5F, NAN, 3, 7.5F, 160, 4,
};
const std::vector<std::string> kColours{"red",    "red",    "red", "red",   "yellow", "yellow",
                                        "yellow", "yellow", "red", "green", "green",  "green"};
const std::vector<std::string> kNames{"cherry", "cherry", "cherry", "cherry", "banana", "banana",
                                      "banana", "banana", "apple",  "apple",  "apple",  "apple"};

// The matrix is used where it is, but for the countries, which are categories.
sb::Dataset fruits() {
  return sb::DatasetBuilder(kNames.size(), "fruits")
      .add_matrix(sb::row_major(kNumbers.data(), kNames.size(), 3),
                  {.names = {"length", "weight", "country"}, .categorical = {2}})
      .add_categories("colour", kColours)
      .set_labels(kNames)
      .build();
}

// The same rows, column after column and as doubles.
sb::Dataset fruits_by_column() {
  const std::size_t rows = kNames.size();
  const auto columns = std::make_shared<std::vector<double>>(kNumbers.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < 3; ++j) (*columns)[j * rows + i] = kNumbers[i * 3 + j];
  return sb::DatasetBuilder(rows, "fruits")
      .add_matrix(sb::column_major(columns->data(), rows, 3),
                  {.names = {"length", "weight", "country"}, .categorical = {2}, .owner = columns})
      .add_categories("colour", kColours)
      .set_labels(kNames)
      .build();
}

// Trains until five rounds brought nothing to the validation rows, and looks at others on the way.
sb::Model train_by_hand(const sb::Dataset& train, const sb::Dataset& valid,
                        const sb::Dataset& others) {
  sb::Parameters parameters;
  sb::set_parameter(parameters, "rounds", "200");
  sb::set_parameter(parameters, "early-stopping", "0");  // we decide
  sb::TrainOptions options;
  options.valid = &valid;
  options.also_valid = {&others};
  sb::Training training(train, parameters, options);
  while (training.boost(training.rounds() + 1) && training.rounds() < training.best_rounds() + 5) {
  }
  const std::size_t last = training.rounds() - 1;
  std::printf("%zu rounds, valid error %.3f, that of other rows %.3f\n", training.rounds(),
              training.log().value("valid_error", last).value_or(NAN),
              training.log().value("valid_0_error", last).value_or(NAN));
  return training.finish();
}

void describe(const sb::Model& model) {
  std::printf("%s with learning rate %s: %zu trees, %zu nodes; %s\n", model.algorithm().c_str(),
              model.parameters().at("learning-rate").c_str(), model.forest().trees.size(),
              model.forest().nodes.size(), model.log().stop_reason.c_str());
  for (const sb::FeatureImportance& one : model.importance())
    std::printf("  %-8s %llu splits\n", model.schema().features[one.feature].name.c_str(),
                static_cast<unsigned long long>(one.splits));
}

// True if every fruit is recognised by a model that went through memory.
bool recognises_fruits() {
  const sb::Dataset data = fruits();
  sb::Parameters parameters;
  parameters.rounds = 20;
  const std::vector<std::byte> bytes = sb::train(data, parameters).to_bytes();
  if (bytes != sb::train(fruits_by_column(), parameters).to_bytes()) return false;
  const sb::Model model = sb::Model::from_bytes(bytes);
  describe(model);

  const std::vector<double> one{16.5, 140, 3};
  const sb::Dataset unknown =
      sb::DatasetBuilder(1, model.schema())
          .add_matrix(sb::row_major(one.data(), 1, 3),
                      {.names = {"length", "weight", "country"}, .categorical = {2}})
          .add_categories("colour", std::vector<std::string>{"yellow"})
          .build();
  const auto code = static_cast<std::size_t>(model.predict(unknown).front());
  std::printf("16.5 cm, 140 g, yellow: %s\n", model.schema().classes[code].c_str());
  return model.schema().classes[code] == "banana" && sb::evaluate(model, data).metric("error") == 0;
}

bool nearly_equal(double a, double b) { return std::abs(a - b) < 1e-4 * (1 + std::abs(a)); }

// True if the scores after all rounds are those of the model, and more rounds are less often wrong.
bool improves_by_rounds(const sb::Model& model, const sb::Dataset& data) {
  sb::StagedScores staged(model, data);
  std::vector<double> errors;
  sb::Matrix scores;
  for (const std::size_t rounds : {std::size_t{1}, model.rounds()}) {
    scores = staged.after(rounds);
    double wrong = 0;
    for (std::size_t i = 0; i < scores.rows; ++i) {
      const float* const row = scores.row(i);
      const auto best = std::max_element(row, row + scores.columns) - row;
      wrong += best != data.labels.codes[i];
    }
    errors.push_back(wrong / static_cast<double>(scores.rows));
    std::printf("  error after %zu rounds: %.3f\n", rounds, errors.back());
  }
  const sb::Matrix all = model.predict_scores(data);
  return errors.back() < errors.front() &&
         std::equal(scores.values.begin(), scores.values.end(), all.values.begin(), nearly_equal);
}

// True if the class scores of a model with codewords are half the products of these and its
// outputs.
bool decodes_by_codewords(const sb::Dataset& data) {
  sb::Parameters parameters;
  parameters.rounds = 20;
  sb::set_parameter(parameters, "algorithm", "gd-mcboost");
  const sb::Model model = sb::train(data, parameters);
  const std::vector<float> codewords = model.codewords();
  const sb::Matrix outputs = model.predict_outputs(data);
  const sb::Matrix scores = model.predict_scores(data);
  std::printf("%zu classes, codewords of dimension %zu\n", scores.columns, outputs.columns);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    for (std::size_t k = 0; k < scores.columns; ++k) {
      const float* const codeword = codewords.data() + k * outputs.columns;
      const double product =
          std::inner_product(codeword, codeword + outputs.columns, outputs.row(i), 0.0);
      if (!nearly_equal(product / 2, scores.row(i)[k])) return false;
    }
  }
  return codewords.size() == scores.columns * outputs.columns;
}

// True if most of the waveform's test rows are right.
bool learns_waveform() {
  const sb::Dataset data = sb::generate({.name = "waveform", .rows = 2000});
  const sb::DatasetSplit split = sb::split_rows(data, 0.25);
  const sb::Dataset others = sb::generate({.name = "waveform", .rows = 500, .seed = 2});
  const sb::Model model = train_by_hand(split.train, split.valid, others);
  model.save("waveform.sb");
  const sb::EvaluationReport report = sb::evaluate(sb::Model::load("waveform.sb"), split.valid,
                                                   {.metrics = {"error", "log-loss", "auc"}});
  for (const sb::MetricValue& metric : report.metrics)
    std::printf("  %-10s %.3f\n", metric.name.c_str(), metric.value);
  for (const sb::ConfusionCell& cell : report.confusion)
    std::printf("  class %d taken for %d: %g rows\n", cell.truth, cell.predicted, cell.weight);
  return report.metric("error") < 0.25 && improves_by_rounds(model, others) &&
         decodes_by_codewords(split.train);
}

}  // namespace

int main() {
  try {
    std::printf("simplexboost %s\n", SIMPLEXBOOST_VERSION);
    const bool fruits_are_right = recognises_fruits();
    return fruits_are_right && learns_waveform() ? 0 : 1;
  } catch (const sb::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
