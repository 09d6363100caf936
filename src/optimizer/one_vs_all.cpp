#include "optimizer/one_vs_all.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/byte_stream.h"
#include "base/threads/parallel.h"
#include "loss/math/vector_math.h"
#include "optimizer/search/line_search.h"

namespace simplexboost {
namespace {

constexpr std::size_t kOneVsAllRowBlock = RowSpace::kBlock;
// No step along a real-valued hypothesis changes a score by more than this.
constexpr double kMostChange = 12;
// Z so close to 1 is rounding.
constexpr double kLeastBinaryFall = 1e-9;
constexpr const char* kClassNoError = "the last weak hypothesis makes no error";

// The sum of D_i g(y_i h_i) over the rows.
template <class Function>
double sum_over_rows(const Problem& problem, const std::vector<float>& pulls, const RowVectors& h,
                     const Function& g) {
  return problem.space.sum(kOneVsAllRowBlock, [&](std::size_t begin, std::size_t end) {
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double weight = std::fabs(static_cast<double>(pulls[i]));
      const auto vote = static_cast<double>(*h.of(i));
      total += weight * g(pulls[i] < 0 ? -vote : vote);
    }
    return total;
  });
}

}  // namespace

OneVsAllBoosting::OneVsAllBoosting(const Problem& problem, VoteKind kind, const Codebook* code)
    : problem_(problem),
      kind_(kind),
      code_(code ? code->matrix() : std::vector<float>{}),
      columns_(code ? code->dimension() : problem.classes),
      row_logs_(LogWeights(problem).logs()),
      label_logs_(label_logs(problem.labels)),
      classes_(columns_),
      going_on_(columns_),
      pulls_(problem.rows()),
      weights_(problem.rows()) {
  if (code || problem.weighs_labels()) weigh_labels();
}

float OneVsAllBoosting::side(std::size_t row, std::size_t label) const {
  if (code_.empty()) return label_holds(problem_.labels, row, label) ? 1.0F : -1.0F;
  const auto own = static_cast<std::size_t>(problem_.labels.codes[row]);
  const float entry = code_[own * columns_ + label];
  return entry > 0 ? 1.0F : entry < 0 ? -1.0F : 0.0F;
}

// A class that no row says anything about has ended before the first round.
void OneVsAllBoosting::weigh_labels() {
  const std::vector<double> totals = problem_.space.sums(
      kOneVsAllRowBlock, columns_, [&](std::size_t begin, std::size_t end, double* sums) {
        for (std::size_t i = begin; i < end; ++i) {
          const double row = std::exp(row_logs_[i]);
          const float* weights = problem_.labels.row_weights(i);
          for (std::size_t k = 0; k < columns_; ++k)
            sums[k] += row * static_cast<double>(weights ? weights[k] : std::fabs(side(i, k)));
        }
      });
  for (std::size_t k = 0; k < totals.size(); ++k) {
    log_totals_.push_back(std::log(totals[k]));
    if (totals[k] > 0) continue;
    classes_[k].end = "no row says whether it holds";
    classes_[k].log_risk = -std::numeric_limits<double>::infinity();
    classes_[k].closed = true;
    --going_on_;
  }
}

RoundTarget OneVsAllBoosting::target(const float* scores) {
  scores_ = scores;
  active_.clear();
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    if (classes_[k].end.empty()) {
      active_.push_back(k);
    } else if (!classes_[k].closed) {
      weigh(k);
      classes_[k].closed = true;
    }
  }
  steps_ = 0;
  sum_z_ = sum_length_ = 0;
  return active_.empty() ? RoundTarget{} : target_at(0);
}

// The scores of a class move only with its own steps, so they are still those of the round's start.
RoundTarget OneVsAllBoosting::target_at(std::size_t index) {
  label_ = active_[index];
  weigh(label_);
  RoundTarget target{{problem_.rows(), 1, present(pulls_), present(weights_), nullptr}};
  if (kind_ == VoteKind::kConfidence) target.curvature = present(weights_);
  target.to.output = label_;
  return target;
}

