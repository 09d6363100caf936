// One model that says what an ensemble says: trained on the ensemble's probabilities, for fast
// prediction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/communicator.h"
#include "base/files/checkpoint_file.h"
#include "quality/cross_fit.h"
#include "quality/portfolio.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

// What the ensemble has left: single-label rows, what it says of each of them without having seen
// it, and the folds of it all.
struct Lesson {
  const Dataset& data;
  const Matrix& proba;
  std::span<const std::uint16_t> fold_of_row;
  int folds;
  CheckpointFile* checkpoint;  // null: none
  Communicator& ranks;         // each has all rows, and takes some of the folds
  // What others like those who teach say of the training rows of a fold, each row unseen, who have
  // not seen the held-out rows either; without rows where there are none. What `proba` says has
  // seen them all: by it every fold would look better than new rows.
  std::function<Matrix(const Dataset& train, const TrainedFold& fold)> teach_fold;
};

struct Distilled {
  Model model;       // with the estimate from `proba`
  Matrix proba;      // of the rows, by trainings that had not seen them
  double share = 0;  // of the ensemble's probabilities in what was taught; the rest are the labels
  std::vector<MemberRecord> records;  // what was chosen, and why
};

// Trees see a row as often as it has likely classes, with their shares of its weight: for Newton's
// steps that is the same as targets that are probabilities. How much of the ensemble and how much
// of the labels is taught, and in how many rounds, the folds decide. Nothing where it was stopped.
std::optional<Distilled> distil(const Lesson& lesson, const MemberSetting& setting);

// Rows for training, each parted over its classes: share * probabilities + (1 - share) * label.
// `rows`: where in the matrix those of the data are.
Dataset part_rows(const Dataset& data, const Matrix& proba, std::span<const std::uint32_t> rows,
                  double share);

}  // namespace simplexboost
