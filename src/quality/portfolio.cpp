#include "quality/portfolio.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace simplexboost {
namespace {

// How much may be spent on a training, by the numbers that a round goes through: pulls and bins.
struct Effort {
  double work;  // up to this much
  int folds;
  int rounds;
  double rate;
  int trees;  // of a forest
};

// So that small data get many slow rounds and large data few (docs/quality.md).
constexpr std::array kEfforts{Effort{1e5, 8, 1000, 0.05, 500}, Effort{1e6, 8, 600, 0.08, 500},
                              Effort{1e7, 5, 400, 0.12, 300}, Effort{1e8, 4, 300, 0.2, 200},
                              Effort{1e300, 3, 200, 0.2, 100}};
// The same for Quality::kDefault, within the time of other libraries' single trainings: the mean of
// fast learners is as good as slow ones (bench/results/ablation.md).
constexpr std::array kUsualEfforts{Effort{1e6, 5, 200, 0.3, 100}, Effort{1e7, 4, 200, 0.2, 80},
                                   Effort{1e300, 3, 150, 0.2, 50}};
constexpr int kUsualPatience = 15;

double work_of(const Dataset& data) {
  constexpr double kMostFeatures = 256;  // newton looks at a share of more
  const auto features = std::min(static_cast<double>(data.columns.size()), kMostFeatures);
  const auto classes = static_cast<double>(data.labels.classes.size());
  return static_cast<double>(data.rows) * (features + classes);
}

Effort effort_of(const Dataset& data, std::span<const Effort> efforts) {
  const double work = work_of(data);
  return *std::find_if(efforts.begin(), efforts.end(),
                       [&](const Effort& effort) { return work <= effort.work; });
}

std::string size_in_words(const Dataset& data) {
  return fmt::format("the size of the data, {} rows x (features + classes)", data.rows);
}

// What a member sets, unless the user did.
class Setter {
 public:
  explicit Setter(const Parameters& wanted) : wanted_(wanted), result_(wanted) {}

  template <class T, class Value>
  Setter& set(T Parameters::*member, Value value, const std::string& why) {
    const Parameters defaults;
    if (wanted_.*member != defaults.*member) return *this;
    result_.*member = T(value);
    why_[name_of(member)] = why;
    return *this;
  }
  // What a forest has no place for, the user's or not.
  Setter& without_steps() {
    const Parameters defaults;
    result_.l2 = defaults.l2;
    result_.learning_rate = defaults.learning_rate;
    result_.leaves = defaults.leaves;
    result_.split_noise = defaults.split_noise;
    result_.device = defaults.device;
    return *this;
  }
  MemberSetting named(std::string name, std::string purpose) const {
    MemberSetting member{std::move(name), result_};
    member.purpose = std::move(purpose);
    member.why = why_;
    return member;
  }

 private:
  static std::string name_of(const ParameterSpec::Member& member) {
    for (const ParameterSpec& spec : parameter_specs())
      if (spec.member == member) return std::string(spec.name);
    return {};
  }

