#include "quality/pool_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "certainty/set_scores.h"
#include "metric/estimate.h"
#include "metric/log_loss.h"
#include "metric/temperature.h"
#include "model/predict/adjusted.h"
#include "model/predict/pool.h"
#include "quality/blend.h"
#include "quality/class_scales.h"

namespace simplexboost {
namespace {

std::string rounds_in_words(const Ensemble& member, std::size_t rounds) {
  if (member.algorithm == "linear") return "";
  const std::string name = member.algorithm == "forest" ? "tree" : "round";
  return fmt::format(": {} {}{}", rounds, name, rounds == 1 ? "" : "s");
}

class MemberPool {
 public:
  MemberPool(TrainedMembers& members, const PoolingRows& rows, const PoolingOptions& options)
      : members_(members), rows_(rows), options_(options) {}

  PooledMembers run() {
    std::vector<double> weights;
    const Matrix pooled = choose_pool(weights);
    const JudgedRows all{rows_.data.labels, rows_.data.weights, pooled};
    double scale = fit_score_scale(all, rows_.threads);
    judge(scale);
    Ensemble ensemble;
    const bool alone = weights[0] == 1 || members_.proba.size() == 1;
    if (alone && members_.fits[0].ensemble.members.empty())
      ensemble = std::move(members_.fits[0].ensemble);
    else
      pool(weights, ensemble);
    if (class_scales_) {
      scale = 1;  // the map has it
      ensemble.map = fit_class_scales(all, rows_.threads);
    }
    ensemble.link_scale *= scale;
    ensemble.link_shift *= scale;
    const JudgedRows judged{rows_.data.labels, rows_.data.weights, oof_};
    ensemble.estimate = estimate_from("out-of-fold", judged);
    if (!rows_.data.labels.multi_label())
      ensemble.sets = set_scores_from("out-of-fold", judged, rows_.threads);
    tell_scale(scale);
    return {std::move(ensemble), std::move(oof_), std::move(weights), std::move(choices_)};
  }

 private:
  // Rows of a fold are judged with weights and a scale that their labels had no part in. `scale`:
  // that of all rows, which is near.
  void judge(double scale) {
    const std::size_t classes = rows_.data.labels.classes.size();
    oof_ = Matrix{rows_.data.rows, classes, std::vector<float>(rows_.data.rows * classes)};
    std::vector<std::uint8_t> others(rows_.data.rows);
    Ensemble link;
    link.schema = members_.fits[0].ensemble.schema;
    link.link = link.schema.multi_label ? Link::kLogistic : Link::kSoftmax;
    const bool alone = members_.proba.size() == 1;
    Matrix scaled;
    if (options_.try_class_scales && !rows_.data.labels.multi_label() &&
        may_have_class_scales(rows_.data.rows, classes))
      scaled = oof_;
    std::optional<ScoreScaleFit> fit;
    if (alone)
      fit.emplace(JudgedRows{rows_.data.labels, rows_.data.weights, members_.proba[0]},
                  rows_.threads);
    for (int f = 0; f < rows_.folds; ++f) {
      for (std::size_t i = 0; i < rows_.data.rows; ++i)
        others[i] = rows_.fold_of_row[i] == f ? 0 : 1;
      Matrix mean;
      if (!alone) {
        mean = blend(pool_, members_.proba, weights_of(pool_, others), rows_.threads);
        fit.emplace(JudgedRows{rows_.data.labels, rows_.data.weights, mean}, rows_.threads);
      }
      link.link_scale = fit->fit(others, scale);
      const Matrix& raw = alone ? members_.proba[0] : mean;
      Matrix own = rows_of_fold(raw, f);
      rescale(link, rows_.threads, own);
      put_rows_of_fold(own, f, oof_);
      if (scaled.rows > 0) {
        own = rows_of_fold(raw, f);
        apply_to_rows(
            fit_class_scales({rows_.data.labels, rows_.data.weights, raw, others}, rows_.threads),
            own);
        put_rows_of_fold(own, f, scaled);
      }
    }
    class_scales_ = scaled.rows > 0 &&
                    speaks_for_class_scales(rows_.data.labels, rows_.data.weights, oof_, scaled);
    if (class_scales_) oof_ = std::move(scaled);
  }

  void put_rows_of_fold(const Matrix& own, int fold, Matrix& all) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.rows; ++i)
      if (rows_.fold_of_row[i] == fold) std::copy_n(own.row(next++), all.columns, all.row(i));
  }

  static void apply_to_rows(const ProbabilityMap& map, Matrix& proba) {
    std::vector<double> row(proba.columns);
    for (std::size_t i = 0; i < proba.rows; ++i) {
      std::copy_n(proba.row(i), proba.columns, row.begin());
      apply_map(map, false, row);
      std::transform(row.begin(), row.end(), proba.row(i),
                     [](double p) { return static_cast<float>(p); });
    }
  }

  Matrix rows_of_fold(const Matrix& all, int fold) const {
    Matrix own{0, all.columns, {}};
    for (std::size_t i = 0; i < all.rows; ++i) {
      if (rows_.fold_of_row[i] != fold) continue;
      own.values.insert(own.values.end(), all.row(i), all.row(i) + all.columns);
      ++own.rows;
    }
    return own;
  }

