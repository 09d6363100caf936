#include "metric/tally.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/threads/parallel.h"
#include "loss/margin.h"

namespace simplexboost {
namespace {

// Rows of a block: enough to be worth a task, few enough that their scores stay small whatever the
// number of classes. Must not depend on the number of threads, and divide RowSpace::kShareRows.
std::size_t block_rows(const ScoredRows& rows) {
  constexpr std::size_t kFewest = 64;
  constexpr std::size_t kScores = std::size_t{1} << 22;  // 16 MB
  const std::size_t fitting = std::bit_floor(kScores / std::max<std::size_t>(1, rows.classes));
  return std::clamp(fitting, kFewest, RowSpace::kBlock);
}

std::span<const std::int32_t> truth_of(const Labels& labels, std::size_t i) {
  if (!labels.multi_label()) return {&labels.codes[i], labels.codes[i] < 0 ? 0U : 1U};
  return {labels.codes.data() + labels.offsets[i], labels.offsets[i + 1] - labels.offsets[i]};
}

// Of a row and a class; the weights of one label a row are for training alone.
double pair_weight(const float* pair_weights, std::size_t k, double row_weight) {
  return pair_weights ? row_weight * static_cast<double>(pair_weights[k]) : row_weight;
}

// sum over classes of (share of the class)^2, jmlr2005 (21): how often the rule is right that knows
// nothing but the shares.
double uninformed_share(const ScoredRows& rows) {
  if (rows.labels.multi_label()) return 0;
  const std::size_t classes = rows.classes;
  const std::vector<double> weight = rows.space.sums(
      RowSpace::kBlock, classes + 1, [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::int32_t code = rows.labels.codes[i];
          if (code >= 0) sums[code] += rows.weights[i];
          sums[classes] += rows.weights[i];
        }
      });
  const double total = weight[classes];
  double share = 0;
  for (std::size_t k = 0; k < classes; ++k) share += weight[k] / total * weight[k] / total;
  return share;
}

// Calls f(class, is it true) for all classes in order.
template <class F>
void for_classes(std::span<const std::int32_t> truth, std::size_t classes, const F& f) {
  std::size_t next = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    const bool is = next < truth.size() && static_cast<std::size_t>(truth[next]) == k;
    if (is) ++next;
    f(k, is);
  }
}

// The rows of one block.
class BlockTally {
 public:
  BlockTally(const ScoredRows& rows, unsigned parts, double share, Evaluation& tally)
      : rows_(rows), parts_(parts), share_(share), tally_(tally), buffer_(rows.classes) {
    if ((parts & kTallyOrder) != 0 && !tally.multi_label) tally.by_rank.resize(rows.classes);
  }

  void add(std::size_t i, const float* row_scores) {
    scores_ = {row_scores, rows_.classes};
    truth_ = truth_of(rows_.labels, i);
    weight_ = rows_.weights[i];
    pair_weights_ = rows_.labels.row_weights(i);
    ++tally_.rows;
    if (tally_.multi_label)
      add_set();
    else
      add_class(rows_.labels.codes[i]);
  }

 private:
  bool by_sign() const { return rows_.signed_scores || !rows_.to_proba; }
  bool asked(unsigned part) const { return (parts_ & part) != 0; }

  void add_set() {
    if (tally_.counts.add_set(truth_, scores_, weight_, pair_weights_)) ++tally_.wrong_rows;
    if (pair_weights_)
      tally_.unknown_pairs +=
          static_cast<std::size_t>(std::count(pair_weights_, pair_weights_ + scores_.size(), 0.0F));
    if (asked(kTallyProbabilities | kTallyAreas)) add_set_probabilities();
  }

  // 1 - p(u) = p(-u), without the rounding: probabilities of what is true.
  void add_set_probabilities() {
    for_classes(truth_, scores_.size(),
                [&](std::size_t k, bool is) { buffer_[k] = is ? scores_[k] : -scores_[k]; });
    rows_.to_proba(buffer_);
    for_classes(truth_, scores_.size(), [&](std::size_t k, bool is) {
      if (pair_weights_ && pair_weights_[k] == 0) return;
      const double weight = pair_weight(pair_weights_, k, weight_);
      const auto right = static_cast<double>(buffer_[k]);
      if (asked(kTallyProbabilities)) {
        tally_.log_loss.add(right, weight);
        tally_.squares += weight * (1 - right) * (1 - right);
        tally_.calibration.add(is ? right : 1 - right, is, weight);
      }
      if (asked(kTallyAreas) && is) tally_.areas.add_truth(k, buffer_[k], weight);
    });
  }

