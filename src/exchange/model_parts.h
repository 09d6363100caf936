// What every format asks of a model, and what some cannot hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ensemble.h"

namespace simplexboost {

// The codes of the categories that go left, ascending; none where the node cuts numbers.
std::vector<std::uint32_t> set_members(const Forest& forest, const Node& node);

// The numbers that all classes are the plain decimal writing of; empty where one is not.
std::vector<std::int64_t> class_numbers(const std::vector<std::string>& classes);

// As model files call it; that of a loss is "loss".
const char* link_name(Link link);

// Throws ModelError where trees cut by image filters, which `format` cannot say.
void require_no_filters(const Ensemble& ensemble, const std::string& format);

// What is added to the log of each class's probability, or of its odds, for other shares of the
// classes than those of training (model/predict/adjusted.h).
std::vector<double> log_prior_ratios(const Ensemble& ensemble);

// Throws ModelError where the name of a class, a feature or a category is no UTF-8.
void require_utf8_names(const Schema& schema, const std::string& format);

}  // namespace simplexboost
