// Checkpoints. An input is a list of changes to one that is made here, so that none grows old with
// the format: its first byte chooses what is changed, then come four bytes a change. The state of a
// training is refused or gone on from to a model that works; without a change it is that of an
// unbroken run. A file that was changed is refused, unless its checksum is made to fit.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/checkpoint_file.h"
#include "boosting/training.h"
#include "model/file/safetensors.h"
#include "simplexboost/error.h"
#include "simplexboost/model.h"
#include "simplexboost/train.h"
#include "target.h"
#include "telling_numbers.h"

namespace simplexboost::fuzz {
namespace {

constexpr std::array kAlgorithms = {"newton",       "gd-mcboost", "cd-mcboost",      "adaboost-mh",
                                    "one-vs-all",   "samme",      "dmcboost",        "adaboost-mm",
                                    "adaboost-ecc", "logitboost", "aoso-logitboost", "forest"};
constexpr std::size_t kMostChanges = 6;

Dataset tiny_rows(std::size_t rows) {
  Dataset data;
  data.rows = rows;
  std::vector<double> numbers;
  std::vector<std::int32_t> codes;
  for (std::size_t i = 0; i < rows; ++i) {
    numbers.push_back(static_cast<double>(i * 7 % 5) + static_cast<double>(i % 3));
    codes.push_back(static_cast<std::int32_t>(i * 5 % 4 % 3));
    data.labels.codes.push_back(static_cast<std::int32_t>(i % 3));
  }
  data.columns = {Column::numeric("x", numbers), Column::categorical("c", codes, {"r", "g", "b"})};
  data.labels.classes = {"u", "v", "w"};
  data.labels.columns = {"class"};
  return data;
}

struct Work {
  Parameters parameters;
  Dataset data = tiny_rows(9);
  Dataset valid = tiny_rows(6);
  TrainOptions options = {};
  // The state after two of three rounds: the model, and what is behind it.
  std::string model_bytes = {};
  TensorFile model = {};
  std::string rest = {};
  std::vector<std::byte> unbroken = {};  // the model

  explicit Work(std::size_t number) {
    parameters.algorithm = kAlgorithms[number % kAlgorithms.size()];
    parameters.rounds = 3;
    parameters.depth = 2;
    parameters.threads = 1;
    if (number >= kAlgorithms.size()) options.valid = &valid;
    Training training = make_training(data, parameters, options, {});
    training.boost(2);
    const std::string state = training_state(training).value();
    std::uint64_t size = 0;
    std::memcpy(&size, state.data(), sizeof size);
    model_bytes = state.substr(sizeof size, size);
    rest = state.substr(sizeof size + size);
    model = parse_safetensors(std::as_bytes(std::span(model_bytes)));
    while (training.boost(training.rounds() + 1)) continue;
    unbroken = training.finish().to_bytes();
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
};

const Work& work_of(std::size_t number) {
  static std::array<std::optional<Work>, 2 * kAlgorithms.size()> all;
  std::optional<Work>& work = all[number % all.size()];
  if (!work) work.emplace(number % all.size());
  return *work;
}

struct Change {
  std::uint8_t kind = 0;
  std::uint16_t place = 0;
  std::uint8_t value = 0;
};

std::vector<Change> changes_of(Bytes bytes) {
  std::vector<Change> changes(std::min(bytes.size() / 4, kMostChanges));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Bytes four = bytes.subspan(4 * i, 4);
    changes[i] = {four[0], static_cast<std::uint16_t>(four[1] + 256 * four[2]), four[3]};
  }
  return changes;
}

// Numbers of a model, whose checksum fits again. Reading one takes longer than all else that is
// done here, so the sound one is read once.
class ChangedModel {
 public:
  explicit ChangedModel(const Work& work) : file_(work.model), sound_(work.model_bytes) {}

  void change(const Change& change) {
    auto entry = file_.tensors.begin();
    std::advance(entry, change.place % file_.tensors.size());
    Tensor& tensor = entry->second;
    const std::size_t width = dtype_size(tensor.dtype);
    if (tensor.bytes.empty()) return;
    std::vector<std::byte>& kept = kept_[entry->first];
    if (kept.empty()) kept.assign(tensor.bytes.begin(), tensor.bytes.end());
    const std::size_t place = change.place / file_.tensors.size() % (kept.size() / width) * width;
    const std::uint64_t number = kTellingNumbers[change.value % kTellingNumbers.size()];
    std::memcpy(kept.data() + place, &number, width);
    tensor.bytes = kept;
  }

