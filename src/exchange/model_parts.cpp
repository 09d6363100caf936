#include "exchange/model_parts.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text/visible_text.h"
#include "model/predict/adjusted.h"
#include "simplexboost/error.h"

namespace simplexboost {

std::vector<std::uint32_t> set_members(const Forest& forest, const Node& node) {
  std::vector<std::uint32_t> codes;
  for (std::uint32_t c = 0; c < 32U * node.set_size; ++c)
    if ((forest.set_words[node.set + c / 32] >> (c % 32) & 1U) != 0) codes.push_back(c);
  return codes;
}

std::vector<std::int64_t> class_numbers(const std::vector<std::string>& classes) {
  std::vector<std::int64_t> numbers;
  for (const std::string& name : classes) {
    std::int64_t value = 0;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || std::to_string(value) != name) return {};
    numbers.push_back(value);
  }
  return numbers;
}

const char* link_name(Link link) {
  switch (link) {
    case Link::kSoftmax: return "softmax";
    case Link::kLogistic: return "logistic";
    case Link::kShares: return "shares";
    case Link::kLoss: return "loss";
    case Link::kNone: break;
  }
  return "none";
}

void require_no_filters(const Ensemble& ensemble, const std::string& format) {
  if (ensemble.forest.filters.empty()) return;
  throw ModelError(fmt::format(
      "the model cuts by image filters, which {} cannot hold; train without --image", format));
}

std::vector<double> log_prior_ratios(const Ensemble& ensemble) {
  std::vector<double> ratios;
  const bool odds = ensemble.schema.multi_label;
  for (std::size_t k = 0; k < ensemble.priors.size(); ++k)
    ratios.push_back(told_log(ensemble.priors[k], odds) - told_log(ensemble.class_shares[k], odds));
  return ratios;
}

void require_utf8_names(const Schema& schema, const std::string& format) {
  const auto check = [&](const std::string& name, const char* what) {
    if (!is_utf8(name))
      throw ModelError(fmt::format("the name of {}, '{}', is no UTF-8, which names in {} are", what,
                                   visible_text(name), format));
  };
  for (const std::string& name : schema.classes) check(name, "a class");
  for (const FeatureSchema& feature : schema.features) {
    check(feature.name, "a feature");
    for (const std::string& name : feature.categories) check(name, "a category");
  }
}

}  // namespace simplexboost
