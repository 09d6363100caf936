#include "boosting/score_board.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include "base/memory.h"
#include "cuda/device_scores.h"
#include "loss/beaten_rows.h"
#include "loss/margin.h"
#include "metric/log_loss.h"
#include "model/predict/link.h"

namespace simplexboost {
namespace {

// Of the rows; of sets of labels each row counts as its known labels, in shares of all.
double total_weight(const Labels& labels, const RowWeights& weights, const RowSpace& space) {
  const std::size_t classes = labels.classes.size();
  return space.sum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    double part = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const float* said = labels.multi_label() ? labels.row_weights(i) : nullptr;
      part += said ? weights[i] * std::accumulate(said, said + classes, 0.0) /
                         static_cast<double>(classes)
                   : weights[i];
    }
    return part;
  });
}

double log_loss_of(double probability_of_truth) {
  LogLoss loss;
  loss.add(probability_of_truth);
  return loss.value();
}

}  // namespace

ScoreBoard::ScoreBoard(const Labels& labels, const RowWeights& weights, const RowSpace& space,
                       const Codebook* codebook, std::size_t classes, DeviceScores* there)
    : labels_(labels),
      weights_(weights),
      space_(space),
      // Canonical codewords are a matter of scale.
      codebook_(codebook && codebook->kind() != CodebookKind::kCanonical ? codebook : nullptr),
      classes_(classes),
      outputs_(codebook ? codebook->dimension() : classes),
      there_(there),
      total_(total_weight(labels, weights, space)) {
  if (!there) {
    require_memory("a matrix of scores", space.rows(), outputs_, sizeof(float));
    scores_.resize(space.rows() * outputs_);
  }
  fill(std::vector<float>(outputs_));
}

void ScoreBoard::add(const RowVectors& hypothesis, double factor, LeafPrecision precision) {
  const auto scaled = [=](float value) {
    return round_to(precision, static_cast<float>(factor * static_cast<double>(value)));
  };
  if (space_.rows() == 0) return;
  if (there_) {
    std::vector<float> values(hypothesis.elsewhere * hypothesis.width);
    std::transform(hypothesis.values, hypothesis.values + values.size(), values.begin(), scaled);
    brought_ = false;
    return there_->add(values);
  }
  if (!hypothesis.index) return add_rows(hypothesis, precision, scaled);
  // Rows share vectors: each is scaled once.
  const std::size_t last = space_.largest_index(hypothesis.index);
  std::vector<float> values((last + 1) * hypothesis.width);
  std::transform(hypothesis.values, hypothesis.values + values.size(), values.begin(), scaled);
  RowVectors shared = hypothesis;
  shared.values = values.data();
  add_rows(shared, precision, [](float value) { return value; });
}

template <class Value>
void ScoreBoard::add_rows(const RowVectors& vectors, LeafPrecision precision, const Value& value) {
  space_.for_blocks(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const float* h = vectors.of(i);
      float* score = scores_.data() + i * outputs_ + vectors.output;
      if (vectors.code.empty()) {
        for (std::size_t j = 0; j < vectors.width; ++j) score[j] += value(h[j]);
        if (vectors.minus_output == kNoOutput) continue;
        float* const other = scores_.data() + i * outputs_ + vectors.minus_output;
        for (std::size_t j = 0; j < vectors.width; ++j) other[j] -= value(h[j]);
      } else {
        for (std::size_t j = 0; j < vectors.code.size(); ++j)
          score[j] += round_to(precision, value(h[0]) * vectors.code[j]);
      }
    }
  });
}

void ScoreBoard::fill(const std::vector<float>& scores) {
  brought_ = false;
  if (there_) return there_->fill(scores);
  space_.for_blocks(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::copy(scores.begin(), scores.end(),
                scores_.begin() + static_cast<std::ptrdiff_t>(i * outputs_));
  });
}

void ScoreBoard::set(const std::vector<float>& scores) {
  brought_ = false;
  if (there_) return there_->set(scores);
  assert(scores.size() == scores_.size());
  std::copy(scores.begin(), scores.end(), scores_.begin());
}

void ScoreBoard::save(ByteWriter& out) const {
  scores_here();
  if (space_.parted())
    out(gather_values<float>(space_.ranks(), scores_));
  else
    out(scores_);
}

double ScoreBoard::row_loss(std::size_t row, const float* score) const {
  double wrong = 0;
  const float* const weights = labels_.row_weights(row);
  std::size_t next = labels_.offsets[row];
  for (std::size_t l = 0; l < classes_; ++l) {
    const bool is =
        next < labels_.offsets[row + 1] && static_cast<std::size_t>(labels_.codes[next]) == l;
    next += is ? 1 : 0;
    if (is != (score[l] > 0)) wrong += weights ? static_cast<double>(weights[l]) : 1;
  }
  return wrong / static_cast<double>(classes_);
}

Matrix ScoreBoard::class_scores() const {
  Matrix result{space_.rows(), classes_, {}};
  const float* const scores = class_scores(0, space_.rows(), result.values);
  if (result.values.empty()) result.values.assign(scores, scores + result.rows * classes_);
  return result;
}

