#include "model/serialization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <deque>
#include <limits>
#include <utility>

#include "base/image/filter_taps.h"
#include "loss/loss.h"
#include "model/safetensors.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr const char* kFormatName = "simplexboost";
constexpr const char* kSimplexName = "simplex";
constexpr int kChecksumVersion = 5;  // the header is under the checksum, too
constexpr std::uint8_t kCategoricalFlag = 1;
constexpr std::uint8_t kMissingLeftFlag = 2;

// That of a loss has the loss's name.
constexpr std::array<std::pair<Link, const char*>, 4> kLinkNames = {{{Link::kSoftmax, "softmax"},
                                                                     {Link::kLogistic, "logistic"},
                                                                     {Link::kNone, "none"},
                                                                     {Link::kShares, "shares"}}};
constexpr const char* kMeanName = "mean";
constexpr const char* kProductName = "product";

// Collects arrays for the file; those made on the way are kept until it is written.
class Writer {
 public:
  TensorFile file;

  template <class T>
  void view(const std::string& name, std::vector<std::uint64_t> shape, const std::vector<T>& data) {
    file.tensors[name] = Tensor{dtype_of<T>(), std::move(shape), std::as_bytes(std::span(data))};
  }

  template <class T>
  void keep(const std::string& name, std::vector<T> data) {
    auto bytes = std::as_bytes(std::span(data));
    auto& kept = kept_.emplace_back(bytes.begin(), bytes.end());
    file.tensors[name] = Tensor{dtype_of<T>(), {data.size()}, kept};
  }

  // One number (or bit field) of each item.
  template <class Items, class Get>
  void field(const std::string& name, const Items& items, const Get& get) {
    std::vector<decltype(get(*items.begin()))> values;
    values.reserve(items.size());
    for (const auto& item : items) values.push_back(get(item));
    keep(name, std::move(values));
  }

  // Strings are bytes and ends, not JSON: names from data need not be UTF-8.
  template <class Strings>
  void strings(const std::string& name, const Strings& items) {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint64_t> ends;
    for (const std::string& item : items) {
      bytes.insert(bytes.end(), item.begin(), item.end());
      ends.push_back(bytes.size());
    }
    keep(name + ".bytes", std::move(bytes));
    keep(name + ".ends", std::move(ends));
  }

 private:
  std::deque<std::vector<std::byte>> kept_;
};

void write_schema(Writer& out, const Schema& schema) {
  std::vector<std::string> names;
  std::vector<std::string> categories;
  for (const FeatureSchema& feature : schema.features) {
    names.push_back(feature.name);
    categories.insert(categories.end(), feature.categories.begin(), feature.categories.end());
  }
  out.strings("schema.features", names);
  out.field("schema.feature_types", schema.features,
            [](const FeatureSchema& f) { return static_cast<std::uint8_t>(f.type); });
  out.field("schema.category_counts", schema.features,
            [](const FeatureSchema& f) { return std::uint64_t{f.categories.size()}; });
  out.strings("schema.categories", categories);
  out.strings("schema.classes", schema.classes);
  out.strings("schema.label_columns", schema.label_columns);
  out.file.metadata["multi_label"] = schema.multi_label ? "true" : "false";
  out.file.metadata["named"] = schema.named ? "true" : "false";
}

bool subtracts(const Forest& forest) {
  return std::any_of(forest.trees.begin(), forest.trees.end(),
                     [](const TreeSpan& tree) { return tree.minus_output != kNoOutput; });
}

