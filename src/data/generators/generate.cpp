#include "simplexboost/generate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text/nearest_name.h"
#include "base/threads/parallel.h"
#include "data/generators/row_source.h"
#include "data/labels/label_noise.h"
#include "data/rows/sparse_rows.h"
#include "simplexboost/error.h"

namespace simplexboost {

Schema generator_schema(const std::vector<std::string>& features,
                        const std::vector<std::string>& classes) {
  Schema schema;
  for (const std::string& name : features)
    schema.features.push_back({name, FeatureType::kNumeric, {}});
  schema.classes = classes;
  schema.label_columns = {"class"};
  return schema;
}

std::vector<std::string> numbered(const std::string& prefix, std::size_t first, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(prefix + std::to_string(first + i));
  return names;
}

namespace {

struct Entry {
  GeneratorInfo info;
  std::unique_ptr<RowSource> (*make)(const GeneratorSpec&);
};

const std::vector<Entry>& table() {
  static const std::vector<Entry> kEntries = {
      {{"gaussian3", "three Gaussian classes in the plane (jmlr2019 (133)-(134))", 1000, false, {}},
       &make_gaussian3},
      {{"waveform", "Breiman's three waveforms, 21 features", 5000, false, {}}, &make_waveform},
      {{"led", "digits on seven segments, each inverted with probability 0.1", 5000, false, {}},
       &make_led},
      {{"poker", "hands of five cards and their rank, 10 classes", 25000, false, {}}, &make_poker},
      {{"balance", "the balance scale: all 625 combinations", 625, true, {}}, &make_balance},
      {{"manyclass",
        "Gaussian classes in a hierarchy, any number, with the Bayes error you ask for",
        10000,
        false,
        {"classes", "features", "informative", "bayes-error"}},
       &make_manyclass},
      {{"names",
        "columns of names of thousands of values, most of them rare",
        50000,
        false,
        {"classes", "features", "values"}},
       &make_names},
      {{"text",
        "bags of words of many topics, sparse: most of 50,000 features are zero",
        10000,
        false,
        {"topics", "features", "words"}},
       &make_text},
  };
  return kEntries;
}

const Entry& find_entry(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : table()) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  throw ParameterError(unknown_name_message("generator", name, names));
}

void check_spec(const GeneratorSpec& spec, const GeneratorInfo& info) {
  if (spec.rows == std::size_t{0}) throw ParameterError("rows must be at least 1");
  if (info.fixed_rows && spec.rows && *spec.rows != info.default_rows)
    throw ParameterError("the data set '" + spec.name + "' has exactly " +
                         std::to_string(info.default_rows) + " rows; leave rows out");
  if (!(spec.label_noise >= 0 && spec.label_noise <= 1))
    throw ParameterError("label-noise is a probability: it must be from 0 to 1");

  const std::pair<std::string_view, bool> given[] = {{"classes", spec.classes.has_value()},
                                                     {"features", spec.features.has_value()},
                                                     {"informative", spec.informative.has_value()},
                                                     {"bayes-error", spec.bayes_error.has_value()},
                                                     {"values", spec.values.has_value()},
                                                     {"topics", spec.topics.has_value()},
                                                     {"words", spec.words.has_value()}};
  const auto has = [](const GeneratorInfo& one, std::string_view name) {
    return std::find(one.parameters.begin(), one.parameters.end(), name) != one.parameters.end();
  };
  for (const auto& [name, set] : given) {
    if (!set || has(info, name)) continue;
    const auto other =
        std::find_if(table().begin(), table().end(),
                     [&, wanted = name](const Entry& entry) { return has(entry.info, wanted); });
    throw ParameterError("the generator '" + spec.name + "' has no parameter '" +
                         std::string(name) + "'; " + std::string(other->info.name) + " has it");
  }
}

// Values with five decimals: k / 1e5 with an integer k is the very number that reading its decimal
// text gives, so a file and the data set in memory agree in every bit.
double round_value(double value) { return std::nearbyint(value * 1e5) / 1e5 + 0.0; }

constexpr std::size_t kBlockValues = std::size_t{1} << 17;  // 1 MB of features at most
constexpr std::size_t kSparseBlock = 64;

// Cuts the rows into blocks, each with its own random streams.
class BlockGenerator final : public RowGenerator, public SparseGenerator {
 public:
  BlockGenerator(const GeneratorSpec& spec, const Entry& entry)
      : seed_(spec.seed),
        label_noise_(spec.label_noise),
        rows_(spec.rows.value_or(entry.info.default_rows)),
        source_(entry.make(spec)),
        schema_(source_->schema()),
        block_rows_(source_->sparse() ? kSparseBlock
                                      : std::clamp<std::size_t>(
                                            kBlockValues / schema_.features.size(), 1, 4096)) {}

  std::size_t rows() const override { return rows_; }
  const Schema& schema() const override { return schema_; }
  std::size_t block_rows() const override { return block_rows_; }

  void fill(std::size_t begin, std::size_t count, double* features,
            std::int32_t* labels) const override {
    assert(begin <= rows_ && count <= rows_ - begin);
    const std::size_t width = schema_.features.size();
    while (count > 0) {
      const std::size_t skip = begin % block_rows_;
      const std::size_t here = std::min(count, block_rows_ - skip);
      fill_block(begin / block_rows_, skip, here, features, labels);
      begin += here;
      count -= here;
      features += here * width;
      labels += here;
    }
  }

  bool sparse() const override { return source_->sparse(); }

