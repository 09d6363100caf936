#include "learner/codeword_leaves.h"

#include <algorithm>

namespace simplexboost {

// Other codebooks may have as many outputs as classes.
bool CodewordLeaves::in_classes(std::size_t width) const {
  const CodebookKind kind = codebook_->kind();
  return width == codebook_->classes() &&
         (kind == CodebookKind::kSimplex || kind == CodebookKind::kCanonical);
}

void CodewordLeaves::spread() {
  if (!codewords_.empty()) return;
  const std::size_t classes = codebook_->classes();
  const std::size_t dimension = codebook_->dimension();
  codewords_ = codebook_->matrix();
  const std::size_t stride = (classes + 7) / 8 * 8;
  transposed_.resize(dimension * stride);
  for (std::size_t k = 0; k < stride; ++k)
    for (std::size_t j = 0; j < dimension; ++j)
      transposed_[j * stride + k] = codewords_[std::min(k, classes - 1) * dimension + j];
}

void CodewordLeaves::set_criterion(std::size_t width, CriterionSpec& spec) {
  if (!codebook_ || in_classes(width)) return;
  spread();
  spec.kind = CriterionKind::kCodeword;
  spec.codewords = transposed_.data();
  spec.codeword_stride = (codebook_->classes() + 7) / 8 * 8;
}

void CodewordLeaves::set_values(const GrownTree& tree, std::size_t width, Leaves& leaves) const {
  const bool by_class = in_classes(width);
  const std::size_t classes = codebook_->classes();
  const std::size_t dimension = codebook_->dimension();
  std::vector<float> values(leaves.count * dimension);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!tree.nodes[i].leaf()) continue;
    const std::int32_t* pulls = tree.total(i) + kPullChannel;
    const auto edge = [&](std::size_t k) {
      if (by_class) return static_cast<double>(pulls[k]);
      double product = 0;
      for (std::size_t j = 0; j < dimension; ++j)
        product += static_cast<double>(codewords_[k * dimension + j]) * pulls[j];
      return product;
    };
    std::size_t best = 0;
    for (std::size_t k = 1; k < classes; ++k)
      if (edge(k) > edge(best)) best = k;
    float* const value = values.data() + static_cast<std::size_t>(leaves.of_node[i]) * dimension;
    for (std::size_t j = 0; j < dimension; ++j)
      value[j] = static_cast<float>(codebook_->entry(best, j));
  }
  leaves.values = std::move(values);
}

}  // namespace simplexboost