void write_filters(Writer& out, const Forest& forest) {
  const ImageShape& image = forest.image;
  if (image.empty()) return;
  out.keep("image.shape", std::vector<std::uint32_t>{image.width, image.height, image.channels});
  out.keep("image.scale", std::vector<double>{image.scale});
  out.field("nodes.filter", forest.nodes, [](const Node& n) { return n.filter; });
  const auto& filters = forest.filters;
  out.field("filters.x", filters, [](const ImageFilter& f) { return f.x; });
  out.field("filters.y", filters, [](const ImageFilter& f) { return f.y; });
  out.field("filters.width", filters, [](const ImageFilter& f) { return f.width; });
  out.field("filters.height", filters, [](const ImageFilter& f) { return f.height; });
  out.field("filters.channel", filters, [](const ImageFilter& f) { return f.channel; });
  out.field("filters.kind", filters,
            [](const ImageFilter& f) { return static_cast<std::uint8_t>(f.kind); });
}

void write_forest(Writer& out, const Forest& forest) {
  out.field("trees.nodes", forest.trees,
            [](const TreeSpan& t) { return t.node_end - t.node_begin; });
  out.field("trees.output", forest.trees, [](const TreeSpan& t) { return t.output; });
  out.field("trees.width", forest.trees, [](const TreeSpan& t) { return t.width; });
  if (subtracts(forest))
    out.field("trees.counter", forest.trees, [](const TreeSpan& t) { return t.minus_output; });
  out.field("trees.linear", forest.trees,
            [](const TreeSpan& t) { return t.linear_end - t.linear_begin; });
  out.view("rounds.tree_end", {forest.round_end.size()}, forest.round_end);
  out.field("nodes.threshold", forest.nodes, [](const Node& n) { return n.threshold; });
  out.field("nodes.feature", forest.nodes, [](const Node& n) { return n.feature; });
  out.field("nodes.left", forest.nodes, [](const Node& n) { return n.left; });
  out.field("nodes.right", forest.nodes, [](const Node& n) { return n.right; });
  out.field("nodes.set_begin", forest.nodes, [](const Node& n) { return n.set; });
  out.field("nodes.set_words", forest.nodes, [](const Node& n) { return n.set_size; });
  out.field("nodes.flags", forest.nodes, [](const Node& n) {
    return static_cast<std::uint8_t>((n.categorical ? kCategoricalFlag : 0) |
                                     (n.missing_left ? kMissingLeftFlag : 0));
  });
  out.view("nodes.gain", {forest.node_gain.size()}, forest.node_gain);
  out.view("sets", {forest.set_words.size()}, forest.set_words);
  // bfloat16 goes as plain bits, since numpy's readers know no such type.
  forest.leaf_values.visit(
      [&](const auto& values) { out.view("leaf_values", {values.size()}, values); });
  const auto& linear = forest.linear_features;
  out.field("linear.feature", linear, [](const LinearFeature& f) { return f.feature; });
  out.field("linear.low", linear, [](const LinearFeature& f) { return f.low; });
  out.field("linear.high", linear, [](const LinearFeature& f) { return f.high; });
  out.field("linear.center", linear, [](const LinearFeature& f) { return f.center; });
  out.field("linear.gain", linear, [](const LinearFeature& f) { return f.gain; });
  out.view("linear.slopes", {forest.slopes.size()}, forest.slopes);
  write_filters(out, forest);
  if (forest.entry_ends.empty()) return;
  out.field("trees.sparse", forest.trees,
            [](const TreeSpan& t) { return static_cast<std::uint8_t>(t.sparse ? 1 : 0); });
  out.view("entries.end", {forest.entry_ends.size()}, forest.entry_ends);
  out.view("entries.output", {forest.entry_outputs.size()}, forest.entry_outputs);
  out.view("entries.value", {forest.entry_values.size()}, forest.entry_values);
}

const char* link_name(const Ensemble& ensemble) {
  for (const auto& [value, name] : kLinkNames)
    if (value == ensemble.link) return name;
  if (ensemble.link_loss) return ensemble.link_loss->name;
  throw ModelError("unsound model: an unknown link");
}

// Those of members have names, all of them.
const char* member_link_name(Link link) {
  for (const auto& [value, name] : kLinkNames)
    if (value == link) return name;
  throw ModelError("unsound model: a member has an unknown link");
}

