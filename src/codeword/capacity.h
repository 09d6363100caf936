// How well a set of codewords keeps the classes apart: its minimum distance and its margin
// capacity, the largest margin that unit score vectors can have for every class (jmlr2019,
// section 5.2).
#pragma once

#include <cstddef>

#include "codeword/codebook.h"

namespace simplexboost {

// Whether the codewords, less their mean, are a regular simplex by construction (simplex,
// canonical, one-vs-all, all pairs): all figures are then closed forms, for any number of classes.
// Else the minimum distance costs K^2 d / 2, and the capacity a few times that.
bool is_regular(const Codebook& book);

// min over k != l of |y_k - y_l|; jmlr2019 (66) is its square.
double minimum_distance(const Codebook& book, int threads);

struct MarginCapacity {
  // min_k max_{|v| <= 1} min_{l != k} <y_k - y_l, v> / 2, jmlr2019 (56): half the smallest distance
  // from y_k to the convex hull of the other codewords. 0 where a codeword lies in that hull: no
  // score vector can prefer its class.
  double value = 0;
  double error = 0;  // the true value lies in [value - error, value]
  std::size_t tightest_class = 0;
};

// In closed form for simplex, canonical, one-vs-all and all pairs; else a minimum-norm-point
// problem a class, those that cannot be the smallest cut short.
MarginCapacity margin_capacity(const Codebook& book, int threads);

struct CodebookShape {
  bool centred = false;      // sum of the codewords = 0, to single precision
  bool unit = false;         // all of norm 1
  double smallest_norm = 0;  // min_k |y_k - mean|
};
CodebookShape codebook_shape(const Codebook& book);

// jmlr2019 (60), K / (2 (K - 1)), for unit and centred sets; the same proof gives any set's bound
// with the factor min_k |y_k - mean|.
double capacity_bound(const Codebook& book);

}  // namespace simplexboost
