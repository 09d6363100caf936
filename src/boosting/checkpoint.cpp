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
#include "data/common_codes.h"
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

// Sums of hashes of rows, each with its number among those of all ranks: the same however the rows
// are parted.
class RowPrint {
 public:
  RowPrint(const Dataset& data, Communicator& ranks) : ranks_(ranks) {
    const auto rows = static_cast<std::uint64_t>(data.rows);
    const std::vector<std::uint64_t> shares = gather_values<std::uint64_t>(ranks, {&rows, 1});
    for (std::size_t r = 0; r < shares.size(); ++r) {
      if (r == static_cast<std::size_t>(ranks.rank())) first_ = all_;
      all_ += shares[r];
    }
  }

  std::uint64_t all() const { return all_; }

  // Values of rows from `begin` on, `width` for each.
  template <class T>
  void add(std::size_t begin, std::span<const T> values, std::size_t width = 1) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &values[i], sizeof(T));
      sum_ += mixed(mixed((first_ + begin) * width + i) ^ bits);
    }
  }

  // What was added since the last call, on all ranks.
  std::uint64_t take() {
    auto sum = static_cast<std::int64_t>(sum_);
    sum_ = 0;
    ranks_.sum({&sum, 1});  // wraps around
    return static_cast<std::uint64_t>(sum);
  }

 private:
  // The finaliser of SplitMix64.
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e37'79b9'7f4a'7c15;
    x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9;
    x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11eb;
    return x ^ (x >> 31U);
  }

  Communicator& ranks_;
  std::uint64_t first_ = 0;
  std::uint64_t all_ = 0;
  std::uint64_t sum_ = 0;
};

std::string columns_text(const Dataset& data, RowPrint& rows) {
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
      rows.add(begin, std::span<const double>(values.data(), end - begin));
    }
    const std::uint64_t sum = rows.take();
    print.add(std::span(&sum, 1));
  }
  return print.text();
}

std::string labels_text(const Dataset& data, RowPrint& rows) {
  Fingerprint print;
  const Labels& labels = data.labels;
  for (const std::string& name : labels.classes) print.add(name);
  if (labels.multi_label()) {
    for (std::size_t i = 0; i < data.rows; ++i)
      for (std::size_t k = labels.offsets[i]; k < labels.offsets[i + 1]; ++k)
        rows.add(i, std::span<const std::int32_t>(&labels.codes[k], 1));
  } else {
    rows.add(0, std::span<const std::int32_t>(labels.codes));
  }
  std::uint64_t sums[3] = {rows.take()};
  rows.add(0, std::span<const float>(labels.weights), labels.classes.size());
  sums[1] = rows.take();
  rows.add(0, std::span<const double>(data.weights));
  sums[2] = rows.take();
  print.add(std::span<const std::uint64_t>(sums));
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

void add_data_facts(const std::string& name, const Dataset& data, WorkFacts& facts,
                    Communicator& ranks) {
  RowPrint rows(data, ranks);
  facts.push_back(fmt::format("{} rows: {}", name, rows.all()));
  facts.push_back(
      fmt::format("{} columns: {} ({})", name, data.columns.size(), columns_text(data, rows)));
  facts.push_back(fmt::format("{} labels and weights: {}", name, labels_text(data, rows)));
}

void add_parameter_facts(const Parameters& parameters, WorkFacts& facts) {
  for (const ParameterSpec& spec : parameter_specs())
    if (!spec.of_machine)
      facts.push_back(fmt::format("{}: {}", spec.name, get_parameter(parameters, spec.name)));
}

WorkFacts training_facts(const Dataset& data, const Parameters& parameters,
                         const TrainOptions& options, Communicator& ranks) {
  if (options.make_learner || options.loss || options.objective)
    throw ParameterError(
        "checkpoint: a loss or learner of one's own has none; leave it out, or go on from a model");
  WorkFacts facts;
  add_parameter_facts(parameters, facts);
  // Codes that mean the same on all ranks.
  Dataset agreed = data;
  agree_on_codes(agreed, ranks);
  add_data_facts("training", agreed, facts, ranks);
  facts.push_back(
      fmt::format("validation sets: {}", options.also_valid.size() + (options.valid ? 1 : 0)));
  const Schema schema = agreed.schema();
  const auto add_valid = [&](Dataset valid) {
    agree_on_codes(valid, ranks, &schema);
    add_data_facts("validation", valid, facts, ranks);
  };
  if (options.valid) add_valid(*options.valid);
  for (const Dataset* valid : options.also_valid) add_valid(*valid);
  facts.push_back("model to go on from: " + model_text(options.init));
  facts.push_back(fmt::format("codewords: {}", fmt::join(options.codewords, " ")));
  return facts;
}

TrainingPart::TrainingPart(CheckpointFile& file, std::string name, WorkFacts facts,
                           Communicator& ranks)
    : file_(file), name_(std::move(name)), facts_(std::move(facts)), ranks_(ranks) {
  std::vector<std::byte> past;
  if (ranks_.rank() == 0) past = look();
  broadcast_all(ranks_, past, 0);
  if (past.empty()) return;
  past_.emplace(reinterpret_cast<const char*>(past.data()), past.size());
  ended_ = past_->back() != '\0';
  past_->pop_back();
}

// The rounds that the file has, and behind them whether they are all.
std::vector<std::byte> TrainingPart::look() const {
  const std::optional<std::string> bytes = file_.find(name_);
  if (!bytes) return {};
  WorkFacts there;
  std::vector<std::byte> past;
  bool ended = false;
  try {
    ByteReader reader(std::as_bytes(std::span(*bytes)));
    reader(there)(ended)(past);
  } catch (const CommunicationError&) {
    throw ModelError(file_.options().file + ": the checkpoint has a part that is cut off");
  }
  require_same_facts(file_.options().file, there, facts_);
  past.push_back(std::byte{ended});
  return past;
}

// It is time when rank 0 says so.
void TrainingPart::after_round(const Training& training) {
  if (!clock_) clock_.emplace(file_.options(), training.rounds() - 1);
  std::byte due{clock_->due(training.rounds())};
  ranks_.broadcast({&due, 1}, 0);
  if (due != std::byte{0}) save(training, false);
}

void TrainingPart::save(const Training& training, bool ended) {
  const StopPause pause;
  const std::optional<std::string> state = training_state(training);
  if (!state || ranks_.rank() > 0) return;
  ByteWriter writer;
  writer(facts_)(ended)(*state);
  const auto* const bytes = reinterpret_cast<const char*>(writer.bytes().data());
  file_.keep(name_, std::string(bytes, writer.bytes().size()));
  file_.write();
}

}  // namespace simplexboost