Link read_member_link(const std::string& text) {
  for (const auto& [value, name] : kLinkNames)
    if (text == name) return value;
  throw ModelError("unknown link '" + text + "' of a member (softmax, logistic, shares)");
}

void write_members(Writer& out, const Ensemble& ensemble) {
  const std::vector<Member>& members = ensemble.members;
  std::vector<std::string> names;
  std::vector<std::string> links;
  for (const Member& member : members) {
    names.push_back(member.name);
    links.emplace_back(member_link_name(member.link));
  }
  out.file.metadata["pool"] = ensemble.pool == Pool::kMean ? kMeanName : kProductName;
  out.strings("members.name", names);
  out.strings("members.link", links);
  out.field("members.scale", members, [](const Member& m) { return m.scale; });
  out.field("members.shift", members, [](const Member& m) { return m.shift; });
  out.field("members.weight", members, [](const Member& m) { return m.weight; });
}

void write_estimate(Writer& out, const Estimate& estimate) {
  std::vector<std::string> names;
  for (const EstimateFigure& figure : estimate.figures) names.push_back(figure.name);
  out.file.metadata["estimate"] = estimate.method;
  out.keep("estimate.rows", std::vector<std::uint64_t>{estimate.rows});
  out.strings("estimate.name", names);
  const auto& figures = estimate.figures;
  out.field("estimate.class", figures, [](const EstimateFigure& f) { return f.label; });
  out.field("estimate.value", figures, [](const EstimateFigure& f) { return f.value; });
  out.field("estimate.low", figures, [](const EstimateFigure& f) { return f.low; });
  out.field("estimate.high", figures, [](const EstimateFigure& f) { return f.high; });
}

// Takes arrays and metadata out of a file, each checked for presence, type and size.
class Reader {
 public:
  explicit Reader(TensorFile file) : file_(std::move(file)) {}

  const std::string& text(const std::string& key) const {
    const auto found = file_.metadata.find(key);
    if (found == file_.metadata.end())
      throw ModelError("the model lacks the metadata '" + key + "'");
    return found->second;
  }

  bool has(const std::string& key) const { return file_.metadata.contains(key); }
  bool has_tensor(const std::string& name) const { return file_.tensors.contains(name); }
  bool has_checksum() const { return file_.has_checksum; }

  bool truth(const std::string& key) const {
    const std::string& value = text(key);
    if (value != "true" && value != "false")
      throw ModelError("the metadata '" + key + "' must be true or false");
    return value == "true";
  }

  const Tensor& tensor(const std::string& name) const {
    const auto found = file_.tensors.find(name);
    if (found == file_.tensors.end()) throw ModelError("the model lacks the array '" + name + "'");
    return found->second;
  }