float OneVsAllBoosting::log_weights(std::size_t begin, std::size_t end, std::size_t label) {
  float most = -std::numeric_limits<float>::infinity();
  for (std::size_t i = begin; i < end; ++i) {
    const float score = scores_[i * columns_ + label];
    pulls_[i] = side(i, label);
    weights_[i] = static_cast<float>(row_logs_[i]) - (pulls_[i] > 0 ? score : -score);
    if (pulls_[i] == 0) weights_[i] = -std::numeric_limits<float>::infinity();
    if (!label_logs_.empty()) weights_[i] += label_logs_[i * problem_.classes + label];
    most = std::max(most, weights_[i]);
  }
  return most;
}

// D = D_0 e^{-f y}, normalised: from the scores, so that no weight is lost for good.
void OneVsAllBoosting::weigh(std::size_t label) {
  const auto most = static_cast<float>(
      problem_.space.maximum(kOneVsAllRowBlock, [&](std::size_t begin, std::size_t end) {
        return static_cast<double>(log_weights(begin, end, label));
      }));
  const double sum = problem_.space.sum(kOneVsAllRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) weights_[i] -= most;
    vector_exp(weights_.data() + begin, weights_.data() + begin, end - begin);
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) total += static_cast<double>(weights_[i]);
    return total;
  });
  const auto scale = static_cast<float>(1 / sum);
  problem_.space.for_blocks(kOneVsAllRowBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      weights_[i] *= scale;
      pulls_[i] *= weights_[i];
    }
  });
  classes_[label].log_risk = static_cast<double>(most) + std::log(sum);
  if (!log_totals_.empty()) classes_[label].log_risk -= log_totals_[label];
}

// 0 where no step lowers Z.
double OneVsAllBoosting::best_length(const RowVectors& hypothesis) const {
  if (kind_ == VoteKind::kConfidence) return 1;
  const auto size_of = [&](std::size_t begin, std::size_t end) {
    double size = 0;
    for (std::size_t i = begin; i < end; ++i)
      size = std::max(size, std::fabs(static_cast<double>(*hypothesis.of(i))));
    return size;
  };
  const double largest = problem_.space.maximum(kOneVsAllRowBlock, size_of, 0);
  const auto descent = [&](double a) {
    return sum_over_rows(problem_, pulls_, hypothesis,
                         [a](double yh) { return yh * std::exp(-a * yh); });
  };
  const double edge = descent(0);
  if (!(edge > kLeastBinaryFall * largest)) return 0;
  return find_step(descent, edge, 1 / largest, kMostChange / largest, 1e-6);
}

Step OneVsAllBoosting::leave(double length, std::string why) {
  classes_[label_].end = std::move(why);
  --going_on_;
  return {length, going_on_ > 0   ? ""
                  : code_.empty() ? "every class has ended"
                                  : "every problem has ended"};
}

Step OneVsAllBoosting::step(const RowVectors& hypothesis) {
  if (kind_ == VoteKind::kSign) {
    const double lack = edge_lack(problem_, pulls_.data(), hypothesis, -1);
    const double edge = 1 - lack;
    if (!(edge > 0)) return leave(0, "no weak hypothesis has a positive edge");
    z_ = std::sqrt(std::max(0.0, lack * (1 + edge)));
    const double length = 0.5 * std::log((1 + edge) / std::max(lack, kLeastLack));
    if (lack < kLeastLack) return leave(length, kClassNoError);
    return {length, {}};
  }
  const double length = best_length(hypothesis);
  z_ = sum_over_rows(problem_, pulls_, hypothesis,
                     [&](double yh) { return std::exp(-length * yh); });
  if (!(z_ < 1 - kLeastBinaryFall)) return leave(0, "no weak hypothesis lowers the weights' sum");
  return {length, {}};
}

void OneVsAllBoosting::advance(const RowVectors& /*hypothesis*/, double length) {
  ++classes_[label_].rounds;
  ++steps_;
  sum_z_ += z_;
  sum_length_ += length;
}

