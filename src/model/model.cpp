#include "simplexboost/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/files/atomic_file.h"
#include "loss/margin.h"
#include "loss/posterior.h"
#include "model/explain.h"
#include "model/file/model_file.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "model/predict/link.h"
#include "model/predict/model_devices.h"
#include "model/predict/softmax.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Codes of two lists mean the same if one list begins with the other.
bool agree(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto shared = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return std::equal(a.begin(), a.begin() + shared, b.begin());
}

const char* type_name(FeatureType type) {
  return type == FeatureType::kNumeric ? "numeric" : "categorical";
}

void check_column(const FeatureSchema& expected, const FeatureSchema& given, bool by_name) {
  if (by_name && given.name != expected.name)
    throw ModelError(fmt::format("the data has column '{}' where the model has '{}'", given.name,
                                 expected.name));
  if (given.type != expected.type)
    throw ModelError(fmt::format("column '{}' is {}, the model was trained with {} values",
                                 given.name, type_name(given.type), type_name(expected.type)));
  if (!agree(given.categories, expected.categories))
    throw ModelError(fmt::format("column '{}' has other categories than the model", given.name));
}

}  // namespace

void check_columns(const Schema& schema, const Dataset& data) {
  if (data.columns.size() != schema.features.size())
    throw ModelError(fmt::format("the data has {} features, the model needs {}",
                                 data.columns.size(), schema.features.size()));
  for (std::size_t i = 0; i < data.columns.size(); ++i)
    check_column(schema.features[i], data.columns[i].schema, schema.named && data.named);
}

namespace {

constexpr const char* kFallingRounds = "the rounds of a staged prediction must be ascending";

void check_classes(const Model& model, std::size_t classes) {
  if (classes != model.schema().classes.size())
    throw ModelError(
        fmt::format("the model has {} classes, not {}", model.schema().classes.size(), classes));
}

std::size_t resolve_rounds(const Forest& forest, std::size_t rounds) {
  if (rounds > forest.rounds())
    throw ParameterError(
        fmt::format("the model has {} rounds, {} cannot be used", forest.rounds(), rounds));
  return rounds == 0 ? forest.rounds() : rounds;
}

// Class scores of all rows, each row changed by `transform`.
template <class Transform>
Matrix predict_matrix(const Model& model, const Dataset& data, const PredictOptions& options,
                      const Transform& transform) {
  const std::size_t rounds = check_predicted(model, data, options.rounds);
  const std::size_t classes = model.schema().classes.size();
  Matrix result{data.rows, classes, std::vector<float>(data.rows * classes)};
  score_blocks(model, data, rounds, options.threads, [&](std::size_t first, const Matrix& scores) {
    std::copy(scores.values.begin(), scores.values.end(), result.row(first));
    for (std::size_t i = 0; i < scores.rows; ++i)
      transform(std::span(result.row(first + i), result.columns));
  });
  return result;
}

}  // namespace

std::size_t check_predicted(const Model& model, const Dataset& data, std::size_t rounds) {
  check_columns(model.schema(), data);
  return resolve_rounds(model.forest(), rounds);
}

Model make_model(std::shared_ptr<const Ensemble> ensemble) {
  check_ensemble(*ensemble);
  return Model::Access::make(std::move(ensemble));
}

Model make_model(Ensemble ensemble) {
  return make_model(std::make_shared<const Ensemble>(std::move(ensemble)));
}

Model::Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Model Model::load(const std::string& path) {
  const std::vector<std::byte> bytes = read_model_file(path);
  try {
    return from_bytes(bytes);
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  }
}

// The bytes were checked as they were read.
Model Model::from_bytes(std::span<const std::byte> bytes) {
  return Access::make(std::make_shared<const Ensemble>(deserialize(bytes)));
}

std::vector<std::byte> Model::to_bytes() const {
  std::vector<std::byte> bytes;
  serialize(ensemble_of(*this), [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  });
  return bytes;
}