  template <class T>
  std::vector<T> numbers(const std::string& name) const {
    const Tensor& tensor = this->tensor(name);
    if (tensor.dtype != dtype_of<T>())
      throw ModelError(fmt::format("the array '{}' must be of type {}, not {}", name,
                                   dtype_name(dtype_of<T>()), dtype_name(tensor.dtype)));
    std::vector<T> values(tensor.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }

  // An array with one entry for each of `count` things.
  template <class T>
  std::vector<T> field(const std::string& name, std::size_t count) const {
    std::vector<T> values = numbers<T>(name);
    if (values.size() != count)
      throw ModelError(
          fmt::format("the array '{}' must hold {} numbers, not {}", name, count, values.size()));
    return values;
  }

  std::vector<std::string> strings(const std::string& name) const {
    const auto bytes = numbers<std::uint8_t>(name + ".bytes");
    const auto ends = numbers<std::uint64_t>(name + ".ends");
    std::vector<std::string> items;
    items.reserve(ends.size());
    std::uint64_t begin = 0;
    for (const std::uint64_t end : ends) {
      if (end < begin || end > bytes.size()) break;
      items.emplace_back(reinterpret_cast<const char*>(bytes.data()) + begin, end - begin);
      begin = end;
    }
    if (items.size() != ends.size() || begin != bytes.size())
      throw ModelError("the ends of the strings '" + name + "' are out of order");
    return items;
  }

 private:
  TensorFile file_;
};

Schema read_schema(const Reader& in) {
  Schema schema;
  auto names = in.strings("schema.features");
  auto categories = in.strings("schema.categories");
  const auto types = in.field<std::uint8_t>("schema.feature_types", names.size());
  const auto counts = in.field<std::uint64_t>("schema.category_counts", names.size());
  std::size_t next = 0;
  schema.features.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    FeatureSchema& feature = schema.features[i];
    if (types[i] > static_cast<std::uint8_t>(FeatureType::kCategorical))
      throw ModelError(fmt::format("feature {} has the unknown type {}", i, types[i]));
    if (counts[i] > categories.size() - next)
      throw ModelError("there are fewer categories than the features need");
    feature.name = std::move(names[i]);
    feature.type = static_cast<FeatureType>(types[i]);
    for (std::uint64_t k = 0; k < counts[i]; ++k)
      feature.categories.push_back(std::move(categories[next++]));
  }
  if (next != categories.size())
    throw ModelError("there are more categories than the features need");
  schema.classes = in.strings("schema.classes");
  schema.label_columns = in.strings("schema.label_columns");
  schema.multi_label = in.truth("multi_label");
  schema.named = in.truth("named");
  return schema;
}

LeafValues read_leaf_values(const Reader& in) {
  const std::string name = "leaf_values";
  if (in.tensor(name).dtype == dtype_of<std::uint16_t>())
    return LeafValues(in.numbers<std::uint16_t>(name));
  return LeafValues(in.numbers<float>(name));
}

std::vector<Node> read_nodes(const Reader& in) {
  const auto thresholds = in.numbers<double>("nodes.threshold");
  const std::size_t count = thresholds.size();
  const auto features = in.field<std::uint32_t>("nodes.feature", count);
  const auto lefts = in.field<std::int32_t>("nodes.left", count);
  const auto rights = in.field<std::int32_t>("nodes.right", count);
  const auto set_begins = in.field<std::uint32_t>("nodes.set_begin", count);
  const auto set_words = in.field<std::uint16_t>("nodes.set_words", count);
  const auto flags = in.field<std::uint8_t>("nodes.flags", count);
  std::vector<Node> nodes(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (flags[i] > (kCategoricalFlag | kMissingLeftFlag))
      throw ModelError(fmt::format("node {} has unknown flags", i));
    nodes[i] = Node{thresholds[i],
                    features[i],
                    lefts[i],
                    rights[i],
                    set_begins[i],
                    set_words[i],
                    (flags[i] & kCategoricalFlag) != 0,
                    (flags[i] & kMissingLeftFlag) != 0};
  }
  return nodes;
}

void read_filters(const Reader& in, Forest& forest) {
  if (!in.has_tensor("image.shape")) return;
  const auto shape = in.field<std::uint32_t>("image.shape", 3);
  forest.image = {shape[0], shape[1], shape[2], in.field<double>("image.scale", 1)[0]};
  const auto of_nodes = in.field<std::uint32_t>("nodes.filter", forest.nodes.size());
  for (std::size_t i = 0; i < of_nodes.size(); ++i) forest.nodes[i].filter = of_nodes[i];
  const auto x = in.numbers<std::uint16_t>("filters.x");
  const auto y = in.field<std::uint16_t>("filters.y", x.size());
  const auto widths = in.field<std::uint16_t>("filters.width", x.size());
  const auto heights = in.field<std::uint16_t>("filters.height", x.size());
  const auto channels = in.field<std::uint16_t>("filters.channel", x.size());
  const auto kinds = in.field<std::uint8_t>("filters.kind", x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (kinds[i] >= kFilterKinds)
      throw ModelError(fmt::format("filter {} is of the unknown kind {}", i, kinds[i]));
    forest.filters.push_back(
        {x[i], y[i], widths[i], heights[i], channels[i], static_cast<FilterKind>(kinds[i])});
  }
}