std::vector<OneVsAllBoosting::ClassVotes> OneVsAllBoosting::votes_of(
    const RowVectors& added) const {
  std::vector<ClassVotes> votes(classes_.size());
  parallel_for(problem_.space.threads(), classes_.size(), [&](std::size_t k) {
    if (classes_[k].rounds == 0) votes[k] = votes_of(added, k);
  });
  // On some rank anything, on some rank a mistake.
  std::vector<std::int64_t> ranks;
  for (const ClassVotes& one : votes) {
    ranks.push_back(one.anything ? 1 : 0);
    ranks.push_back(one.right ? 0 : 1);
  }
  problem_.space.ranks().maximum(ranks);
  for (std::size_t k = 0; k < votes.size(); ++k)
    votes[k] = {ranks[2 * k] != 0, ranks[2 * k + 1] == 0};
  return votes;
}

OneVsAllBoosting::ClassVotes OneVsAllBoosting::votes_of(const RowVectors& added,
                                                        std::size_t label) const {
  ClassVotes votes;
  for (std::size_t i = 0; i < problem_.rows(); ++i) {
    const float value = added.of(i)[label];
    const float* const weights = problem_.labels.row_weights(i);
    votes.anything |= value != 0;
    if (weights && weights[label] == 0) continue;
    votes.right &= value * side(i, label) > 0 || side(i, label) == 0;
  }
  return votes;
}

// The weights follow from the scores. A class that ended without a step tries again, in vain; one
// whose last hypothesis makes no error has ended. Going back, the first round in which a class took
// a step is its last.
void OneVsAllBoosting::resume(const Past& past) {
  if (!past.state.empty()) return take_state(past.state);
  std::size_t found = 0;
  for (std::size_t round = past.rounds; round > 0 && found < classes_.size(); --round) {
    const std::vector<ClassVotes> votes = votes_of(past.added(round - 1));
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      if (!votes[k].anything) continue;
      classes_[k].rounds = round;
      ++found;
      label_ = k;
      if (kind_ == VoteKind::kSign && votes[k].right && classes_[k].end.empty())
        leave(0, kClassNoError);
    }
  }
}

std::vector<std::byte> OneVsAllBoosting::state() const {
  ByteWriter writer;
  for (ClassState one : classes_) one.carry(writer);
  return writer.bytes();
}

void OneVsAllBoosting::take_state(std::span<const std::byte> state) {
  ByteReader reader(state);
  for (ClassState& one : classes_) one.carry(reader);
  going_on_ = static_cast<std::size_t>(std::count_if(
      classes_.begin(), classes_.end(), [](const ClassState& one) { return one.end.empty(); }));
}

Ending OneVsAllBoosting::ending(std::size_t /*rounds*/) const {
  constexpr std::size_t kMostNamed = 5;
  std::string text;
  std::size_t ended = 0;
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    if (classes_[k].end.empty() || ++ended > kMostNamed) continue;
    text += fmt::format("{}{} ended after {} rounds: {}", text.empty() ? "" : "; ", name_of(k),
                        classes_[k].rounds, classes_[k].end);
  }
  if (ended > kMostNamed)
    text += fmt::format("; and {} more {} ended", ended - kMostNamed,
                        code_.empty() ? "classes" : "problems");
  return {1, text};
}

std::string OneVsAllBoosting::name_of(std::size_t label) const {
  if (code_.empty()) return "class " + problem_.labels.classes[label];
  return fmt::format("problem {} of {}", label + 1, columns_);
}

std::vector<RoundMetric> OneVsAllBoosting::metrics() const {
  double risk = 0;
  for (const ClassState& one : classes_) risk += std::exp(one.log_risk);
  const double steps = static_cast<double>(std::max<std::size_t>(steps_, 1));
  return {{"classes", static_cast<double>(steps_)},
          {"z", sum_z_ / steps},
          {"step", sum_length_ / steps},
          {"log_risk", std::log(std::max(risk, std::numeric_limits<double>::min()) /
                                static_cast<double>(classes_.size()))}};
}

}  // namespace simplexboost
