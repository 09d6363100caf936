#include "quality/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "quality/blend.h"
#include "quality/linear/linear_member.h"

namespace simplexboost {
namespace {

constexpr const char* kDefault = "the default";
constexpr const char* kAsked = "asked for";
constexpr const char* kGiven = "given with the member";

// Told of every member that has such a setting; others where they are not at their defaults.
constexpr std::array<std::string_view, 10> kOfTrees{
    "learning-rate", "leaves",           "depth",        "l2",      "sketch", "thresholds",
    "max-bins",      "feature-fraction", "row-fraction", "min-rows"};
constexpr std::array<std::string_view, 7> kOfForests{"thresholds",   "node-features", "bootstrap",
                                                     "row-fraction", "min-rows",      "min-weight",
                                                     "max-bins"};

// What newton decides by itself (boosting/setup/algorithm_table.cpp).
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kByNewton{{
    {"learning-rate", "newton's default, by the number of rows"},
    {"leaves", "newton's default, by rows (one for each hundred) and classes"},
    {"l2", "newton's default"},
    {"sketch", "newton's default, by the number of classes"},
    {"thresholds", "newton's default: drawn below 12,000 rows, else best"},
    {"max-bins", "newton's default: 64 below 30,000 rows of 32 features or more, else 256"},
    {"feature-fraction", "newton's default, by features, rows and classes"},
}};

std::string by_algorithm(const std::string& algorithm, std::string_view name) {
  if (algorithm == "newton")
    for (const auto& [own, why] : kByNewton)
      if (own == name) return std::string(why);
  if (algorithm == "forest" && name == "node-features")
    return "the square root of the number of features";
  return algorithm + "'s default";
}

class Teller {
 public:
  Teller(const MemberSetting& setting, const CrossFit& fit, const Parameters& wanted)
      : setting_(setting), fit_(fit), wanted_(wanted), forest_(algorithm() == "forest") {}

  std::vector<Choice> run() {
    tell_rounds();
    for (const ParameterSpec& spec : parameter_specs())
      if (const auto found = fit_.ensemble.parameters.find(std::string(spec.name));
          found != fit_.ensemble.parameters.end() && is_told(spec.name, found->second))
        choices_.push_back({found->first, found->second, reason(spec.name, found->second)});
    return std::move(choices_);
  }

 private:
  const std::string& algorithm() const { return setting_.parameters.algorithm; }

  bool is_told(std::string_view name, const std::string& taken) const {
    if (name == "algorithm" || name == "rounds") return false;
    if (forest_ && (name == "learning-rate" || name == "l2")) return false;
    // 0 is no bound: the other one of the two tells the size of trees.
    if ((name == "depth" || name == "leaves" || name == "min-weight") && taken == "0") return false;
    if (name == "sketch" && algorithm() != "newton") return false;
    const auto among = [&](const auto& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (forest_ ? among(kOfForests) : among(kOfTrees)) return true;
    if (name == "early-stopping") return !forest_;
    return get_parameter(setting_.parameters, name) != get_parameter(Parameters(), name);
  }

  std::string reason(std::string_view name, const std::string& taken) const {
    if (const auto own = setting_.why.find(std::string(name)); own != setting_.why.end())
      return own->second;
    const std::string usual = get_parameter(Parameters(), name);
    const std::string given = get_parameter(setting_.parameters, name);
    if (given != usual) return given == get_parameter(wanted_, name) ? kAsked : kGiven;
    if (name == "early-stopping") return "a tenth of the most rounds, 30 at least";
    return taken == usual ? kDefault : by_algorithm(algorithm(), name);
  }

  void tell_rounds() {
    const int most = setting_.parameters.rounds;
    const auto own = setting_.why.find("rounds");
    const std::string limit = own != setting_.why.end()     ? own->second
                              : most != Parameters().rounds ? kAsked
                                                            : kDefault;
    if (forest_ && fit_.trained > fit_.rounds) {
      choices_.push_back({"trees", fmt::format("{}", fit_.rounds),
                          fmt::format("of each fold's {}, others of each: so many together are "
                                      "enough; {}",
                                      fit_.trained, limit)});
      return;
    }
    const bool chosen = !forest_ && setting_.parameters.early_stopping != 0;
    choices_.push_back(
        {forest_ ? "trees" : "rounds", fmt::format("{}", fit_.rounds),
         chosen ? fmt::format("those of the least out-of-fold figure; {} at most, {}", most, limit)
                : limit});
  }

  const MemberSetting& setting_;
  const CrossFit& fit_;
  const Parameters& wanted_;
  bool forest_;
  std::vector<Choice> choices_;
};

std::vector<Choice> linear_choices(const CrossFit& fit) {
  const auto taken = [&](const char* name) { return fit.ensemble.parameters.at(name); };
  return {{kPenaltyName, taken(kPenaltyName), "the least out-of-fold log loss of up to five"},
          {kInputsName, taken(kInputsName), "numbers, and values of categories"}};
}

}  // namespace

std::vector<Choice> choices_of(const MemberSetting& setting, const CrossFit& fit,
                               const Parameters& wanted) {
  if (setting.linear) return linear_choices(fit);
  return Teller(setting, fit, wanted).run();
}

void ChoiceRecords::trained(const MemberSetting& setting, const CrossFit& fit) {
  records_.push_back({setting.name, 0, setting.purpose, "", choices_of(setting, fit, wanted_)});
}

void ChoiceRecords::left_out(const MemberSetting& setting, std::string why) {
  records_.push_back({setting.name, 0, setting.purpose, std::move(why), {}});
}

void ChoiceRecords::guessed() {
  records_.push_back({"a guess", 0, "what is left for labels that are wrong", "", {}});
}

std::vector<MemberRecord> ChoiceRecords::finish(const std::vector<double>& weights,
                                                std::vector<Choice> pool) {
  std::size_t next = 0;
  for (MemberRecord& record : records_) {
    if (!record.left_out.empty()) continue;
    record.weight = weights[next++];
    if (record.weight == 0)
      record.left_out = fmt::format("its weight is below {} %", 100 * kLeastWeight);
  }
  records_.insert(records_.begin(), {"the pool", 0, "", "", std::move(pool)});
  return std::move(records_);
}

}  // namespace simplexboost
