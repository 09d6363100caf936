#include "experiment/experiment_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "data/folds.h"
#include "simplexboost/error.h"
#include "simplexboost/read.h"

namespace simplexboost {
namespace {

namespace fs = std::filesystem;

// The path of DIR/name/stem.csv.gz or .csv, or nothing.
std::optional<std::string> find_file(const std::string& folder, const std::string& name,
                                     const std::string& stem) {
  if (folder.empty()) return std::nullopt;
  for (const char* extension : {".csv.gz", ".csv"}) {
    const fs::path path = fs::path(folder) / name / (stem + extension);
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path.string();
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

std::optional<LoadedData> load_one(const ExperimentData& spec, const std::string& folder,
                                   int threads) {
  LoadedData loaded;
  loaded.spec = &spec;
  std::optional<std::string> test;
  if (spec.train_generator) {
    loaded.train = generate(*spec.train_generator, threads);
  } else if (const auto train = find_file(folder, spec.name, "train")) {
    loaded.train = read_part(*train, nullptr, threads);
    test = find_file(folder, spec.name, "test");
  } else if (const auto all = find_file(folder, spec.name, "data")) {
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
  return loaded;
}

RowSplit fold_split(const Dataset& data, int folds, const ExperimentSplit& split) {
  return hold_out_fold(make_folds(data.labels, data.rows, {folds, split.seed, true, {}}),
                       split.fold);
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
                      (fs::path(folder) / one.name).string()));
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

TrainTest split_data(const LoadedData& data, const ExperimentProtocol& protocol,
                     const ExperimentSplit& split) {
  if (data.test) return {data.train, *data.test};
  const RowSplit rows = split.fold >= 0 ? fold_split(data.train, protocol.folds, split)
                                        : stratified_split(data.train.labels, data.train.rows,
                                                           protocol.test_fraction, split.seed);
  if (rows.train.empty() || rows.valid.empty()) {
    throw DataError({data.train.source},
                    fmt::format("{} rows are too few to split for a test", data.train.rows));
  }
  return {select_rows(data.train, rows.train), select_rows(data.train, rows.valid)};
}

}  // namespace simplexboost