// Places of nodes and values follow from the trees' sizes; check_ensemble compares them with what
// is there.
std::vector<TreeSpan> read_trees(const Reader& in) {
  const auto counts = in.numbers<std::uint32_t>("trees.nodes");
  const auto outputs = in.field<std::uint32_t>("trees.output", counts.size());
  const auto widths = in.field<std::uint32_t>("trees.width", counts.size());
  const auto linear_counts = in.field<std::uint32_t>("trees.linear", counts.size());
  std::vector<std::uint32_t> minus_outputs(counts.size(), kNoOutput);
  if (in.has_tensor("trees.counter"))
    minus_outputs = in.field<std::uint32_t>("trees.counter", counts.size());
  std::vector<std::uint8_t> sparse(counts.size());
  if (in.has_tensor("trees.sparse")) sparse = in.field<std::uint8_t>("trees.sparse", counts.size());
  std::vector<TreeSpan> trees(counts.size());
  std::uint64_t node = 0;
  std::uint64_t value = 0;
  std::uint64_t sparse_leaf = 0;
  std::uint64_t linear = 0;
  std::uint64_t slope = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::uint64_t end = node + counts[i];
    if (end >= std::numeric_limits<std::uint32_t>::max())
      throw ModelError("its trees have too many nodes");
    trees[i] = TreeSpan{static_cast<std::uint32_t>(node),
                        static_cast<std::uint32_t>(end),
                        value,
                        counts[i] + 1,
                        outputs[i],
                        widths[i]};
    trees[i].minus_output = minus_outputs[i];
    node = end;
    trees[i].sparse = sparse[i] != 0;
    if (trees[i].sparse) {
      trees[i].value_begin = sparse_leaf;
      sparse_leaf += std::uint64_t{counts[i]} + 1;
    } else if (__builtin_add_overflow(value, (std::uint64_t{counts[i]} + 1) * widths[i], &value))
      throw ModelError("its trees have too many leaf values");
    if (linear_counts[i] == 0) continue;
    const std::uint64_t linear_end = linear + linear_counts[i];
    if (linear_end >= std::numeric_limits<std::uint32_t>::max())
      throw ModelError("its trees have too many linear features");
    trees[i].linear_begin = static_cast<std::uint32_t>(linear);
    trees[i].linear_end = static_cast<std::uint32_t>(linear_end);
    trees[i].slope_begin = slope;
    linear = linear_end;
    if (__builtin_add_overflow(slope, std::uint64_t{linear_counts[i]} * widths[i], &slope))
      throw ModelError("its trees have too many slopes");
  }
  return trees;
}

std::vector<LinearFeature> read_linear_features(const Reader& in) {
  const auto features = in.numbers<std::uint32_t>("linear.feature");
  const auto lows = in.field<double>("linear.low", features.size());
  const auto highs = in.field<double>("linear.high", features.size());
  const auto centers = in.field<double>("linear.center", features.size());
  const auto gains = in.field<float>("linear.gain", features.size());
  std::vector<LinearFeature> linear(features.size());
  for (std::size_t i = 0; i < linear.size(); ++i)
    linear[i] = LinearFeature{features[i], lows[i], highs[i], centers[i], gains[i]};
  return linear;
}

void check_format(const Reader& in) {
  if (in.text("format") != kFormatName)
    throw ModelError(
        fmt::format("it is of the format '{}', not '{}'", in.text("format"), kFormatName));
  const std::string& text = in.text("format_version");
  int version = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, version);
  if (error != std::errc() || stop != end || version < 1)
    throw ModelError("its format version '" + text + "' is not a number");
  if (version > kFormatVersion)
    throw ModelError(
        fmt::format("it has format version {}, this program reads up to {}: upgrade simplexboost",
                    version, kFormatVersion));
  // Else a damaged header could lose the very word that says where the checksum is.
  if (version >= kChecksumVersion && !in.has_checksum())
    throw ModelError(
        fmt::format("it lacks its checksum, which format version {} asks for", version));
}