  void fill_entries(std::size_t begin, std::size_t count, SparseBlock& out,
                    std::int32_t* labels) const override {
    assert(begin % block_rows_ == 0 && count <= block_rows_);
    const std::size_t block = begin / block_rows_;
    Random random = generator_stream(seed_, GeneratorStream::kRows, block);
    source_->draw_entries(random, begin, count, out, labels);
    add_noise(block, {labels, count});
  }

  std::optional<double> bayes_error() const override {
    const double error = source_->bayes_error();
    if (label_noise_ == 0) return error;
    // A class of probability p given x has (1 - noise) p + noise / (K - 1) (1 - p) after the noise:
    // the order of the classes stays, and the Bayes error changes by the same line.
    const double other = label_noise_ / static_cast<double>(schema_.classes.size() - 1);
    const double slope = 1 - label_noise_ - other;
    if (slope < 0) return std::nullopt;
    return 1 - other - slope * (1 - error);
  }

 private:
  // Rows [skip, skip + count) of a block. A stream cannot be entered in its middle: the rows before
  // are drawn too.
  void fill_block(std::size_t block, std::size_t skip, std::size_t count, double* features,
                  std::int32_t* labels) const {
    if (skip > 0) {
      const std::size_t width = schema_.features.size();
      std::vector<double> all_features((skip + count) * width);
      std::vector<std::int32_t> all_labels(skip + count);
      fill_block(block, 0, skip + count, all_features.data(), all_labels.data());
      std::copy(all_features.begin() + static_cast<std::ptrdiff_t>(skip * width),
                all_features.end(), features);
      std::copy(all_labels.begin() + static_cast<std::ptrdiff_t>(skip), all_labels.end(), labels);
      return;
    }
    Random random = generator_stream(seed_, GeneratorStream::kRows, block);
    source_->draw(random, block * block_rows_, count, features, labels);
    std::transform(features, features + count * schema_.features.size(), features, round_value);
    add_noise(block, {labels, count});
  }

  void add_noise(std::size_t block, std::span<std::int32_t> labels) const {
    if (label_noise_ == 0) return;
    Random noise = generator_stream(seed_, GeneratorStream::kLabelNoise, block);
    flip_classes(labels, schema_.classes.size(), label_noise_, noise);
  }

  std::uint64_t seed_;
  double label_noise_;
  std::size_t rows_;
  std::unique_ptr<const RowSource> source_;
  Schema schema_;
  std::size_t block_rows_;
};

void add_sparse_columns(const RowGenerator& generator, const SparseGenerator& sparse,
                        Dataset& data) {
  SparseRows rows;
  SparseBlock block;
  rows.widen(generator.schema().features.size());
  for (std::size_t begin = 0; begin < data.rows; begin += generator.block_rows()) {
    const std::size_t count = std::min(generator.block_rows(), data.rows - begin);
    sparse.fill_entries(begin, count, block, data.labels.codes.data() + begin);
    std::size_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (; at < block.ends[i]; ++at) rows.add(block.features[at], block.values[at]);
      rows.end_row();
    }
  }
  SparseColumns columns = rows.columns();
  for (std::size_t j = 0; j < columns.features(); ++j)
    data.columns.push_back(columns.take(j, generator.schema().features[j].name));
}

}  // namespace

}  // namespace simplexboost

namespace simplexboost::inline SIMPLEXBOOST_ABI {

std::span<const GeneratorInfo> generators() {
  static const std::vector<GeneratorInfo> kInfos = [] {
    std::vector<GeneratorInfo> result;
    for (const Entry& entry : table()) result.push_back(entry.info);
    return result;
  }();
  return kInfos;
}

std::unique_ptr<RowGenerator> make_generator(const GeneratorSpec& spec) {
  const Entry& entry = find_entry(spec.name);
  check_spec(spec, entry.info);
  return std::make_unique<BlockGenerator>(spec, entry);
}

Dataset generate(const GeneratorSpec& spec, int threads) {
  const auto generator = make_generator(spec);
  const std::size_t rows = generator->rows();
  const std::size_t width = generator->schema().features.size();
  if (rows > std::numeric_limits<std::uint32_t>::max())
    throw ParameterError("a data set in memory has at most 4294967295 rows, not " +
                         std::to_string(rows));

  Dataset data;
  data.source = spec.name;
  data.rows = rows;
  data.labels.classes = generator->schema().classes;
  data.labels.columns = generator->schema().label_columns;
  data.labels.codes.resize(rows);
  if (const auto* const sparse = dynamic_cast<const SparseGenerator*>(generator.get());
      sparse != nullptr && sparse->sparse()) {
    add_sparse_columns(*generator, *sparse, data);
    return data;
  }
  std::vector<std::vector<double>> columns(width, std::vector<double>(rows));
  const std::size_t block_rows = generator->block_rows();
  parallel_blocks(
      resolve_threads(threads), rows, block_rows, [&](std::size_t begin, std::size_t end) {
        std::vector<double> block((end - begin) * width);
        generator->fill(begin, end - begin, block.data(), data.labels.codes.data() + begin);
        for (std::size_t j = 0; j < width; ++j)
          for (std::size_t i = begin; i < end; ++i) columns[j][i] = block[(i - begin) * width + j];
      });
  for (std::size_t j = 0; j < width; ++j) {
    const FeatureSchema& feature = generator->schema().features[j];
    data.columns.push_back(feature.type == FeatureType::kNumeric
                               ? Column::numeric(feature.name, std::move(columns[j]))
                               : Column::categorical(feature.name,
                                                     {columns[j].begin(), columns[j].end()},
                                                     feature.categories));
  }
  return data;
}

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
