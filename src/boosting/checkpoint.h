// A training that was broken off goes on from a checkpoint: what tells it from other trainings, and
// its rounds so far as a part of the file (base/files/checkpoint_file.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/communicator.h"
#include "base/files/checkpoint_file.h"
#include "boosting/training.h"
#include "simplexboost/train.h"

namespace simplexboost {

// Of the rows, those of all ranks: how many, and hashes of their values, labels and weights.
void add_data_facts(const std::string& name, const Dataset& data, WorkFacts& facts,
                    Communicator& ranks = no_others());
// All parameters but the number of threads, on which nothing depends.
void add_parameter_facts(const Parameters& parameters, WorkFacts& facts);
// Of a training. Throws ParameterError where the options have what no file can tell apart.
WorkFacts training_facts(const Dataset& data, const Parameters& parameters,
                         const TrainOptions& options, Communicator& ranks = no_others());

// One training of those that a file has parts of. Of several ranks the first has the file, and all
// make the same calls; what the file has does not depend on how many they are.
class TrainingPart {
 public:
  // The file must outlive it. Throws ModelError where the part is of another training.
  TrainingPart(CheckpointFile& file, std::string name, WorkFacts facts,
               Communicator& ranks = no_others());

  // What to go on from, for TrainingContext::past; null: from the beginning.
  const std::string* past() const { return past_ ? &*past_ : nullptr; }
  // Whether the training had come to its end, and was kept so.
  bool ended() const { return ended_; }
  // A round was done: writes the file where it is time.
  void after_round(const Training& training);
  // Writes the file now. Where the last round was broken off so that its beginning cannot be taken
  // back, what was written before stays. After a CommunicationError rank 0 alone may call it.
  void save(const Training& training, bool ended);

 private:
  std::vector<std::byte> look() const;

  CheckpointFile& file_;
  std::string name_;
  WorkFacts facts_;
  Communicator& ranks_;
  std::optional<std::string> past_;
  bool ended_ = false;
  std::optional<CheckpointClock> clock_;
};

}  // namespace simplexboost