// Least, quartiles, largest and mean; nothing at all where there are no margins.
std::vector<double> margin_figures(const std::optional<MarginSummary>& margins) {
  if (!margins) return {};
  return {margins->least,          margins->lower_quartile, margins->median,
          margins->upper_quartile, margins->most,           margins->mean};
}

std::optional<MarginSummary> read_margins(const Reader& in) {
  const auto figures = in.numbers<double>("log.margins");
  const auto counts = in.numbers<std::uint64_t>("log.margin_histogram");
  if (figures.empty() && counts.empty()) return std::nullopt;
  if (figures.size() != 6)
    throw ModelError(
        fmt::format("the array 'log.margins' must hold 6 numbers, not {}", figures.size()));
  return MarginSummary{figures[0],
                       figures[1],
                       figures[2],
                       figures[3],
                       figures[4],
                       figures[5],
                       {counts.begin(), counts.end()}};
}

void read_link(const std::string& text, Ensemble& ensemble) {
  for (const auto& [value, name] : kLinkNames) {
    if (text != name) continue;
    ensemble.link = value;
    return;
  }
  ensemble.link = Link::kLoss;
  ensemble.link_loss = find_loss(text);
  if (!ensemble.link_loss || ensemble.link_loss->posterior != Posterior::kFormula)
    throw ModelError("unknown link '" + text + "' (softmax, logistic)");
}

std::vector<Member> read_members(const Reader& in) {
  const auto names = in.strings("members.name");
  const auto links = in.strings("members.link");
  const auto scales = in.field<double>("members.scale", names.size());
  const auto shifts = in.field<double>("members.shift", names.size());
  const auto weights = in.field<double>("members.weight", names.size());
  if (links.size() != names.size())
    throw ModelError(fmt::format("{} members have {} links", names.size(), links.size()));
  std::vector<Member> members;
  for (std::size_t m = 0; m < names.size(); ++m)
    members.push_back({names[m], read_member_link(links[m]), scales[m], shifts[m], weights[m]});
  return members;
}

Pool read_pool(const std::string& text) {
  if (text != kMeanName && text != kProductName)
    throw ModelError("unknown pool '" + text + "' (mean, product)");
  return text == kMeanName ? Pool::kMean : Pool::kProduct;
}

Estimate read_estimate(const Reader& in) {
  Estimate estimate;
  estimate.method = in.text("estimate");
  estimate.rows = in.field<std::uint64_t>("estimate.rows", 1)[0];
  const auto names = in.strings("estimate.name");
  const auto labels = in.field<std::int32_t>("estimate.class", names.size());
  const auto values = in.field<double>("estimate.value", names.size());
  const auto lows = in.field<double>("estimate.low", names.size());
  const auto highs = in.field<double>("estimate.high", names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    estimate.figures.push_back({names[i], labels[i], values[i], lows[i], highs[i]});
  return estimate;
}

}  // namespace

