#include "boosting/score_board.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/reduce.h"

namespace simplexboost {
namespace {

constexpr std::size_t kRowBlock = 1024;

}  // namespace

ScoreBoard::ScoreBoard(const Labels& labels, const std::vector<double>& weights, std::size_t rows,
                       const Codebook* codebook, std::size_t classes, int threads)
    : labels_(labels),
      weights_(weights),
      rows_(rows),
      // Canonical codewords are a matter of scale.
      codebook_(codebook && codebook->kind() != CodebookKind::kCanonical ? codebook : nullptr),
      classes_(classes),
      outputs_(codebook ? codebook->dimension() : classes),
      threads_(threads),
      scores_(rows * outputs_) {}

void ScoreBoard::add(const RowVectors& hypothesis, double factor) {
  const auto scale = static_cast<float>(factor);
  parallel_blocks(threads_, rows_, kRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const float* h = hypothesis.of(i);
      float* score = scores_.data() + i * outputs_ + hypothesis.output;
      for (std::size_t j = 0; j < hypothesis.width; ++j) score[j] += scale * h[j];
    }
  });
}

double ScoreBoard::row_loss(std::size_t row, const float* score) const {
  if (!labels_.multi_label())
    return std::max_element(score, score + classes_) - score != labels_.codes[row] ? 1 : 0;
  std::size_t wrong = 0;
  std::size_t next = labels_.offsets[row];
  for (std::size_t l = 0; l < classes_; ++l) {
    const bool is =
        next < labels_.offsets[row + 1] && static_cast<std::size_t>(labels_.codes[next]) == l;
    next += is ? 1 : 0;
    wrong += is != (score[l] > 0) ? 1 : 0;
  }
  return static_cast<double>(wrong) / static_cast<double>(classes_);
}

double ScoreBoard::error() const {
  double total = static_cast<double>(rows_);
  if (!weights_.empty()) {
    total = 0;
    for (const double weight : weights_) total += weight;
  }
  return sum_blocks(threads_, rows_, kRowBlock,
                    [&](std::size_t begin, std::size_t end) {
                      const float* scores = scores_.data() + begin * outputs_;
                      std::vector<float> mapped;
                      if (codebook_) {
                        mapped.resize((end - begin) * classes_);
                        codebook_->class_scores({scores, (end - begin) * outputs_}, mapped);
                        scores = mapped.data();
                      }
                      double wrong = 0;
                      for (std::size_t i = begin; i < end; ++i)
                        wrong += row_loss(i, scores + (i - begin) * classes_) *
                                 (weights_.empty() ? 1 : weights_[i]);
                      return wrong;
                    }) /
         total;
}

}  // namespace simplexboost
