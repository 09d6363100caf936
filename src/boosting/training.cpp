#include "boosting/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/byte_stream.h"
#include "base/stop.h"
#include "base/threads/parallel.h"
#include "boosting/bagging/bagging.h"
#include "boosting/booster.h"
#include "boosting/checkpoint.h"
#include "boosting/forest_start.h"
#include "boosting/setup/class_weights.h"
#include "boosting/setup/data_check.h"
#include "cuda/device.h"
#include "data/common_codes.h"
#include "data/rows/row_shares.h"
#include "data/weight_scale.h"
#include "model/model_access.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// The rows that count. Rows of weight zero, or of no known label, must not even break a tie.
std::vector<std::uint32_t> weighted_rows(const Dataset& data) {
  const std::size_t classes = data.labels.classes.size();
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < data.rows; ++i) {
    const bool counts = data.weights.empty() || data.weights[i] > 0;
    const float* const said = data.labels.row_weights(i);
    if (counts && (!said || std::any_of(said, said + classes, [](float w) { return w > 0; })))
      rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

void require_no_tiny_weight(const Dataset& data, const RowSpace& space) {
  if (const auto tiny = find_tiny_weight(data.weights, space))
    throw DataError(Place{data.source}, fmt::format("row {}: {}", space.first() + *tiny + 1,
                                                    describe_tiny_weight(data.weights[*tiny])));
}

// The model keeps the weights of the classes, not the name of a file of them.
Dataset weigh_classes(const Dataset& data, Parameters& parameters, const RowSpace& space) {
  std::vector<double> weights = class_weights(parameters.class_weight, data, space);
  if (parameters.class_weight != "balanced")
    parameters.class_weight = class_weight_text(weights, data.labels.classes);
  shift_weights(weights, weight_shift(weights, RowSpace(weights.size(), 1)));
  return weight_classes(data, weights);
}

bool has_weights(const Dataset& data, const Parameters& parameters, const RowSpace& space) {
  return space.any(parameters.class_weight != "none" || !data.weights.empty() ||
                   !data.labels.weights.empty());
}

// With the weights of rows, classes and labels at training's scale.
Dataset weigh_rows(Dataset data, Parameters& parameters, const RowSpace& space) {
  if (data.weights.empty()) data.weights.assign(data.rows, 1);
  require_no_tiny_weight(data, space);
  if (parameters.class_weight != "none") {
    // So that no product overflows.
    shift_weights(data.weights, weight_shift(data.weights, space));
    data = weigh_classes(data, parameters, space);
    require_no_tiny_weight(data, space);
  }
  scale_weights(data.weights, space);
  if (space.any(!data.labels.weights.empty())) scale_label_weights(data.source, data.labels, space);
  return data;
}

// With weights that can be summed: figures of validation rows are ratios of sums.
Dataset weigh_valid(Dataset valid, const RowSpace& space) {
  valid.weights = summable_weights(valid.weights, space);
  return valid;
}

// What all ranks must have in common, a line for each thing.
std::vector<std::string> settings(const Parameters& parameters, const TrainOptions& options,
                                  const TrainingContext& context) {
  std::vector<std::string> lines;
  for (const ParameterSpec& spec : parameter_specs())
    if (!spec.of_machine)
      lines.push_back(fmt::format("{}: {}", spec.name, get_parameter(parameters, spec.name)));
  lines.push_back(fmt::format("validation data: {}", options.valid ? "some" : "none"));
  lines.push_back(fmt::format("a model to go on from: {}", options.init ? "some" : "none"));
  lines.push_back(fmt::format("more validation data: {}", options.also_valid.size()));
  lines.push_back(fmt::format("bins: {}", context.bins ? "given" : "chosen"));
  lines.push_back(fmt::format("codewords: {}", fmt::join(options.codewords, " ")));
  lines.push_back(fmt::format("loss: {}", options.loss ? options.loss->name() : "built-in"));
  lines.push_back(
      fmt::format("objective: {}", options.objective ? options.objective->name() : "none"));
  lines.push_back(
      fmt::format("a learner of one's own: {}", options.make_learner ? "some" : "none"));
  return lines;
}

void check_settings(const std::vector<std::string>& mine, Communicator& ranks) {
  ByteWriter writer;
  writer(mine);
  std::vector<std::byte> bytes = writer.bytes();
  broadcast_all(ranks, bytes, 0);
  ByteReader reader(bytes);
  std::vector<std::string> wanted;
  reader(wanted);
  for (std::size_t i = 0; i < std::min(mine.size(), wanted.size()); ++i)
    if (mine[i] != wanted[i])
      throw ParameterError(fmt::format("{}, but in process {} {}; give all processes the same",
                                       wanted[i], ranks.rank(), mine[i]));
}

// A share that fits those of the other ranks; `least`: as check_rows() has it.
Dataset fitted_share(const Dataset& data, std::int32_t least, Communicator& ranks,
                     const Schema* known = nullptr) {
  check_rows(data, least);
  Dataset share = data;
  agree_on_codes(share, ranks, known);
  return align_rows(share, ranks);
}

// Calls work(); where it throws, the other ranks get to know, for they would wait for this one.
template <class Work>
auto telling_others(Communicator& ranks, const Work& work) {
  try {
    return work();
  } catch (const CommunicationError&) {
    throw;  // known already
  } catch (const std::exception& error) {
    ranks.fail(error.what());
    throw;
  }
}

template <class Use>
void for_each_valid(TrainOptions& options, const Use& use) {
  if (options.valid) use(options.valid);
  for (const Dataset*& valid : options.also_valid) use(valid);
}

// Rows of the table without an optimiser are of trees that know nothing of each other.
std::unique_ptr<Trainer> make_trainer(const Dataset& data, const Parameters& parameters,
                                      const TrainOptions& options, const TrainingContext& context) {
  const AlgorithmRow& row = find_algorithm(parameters.algorithm, data.labels.multi_label());
  if (row.make_optimizer)
    return std::make_unique<Booster>(data, compose(data, parameters, options, context.ranks),
                                     options, context.bins);
  if (names_device(parameters.device))
    throw ParameterError(
        fmt::format("device: {} runs on the CPU; leave it out, or use --device cpu", row.name));
  return std::make_unique<Bagging>(data, compose(data, parameters, options, context.ranks), options,
                                   context.bins);
}

void load_past(const std::string& state, Trainer& trainer) {
  try {
    ByteReader reader(std::as_bytes(std::span(state)));
    trainer.load(reader);
  } catch (const CommunicationError&) {
    throw ModelError("the checkpoint ends too early");
  }
}

}  // namespace

