#include "experiment/experiment_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "data/labels/label_noise.h"
#include "data/rows/folds.h"
#include "data/rows/row_split.h"
#include "simplexboost/error.h"
#include "simplexboost/read.h"

namespace simplexboost {
namespace {

namespace fs = std::filesystem;

// The path of DIR/name/stem.csv.gz or .csv, or nothing. A file that cannot be looked at is not a
// missing one: the reader says what is wrong with it.
std::optional<std::string> find_file(const std::string& folder, const std::string& name,
                                     const std::string& stem) {
  if (folder.empty()) return std::nullopt;
  for (const char* extension : {".csv.gz", ".csv"}) {
    const fs::path path = fs::path(folder) / name / (stem + extension);
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    if (type == fs::file_type::regular || type == fs::file_type::none) return path.string();
  }
  return std::nullopt;
}

Dataset read_part(const std::string& path, const Schema* schema, int threads) {
  ReadOptions options;
  options.schema = schema;
  options.threads = threads;
  return read_dataset(path, options);
}

// Rows of a generator with the codes of the training data's classes.
Dataset generate_matched(const GeneratorSpec& spec, const Schema& schema, int threads) {
  Dataset data = generate(spec, threads);
  if (data.columns.size() != schema.features.size()) {
    throw DataError(fmt::format("generator {} makes {} features where the training rows have {}",
                                spec.name, data.columns.size(), schema.features.size()));
  }
  for (std::int32_t& code : data.labels.codes) {
    const std::string& name = data.labels.classes[static_cast<std::size_t>(code)];
    const auto known = std::find(schema.classes.begin(), schema.classes.end(), name);
    code = known == schema.classes.end()
               ? -1
               : static_cast<std::int32_t>(known - schema.classes.begin());
  }
  data.labels.classes = schema.classes;
  return data;
}

// The values of a column of two sets that agree in their schema, one after the other.
Column join_columns(const Dataset& first, const Dataset& second, std::size_t c) {
  std::vector<double> values(first.rows + second.rows);
  first.columns[c].copy(0, first.rows, values.data());
  second.columns[c].copy(0, second.rows, values.data() + first.rows);
  const FeatureSchema& schema = first.columns[c].schema;
  if (schema.type == FeatureType::kNumeric) return Column::numeric(schema.name, std::move(values));
  std::vector<std::int32_t> codes(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    codes[i] = std::isnan(values[i]) ? -1 : static_cast<std::int32_t>(values[i]);
  return Column::categorical(schema.name, std::move(codes), schema.categories);
}

// Single-label sets without weights, as all that experiments read are.
Dataset join_rows(const Dataset& first, const Dataset& second) {
  Dataset all;
  all.source = first.source;
  all.named = first.named;
  all.rows = first.rows + second.rows;
  for (std::size_t c = 0; c < first.columns.size(); ++c)
    all.columns.push_back(join_columns(first, second, c));
  all.labels = first.labels;
  all.labels.codes.insert(all.labels.codes.end(), second.labels.codes.begin(),
                          second.labels.codes.end());
  if (std::count(all.labels.codes.begin(), all.labels.codes.end(), -1) > 0)
    throw DataError({second.source}, "a class that the training rows do not have: cannot pool");
  return all;
}

// Categories become their places among the sorted names.
void number_categories(Dataset& data) {
  for (Column& column : data.columns) {
    if (column.schema.type != FeatureType::kCategorical) continue;
    std::vector<std::string> names = column.schema.categories;
    std::sort(names.begin(), names.end());
    std::vector<double> places;
    for (const std::string& name : column.schema.categories)
      places.push_back(
          static_cast<double>(std::find(names.begin(), names.end(), name) - names.begin()));
    std::vector<double> values(data.rows);
    column.copy(0, data.rows, values.data());
    for (double& value : values)
      if (!std::isnan(value)) value = places[static_cast<std::size_t>(value)];
    column = Column::numeric(column.schema.name, std::move(values));
  }
}

std::optional<LoadedData> load_one(const ExperimentData& spec, const std::string& folder,
                                   int threads) {
  LoadedData loaded;
  loaded.spec = &spec;
  std::optional<std::string> test;
  if (spec.train_generator) {
    loaded.train = generate(*spec.train_generator, threads);
  } else if (const auto train = find_file(folder, spec.folder, "train")) {
    loaded.train = read_part(*train, nullptr, threads);
    test = find_file(folder, spec.folder, "test");
  } else if (const auto all = find_file(folder, spec.folder, "data")) {
    loaded.train = read_part(*all, nullptr, threads);
  } else {
    return std::nullopt;
  }
  const Schema schema = loaded.train.schema();
  if (test) {
    loaded.test = read_part(*test, &schema, threads);
  } else if (spec.test_generator) {
    loaded.test = generate_matched(*spec.test_generator, schema, threads);
  }
  if (spec.ordinal) {
    number_categories(loaded.train);
    if (loaded.test) number_categories(*loaded.test);
  }
  if (spec.pool && loaded.test) {
    loaded.train = join_rows(loaded.train, *loaded.test);
    loaded.test.reset();
  }
  return loaded;
}

// Training and validation rows for the choices of one split: kNextFold where the test rows are not
// a fold, or kFolds.
std::vector<TrainValid> validation_folds(const Dataset& train, int folds, std::size_t parts,
                                         std::uint64_t seed) {
  const auto fold_of_row = make_folds(train.labels, train.rows, {folds, seed, true, {}});
  std::vector<TrainValid> validation;
  for (std::size_t part = 0; part < parts; ++part) {
    const RowSplit rows = hold_out_fold(fold_of_row, static_cast<int>(part));
    validation.push_back({select_rows(train, rows.train), select_rows(train, rows.valid)});
  }
  return validation;
}

// Where, in an ascending list, each of some of its entries stands.
std::vector<std::uint32_t> places_in(const std::vector<std::uint32_t>& all,
                                     const std::vector<std::uint32_t>& some) {
  std::vector<std::uint32_t> places;
  std::size_t at = 0;
  for (const std::uint32_t row : some) {
    while (all[at] != row) ++at;
    places.push_back(static_cast<std::uint32_t>(at));
  }
  return places;
}

// One fold for the test, the next one for validation.
SplitData three_way_split(const LoadedData& data, const ExperimentProtocol& protocol,
                          const ExperimentSplit& split) {
  const auto fold_of_row =
      make_folds(data.train.labels, data.train.rows, {protocol.folds, split.seed, true, {}});
  const RowSplit rows = hold_out_fold(fold_of_row, split.fold);
  const ThreeWaySplit parts = hold_out_two_folds(fold_of_row, protocol.folds, split.fold);
  SplitData result{select_rows(data.train, rows.train), select_rows(data.train, rows.valid), {}};
  flip_labels(result.train.labels, data.spec->label_noise, split.seed);
  result.validation.push_back({select_rows(result.train, places_in(rows.train, parts.train)),
                               select_rows(result.train, places_in(rows.train, parts.valid))});
  return result;
}

SplitData test_split(const LoadedData& data, const ExperimentProtocol& protocol,
                     const ExperimentSplit& split) {
  if (data.test) return {data.train, *data.test, {}};
  const RowSplit rows = split.fold >= 0
                            ? hold_out_fold(make_folds(data.train.labels, data.train.rows,
                                                       {protocol.folds, split.seed, true, {}}),
                                            split.fold)
                            : stratified_split(data.train.labels, data.train.rows,
                                               protocol.test_fraction, split.seed);
  if (rows.train.empty() || rows.valid.empty()) {
    throw DataError({data.train.source},
                    fmt::format("{} rows are too few to split for a test", data.train.rows));
  }
  return {select_rows(data.train, rows.train), select_rows(data.train, rows.valid), {}};
}

}  // namespace

DataSearch load_experiment_data(const ExperimentSpec& spec, const std::string& folder,
                                int threads) {
  DataSearch search;
  for (const ExperimentData& one : spec.data) {
    if (auto loaded = load_one(one, folder, threads)) {
      search.found.push_back(std::move(*loaded));
    } else if (folder.empty()) {
      search.missing.push_back(fmt::format("{}: skipped; say where it is with --data", one.name));
    } else {
      search.missing.push_back(
          fmt::format("{}: skipped; neither train.csv.gz nor data.csv.gz in {}", one.name,
                      (fs::path(folder) / one.folder).string()));
    }
  }
  return search;
}

std::vector<ExperimentSplit> experiment_splits(const LoadedData& data,
                                               const ExperimentProtocol& protocol, bool quick) {
  if (data.test) return {{"test", 0, -1}};
  std::vector<ExperimentSplit> splits;
  for (const std::uint64_t seed : protocol.seeds) {
    if (protocol.folds == 0) splits.push_back({fmt::format("seed {}", seed), seed, -1});
    for (int fold = 0; fold < protocol.folds; ++fold)
      splits.push_back({fmt::format("seed {} fold {}", seed, fold), seed, fold});
  }
  if (quick) splits.resize(std::min<std::size_t>(splits.size(), 1));
  return splits;
}

std::size_t validation_parts(const ExperimentProtocol& protocol, bool quick) {
  if (protocol.validation == ValidationRows::kNone) return 0;
  const bool several = protocol.validation == ValidationRows::kFolds && !quick;
  return several ? static_cast<std::size_t>(protocol.validation_folds) : 1;
}

SplitData split_data(const LoadedData& data, const ExperimentProtocol& protocol,
                     const ExperimentSplit& split, bool quick) {
  if (protocol.validation == ValidationRows::kNextFold && split.fold >= 0)
    return three_way_split(data, protocol, split);
  SplitData parts = test_split(data, protocol, split);
  flip_labels(parts.train.labels, data.spec->label_noise, split.seed);
  if (const std::size_t count = validation_parts(protocol, quick); count > 0) {
    const bool next_fold = protocol.validation == ValidationRows::kNextFold;
    const int folds = next_fold && protocol.folds > 0 ? protocol.folds : protocol.validation_folds;
    parts.validation = validation_folds(parts.train, folds, count, split.seed);
  }
  return parts;
}

}  // namespace simplexboost