  void add_class(std::int32_t truth) {
    const auto best = std::max_element(scores_.begin(), scores_.end()) - scores_.begin();
    const auto predicted = static_cast<std::int32_t>(best);
    tally_.counts.add(truth, predicted, weight_);
    if (truth != predicted) ++tally_.wrong_rows;
    if (truth < 0) ++tally_.unknown_rows;
    if (asked(kTallyConfusion)) tally_.confusion.add(truth, predicted, weight_);
    if (asked(kTallyOrder)) add_order(truth);
    const bool by_probability = asked(kTallyPairs) && !by_sign();
    if (asked(kTallyProbabilities | kTallyAreas) || by_probability) {
      std::copy(scores_.begin(), scores_.end(), buffer_.begin());
      rows_.to_proba(buffer_);
      add_probabilities(truth, static_cast<std::size_t>(best));
    }
    if (asked(kTallyPairs)) add_pairs();
  }

  void add_order(std::int32_t truth) {
    if (truth < 0) {  // as wrong as can be
      tally_.pseudo_losses += weight_;
      return;
    }
    const auto own = static_cast<std::size_t>(truth);
    std::size_t rank = 0;
    double others = 0;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      if (k == own) continue;
      others += static_cast<double>(scores_[k]);
      // Of equal scores the lower class comes first, as in prediction.
      if (scores_[k] > scores_[own] || (scores_[k] == scores_[own] && k < own)) ++rank;
    }
    tally_.by_rank[rank] += weight_;
    if (static_cast<double>(scores_[own]) * static_cast<double>(scores_.size() - 1) < others)
      tally_.pseudo_losses += weight_;
    LossBlock block;
    block.rows = 1;
    block.classes = scores_.size();
    block.scores = scores_.data();
    block.labels = &truth;
    float margin = 0;
    row_margins(block, &margin);
    tally_.margins.push_back({margin, weight_});
  }

  void add_probabilities(std::int32_t truth, std::size_t best) {
    const double own =
        truth < 0 ? 0 : static_cast<double>(buffer_[static_cast<std::size_t>(truth)]);
    if (asked(kTallyAreas) && truth >= 0)
      tally_.areas.add_truth(static_cast<std::size_t>(truth), static_cast<float>(own), weight_);
    if (!asked(kTallyProbabilities)) return;
    tally_.log_loss.add(own, weight_);
    double squares = 0;
    for_classes(truth_, buffer_.size(), [&](std::size_t k, bool is) {
      const double gap = static_cast<double>(buffer_[k]) - (is ? 1 : 0);
      squares += gap * gap;
    });
    tally_.squares += weight_ * (truth < 0 ? squares + 1 : squares);
    tally_.calibration.add(static_cast<double>(buffer_[best]),
                           truth == static_cast<std::int32_t>(best), weight_);
    if (truth < 0 || confidence(static_cast<std::size_t>(truth), own) < share_)
      tally_.below_share += weight_;
  }

  // Scores that are sums of shares or votes are, but for their sum, the f of jmlr2005 (15); others
  // become one as probabilities.
  double confidence(std::size_t truth, double probability) const {
    double sum = 0;
    for (const float score : scores_) {
      if (score < 0) return probability;
      sum += static_cast<double>(score);
    }
    return sum > 0 ? static_cast<double>(scores_[truth]) / sum : probability;
  }

  void add_pairs() {
    for_classes(truth_, scores_.size(), [&](std::size_t k, bool is) {
      const bool said = by_sign() ? scores_[k] > 0 : buffer_[k] > 0.5F;
      if (said != is) tally_.wrong_pairs += weight_;
    });
  }

  const ScoredRows& rows_;
  unsigned parts_;
  double share_;
  Evaluation& tally_;
  std::vector<float> buffer_;  // probabilities of the row
  std::span<const float> scores_;
  std::span<const std::int32_t> truth_;
  double weight_ = 1;
  const float* pair_weights_ = nullptr;
};

