#include "boosting/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_stream.h"
#include "base/stop.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// FNV-1a of whatever is added, in words of eight bytes.
class Fingerprint {
 public:
  template <class T>
  void add(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    add_word(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, std::min(sizeof(word), bytes.size() - i));
      add_word(word);
    }
  }
  void add(const std::string& text) { add(std::span<const char>(text)); }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  void add_word(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100'0000'01b3;
    hash_ ^= hash_ >> 32U;
  }
  std::uint64_t hash_ = 0xcbf2'9ce4'8422'2325;
};

std::string columns_text(const Dataset& data) {
  constexpr std::size_t kBlock = 4096;
  Fingerprint print;
  std::vector<double> values(std::min(data.rows, kBlock));
  for (const Column& column : data.columns) {
    print.add(column.schema.name);
    for (const std::string& category : column.schema.categories) print.add(category);
    for (std::size_t begin = 0; begin < data.rows; begin += kBlock) {
      check_stop();
      const std::size_t end = std::min(begin + kBlock, data.rows);
      column.copy(begin, end, values.data());
      print.add(std::span<const double>(values.data(), end - begin));
    }
  }
  return print.text();
}

std::string labels_text(const Dataset& data) {
  Fingerprint print;
  for (const std::string& name : data.labels.classes) print.add(name);
  print.add(std::span<const std::int32_t>(data.labels.codes));
  print.add(std::span<const std::size_t>(data.labels.offsets));
  print.add(std::span<const float>(data.labels.weights));
  print.add(std::span<const double>(data.weights));
  return print.text();
}

std::string model_text(const Model* model) {
  if (!model) return "none";
  const std::vector<std::byte> bytes = model->to_bytes();
  Fingerprint print;
  print.add(std::span<const std::byte>(bytes));
  return print.text();
}

}  // namespace

void add_data_facts(const std::string& name, const Dataset& data, WorkFacts& facts) {
  facts.push_back(fmt::format("{} rows: {}", name, data.rows));
  facts.push_back(
      fmt::format("{} columns: {} ({})", name, data.columns.size(), columns_text(data)));
  facts.push_back(fmt::format("{} labels and weights: {}", name, labels_text(data)));
}

void add_parameter_facts(const Parameters& parameters, WorkFacts& facts) {
  for (const ParameterSpec& spec : parameter_specs())
    if (spec.name != "threads")
      facts.push_back(fmt::format("{}: {}", spec.name, get_parameter(parameters, spec.name)));
}

WorkFacts training_facts(const Dataset& data, const Parameters& parameters,
                         const TrainOptions& options) {
  if (options.make_learner || options.loss || options.objective)
    throw ParameterError(
        "checkpoint: a loss or learner of one's own has none; leave it out, or go on from a model");
  WorkFacts facts;
  add_parameter_facts(parameters, facts);
  add_data_facts("training", data, facts);
  facts.push_back(
      fmt::format("validation sets: {}", options.also_valid.size() + (options.valid ? 1 : 0)));
  if (options.valid) add_data_facts("validation", *options.valid, facts);
  for (const Dataset* valid : options.also_valid) add_data_facts("validation", *valid, facts);
  facts.push_back("model to go on from: " + model_text(options.init));
  facts.push_back(fmt::format("codewords: {}", fmt::join(options.codewords, " ")));
  return facts;
}

TrainingPart::TrainingPart(CheckpointFile& file, std::string name, WorkFacts facts)
    : file_(file), name_(std::move(name)), facts_(std::move(facts)) {
  const std::optional<std::string> bytes = file_.find(name_);
  if (!bytes) return;
  WorkFacts there;
  past_.emplace();
  try {
    ByteReader reader(std::as_bytes(std::span(*bytes)));
    reader(there)(ended_)(*past_);
  } catch (const CommunicationError&) {
    throw ModelError(file_.options().file + ": the checkpoint has a part that is cut off");
  }
  require_same_facts(file_.options().file, there, facts_);
}

void TrainingPart::after_round(const Training& training) {
  if (!clock_) clock_.emplace(file_.options(), training.rounds() - 1);
  if (clock_->due(training.rounds())) save(training, false);
}

void TrainingPart::save(const Training& training, bool ended) {
  const StopPause pause;
  const std::optional<std::string> state = training_state(training);
  if (!state) return;
  ByteWriter writer;
  writer(facts_)(ended)(*state);
  const auto* const bytes = reinterpret_cast<const char*>(writer.bytes().data());
  file_.keep(name_, std::string(bytes, writer.bytes().size()));
  file_.write();
}

}  // namespace simplexboost
