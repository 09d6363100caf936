#include "model/file/serialization.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "loss/loss.h"
#include "model/file/certainty_fields.h"
#include "model/file/choice_fields.h"
#include "model/file/forest_fields.h"
#include "model/file/tensor_fields.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

constexpr const char* kFormatName = "simplexboost";
constexpr const char* kSimplexName = "simplex";
constexpr int kChecksumVersion = 5;  // the header is under the checksum, too

// That of a loss has the loss's name.
constexpr std::array<std::pair<Link, const char*>, 4> kLinkNames = {{{Link::kSoftmax, "softmax"},
                                                                     {Link::kLogistic, "logistic"},
                                                                     {Link::kNone, "none"},
                                                                     {Link::kShares, "shares"}}};
constexpr const char* kMeanName = "mean";
constexpr const char* kProductName = "product";

void write_schema(TensorWriter& out, const Schema& schema) {
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

void write_members(TensorWriter& out, const Ensemble& ensemble) {
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

void write_estimate(TensorWriter& out, const Estimate& estimate) {
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

Schema read_schema(const TensorReader& in) {
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

void check_format(const TensorReader& in) {
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

std::optional<MarginSummary> read_margins(const TensorReader& in) {
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

std::vector<Member> read_members(const TensorReader& in) {
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

Estimate read_estimate(const TensorReader& in) {
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
  TensorWriter out;
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
  write_certainty(out, ensemble);
  write_choices(out, ensemble);
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
  const TensorReader in(parse_safetensors(bytes));
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
  ensemble.forest = read_forest(in, static_cast<std::uint32_t>(ensemble.bias.size()));
  if (in.has("pool")) {
    ensemble.members = read_members(in);
    ensemble.pool = read_pool(in.text("pool"));
  }
  if (in.has("estimate")) ensemble.estimate = read_estimate(in);
  read_certainty(in, ensemble);
  read_choices(in, ensemble);

  ensemble.log.columns = in.strings("log.columns");
  ensemble.log.values = in.numbers<double>("log.values");
  ensemble.log.stop_reason = in.text("stop_reason");
  ensemble.log.margins = read_margins(in);
  check_ensemble(ensemble);
  return ensemble;
}

}  // namespace simplexboost