// Work on the blocks of the rows that are here by threads, what each gives merged in order, and
// never more of it at once than there are threads: it may be a few numbers for each of very many
// classes.
template <class Part, class Make, class Merge>
void in_order(const ScoredRows& rows, const Make& make, const Merge& merge) {
  const std::size_t block = block_rows(rows);
  const std::size_t blocks = (rows.space.rows() + block - 1) / block;
  const auto wave = static_cast<std::size_t>(rows.space.threads());
  for (std::size_t first = 0; first < blocks; first += wave) {
    const std::size_t count = std::min(wave, blocks - first);
    std::vector<Part> parts(count);
    parallel_for(rows.space.threads(), count, [&](std::size_t i) {
      const std::size_t begin = (first + i) * block;
      const std::size_t end = std::min(begin + block, rows.space.rows());
      std::vector<float> room;
      parts[i] = make(begin, end, rows.scores(begin, end, room));
    });
    for (Part& part : parts) merge(part);
  }
}

// Of the probabilities that are not of the rows' classes.
RocAreas::Wins block_wins(const ScoredRows& rows, const RocAreas& areas, std::size_t begin,
                          std::size_t end, const float* scores) {
  RocAreas::Wins wins = areas.no_wins();
  std::vector<float> buffer(rows.classes);
  const bool sets = rows.labels.multi_label();
  for (std::size_t i = begin; i < end; ++i) {
    const float* row = scores + (i - begin) * rows.classes;
    const float* pairs = sets ? rows.labels.row_weights(i) : nullptr;
    std::copy(row, row + rows.classes, buffer.begin());
    rows.to_proba(buffer);
    for_classes(truth_of(rows.labels, i), rows.classes, [&](std::size_t k, bool is) {
      if (!is && !(pairs && pairs[k] == 0))
        areas.add_other(wins, k, buffer[k], pair_weight(pairs, k, rows.weights[i]));
    });
  }
  return wins;
}

void add_areas(const ScoredRows& rows, RocAreas& areas) {
  areas.gather_truths(rows.space.ranks());
  areas.sort();
  RocAreas::Wins total = areas.no_wins();
  rows.space.add_in_turn(total, [&] {
    in_order<RocAreas::Wins>(
        rows,
        [&](std::size_t begin, std::size_t end, const float* scores) {
          return block_wins(rows, areas, begin, end, scores);
        },
        [&](const RocAreas::Wins& wins) { total.merge(wins); });
  });
  areas.set(std::move(total));
}

}  // namespace

void Evaluation::merge(const Evaluation& other) {
  rows += other.rows;
  wrong_rows += other.wrong_rows;
  unknown_rows += other.unknown_rows;
  unknown_pairs += other.unknown_pairs;
  counts.merge(other.counts);
  confusion.merge(other.confusion);
  log_loss.merge(other.log_loss);
  squares += other.squares;
  wrong_pairs += other.wrong_pairs;
  pseudo_losses += other.pseudo_losses;
  below_share += other.below_share;
  calibration.merge(other.calibration);
  by_rank.resize(std::max(by_rank.size(), other.by_rank.size()));
  for (std::size_t r = 0; r < other.by_rank.size(); ++r) by_rank[r] += other.by_rank[r];
  margins.insert(margins.end(), other.margins.begin(), other.margins.end());
  areas.merge_truths(other.areas);
}

Evaluation tally_rows(const ScoredRows& rows, unsigned parts) {
  const bool sets = rows.labels.multi_label();
  if (!rows.to_proba) parts &= ~(kTallyProbabilities | kTallyAreas);
  Evaluation tally(rows.classes, sets);
  const double share = uninformed_share(rows);
  rows.space.add_in_turn(tally, [&] {
    in_order<std::optional<Evaluation>>(
        rows,
        [&](std::size_t begin, std::size_t end, const float* scores) {
          std::optional<Evaluation> part(std::in_place, rows.classes, sets);
          BlockTally block(rows, parts, share, *part);
          for (std::size_t i = begin; i < end; ++i)
            block.add(i, scores + (i - begin) * rows.classes);
          return part;
        },
        [&](const std::optional<Evaluation>& part) { tally.merge(*part); });
  });
  tally.margins = gather_values<WeightedMargin>(rows.space.ranks(), tally.margins);
  if ((parts & kTallyAreas) != 0) add_areas(rows, tally.areas);
  tally.parts = parts;
  return tally;
}

}  // namespace simplexboost