  std::vector<double> weights_of(Pool pool, std::span<const std::uint8_t> marked) const {
    const auto find = pool == Pool::kMean ? blend_weights : product_weights;
    return find(members_.proba, rows_.data.labels, rows_.data.weights, marked);
  }

  // The product where it has a lower log loss. Wrong labels take the mean, in which a guess has a
  // part of its own.
  Matrix choose_pool(std::vector<double>& weights) {
    constexpr double kEnough = 0.995;
    pool_ = Pool::kMean;
    weights = weights_of(pool_, {});
    Matrix mean = blend(pool_, members_.proba, weights, rows_.threads);
    if (options_.wrong_labels || rows_.data.labels.multi_label() || members_.proba.size() < 2) {
      tell_mean();
      return mean;
    }
    std::vector<double> powers = weights_of(Pool::kProduct, {});
    Matrix product = blend(Pool::kProduct, members_.proba, powers, rows_.threads);
    const double ratio = tempered_loss(product) / tempered_loss(mean);
    const bool better = ratio < kEnough;
    choices_.push_back({"pool", better ? "product" : "mean",
                        fmt::format("the product has {:.4g} of the mean's out-of-fold log loss; it "
                                    "is taken below {}",
                                    ratio, kEnough)});
    if (!better) return mean;
    pool_ = Pool::kProduct;
    weights = std::move(powers);
    return product;
  }

  void tell_mean() {
    if (members_.proba.size() < 2) return;
    choices_.push_back({"pool", "mean",
                        options_.wrong_labels ? "labels are wrong: a guess has a part of its own"
                                              : "several labels a row are not multiplied"});
  }

  void tell_scale(double scale) {
    if (class_scales_)
      choices_.push_back({"class scales", "a factor and a shift for each class",
                          "less out-of-fold log loss, by two standard errors, than a temperature"});
    else
      choices_.push_back(
          {"temperature", fmt::format("{:.4g}", 1 / scale), "the least out-of-fold log loss"});
  }

  double tempered_loss(Matrix proba) const {
    Ensemble link;
    link.schema = members_.fits[0].ensemble.schema;
    link.link_scale =
        fit_score_scale({rows_.data.labels, rows_.data.weights, proba}, rows_.threads);
    rescale(link, rows_.threads, proba);
    LogLoss loss;
    for (std::size_t i = 0; i < rows_.data.rows; ++i)
      if (const std::int32_t own = rows_.data.labels.codes[i]; own >= 0)
        loss.add(static_cast<double>(proba.row(i)[own]),
                 rows_.data.weights.empty() ? 1 : rows_.data.weights[i]);
    return loss.value();
  }

  // The trees of all members that weigh something, round by round, each with outputs of its own.
  void pool(const std::vector<double>& weights, Ensemble& ensemble) const {
    const std::size_t classes = rows_.data.labels.classes.size();
    const Ensemble& first = members_.fits[0].ensemble;
    ensemble.algorithm = "ensemble";
    ensemble.pool = pool_;
    ensemble.schema = first.schema;
    ensemble.link = ensemble.schema.multi_label ? Link::kLogistic : Link::kSoftmax;
    std::vector<const Ensemble*> kept;
    std::size_t rounds = 0;
    for (std::size_t m = 0; m < members_.fits.size(); ++m) {
      if (weights[m] == 0) continue;
      const Ensemble& one = members_.fits[m].ensemble;
      Member member = one.members.empty() ? Member{"", one.link, one.link_scale, one.link_shift, 1}
                                          : one.members[0];
      member.name = members_.names[m] + rounds_in_words(one, members_.fits[m].rounds);
      member.weight = weights[m];
      ensemble.members.push_back(std::move(member));
      ensemble.bias.insert(ensemble.bias.end(), one.bias.begin(), one.bias.end());
      rounds = std::max(rounds, one.forest.rounds());
      kept.push_back(&one);
    }
    if (weights.size() > members_.fits.size() && weights.back() > 0) {
      ensemble.members.push_back({"a guess", Link::kSoftmax, 1, 0, weights.back()});
      ensemble.bias.resize(ensemble.bias.size() + classes);
    }
    Forest& forest = ensemble.forest;
    forest.outputs = static_cast<std::uint32_t>(ensemble.members.size() * classes);
    for (std::size_t r = 0; r < rounds; ++r) {
      for (std::size_t m = 0; m < kept.size(); ++m)
        if (r < kept[m]->forest.rounds()) append_round(forest, kept[m]->forest, r, 1, m * classes);
      forest.round_end.push_back(static_cast<std::uint32_t>(forest.trees.size()));
    }
  }

  TrainedMembers& members_;
  const PoolingRows& rows_;
  const PoolingOptions& options_;
  Pool pool_ = Pool::kMean;
  Matrix oof_;
  bool class_scales_ = false;  // the rows speak for them
  std::vector<Choice> choices_;
};

}  // namespace

PooledMembers pool_members(TrainedMembers& members, const PoolingRows& rows,
                           const PoolingOptions& options) {
  return MemberPool(members, rows, options).run();
}

}  // namespace simplexboost
