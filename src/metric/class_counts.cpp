#include "metric/class_counts.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace simplexboost {

void ClassCounts::add(std::int32_t truth, std::int32_t predicted, double weight) {
  const auto said = static_cast<std::size_t>(predicted);
  assert(said < classes());
  total_ += weight;
  per_class_[said].predicted += weight;
  if (truth != predicted) wrong_ += weight;
  if (truth < 0) {
    unknown_ += weight;
    return;
  }
  const auto is = static_cast<std::size_t>(truth);
  assert(is < classes());
  per_class_[is].truth += weight;
  if (is == said) per_class_[is].correct += weight;
}

bool ClassCounts::add_set(std::span<const std::int32_t> truth, std::span<const float> scores,
                          double weight, const float* pair_weights) {
  assert(scores.size() == classes());
  bool wrong = false;
  bool known = false;
  std::size_t next = 0;
  for (std::size_t l = 0; l < scores.size(); ++l) {
    const bool is = next < truth.size() && static_cast<std::size_t>(truth[next]) == l;
    const bool said = scores[l] > 0;
    if (is) ++next;
    if (pair_weights && pair_weights[l] == 0) continue;
    const double pair = pair_weights ? weight * static_cast<double>(pair_weights[l]) : weight;
    ClassSummary& one = per_class_[l];
    one.known += pair;
    if (is) one.truth += pair;
    if (said) one.predicted += pair;
    if (is && said) one.correct += pair;
    wrong = wrong || is != said;
    known = true;
  }
  if (known) total_ += weight;
  if (wrong) wrong_ += weight;
  return wrong;
}

void ClassCounts::merge(const ClassCounts& other) {
  assert(classes() == other.classes());
  for (std::size_t k = 0; k < classes(); ++k) {
    per_class_[k].truth += other.per_class_[k].truth;
    per_class_[k].predicted += other.per_class_[k].predicted;
    per_class_[k].correct += other.per_class_[k].correct;
    per_class_[k].known += other.per_class_[k].known;
  }
  total_ += other.total_;
  wrong_ += other.wrong_;
  unknown_ += other.unknown_;
}

double ClassCounts::error() const { return wrong_ / total_; }

double ClassCounts::balanced_error() const {
  double sum = 0;
  double present = 0;
  for (const ClassSummary& one : per_class_) {
    if (!(one.truth > 0)) continue;
    sum += 1 - one.recall();
    present += 1;
  }
  return sum / present;
}

double ClassCounts::micro_f1() const {
  ClassSummary all;
  for (const ClassSummary& one : per_class_) {
    all.truth += one.truth;
    all.predicted += one.predicted;
    all.correct += one.correct;
  }
  return all.f1();
}

double ClassCounts::macro_f1() const {
  double sum = 0;
  double count = 0;
  for (const ClassSummary& one : per_class_) {
    if (std::isnan(one.f1())) continue;
    sum += one.f1();
    count += 1;
  }
  return sum / count;
}

double ClassCounts::kappa() const {
  double chance = 0;
  for (const ClassSummary& one : per_class_) chance += one.truth / total_ * one.predicted / total_;
  return (1 - error() - chance) / (1 - chance);
}

double ClassCounts::pairs() const {
  double sum = 0;
  for (const ClassSummary& one : per_class_) sum += one.known;
  return sum;
}

double ClassCounts::pair_error() const {
  double sum = 0;
  for (const ClassSummary& one : per_class_) sum += one.wrong();
  return sum / pairs();
}

}  // namespace simplexboost
