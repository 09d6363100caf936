// Reads a file and keeps what came of it, the error too, so that two readings can be compared; and
// what must hold for every data set that a reader lets through.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/read.h"

namespace simplexboost::fuzz {

struct Reading {
  std::optional<Dataset> data;  // none: there was an error
  std::string error;
  std::vector<std::string> notes;
};

Reading read(const std::string& path, const ReadOptions& options);

void require_same(const Reading& first, const Reading& second);
void require_same_features(const Dataset& first, const Dataset& second);
// The rows of a block are those of `all` from `begin` on.
void require_same_rows(const Dataset& block, const Dataset& all, std::size_t begin);
void require_same_labels(const Labels& first, const Labels& second);

// Sizes that fit, codes in their range, numbers that are finite or missing.
void require_sound(const Dataset& data);

}  // namespace simplexboost::fuzz
