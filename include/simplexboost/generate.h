// Built-in data sets, made from their definitions by a seed: for a first try, for tests, and for
// benchmarks whose best possible error is known. Rows stream, so a file may be larger than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "simplexboost/dataset.h"
#include "simplexboost/export.h"
#include "simplexboost/progress.h"
#include "simplexboost/read.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// Which data to make. What is left unset takes the generator's default; what a generator does not
// know (`classes` for `led`) is an error.
struct GeneratorSpec {
  std::string name;
  std::optional<std::size_t> rows;
  std::uint64_t seed = 0;
  // Each label is replaced with this probability by one of the other classes, all alike.
  double label_noise = 0;

  // manyclass and names only:
  std::optional<std::size_t> classes;
  std::optional<std::size_t>
      features;  // all, informative and noise; names: columns of names; text: words
  // manyclass only:
  std::optional<std::size_t> informative;  // how many of the features tell the classes apart
  std::optional<double> bayes_error;       // before label noise
  // names only:
  std::optional<std::size_t> values;  // of each column
  // text only:
  std::optional<std::size_t> topics;
  std::optional<std::size_t> words;  // of a text, on the average
};

// One line of help about a generator.
struct GeneratorInfo {
  std::string_view name;
  std::string_view summary;
  std::size_t default_rows = 0;
  bool fixed_rows = false;                   // the data set is finite: default_rows and no other
  std::vector<std::string_view> parameters;  // as on the command line: "bayes-error"
};

// All of them, in the order in which help shows them.
SIMPLEXBOOST_API std::span<const GeneratorInfo> generators();

// Makes any rows of one data set. Row i depends on the spec without its `rows`: a longer data set
// begins with the shorter one. The features do not depend on the label noise. Values are multiples
// of 1e-5, so that a text file holds them exactly.
class SIMPLEXBOOST_API RowGenerator {
 public:
  virtual ~RowGenerator() = default;

  virtual std::size_t rows() const = 0;
  virtual const Schema& schema() const = 0;

  // Rows [begin, begin + count): `features` row after row, one class code a row in `labels`. May
  // be called from several threads. Cheapest for whole blocks.
  virtual void fill(std::size_t begin, std::size_t count, double* features,
                    std::int32_t* labels) const = 0;

  // The error of the best possible classifier on these rows' distribution, label noise included.
  // Empty where noise hits so often that the true class is the least likely one.
  virtual std::optional<double> bayes_error() const = 0;

  // Blocks begin at the multiples of this: fewer rows where rows are wide.
  virtual std::size_t block_rows() const = 0;
};

// Throws ParameterError on a name, a number or a combination that makes no sense.
SIMPLEXBOOST_API std::unique_ptr<RowGenerator> make_generator(const GeneratorSpec& spec);

// The whole data set in memory. `threads` 0: all cores.
SIMPLEXBOOST_API Dataset generate(const GeneratorSpec& spec, int threads = 0);

// Writes the data set as text, in constant memory. CSV has a header; its last column is the class.
// LIBSVM leaves zeros out and has the class name as its label, or the class's number where the
// names are no numbers. kAuto is CSV. `progress` hears of each block as of a round; the result is
// false where it stopped the work.
SIMPLEXBOOST_API bool write_generated(const RowGenerator& generator, std::ostream& out,
                                      FileFormat format, int threads = 0,
                                      Progress* progress = nullptr);

// To a file, which is replaced only by a complete one. kAuto: by the extension, as read_dataset has
// it (another one is a ParameterError); gzipped if the name ends in .gz.
SIMPLEXBOOST_API bool write_generated(const RowGenerator& generator, const std::string& path,
                                      FileFormat format, int threads = 0,
                                      Progress* progress = nullptr);

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
