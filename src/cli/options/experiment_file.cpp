#include "cli/options/experiment_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "cli/options/parameter_options.h"
#include "cli/options/toml_file.h"
#include "data/rows/folds.h"

namespace simplexboost::cli {
namespace {

constexpr std::int64_t kMostRows = 1'000'000'000;
constexpr std::int64_t kMostRounds = 1'000'000;

// One table of the file, its values fetched by name and checked.
class Section {
 public:
  Section(const std::string& path, const toml::table& table) : path_(path), table_(table) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw DataError(place_of(path_, node.source()), what);
  }
  const toml::node* find(std::string_view key) const { return table_.get(key); }
  const toml::node& need(std::string_view key) const {
    if (const toml::node* node = find(key)) return *node;
    fail(table_, fmt::format("'{}' is missing here", key));
  }

  std::string text(std::string_view key) const {
    const toml::node* node = find(key);
    if (!node) return "";
    if (const auto* value = node->as_string()) return value->get();
    fail(*node, fmt::format("{}: needs a text", key));
  }
  std::string name(std::string_view key) const {
    std::string value = text(key);
    if (value.empty()) fail(find(key) ? *find(key) : table_, fmt::format("'{}' is missing", key));
    return value;
  }
  std::int64_t whole(std::string_view key, std::int64_t otherwise, std::int64_t low,
                     std::int64_t high) const {
    const toml::node* node = find(key);
    return node ? whole_of(key, *node, low, high) : otherwise;
  }
  std::int64_t whole_of(std::string_view key, const toml::node& node, std::int64_t low,
                        std::int64_t high) const {
    const auto* value = node.as_integer();
    if (!value || value->get() < low || value->get() > high)
      fail(node, fmt::format("{}: needs a whole number from {} to {}", key, low, high));
    return value->get();
  }
  double number_of(std::string_view key, const toml::node& node, double low, double high) const {
    const auto value = node.value<double>();
    if (!value || !(*value >= low && *value <= high))
      fail(node, fmt::format("{}: needs a number from {} to {}", key, low, high));
    return *value;
  }
  bool flag(std::string_view key) const {
    const toml::node* node = find(key);
    if (!node) return false;
    if (const auto* value = node->as_boolean()) return value->get();
    fail(*node, fmt::format("{}: needs true or false", key));
  }
  const toml::table& table_of(std::string_view key, const toml::node& node) const {
    if (const auto* value = node.as_table()) return *value;
    fail(node, fmt::format("{}: needs a table", key));
  }
  const toml::array& array_of(std::string_view key, const toml::node& node) const {
    if (const auto* value = node.as_array()) return *value;
    fail(node, fmt::format("{}: needs a list", key));
  }