  std::string bytes() const { return kept_.empty() ? sound_ : write_safetensors(file_); }

 private:
  TensorFile file_;
  const std::string& sound_;
  std::map<std::string, std::vector<std::byte>> kept_;
};

void change_bytes(std::string& bytes, const Change& change) {
  if (bytes.empty()) return;
  const std::size_t place = change.place % bytes.size();
  const std::uint64_t number = kTellingNumbers[change.value % kTellingNumbers.size()];
  switch (change.kind % 5) {
    case 0: bytes[place] = static_cast<char>(change.value); break;
    case 1: bytes[place] = static_cast<char>(bytes[place] ^ (1 << change.value % 8)); break;
    case 2:
      std::memcpy(&bytes[place], &number, std::min(sizeof number, bytes.size() - place));
      break;
    case 3: bytes.resize(place); break;
    default: bytes.append(1 + change.place % 16, static_cast<char>(change.value)); break;
  }
}

// A state begins with the model's bytes behind their number: changed are the model's numbers, then
// its bytes, and what follows them.
std::string changed_state(const Work& work, const std::vector<Change>& changes) {
  ChangedModel changed(work);
  std::string rest = work.rest;
  for (const Change& change : changes) {
    if (change.kind % 8 < 3)
      changed.change(change);
    else if (change.kind % 8 > 3)
      change_bytes(rest, {static_cast<std::uint8_t>(change.kind / 8), change.place, change.value});
  }
  std::string model = changed.bytes();
  for (const Change& change : changes)
    if (change.kind % 8 == 3)
      change_bytes(model, {static_cast<std::uint8_t>(change.kind / 8), change.place, change.value});
  const std::uint64_t size = model.size();
  std::string whole(sizeof size, '\0');
  std::memcpy(whole.data(), &size, sizeof size);
  return whole + model + rest;
}

void check_training(Bytes bytes) {
  const Work& work = work_of(bytes[0]);
  const std::vector<Change> changes = changes_of(bytes.subspan(1));
  const std::string state = changed_state(work, changes);
  TrainingContext context;
  context.past = &state;
  try {
    Training training = make_training(work.data, work.parameters, work.options, context);
    while (training.boost(training.rounds() + 1)) continue;
    const Model model = training.finish();
    require(!changes.empty() || model.to_bytes() == work.unbroken,
            "gone on from its checkpoint it is another model");
    require(model.rounds() <= static_cast<std::size_t>(work.parameters.rounds), "too many rounds");
    for (const float score : model.predict_scores(work.data, {.threads = 1}).values)
      require(std::isfinite(score), "a score that is not finite");
  } catch (const Error&) {
    require(!changes.empty(), "a checkpoint is refused by its own training");
  }
}

// As the file's own writer would: the number of bytes, and the checksum of all before it.
void make_fit(std::string& file) {
  const std::size_t head = file.find('\n') + 1 + sizeof(std::uint64_t);
  if (head < sizeof(std::uint64_t) || file.size() < head + sizeof(std::uint32_t)) return;
  const std::uint64_t size = file.size() - head - sizeof(std::uint32_t);
  std::memcpy(&file[head - sizeof size], &size, sizeof size);
  const auto sum = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(file.data()), static_cast<uInt>(head + size)));
  std::memcpy(&file[head + size], &sum, sizeof sum);
}

void check_file(Bytes bytes) {
  static const ScratchFile kFile("work.checkpoint");
  static const std::string kSound = [] {
    CheckpointFile made({.file = kFile.path()}, {"rows: 10", "name: x"});
    made.keep("one", "bytes");
    made.keep("", std::string(40, '\0'));
    made.write();
    return kFile.read();
  }();
  const bool fits = bytes[0] % 2 == 1;
  std::string changed = kSound;
  for (const Change& change : changes_of(bytes.subspan(1))) change_bytes(changed, change);
  if (fits) make_fit(changed);
  kFile.write(changed);
  try {
    const CheckpointFile again({.file = kFile.path()}, {"rows: 10", "name: x"});
    require(fits || changed == kSound, "a changed checkpoint is taken");
    if (changed == kSound) require(again.find("one") == "bytes", "a part is lost");
  } catch (const Error&) {
    require(changed != kSound, "a sound checkpoint is refused");
  }
}

void run(Bytes bytes) {
  if (bytes.empty()) return;
  if (bytes[0] < 0x80)
    check_training(bytes);
  else
    check_file(bytes);
}

}  // namespace

const Target kCheckpointTarget = {"checkpoint", run, nullptr};

}  // namespace simplexboost::fuzz
