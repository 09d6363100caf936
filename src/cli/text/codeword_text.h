// How far apart a set of codewords keeps the classes, for people and as JSON: what `codewords`
// tells of a set and `inspect` of a model's.
#pragma once

#include <optional>
#include <string>

#include "base/text/json.h"
#include "codeword/capacity.h"

namespace simplexboost::cli {

// Of a very large set some is left open.
struct CodewordFigures {
  CodebookShape shape;
  std::optional<double> minimum_distance;
  std::optional<MarginCapacity> capacity;
  double bound = 0;  // jmlr2019 (60)
};

CodewordFigures measure_codewords(const Codebook& book, int threads);

std::string codewords_text(const Codebook& book, const CodewordFigures& figures);

// All but the codewords themselves.
Json codewords_json(const Codebook& book, const CodewordFigures& figures);

}  // namespace simplexboost::cli