void Model::save(const std::string& path) const {
  AtomicFile file(path);
  serialize(ensemble_of(*this),
            [&](std::span<const std::byte> bytes) { file.write(bytes.data(), bytes.size()); });
  file.commit();
}

const Schema& Model::schema() const { return ensemble_of(*this).schema; }
const std::string& Model::algorithm() const { return ensemble_of(*this).algorithm; }
const std::map<std::string, std::string>& Model::parameters() const {
  return ensemble_of(*this).parameters;
}
const TrainingLog& Model::log() const { return ensemble_of(*this).log; }
const std::optional<Estimate>& Model::estimate() const { return ensemble_of(*this).estimate; }

std::vector<MemberWeight> Model::members() const {
  std::vector<MemberWeight> result;
  for (const Member& member : ensemble_of(*this).members)
    result.push_back({member.name, member.weight});
  return result;
}

std::size_t Model::rounds() const { return forest().rounds(); }
const Forest& Model::forest() const { return ensemble_of(*this).forest; }
const std::vector<float>& Model::bias() const { return ensemble_of(*this).bias; }
std::vector<float> Model::codewords() const { return codeword_matrix(ensemble_of(*this)); }

std::vector<FeatureImportance> Model::importance() const {
  return feature_importance(ensemble_of(*this));
}

std::vector<double> Model::class_importance(bool gain) const {
  return simplexboost::class_importance(ensemble_of(*this), gain);
}

std::string Model::test_text(const Node& node) const {
  return simplexboost::test_text(ensemble_of(*this), node);
}

std::string Model::tree_text(std::size_t tree) const {
  if (tree >= forest().trees.size())
    throw ModelError(
        fmt::format("the model has {} trees, there is no tree {}", forest().trees.size(), tree));
  return simplexboost::tree_text(ensemble_of(*this), tree);
}

Matrix Model::predict_scores(const Dataset& data, const PredictOptions& options) const {
  return predict_matrix(*this, data, options, [](std::span<float>) {});
}

Matrix Model::predict_proba(const Dataset& data, const PredictOptions& options) const {
  require_probabilities(ensemble_of(*this));
  const std::size_t rounds = check_predicted(*this, data, options.rounds);
  if (auto there =
          predict_by_device<float>(*this, data, rounds, options.threads, Prediction::kProba))
    return {data.rows, schema().classes.size(), std::move(*there)};
  return predict_matrix(*this, data, options,
                        [&](std::span<float> row) { to_probabilities(ensemble_of(*this), row); });
}

Matrix Model::predict_proba(const Dataset& data, const GammaPhi& pair,
                            const PredictOptions& options) const {
  Matrix result = predict_scores(data, options);
  const auto scale = static_cast<float>(ensemble_of(*this).link_scale / 2);
  for (float& score : result.values) score *= scale;
  pair_posteriors(pair, result.rows, result.columns, result.values.data(), result.values.data());
  return result;
}

bool Model::has_proba() const { return ensemble_of(*this).link != Link::kNone; }

Matrix Model::predict_outputs(const Dataset& data, const PredictOptions& options) const {
  const std::size_t rounds = check_predicted(*this, data, options.rounds);
  if (auto there =
          predict_by_device<float>(*this, data, rounds, options.threads, Prediction::kOutputs))
    return {data.rows, forest().outputs, std::move(*there)};
  Matrix outputs = state_->predictor.start(data.rows);
  state_->predictor.add_rounds(data, 0, rounds, options.threads, outputs);
  return outputs;
}

std::vector<std::uint32_t> Model::predict_leaves(const Dataset& data,
                                                 const PredictOptions& options) const {
  check_columns(schema(), data);
  return state_->predictor.leaves(data, resolve_rounds(forest(), options.rounds), options.threads);
}

