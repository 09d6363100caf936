// The scores of rows on a device while training goes on, and how well they do: of the training rows
// (DeviceRounds) and of those that validate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/row_space.h"
#include "base/row_weights.h"
#include "cuda/device.h"
#include "cuda/device_bins.h"
#include "cuda/device_codebook.h"
#include "loss/loss.h"
#include "simplexboost/dataset.h"
#include "tree/grown_tree.h"

namespace simplexboost {

struct DeviceRisk;  // kernels/loss_kernels.h
struct MovedRows;

class DeviceScores {
 public:
  // Rows whose risk MarginRisk takes together along a hypothesis.
  static constexpr std::size_t kMovedBlock = 256;

  // One label a row, those that are not known below 0. The device must outlive it. `codebook` turns
  // scores into class scores; null: they are class scores. Trees that are added have no more than
  // so many leaves. Figures are those of the rows of all ranks.
  DeviceScores(Device& device, const Labels& labels, const RowWeights& weights,
               const RowSpace& space, const Codebook* codebook, std::size_t classes,
               std::size_t most_leaves);

  // Bytes that it takes, at most.
  static std::size_t memory(std::size_t rows, const Codebook* codebook, std::size_t classes,
                            std::size_t most_leaves);
  // Whether some row of all ranks has another weight than 1.
  static bool weigh(const RowWeights& weights, const RowSpace& space);

  std::size_t rows() const { return rows_; }
  std::size_t classes() const { return classes_; }
  bool all_known() const { return all_known_; }                                   // the labels
  const float* weights() const { return weighted_ ? weights_.data() : nullptr; }  // null: all 1
  const double* double_weights() const { return weighted_ ? double_weights_.data() : nullptr; }
  double largest_weight() const { return largest_weight_; }
  const std::int32_t* labels() const { return labels_.data(); }
  const std::optional<DeviceCodebook>& codebook() const { return codebook_; }

  // Rows x outputs.
  void set(std::span<const float> scores);
  void fill(std::span<const float> of_all_rows);
  std::vector<float> download() const { return scores_.download(); }

  // The leaf of each row in the tree that is added next.
  std::uint32_t* leaf_of_row() { return leaf_of_row_.data(); }
  const std::uint32_t* leaf_of_row() const { return leaf_of_row_.data(); }
  std::vector<std::uint32_t> leaves() const { return leaf_of_row_.download(); }
  // Adds what their leaves say, leaves x outputs.
  void add(std::span<const float> values);

  // The weight of the rows whose class has not the highest score.
  double beaten_weight();
  std::vector<float> margins();  // as row_margins() has them
  // Of each row's class by the soft maximum of scale times the scores, as probability() of the link
  // has it; 0 where the class is not known.
  std::vector<double> true_probabilities(double scale);

  // For risks: the rows as they are, or moved by `step` times what their leaves say in
  // `direction`, leaves x classes, in the memory of the device; and the risks of blocks of so many,
  // those of the other ranks too.
  MovedRows scored() const;
  MovedRows moved(const float* direction, double step) const;
  std::vector<ScaledSum> block_risks(const MovedRows& rows, int formula, std::size_t block);
  // Of all rows, as total_risk() has it.
  ScaledSum risk(int formula);

 private:
  // What class scores are found in: canonical codewords are a matter of scale.
  const float* by_class() const { return mapped_ ? class_scores_.data() : scores_.data(); }
  void map_scores();
  void add_scores(const std::uint32_t* leaf_of_row);

  Device& device_;
  RowSpace space_;
  std::size_t rows_;
  std::size_t classes_;
  std::size_t outputs_;
  bool mapped_;  // by the codewords
  bool weighted_ = false;
  bool all_known_ = true;
  double largest_weight_ = 1;
  bool errors_known_ = false;  // of the scores as they are

  std::optional<DeviceCodebook> codebook_;
  DeviceArray<std::int32_t> labels_;
  DeviceArray<float> weights_;          // empty: all 1
  DeviceArray<double> double_weights_;  // likewise
  DeviceArray<float> scores_;           // rows x outputs
  DeviceArray<float> class_scores_;     // rows x classes; empty where not mapped
  DeviceArray<std::uint32_t> leaf_of_row_;
  DeviceArray<float> values_;
  DeviceArray<float> tops_;
  DeviceArray<float> term_sums_;
  DeviceArray<DeviceRisk> risks_;
  DeviceArray<double> totals_;
  DeviceArray<std::uint8_t> beaten_;
  DeviceArray<std::int64_t> count_;
};

// Rows that a training watches, on its device.
struct DeviceValidation {
  DeviceBins bins;
  DeviceScores scores;

  // Bytes that it takes, for trees of so many leaves at most.
  static std::size_t memory(const BinnedDataset& data, const Codebook* codebook,
                            std::size_t classes, std::size_t most_leaves) {
    return data.memory() + DeviceBins::walk_memory(data, most_leaves) +
           DeviceScores::memory(data.rows(), codebook, classes, most_leaves);
  }
  // Finds the leaf of each row.
  void walk(const GrownTree& tree, const std::vector<std::int32_t>& leaf_of_node) {
    bins.walk(tree, leaf_of_node, scores.leaf_of_row());
  }
};

}  // namespace simplexboost