  const Parameters& wanted_;
  Parameters result_;
  std::map<std::string, std::string> why_;
};

constexpr const char* kUnlike = "so that it is unlike the others";
constexpr const char* kOwnSeed = "its own, so that members differ";

using P = Parameters;

MemberSetting linear(const Parameters& wanted) {
  MemberSetting member{"linear", wanted};
  member.purpose = "slopes and sums of weak features, which trees need many cuts for";
  member.parameters.algorithm = "linear";
  member.parameters.rounds = 1;
  member.linear = true;
  return member;
}

// Sets of categories are searched for, where places of numbers are drawn: trees follow their rows
// more closely, and steps shall be shorter (docs/quality.md).
bool mostly_categories(const Dataset& data) {
  const auto categorical = std::count_if(
      data.columns.begin(), data.columns.end(),
      [](const Column& column) { return column.schema.type == FeatureType::kCategorical; });
  return 2 * static_cast<std::size_t>(categorical) >= data.columns.size();
}

std::vector<MemberSetting> single_label(const Dataset& data, const Parameters& wanted,
                                        const Effort& effort) {
  const bool categories = mostly_categories(data);
  const std::string by_size = "by " + size_in_words(data);
  const auto newton = [&](std::uint64_t number) {
    Setter setter(wanted);
    setter.set(&P::algorithm, "newton", "").set(&P::rounds, effort.rounds, by_size);
    setter.set(&P::seed, wanted.seed + number, kOwnSeed);
    if (categories)
      setter.set(&P::l2, 1.0,
                 "half of the features or more are categories, whose best sets are "
                 "searched for: trees follow their rows closely");
    // Rounds that were given want steps that fit them.
    if (wanted.rounds == Parameters().rounds) setter.set(&P::learning_rate, effort.rate, by_size);
    return setter;
  };
  const auto forest = [&](const char* thresholds, std::uint64_t number) {
    Setter setter(wanted);
    setter.set(&P::algorithm, "forest", "").set(&P::rounds, effort.trees, by_size);
    setter.set(&P::thresholds, thresholds, "what kind of forest it is");
    setter.set(&P::bootstrap, "none", "each fold holds rows out, all others count");
    setter.set(&P::seed, wanted.seed + number, kOwnSeed).without_steps();
    return setter;
  };
  std::vector<MemberSetting> members;
  members.push_back(newton(0).named("newton", "the default algorithm"));
  members.push_back(newton(1)
                        .set(&P::feature_fraction, 0.4, kUnlike)
                        .set(&P::max_bins, 32, kUnlike)
                        .set(&P::sketch, 1, kUnlike)
                        .set(&P::l2, 0.1, kUnlike)
                        .set(&P::thresholds, "best", kUnlike)
                        .named("newton, few features and bins", "trees that differ"));
  members.push_back(
      forest("drawn", 2).named("extra trees", "for small data, many classes and wrong labels"));
  members.push_back(newton(3)
                        .set(&P::row_fraction, 0.7, "for noisy data")
                        .set(&P::sketch, 1, kUnlike)
                        .set(&P::l2, 3.0, "for noisy data")
                        .set(&P::min_rows, 4, "for noisy data")
                        .named("newton, some rows and much l2", "for noisy data"));
  members.push_back(forest("best", 4)
                        .set(&P::min_rows, 2, "searched thresholds follow single rows closely")
                        .named("random forest", "a forest with searched thresholds"));
  members.push_back(linear(wanted));
  return members;
}

std::vector<MemberSetting> several_labels(const Dataset& data, const Parameters& wanted,
                                          const Effort& effort) {
  const std::string by_size = "by " + size_in_words(data);
  std::vector<MemberSetting> members;
  Setter setter(wanted);
  setter.set(&P::algorithm, "adaboost-mh", "").set(&P::rounds, effort.rounds / 2, by_size);
  setter.set(&P::learning_rate, 0.3, "measured for several labels a row");
  members.push_back(setter.named("adaboost-mh", "the default algorithm for several labels a row"));
  Setter trees(wanted);
  trees.set(&P::algorithm, "forest", "").set(&P::rounds, effort.trees, by_size);
  trees.set(&P::bootstrap, "none", "each fold holds rows out, all others count").without_steps();
  members.push_back(trees.named("extra trees", "trees that differ"));
  members.push_back(trees.set(&P::thresholds, "best", "what kind of forest it is")
                        .named("random forest", "a forest with searched thresholds"));
  return members;
}

// For Quality::kDefault: the first one and, unless it is to be alone, extra trees, which cost a
// tenth of it where rows out of the bag judge them, and the linear member, which costs less.
void keep_usual(std::vector<MemberSetting>& members, bool alone) {
  std::vector<MemberSetting> kept{std::move(members[0])};
  for (std::size_t m = 1; m < members.size() && !alone; ++m) {
    Parameters& own = members[m].parameters;
    if (members[m].linear) kept.push_back(std::move(members[m]));
    if (own.algorithm != "forest" || own.thresholds != "drawn" || kept.size() == 2) continue;
    if (own.bootstrap == "none" && own.row_fraction == 1) {
      own.bootstrap = "plain";
      members[m].why["bootstrap"] = "rows that a tree did not draw judge it, without folds";
    }
    members[m].bagged = true;
    kept.push_back(std::move(members[m]));
  }
  members = std::move(kept);
}

}  // namespace

Portfolio make_portfolio(const Dataset& data, const Parameters& wanted, Quality quality) {
  const bool best = quality == Quality::kBest;
  const Effort effort = effort_of(data, best ? std::span<const Effort>(kEfforts) : kUsualEfforts);
  Portfolio portfolio;
  portfolio.folds = effort.folds;
  portfolio.by_size = size_in_words(data);
  const bool sets = data.labels.multi_label();
  if (wanted.algorithm != "auto") {
    portfolio.members = {{wanted.algorithm, wanted}};
    portfolio.members[0].purpose = "the algorithm that was asked for";
    return portfolio;
  }
  portfolio.members =
      sets ? several_labels(data, wanted, effort) : single_label(data, wanted, effort);
  if (wanted.costs != "none" && !sets)
    std::erase_if(portfolio.members, [](const MemberSetting& member) {
      return member.parameters.algorithm != "newton";
    });
  // The probabilities of some losses are formulas of all scores, which are not pooled.
  const bool alone = wanted.loss != "auto" && !sets;
  if (!best) keep_usual(portfolio.members, sets || alone);
  if (alone) portfolio.members.resize(1);
  MemberSetting& first = portfolio.members[0];
  if (!best && first.parameters.early_stopping < 0) {
    first.parameters.early_stopping = kUsualPatience;
    first.why["early-stopping"] = "short patience makes quality default fast";
  }
  return portfolio;
}

Parameters large_training(const Dataset& share, const Parameters& wanted) {
  Effort effort = kUsualEfforts.back();
  effort.rounds *= effort.folds;
  Parameters own = single_label(share, wanted, effort)[0].parameters;
  if (own.early_stopping < 0) own.early_stopping = kUsualPatience;
  return own;
}

void doubt_labels(Portfolio& portfolio) {
  std::vector<MemberSetting> members{portfolio.members[0]};
  for (MemberSetting member : portfolio.members) {
    if (member.linear) {  // a few numbers withstand wrong labels
      members.push_back(std::move(member));
      continue;
    }
    // A leaf of rows that are hardly trusted would vote for them all the same.
    constexpr double kLeastTrusted = 0.5;
    Parameters& own = member.parameters;
    if (member.bagged && own.min_weight == 0) {
      own.min_weight = kLeastTrusted;
      member.why["min-weight"] = "a row that is hardly trusted shall have no leaf of its own";
    }
    member.doubts = true;
    member.name += ", doubting labels";
    member.purpose = "some labels look wrong: rows count by how far theirs is to be trusted";
    members.push_back(std::move(member));
  }
  portfolio.members = std::move(members);
}

}  // namespace simplexboost