// What is trained on and judged: the caller's data, or what had to be made of it. Not a part of
// Training::State itself, whose functions a shared library would show.
class TrainingData {
 public:
  // Changes the parameters and options to those that fit the data.
  TrainingData(const Dataset& given, Parameters& parameters, TrainOptions& options,
               const TrainingContext& context);

  const Dataset& rows() const { return *data_; }

 private:
  RowSpace space(int threads) const { return {data_->rows, resolve_threads(threads), ranks_}; }
  // Where the ranks' shares must fit together, these are those that do.
  void fit_shares(const Parameters& wanted, TrainOptions& options, const TrainingContext& context);
  void weigh_all_valid(TrainOptions& options);
  void keep(Dataset changed);
  // Puts a data set of one's own in the place of one of the options'.
  void keep_valid(Dataset changed, const Dataset*& valid);

  Communicator& ranks_;
  const Dataset* data_;
  // It, with scaled weights or without rows of weight 0; and shares that fit together.
  std::unique_ptr<Dataset> own_data_;
  std::deque<Dataset> own_valid_;
};

void TrainingData::keep(Dataset changed) {
  own_data_ = std::make_unique<Dataset>(std::move(changed));
  data_ = own_data_.get();
}

void TrainingData::keep_valid(Dataset changed, const Dataset*& valid) {
  valid = &own_valid_.emplace_back(std::move(changed));
}

void TrainingData::fit_shares(const Parameters& wanted, TrainOptions& options,
                              const TrainingContext& context) {
  check_settings(settings(wanted, options, context), ranks_);
  keep(fitted_share(*data_, 0, ranks_));
  const Schema schema = data_->schema();
  for_each_valid(options, [&](const Dataset*& valid) {
    keep_valid(fitted_share(*valid, -1, ranks_, &schema), valid);
  });
}

void TrainingData::weigh_all_valid(TrainOptions& options) {
  for_each_valid(options, [&](const Dataset*& valid) {
    const RowSpace here(valid->rows, 1, ranks_);
    if (here.any(!valid->weights.empty())) keep_valid(weigh_valid(*valid, here), valid);
  });
}

TrainingData::TrainingData(const Dataset& given, Parameters& parameters, TrainOptions& options,
                           const TrainingContext& context)
    : ranks_(context.ranks), data_(&given) {
  check_parameters(parameters);
  const int threads = parameters.threads;
  const bool parted = ranks_.size() > 1;
  if (parted) fit_shares(parameters, options, context);
  check_training_data(*data_, space(threads));
  if (has_weights(*data_, parameters, space(threads)))
    keep(weigh_rows(*data_, parameters, space(threads)));
  const std::vector<std::uint32_t> rows = weighted_rows(*data_);
  const std::int64_t counted = space(threads).add_up(std::ssize(rows));
  if (counted > 0 && static_cast<std::size_t>(counted) < space(threads).all()) {
    keep(select_rows(*data_, rows));
    if (parted) keep(align_rows(*data_, ranks_));
  }
  weigh_all_valid(options);
}

struct Training::State {
  Communicator& ranks;
  TrainingData data;
  std::unique_ptr<Trainer> trainer;
};

struct Training::Access {
  static const Trainer& trainer(const Training& training) { return *training.state_->trainer; }
  static Training make(const Dataset& data, Parameters parameters, TrainOptions options,
                       const TrainingContext& context) {
    return Training(telling_others(context.ranks, [&] {
      // NOLINTNEXTLINE(modernize-make-unique): an aggregate, which g++ 12 makes so alone
      auto state = std::unique_ptr<State>(
          new State{context.ranks, TrainingData(data, parameters, options, context), nullptr});
      state->trainer = make_trainer(state->data.rows(), parameters, options, context);
      if (context.past) load_past(*context.past, *state->trainer);
      return state;
    }));
  }
};