const float* ScoreBoard::scores_here() const {
  if (there_ && !brought_) {
    const std::vector<float> scores = there_->download();
    scores_.assign(scores.begin(), scores.end());
    brought_ = true;
  }
  return scores_.data();
}

const float* ScoreBoard::class_scores(std::size_t begin, std::size_t end,
                                      std::vector<float>& mapped) const {
  const float* scores = scores_here() + begin * outputs_;
  if (!codebook_) return scores;
  mapped.resize((end - begin) * classes_);
  codebook_->class_scores({scores, (end - begin) * outputs_}, mapped);
  return mapped.data();
}

template <class Loss>
double ScoreBoard::mean(const Loss& loss) const {
  scores_here();  // once, before threads ask for them
  const double sum = space_.sum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<float> mapped;
    const float* scores = class_scores(begin, end, mapped);
    double part = 0;
    for (std::size_t i = begin; i < end; ++i)
      part += weights_[i] * loss(i, scores + (i - begin) * classes_);
    return part;
  });
  return sum / total_;
}

double ScoreBoard::error() const {
  if (labels_.multi_label())
    return mean([&](std::size_t row, const float* scores) { return row_loss(row, scores); });
  if (there_) return there_->beaten_weight() / total_;
  const double sum = space_.sum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    std::array<std::uint8_t, RowSpace::kBlock> beaten;
    std::vector<float> mapped;
    find_beaten_rows(class_scores(begin, end, mapped), end - begin, classes_,
                     labels_.codes.data() + begin, beaten.data());
    double part = 0;
    for (std::size_t i = begin; i < end; ++i) part += beaten[i - begin] != 0 ? weights_[i] : 0;
    return part;
  });
  return sum / total_;
}

double ScoreBoard::log_loss(const Ensemble& ensemble) const {
  if (there_ && ensemble.link == Link::kSoftmax && !ensemble.adjusted()) {
    const std::vector<double> probabilities = there_->true_probabilities(ensemble.link_scale);
    const auto part_of = [&](std::size_t begin, std::size_t end) {
      double part = 0;
      for (std::size_t i = begin; i < end; ++i) part += weights_[i] * log_loss_of(probabilities[i]);
      return part;
    };
    return space_.sum(RowSpace::kBlock, part_of) / total_;
  }
  return mean([&](std::size_t row, const float* scores) {
    const std::int32_t truth = labels_.codes[row];
    return log_loss_of(
        truth < 0 ? 0 : probability(ensemble, {scores, classes_}, static_cast<std::size_t>(truth)));
  });
}

double ScoreBoard::risk(const Loss& loss, const Codebook& codebook,
                        const std::vector<float>& costs) const {
  std::vector<std::int32_t> labels(labels_.codes);
  std::vector<float> weights(space_.rows());
  const double total = space_.sum(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    double part = 0;
    for (std::size_t i = begin; i < end; ++i) {
      weights[i] = labels[i] < 0 ? 0 : static_cast<float>(weights_[i]);
      if (labels[i] < 0) labels[i] = 0;
      part += static_cast<double>(weights[i]);
    }
    return part;
  });
  if (there_ && there_->all_known() && costs.empty())
    return there_->risk(loss.facts().formula).plain() / total;
  const float* const scores = scores_here();
  std::vector<float> class_scores(space_.rows() * classes_);
  space_.for_blocks(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    codebook.class_scores({scores + begin * outputs_, (end - begin) * outputs_},
                          {class_scores.data() + begin * classes_, (end - begin) * classes_});
  });
  LossBlock block;
  block.rows = space_.rows();
  block.classes = classes_;
  block.scores = class_scores.data();
  block.labels = labels.data();
  block.weights = weights.data();
  block.costs = costs.empty() ? nullptr : costs.data();
  return total_risk(loss, block, space_).plain() / total;
}

Evaluation ScoreBoard::evaluate(const Ensemble& ensemble, unsigned parts) const {
  scores_here();
  std::function<void(std::span<float>)> to_proba;
  if (ensemble.link != Link::kNone)
    to_proba = [&](std::span<float> row) { to_probabilities(ensemble, row); };
  const auto scores = [&](std::size_t begin, std::size_t end, std::vector<float>& room) {
    return class_scores(begin, end, room);
  };
  return tally_rows(
      {labels_, weights_, space_, classes_, ensemble.link == Link::kLogistic, scores, to_proba},
      parts);
}

std::vector<float> ScoreBoard::margins() const {
  if (there_) return there_->margins();
  std::vector<float> margins(space_.rows());
  space_.for_blocks(RowSpace::kBlock, [&](std::size_t begin, std::size_t end) {
    std::vector<float> mapped;
    LossBlock block;
    block.rows = end - begin;
    block.classes = classes_;
    block.scores = class_scores(begin, end, mapped);
    block.labels = labels_.codes.data() + begin;
    row_margins(block, margins.data() + begin);
  });
  return margins;
}

}  // namespace simplexboost
