// What all parts of a page say their facts with: names that are safe to show, numbers that are
// short, rows with some of their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json.h"
#include "metric/interval.h"
#include "report/facts/row_facts.h"
#include "simplexboost/dataset.h"
#include "simplexboost/model.h"

namespace simplexboost {

// A name from outside: in one line, without control characters or marks that turn the direction of
// writing, and not endless.
std::string page_name(std::string_view name);
// Where rows come from: a file, or memory.
std::string source_name(const Dataset& data);
Json page_names(const std::vector<std::string>& names);

// Rounded to so many digits; null where it is not finite.
Json short_number(double value, int digits = 4);
Json interval_json(const Interval& interval);

// The features that pictures and rows show: the most important ones.
std::vector<std::size_t> shown_features(const Model& model, std::size_t most);

// A value of a row as people write it.
std::string value_text(const Column& column, std::size_t row);

// {row, truth, said, second, p, top, values}: the number of a row counts from 1; `p` is the
// probability of its class, `top` that of the class that is said.
Json row_json(const RowFacts& facts, const Dataset& data, std::size_t row,
              const std::vector<std::size_t>& features);

}  // namespace simplexboost
