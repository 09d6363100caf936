// What one built-in data set must say about itself: its columns, how a row is drawn, and its Bayes
// error. Blocks, streams, label noise and rounding are common to all and live in generate.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "simplexboost/dataset.h"
#include "simplexboost/generate.h"

namespace simplexboost {

// Rows by what is not zero: the entries of each end at `ends`, features ascending.
struct SparseBlock {
  std::vector<std::size_t> ends = {};
  std::vector<std::uint32_t> features = {};
  std::vector<double> values = {};
};

class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual Schema schema() const = 0;

  // Writes rows [first, first + count) and their true classes. `random` is at the beginning of the
  // stream of the block that starts with row `first`.
  virtual void draw(Random& random, std::size_t first, std::size_t count, double* features,
                    std::int32_t* labels) const = 0;

  // The same without the zeros, where most values are: whole numbers alone.
  virtual bool sparse() const { return false; }
  virtual void draw_entries(Random& /*random*/, std::size_t /*first*/, std::size_t /*count*/,
                            SparseBlock& /*out*/, std::int32_t* /*labels*/) const {}

  // Of the true classes.
  virtual double bayes_error() const = 0;
};

// A generator that may hand out rows without their zeros.
class SparseGenerator {
 public:
  virtual ~SparseGenerator() = default;
  virtual bool sparse() const = 0;
  // Rows [begin, begin + count), which are of one block and begin it.
  virtual void fill_entries(std::size_t begin, std::size_t count, SparseBlock& out,
                            std::int32_t* labels) const = 0;
};

// Purposes of the random streams; that of a block of rows is offset by the block's number.
enum class GeneratorStream : std::uint64_t { kRows, kLabelNoise, kCentres, kCalibration, kCount };

inline Random generator_stream(std::uint64_t seed, GeneratorStream purpose, std::uint64_t block) {
  return Random(seed, block * static_cast<std::uint64_t>(GeneratorStream::kCount) +
                          static_cast<std::uint64_t>(purpose));
}

// Numeric features and one label column named `class`.
Schema generator_schema(const std::vector<std::string>& features,
                        const std::vector<std::string>& classes);

// {prefix + first, ..., prefix + (first + count - 1)}.
std::vector<std::string> numbered(const std::string& prefix, std::size_t first, std::size_t count);

std::unique_ptr<RowSource> make_gaussian3(const GeneratorSpec& spec);
std::unique_ptr<RowSource> make_waveform(const GeneratorSpec& spec);
std::unique_ptr<RowSource> make_led(const GeneratorSpec& spec);
std::unique_ptr<RowSource> make_poker(const GeneratorSpec& spec);
std::unique_ptr<RowSource> make_balance(const GeneratorSpec& spec);
std::unique_ptr<RowSource> make_manyclass(const GeneratorSpec& spec);
std::unique_ptr<RowSource> make_names(const GeneratorSpec& spec);
std::unique_ptr<RowSource> make_text(const GeneratorSpec& spec);

}  // namespace simplexboost
