// A training that was broken off goes on from a checkpoint: what tells it from other trainings, and
// its rounds so far as a part of the file (base/files/checkpoint_file.h).
#pragma once

#include <optional>
#include <string>

#include "base/files/checkpoint_file.h"
#include "boosting/training.h"
#include "simplexboost/train.h"

namespace simplexboost {

// Of the rows: how many, and hashes of their values, labels and weights.
void add_data_facts(const std::string& name, const Dataset& data, WorkFacts& facts);
// All parameters but the number of threads, on which nothing depends.
void add_parameter_facts(const Parameters& parameters, WorkFacts& facts);
// Of a training. Throws ParameterError where the options have what no file can tell apart.
WorkFacts training_facts(const Dataset& data, const Parameters& parameters,
                         const TrainOptions& options);

// One training of those that a file has parts of.
class TrainingPart {
 public:
  // The file must outlive it. Throws ModelError where the part is of another training.
  TrainingPart(CheckpointFile& file, std::string name, WorkFacts facts);

  // What to go on from, for TrainingContext::past; null: from the beginning.
  const std::string* past() const { return past_ ? &*past_ : nullptr; }
  // Whether the training had come to its end, and was kept so.
  bool ended() const { return ended_; }
  // A round was done: writes the file where it is time.
  void after_round(const Training& training);
  // Writes the file now. Where the last round was broken off so that its beginning cannot be taken
  // back, what was written before stays.
  void save(const Training& training, bool ended);

 private:
  CheckpointFile& file_;
  std::string name_;
  WorkFacts facts_;
  std::optional<std::string> past_;
  bool ended_ = false;
  std::optional<CheckpointClock> clock_;
};

}  // namespace simplexboost