 private:
  const std::string& path_;
  const toml::table& table_;
};

std::vector<std::uint64_t> read_list(const Section& section, std::string_view key,
                                     std::int64_t most) {
  std::vector<std::uint64_t> values;
  for (const toml::node& node : section.array_of(key, section.need(key)))
    values.push_back(static_cast<std::uint64_t>(section.whole_of(key, node, 0, most)));
  return values;
}

GeneratorSpec read_generator(const std::string& path, const toml::table& table) {
  check_keys(
      path, table,
      {"name", "rows", "seed", "label_noise", "classes", "features", "informative", "bayes_error"});
  const Section section(path, table);
  GeneratorSpec spec;
  spec.name = section.name("name");
  const auto count = [&](std::string_view key) -> std::optional<std::size_t> {
    if (!section.find(key)) return std::nullopt;
    return static_cast<std::size_t>(section.whole(key, 0, 1, kMostRows));
  };
  spec.rows = count("rows");
  spec.classes = count("classes");
  spec.features = count("features");
  spec.informative = count("informative");
  spec.seed = static_cast<std::uint64_t>(
      section.whole("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
  if (const auto* noise = section.find("label_noise"))
    spec.label_noise = section.number_of("label_noise", *noise, 0, 1);
  if (const auto* error = section.find("bayes_error"))
    spec.bayes_error = section.number_of("bayes_error", *error, 0, 1);
  try {
    static_cast<void>(make_generator(spec));
  } catch (const ParameterError& error) {
    section.fail(table, error.what());
  }
  return spec;
}

ExperimentData read_data(const std::string& path, const toml::table& table) {
  check_keys(path, table,
             {"name", "folder", "paper_name", "paper_test_rows", "generator", "test_generator",
              "pool", "ordinal", "label_noise", "most_rounds", "image"});
  const Section section(path, table);
  ExperimentData data;
  data.name = section.name("name");
  data.folder = section.find("folder") ? section.name("folder") : data.name;
  // It becomes part of a path below the folder of the data, and must stay there.
  if (data.folder.find('/') != std::string::npos || data.folder.front() == '.') {
    const std::string_view key = section.find("folder") ? "folder" : "name";
    section.fail(section.need(key),
                 fmt::format("{}: a data set's name is that of a folder, without '/'", key));
  }
  data.pool = section.flag("pool");
  data.ordinal = section.flag("ordinal");
  if (const auto* noise = section.find("label_noise"))
    data.label_noise = section.number_of("label_noise", *noise, 0, 1);
  if (section.find("image")) data.image = section.name("image");
  data.most_rounds = static_cast<int>(section.whole("most_rounds", 0, 1, kMostRounds));
  data.paper_name = section.text("paper_name");
  data.paper_test_rows =
      static_cast<std::size_t>(section.whole("paper_test_rows", 0, 1, kMostRows));
  if (const auto* node = section.find("generator"))
    data.train_generator = read_generator(path, section.table_of("generator", *node));
  if (const auto* node = section.find("test_generator"))
    data.test_generator = read_generator(path, section.table_of("test_generator", *node));
  return data;
}

// Sets one parameter; `place` is where an error is.
void read_parameter(const std::string& path, Parameters& parameters, std::string_view key,
                    const toml::node& node, const toml::source_region& place) {
  try {
    if (key == "threads" || key == "device" || key == "seed")
      throw ParameterError(fmt::format("{}: is for the run to say, not for the spec", key));
    static_cast<void>(get_parameter(parameters, key));
    set_training_parameter(parameters, std::string(key), value_text(path, key, node));
  } catch (const ParameterError& error) {
    throw DataError(place_of(path, place), error.what());
  }
}

Parameters read_parameters(const std::string& path, const toml::table& table) {
  Parameters parameters;
  for (const auto& [key, node] : table)
    read_parameter(path, parameters, key.str(), node, key.source());
  return parameters;
}

// A text for each key.
std::map<std::string, std::string> read_texts(const std::string& path, const toml::table& table) {
  const Section section(path, table);
  std::map<std::string, std::string> texts;
  for (const auto& [key, node] : table) texts[std::string(key.str())] = section.text(key.str());
  return texts;
}

// Names, each a text.
std::vector<std::string> read_names(const Section& section, std::string_view key) {
  std::vector<std::string> names;
  if (!section.find(key)) return names;
  for (const toml::node& node : section.array_of(key, section.need(key))) {
    const auto* name = node.as_string();
    if (!name) section.fail(node, fmt::format("{}: needs texts", key));
    names.push_back(name->get());
  }
  return names;
}

// A list of values for each parameter.
std::vector<GridAxis> read_grid(const std::string& path, const toml::table& table,
                                Parameters parameters) {
  const Section section(path, table);
  std::vector<GridAxis> grid;
  for (const auto& [key, node] : table) {
    GridAxis axis{std::string(key.str()), {}};
    for (const toml::node& value : section.array_of(key.str(), node)) {
      read_parameter(path, parameters, key.str(), value, value.source());
      axis.values.push_back(value_text(path, key.str(), value));
    }
    if (axis.values.empty()) section.fail(node, "grid: needs at least one value");
    grid.push_back(std::move(axis));
  }
  return grid;
}

// One of some names, as the number of it; the first where the key is not there.
std::size_t choice(const Section& section, std::string_view key,
                   const std::vector<std::string_view>& names) {
  const std::string name = section.text(key);
  if (name.empty()) return 0;
  const auto known = std::find(names.begin(), names.end(), name);
  if (known == names.end())
    section.fail(section.need(key),
                 fmt::format("{}: needs one of {}", key, fmt::join(names, ", ")));
  return static_cast<std::size_t>(known - names.begin());
}

RoundsRule read_rounds_rule(const Section& section) {
  return static_cast<RoundsRule>(choice(section, "rounds", {"all", "best", "smoothed"}));
}

ExperimentAlgorithm read_algorithm(const std::string& path, const toml::table& table) {
  check_keys(path, table,
             {"name", "parameters", "rounds_per_class", "quick_rounds", "all_dimensions", "grid",
              "fold_grid", "rounds", "bounds"});
  const Section section(path, table);
  ExperimentAlgorithm algorithm;
  algorithm.name = section.name("name");
  if (const auto* node = section.find("parameters"))
    algorithm.parameters = read_parameters(path, section.table_of("parameters", *node));
  algorithm.rounds_per_class =
      static_cast<int>(section.whole("rounds_per_class", 0, 1, kMostRounds / 1000));
  algorithm.quick_rounds = static_cast<int>(section.whole("quick_rounds", 0, 1, kMostRounds));
  algorithm.all_dimensions = section.flag("all_dimensions");
  if (const auto* node = section.find("grid"))
    algorithm.grid = read_grid(path, section.table_of("grid", *node), algorithm.parameters);
  if (const auto* node = section.find("fold_grid"))
    algorithm.fold_grid =
        read_grid(path, section.table_of("fold_grid", *node), algorithm.parameters);
  if (section.find("rounds")) algorithm.rounds_rule = read_rounds_rule(section);
  if (const auto* node = section.find("bounds"))
    algorithm.bounds = read_texts(path, section.table_of("bounds", *node));
  return algorithm;
}

ExperimentProtocol read_protocol(const std::string& path, const toml::table& table) {
  check_keys(path, table,
             {"test_fraction", "seeds", "folds", "validation", "validation_folds", "rounds",
              "retrain", "figures_of"});
  const Section section(path, table);
  ExperimentProtocol protocol;
  if (const auto* node = section.find("test_fraction"))
    protocol.test_fraction = section.number_of("test_fraction", *node, 0.001, 0.999);
  if (const auto* node = section.find("seeds")) {
    protocol.seeds = read_list(section, "seeds", std::numeric_limits<std::int64_t>::max());
    if (protocol.seeds.empty()) section.fail(*node, "seeds: needs at least one");
  }
  protocol.folds = static_cast<int>(section.whole("folds", 0, 2, kMostFolds));
  protocol.validation =
      static_cast<ValidationRows>(choice(section, "validation", {"none", "next-fold", "folds"}));
  protocol.validation_folds = static_cast<int>(section.whole("validation_folds", 5, 2, kMostFolds));
  protocol.rounds_rule = read_rounds_rule(section);
  protocol.retrain = section.flag("retrain");
  protocol.at_least_train_error =
      choice(section, "figures_of", {"last-round", "least-train-error"}) == 1;
  if (protocol.validation == ValidationRows::kFolds && !protocol.retrain)
    section.fail(table, "validation = \"folds\" makes several models: it needs retrain = true");
  return protocol;
}

// 89.1, or [89.1, 0.4] with the paper's error bar.
PaperFigure read_figure(const Section& section, std::string_view key, const toml::node& node) {
  const auto* pair = node.as_array();
  if (!pair) return {section.number_of(key, node, 0, 100), std::nullopt};
  if (pair->size() != 2) section.fail(node, fmt::format("{}: needs [figure, error bar]", key));
  return {section.number_of(key, *pair->get(0), 0, 100),
          section.number_of(key, *pair->get(1), 1e-6, 100)};
}

template <class Entry>
bool declared(const std::vector<Entry>& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [&](const Entry& one) { return one.name == name; });
}

template <class Entry>
void check_declared(const std::string& path, const std::vector<Entry>& list, const toml::key& key) {
  if (!declared(list, key.str()))
    throw DataError(place_of(path, key.source()),
                    fmt::format("'{}' is not declared in this spec", key.str()));
}

// [figures.ALGORITHM] tables: a figure for each data set, under names that the spec declares.
void read_figures(const std::string& path, const toml::table& table, ExperimentSpec& spec) {
  const Section figures(path, table);
  for (const auto& [algorithm, node] : table) {
    check_declared(path, spec.algorithms, algorithm);
    for (const auto& [data, figure] : figures.table_of(algorithm.str(), node)) {
      check_declared(path, spec.data, data);
      spec.figures[{std::string(algorithm.str()), std::string(data.str())}] =
          read_figure(figures, data.str(), figure);
    }
  }
}

// [measured.ALGORITHM.MEASURE] tables: the paper's figures for further measures, by data set.
void read_measured(const std::string& path, const toml::table& table, ExperimentSpec& spec) {
  const Section algorithms(path, table);
  for (const auto& [algorithm, measures] : table) {
    check_declared(path, spec.algorithms, algorithm);
    const toml::table& of_algorithm = algorithms.table_of(algorithm.str(), measures);
    for (const auto& [measure, figures] : of_algorithm) {
      const Section section(path, of_algorithm);
      if (std::find(spec.measures.begin(), spec.measures.end(), measure.str()) ==
          spec.measures.end())
        throw DataError(place_of(path, measure.source()),
                        fmt::format("'{}' is not among the spec's measures", measure.str()));
      for (const auto& [data, value] : section.table_of(measure.str(), figures)) {
        check_declared(path, spec.data, data);
        spec.measured[{std::string(algorithm.str()), std::string(data.str()),
                       std::string(measure.str())}] = section.number_of(data.str(), value, 0, 1e9);
      }
    }
  }
}

void read_pairwise(const std::string& path, const toml::table& table, ExperimentSpec& spec) {
  check_keys(path, table, {"title", "first", "second", "measures", "data", "paper"});
  const Section section(path, table);
  PairwiseTable pairs;
  pairs.title = section.name("title");
  pairs.first = section.name("first");
  pairs.second = section.name("second");
  for (const std::string_view key : {"first", "second"})
    if (!declared(spec.algorithms, section.name(key)))
      section.fail(section.need(key),
                   fmt::format("'{}' is not declared in this spec", section.name(key)));
  pairs.measures = read_names(section, "measures");
  pairs.data = read_names(section, "data");
  if (const auto* node = section.find("paper"))
    pairs.paper = read_texts(path, section.table_of("paper", *node));
  for (const auto& [data, signs] : pairs.paper)
    if (signs.size() != pairs.measures.size())
      section.fail(section.need("paper"),
                   fmt::format("{}: needs a sign (+, o or -) for each measure", data));
  spec.pairwise.push_back(std::move(pairs));
}

// The entries of a list of tables, [[key]], each by `read`; their names must differ.
template <class Entry>
std::vector<Entry> read_entries(const std::string& path, const Section& section,
                                std::string_view key,
                                Entry (*read)(const std::string&, const toml::table&)) {
  std::vector<Entry> entries;
  std::set<std::string> names;
  for (const toml::node& node : section.array_of(key, section.need(key))) {
    entries.push_back(read(path, section.table_of(key, node)));
    if (!names.insert(entries.back().name).second)
      section.fail(node, fmt::format("{}: '{}' is there twice", key, entries.back().name));
  }
  if (entries.empty()) section.fail(section.need(key), fmt::format("{}: needs at least one", key));
  return entries;
}

ExperimentMetric read_metric(const Section& section) {
  const std::string name = section.text("metric");
  if (name.empty() || name == "accuracy") return ExperimentMetric::kAccuracy;
  if (name == "error") return ExperimentMetric::kError;
  section.fail(section.need("metric"), R"(metric: needs "accuracy" or "error")");
}

}  // namespace

ExperimentSpec read_experiment_file(const std::string& path) {
  const toml::table file = read_toml(path);
  check_keys(path, file,
             {"title", "paper", "notes", "metric", "stages", "measures", "curves", "protocol",
              "data", "algorithm", "figures", "measured", "pairwise"});
  const Section section(path, file);
  ExperimentSpec spec;
  spec.name = std::filesystem::path(path).stem().string();
  spec.title = section.name("title");
  spec.paper = section.name("paper");
  spec.notes = section.text("notes");
  spec.metric = read_metric(section);
  spec.data = read_entries(path, section, "data", read_data);
  spec.algorithms = read_entries(path, section, "algorithm", read_algorithm);
  if (const auto* node = section.find("protocol"))
    spec.protocol = read_protocol(path, section.table_of("protocol", *node));
  if (const auto* node = section.find("figures"))
    read_figures(path, section.table_of("figures", *node), spec);
  spec.measures = read_names(section, "measures");
  spec.curves = read_names(section, "curves");
  if (const auto* node = section.find("measured"))
    read_measured(path, section.table_of("measured", *node), spec);
  if (const auto* node = section.find("pairwise"))
    for (const toml::node& table : section.array_of("pairwise", *node))
      read_pairwise(path, section.table_of("pairwise", table), spec);
  if (const auto* node = section.find("stages")) {
    const auto stages = read_list(section, "stages", kMostRounds);
    if (!std::is_sorted(stages.begin(), stages.end()))
      section.fail(*node, "stages: must be ascending");
    spec.stages.assign(stages.begin(), stages.end());
  }
  return spec;
}

}  // namespace simplexboost::cli