void serialize(const Ensemble& ensemble, const WriteBytes& write) {
  Writer out;
  auto& metadata = out.file.metadata;
  metadata["format"] = kFormatName;
  metadata["format_version"] = std::to_string(kFormatVersion);
  metadata["algorithm"] = ensemble.algorithm;
  metadata["link"] = link_name(ensemble);
  metadata["stop_reason"] = ensemble.log.stop_reason;
  if (ensemble.simplex) metadata["codewords"] = kSimplexName;
  write_schema(out, ensemble.schema);
  write_forest(out, ensemble.forest);

  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : ensemble.parameters) {
    names.push_back(name);
    values.push_back(value);
  }
  out.strings("parameters.names", names);
  out.strings("parameters.values", values);

  const std::uint64_t outputs = ensemble.forest.outputs;
  out.view("codewords", {ensemble.codewords.size() / outputs, outputs}, ensemble.codewords);
  out.view("bias", {outputs}, ensemble.bias);
  out.keep("link_scale", std::vector<double>{ensemble.link_scale});
  if (ensemble.link_shift != 0) out.keep("link_shift", std::vector<double>{ensemble.link_shift});
  if (!ensemble.members.empty()) write_members(out, ensemble);
  if (ensemble.estimate) write_estimate(out, *ensemble.estimate);
  const TrainingLog& log = ensemble.log;
  out.strings("log.columns", log.columns);
  const std::uint64_t columns = log.columns.size();
  out.view("log.values", {columns == 0 ? 0 : log.values.size() / columns, columns}, log.values);
  out.keep("log.margins", margin_figures(log.margins));
  const std::vector<std::size_t> none;
  out.field("log.margin_histogram", log.margins ? log.margins->histogram : none,
            [](std::size_t count) { return std::uint64_t{count}; });
  write_safetensors(out.file, write);
}

std::string serialize(const Ensemble& ensemble) {
  return collect_bytes([&](const WriteBytes& write) { serialize(ensemble, write); });
}

Ensemble deserialize(std::span<const std::byte> bytes) {
  const Reader in(parse_safetensors(bytes));
  check_format(in);
  Ensemble ensemble;
  ensemble.algorithm = in.text("algorithm");
  read_link(in.text("link"), ensemble);
  ensemble.link_scale = in.field<double>("link_scale", 1)[0];
  if (in.has_tensor("link_shift")) ensemble.link_shift = in.field<double>("link_shift", 1)[0];
  ensemble.schema = read_schema(in);

  const auto names = in.strings("parameters.names");
  const auto values = in.strings("parameters.values");
  if (names.size() != values.size())
    throw ModelError(fmt::format("{} parameters have {} values", names.size(), values.size()));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!ensemble.parameters.emplace(names[i], values[i]).second)
      throw ModelError("the parameter '" + names[i] + "' appears twice");

  ensemble.codewords = in.numbers<float>("codewords");
  ensemble.simplex = in.has("codewords");
  if (ensemble.simplex && in.text("codewords") != kSimplexName)
    throw ModelError("it has codewords of the unknown kind '" + in.text("codewords") + "'");
  ensemble.bias = in.numbers<float>("bias");
  if (ensemble.bias.size() > std::numeric_limits<std::uint32_t>::max())
    throw ModelError("it has too many outputs");
  Forest& forest = ensemble.forest;
  forest.outputs = static_cast<std::uint32_t>(ensemble.bias.size());
  forest.trees = read_trees(in);
  forest.round_end = in.numbers<std::uint32_t>("rounds.tree_end");
  forest.nodes = read_nodes(in);
  forest.set_words = in.numbers<std::uint32_t>("sets");
  forest.leaf_values = read_leaf_values(in);
  forest.node_gain = in.numbers<float>("nodes.gain");
  forest.linear_features = read_linear_features(in);
  forest.slopes = in.numbers<float>("linear.slopes");
  read_filters(in, forest);
  if (in.has_tensor("trees.sparse")) {
    forest.entry_ends = in.numbers<std::uint64_t>("entries.end");
    forest.entry_outputs = in.numbers<std::uint32_t>("entries.output");
    forest.entry_values = in.numbers<float>("entries.value");
  }
  if (in.has("pool")) {
    ensemble.members = read_members(in);
    ensemble.pool = read_pool(in.text("pool"));
  }
  if (in.has("estimate")) ensemble.estimate = read_estimate(in);

  ensemble.log.columns = in.strings("log.columns");
  ensemble.log.values = in.numbers<double>("log.values");
  ensemble.log.stop_reason = in.text("stop_reason");
  ensemble.log.margins = read_margins(in);
  check_ensemble(ensemble);
  return ensemble;
}

}  // namespace simplexboost