std::vector<std::int32_t> Model::predict(const Dataset& data, const PredictOptions& options) const {
  const std::size_t rounds = check_predicted(*this, data, options.rounds);
  if (auto there = predict_by_device<std::int32_t>(*this, data, rounds, options.threads,
                                                   Prediction::kClasses))
    return std::move(*there);
  std::vector<std::int32_t> classes(data.rows);
  score_blocks(*this, data, rounds, options.threads, [&](std::size_t first, const Matrix& scores) {
    for (std::size_t i = 0; i < scores.rows; ++i)
      classes[first + i] = static_cast<std::int32_t>(best_class(scores.row(i), scores.columns));
  });
  return classes;
}

Labels Model::predict_labels(const Dataset& data, const PredictOptions& options) const {
  const Matrix scores = predict_scores(data, options);
  Labels labels;
  labels.classes = schema().classes;
  labels.columns = schema().label_columns;
  labels.offsets.push_back(0);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    for (std::size_t k = 0; k < scores.columns; ++k)
      if (scores.row(i)[k] > 0) labels.codes.push_back(static_cast<std::int32_t>(k));
    labels.offsets.push_back(labels.codes.size());
  }
  return labels;
}

std::vector<float> Model::predict_margins(const Dataset& data,
                                          const PredictOptions& options) const {
  check_columns(schema(), data);
  if (schema().multi_label || data.labels.multi_label())
    throw DataError({data.source}, "margins are those of one label a row, not of several");
  if (data.labels.codes.size() != data.rows)
    throw DataError({data.source}, "no labels; a margin needs the true class of its row");
  const std::size_t rounds = resolve_rounds(forest(), options.rounds);
  std::vector<float> margins(data.rows);
  score_blocks(*this, data, rounds, options.threads, [&](std::size_t first, const Matrix& scores) {
    LossBlock block;
    block.rows = scores.rows;
    block.classes = scores.columns;
    block.scores = scores.values.data();
    block.labels = data.labels.codes.data() + first;
    row_margins(block, margins.data() + first);
  });
  return margins;
}

void Model::predict_staged(const Dataset& data, std::span<const std::size_t> rounds,
                           const StageCallback& stage, const PredictOptions& options) const {
  if (!std::is_sorted(rounds.begin(), rounds.end())) throw ParameterError(kFallingRounds);
  if (!rounds.empty()) resolve_rounds(forest(), rounds.back());
  StagedScores scores(*this, data, options.threads);
  for (const std::size_t end : rounds) stage(end, scores.after(end));
}

void Model::predict_row(std::span<const double> features, std::span<float> scores) const {
  if (features.size() != schema().features.size() || scores.size() != schema().classes.size())
    throw ModelError(fmt::format("a row needs {} features and {} scores, not {} and {}",
                                 schema().features.size(), schema().classes.size(), features.size(),
                                 scores.size()));
  state_->predictor.score_row(features, scores);
}

void Model::scores_to_proba(std::span<float> scores) const {
  check_classes(*this, scores.size());
  to_probabilities(ensemble_of(*this), scores);
}

void Model::scores_to_proba(std::span<float> scores, std::span<double> proba) const {
  check_classes(*this, scores.size());
  check_classes(*this, proba.size());
  to_probabilities(ensemble_of(*this), scores, proba.data());
}

StagedScores::StagedScores(Model model, const Dataset& data, int threads)
    : model_(std::move(model)), threads_(threads) {
  check_columns(model_.schema(), data);
  features_.rows = data.rows;
  features_.columns = data.columns;
  outputs_ = predictor_of(model_).start(data.rows);
}

Matrix StagedScores::after(std::size_t rounds) {
  const Predictor& predictor = predictor_of(model_);
  if (rounds < done_) throw ParameterError(kFallingRounds);
  if (rounds > 0) resolve_rounds(model_.forest(), rounds);
  predictor.add_rounds(features_, std::exchange(done_, rounds), rounds, threads_, outputs_);
  return predictor.class_scores(outputs_, threads_);
}

}  // namespace simplexboost
