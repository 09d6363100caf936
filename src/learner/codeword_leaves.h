// Trees whose leaves say codewords: how their cuts are judged, and which codeword a leaf says.
#pragma once

#include <cstddef>
#include <vector>

#include "codeword/codebook.h"
#include "tree/grown_tree.h"
#include "tree/kernels/kernels.h"
#include "tree/leaf/leaf_rule.h"

namespace simplexboost {

class CodewordLeaves {
 public:
  // The target is the pull on each output or, for simplex and canonical codewords, where its width
  // says so, that of each class. Null: no codewords. `codebook` must outlive it.
  explicit CodewordLeaves(const Codebook* codebook) : codebook_(codebook) {}

  explicit operator bool() const { return codebook_ != nullptr; }
  std::size_t dimension() const { return codebook_->dimension(); }

  // Of a target of such a width; what it points to is valid as long as this.
  void set_criterion(std::size_t width, CriterionSpec& spec);
  // The codeword of the largest product with a leaf's pulls.
  void set_values(const GrownTree& tree, std::size_t width, Leaves& leaves) const;

 private:
  bool in_classes(std::size_t width) const;
  void spread();

  const Codebook* codebook_;
  // Only where the pulls are not those of the classes themselves.
  std::vector<float> codewords_;   // classes x outputs
  std::vector<float> transposed_;  // outputs x padded classes
};

}  // namespace simplexboost
