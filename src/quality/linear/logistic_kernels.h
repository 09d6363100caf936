// The inner loop of logistic regression, compiled once for each level of vector instructions
// (base/simd/isa.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace simplexboost {

// An input of a row that is not 0.
struct LinearEntry {
  std::uint32_t input;
  float value;
};

// Classes are padded to whole vectors: `width` is 4, 8 or a multiple of 16. An intercept of a
// padding class is so low that its share is 0.
constexpr std::size_t padded_classes(std::size_t classes) {
  return classes <= 4 ? 4 : classes <= 8 ? 8 : (classes + 15) / 16 * 16;
}

// So many rows may be gone through at once.
constexpr std::size_t kRowsTogether = 4;

struct LogisticArgs {
  const LinearEntry* entries = nullptr;  // of all rows
  const std::size_t* ends = nullptr;     // of the entries of the row before, then of each row
  const std::int32_t* truths = nullptr;  // of all rows
  const double* weights = nullptr;       // of all rows; null: all 1
  const std::uint32_t* rows = nullptr;   // those that are looked at
  std::size_t count = 0;
  std::size_t inputs = 0;
  std::size_t width = 0;
  const float* coefficients = nullptr;  // (1 + inputs) x width
  float* scores = nullptr;              // scratch, `width` times kRowsTogether
  float* slope = nullptr;               // of the loss by the coefficients, added to
};

struct LogisticKernels {
  // The log loss of the rows; those of truth -1 do not count.
  double (*add_rows)(const LogisticArgs&);
};

}  // namespace simplexboost