Training::Training(const Dataset& data, const Parameters& parameters, const TrainOptions& options)
    : Training(Access::make(data, parameters, options, {})) {}

Training::Training(std::unique_ptr<State> state) : state_(std::move(state)) {}
Training::~Training() = default;
Training::Training(Training&&) noexcept = default;

bool Training::boost(std::size_t rounds) {
  return telling_others(state_->ranks, [&] { return state_->trainer->boost(rounds); });
}
std::size_t Training::rounds() const { return state_->trainer->rounds(); }
const TrainingLog& Training::log() const { return state_->trainer->log(); }

std::size_t Training::best_rounds() const {
  const RoundWatch* const watch = state_->trainer->watch();
  const bool watched = watch && watch->rounds() > 0;
  return watched ? std::min(rounds(), watch->best_rounds()) : rounds();
}

double Training::best_value() const {
  const RoundWatch* const watch = state_->trainer->watch();
  return watch ? watch->best_value() : std::numeric_limits<double>::quiet_NaN();
}

std::span<const double> Training::validation_values() const {
  const RoundWatch* const watch = state_->trainer->watch();
  return watch ? std::span(watch->values()) : std::span<const double>();
}

Model Training::finish() {
  return telling_others(state_->ranks, [&] { return state_->trainer->finish(); });
}

Training make_training(const Dataset& data, const Parameters& parameters,
                       const TrainOptions& options, const TrainingContext& context) {
  return Training::Access::make(data, parameters, options, context);
}

std::optional<Matrix> out_of_bag(const Training& training) {
  return Training::Access::trainer(training).out_of_bag();
}

std::optional<std::string> training_state(const Training& training) {
  ByteWriter writer;
  if (training.rounds() == 0 || !Training::Access::trainer(training).save(writer))
    return std::nullopt;
  return std::string(reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size());
}

namespace {

bool stopped_anywhere(Communicator& ranks) {
  std::int64_t stopped = stop_requested() ? 1 : 0;
  ranks.maximum({&stopped, 1});
  return stopped != 0;
}

// Whatever ends the rounds, those before are kept, if that can be.
Model train_part(const Dataset& data, const Parameters& parameters, TrainOptions options,
                 TrainingContext context, CheckpointFile& file) {
  TrainingPart part = telling_others(context.ranks, [&] {
    return TrainingPart(file, context.part,
                        training_facts(data, parameters, options, context.ranks), context.ranks);
  });
  context.past = part.past();
  // What the model to go on from had boosted is in the checkpoint; not so a forest to start from.
  std::optional<Model> forest;
  if (context.past && options.init) {
    if (auto from = find_forest_start(*options.init); from && parameters.algorithm != "forest")
      forest = make_model(std::move(from->forest));
    options.init = forest ? &*forest : nullptr;
  }
  Training training = make_training(data, parameters, options, context);
  const std::size_t stride = Training::Access::trainer(training).stride();
  try {
    while (training.boost(training.rounds() + stride)) part.after_round(training);
  } catch (...) {
    part.save(training, false);
    try {
      throw;
    } catch (const Stopped&) {
      if (training.rounds() == 0) throw;
    }
    return training.finish();
  }
  part.save(training, !stopped_anywhere(context.ranks));
  return training.finish();
}

// The first rank has the file.
Model train_with_checkpoint(const Dataset& data, const Parameters& parameters,
                            const TrainOptions& options, const TrainingContext& context) {
  CheckpointOptions here = options.checkpoint;
  if (context.ranks.rank() > 0) here.file.clear();
  CheckpointFile file =
      telling_others(context.ranks, [&] { return CheckpointFile(here, {"work: training"}); });
  Model model = train_part(data, parameters, options, context, file);
  if (!here.file.empty() && !here.keep && !stop_requested()) file.remove();
  return model;
}

}  // namespace

Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options,
            const TrainingContext& context) {
  if (!options.checkpoint.file.empty())
    return train_with_checkpoint(data, parameters, options, context);
  if (context.checkpoint)
    return train_part(data, parameters, options, context, *context.checkpoint);
  Training training = make_training(data, parameters, options, context);
  try {
    training.boost(std::numeric_limits<std::size_t>::max());
  } catch (const Stopped&) {
    if (training.rounds() == 0) throw;  // the rounds before are a model
  }
  return training.finish();
}

std::vector<FeatureBins> choose_training_bins(const Dataset& data, const Parameters& wanted) {
  const RowSpace space(data.rows, 1);
  check_training_data(data, space);
  const Parameters parameters = resolve_parameters(data, wanted);
  const BinningOptions options{parameters.max_bins, resolve_threads(wanted.threads)};
  return data.weights.empty() ? choose_bins(data, options)
                              : choose_bins(weigh_valid(data, space), options);
}

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

Model train(const Dataset& data, const Parameters& parameters, const TrainOptions& options) {
  return train(data, parameters, options, TrainingContext{});
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
