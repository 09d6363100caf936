#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "codeword/simplex.h"
#include "exchange/model_parts.h"
#include "exchange/onnx_parts.h"
#include "loss/exported_posterior.h"
#include "model/predict/adjusted.h"
#include "model/predict/link.h"
#include "model/predict/pool.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

// Sums and products of doubles, written as they are read.
class Formula {
 public:
  explicit Formula(OnnxGraph& graph) : graph_(graph) {}

  std::string operator()(std::string_view op, const OnnxGraph::Inputs& inputs) {
    return graph_.node(op, inputs);
  }
  std::string number(double value) { return graph_.number(value); }
  std::string times(const std::string& x, double factor) {
    return factor == 1 ? x : graph_.node("Mul", {x, number(factor)});
  }
  std::string plus(const std::string& x, double term) {
    return term == 0 ? x : graph_.node("Add", {x, number(term)});
  }
  std::string at_least(const std::string& x, double low) {
    return graph_.node("Max", {x, number(low)});
  }
  std::string at_most(const std::string& x, double high) {
    return graph_.node("Min", {x, number(high)});
  }
  std::string softmax(const std::string& x) {
    return graph_.node("Softmax", {x}, OnnxAttributes().integer("axis", 1));
  }
  std::string row_sum(const std::string& x) {
    const Dims axis{1};
    return graph_.node("ReduceSum", {x, graph_.integers(axis)});
  }
  // log(1 / (1 + e^-x)) = min(x, 0) - log(1 + e^-|x|)
  std::string log_sigmoid(const std::string& x) {
    const std::string tail = graph_.node("Exp", {graph_.node("Neg", {graph_.node("Abs", {x})})});
    return graph_.node("Sub", {at_most(x, 0), graph_.node("Log", {plus(tail, 1)})});
  }

 private:
  OnnxGraph& graph_;
};

// As model/predict/link.cpp has them. `scores` in double precision.
std::string shares(Formula& formula, const LinkSpec& spec, const std::string& scores,
                   std::size_t classes) {
  const std::string scaled = formula.times(scores, spec.scale);
  if (spec.multi_label)
    return formula.at_most(formula.at_least(formula.times(formula.plus(scaled, 1), 0.5), 0), 1);
  const std::string share = formula.plus(formula.at_least(scaled, 0), spec.shift);
  const std::string sum = formula.row_sum(share);
  const std::string ratio = formula("Div", {share, sum});
  const std::string any = formula("Greater", {sum, formula.number(0)});
  return formula("Where", {any, ratio, formula.number(1 / static_cast<double>(classes))});
}

std::string plain_link(Formula& formula, const LinkSpec& spec, const std::string& scores,
                       std::size_t classes) {
  if (spec.link == Link::kSoftmax) return formula.softmax(formula.times(scores, spec.scale));
  if (spec.link == Link::kShares) return shares(formula, spec, scores, classes);
  const std::string logs =
      formula.log_sigmoid(formula.plus(formula.times(scores, spec.scale), -spec.shift));
  return spec.multi_label ? formula("Exp", {logs}) : formula.softmax(logs);
}

// jmlr2019 (109) to (113) for Savage's loss, as loss/formula_posterior.h has it: with z_k = 2 (u_k
// - max u) and the sum S_k of the others' e^z, over e^{z_k}, whose log is s_k,
//   log eta_k = z_k + log(S_k e^{z_k}) - log(4 / (1 + e^-|s_k|)^3) - (2 min(s_k, 0) - max(s_k, 0)).
std::string savage_link(OnnxGraph& graph, const std::string& scores, const std::string& best,
                        std::size_t classes) {
  Formula formula(graph);
  const Dims column{-1, 1};
  const Dims last{1};
  Dims numbers(classes);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::string is_top =
      graph.node("Equal", {graph.integers(numbers, {1, static_cast<std::int64_t>(classes)}),
                           graph.reshape(best, column)});
  const std::string top = graph.cast(is_top, OnnxType::kDouble);
  const std::string highest =
      graph.node("ReduceMax", {scores}, OnnxAttributes().integers("axes", last));
  const std::string z = formula.times(formula("Sub", {scores, highest}), 2);
  const std::string not_top = formula("Sub", {formula.number(1), top});
  const std::string terms = formula("Mul", {formula("Exp", {z}), not_top});
  const std::string rest = formula.row_sum(terms);
  const std::string others = formula.plus(formula.at_least(formula("Sub", {rest, terms}), 0), 1);
  const std::string sums =
      formula("Add", {formula("Mul", {rest, top}), formula("Mul", {others, not_top})});
  const std::string log_others =
      formula("Log", {formula.at_least(sums, std::numeric_limits<double>::min())});
  const std::string log_sum = formula("Sub", {log_others, z});
  const std::string tail = formula("Exp", {formula("Neg", {formula("Abs", {log_sum})})});
  const std::string log_whole = formula("Log", {formula.plus(tail, 1)});
  const std::string weight =
      formula("Sub", {formula.times(formula.at_most(log_sum, 0), 2), formula.at_least(log_sum, 0)});
  const std::string head =
      formula("Add", {formula("Add", {z, log_others}), formula.times(log_whole, 3)});
  return formula.softmax(formula("Sub", {head, weight}));
}

// The log, or the log-odds, of a probability that is kept away from 0.
std::string bounded_log(Formula& formula, const std::string& p, double least, bool odds) {
  const std::string bounded = formula.at_most(formula.at_least(p, least), odds ? 1 - least : 1.0);
  std::string log = formula("Log", {bounded});
  if (!odds) return log;
  return formula("Sub", {log, formula("Log", {formula("Sub", {formula.number(1), bounded})})});
}

// model/predict/pool.cpp.
std::string pool_members(OnnxGraph& graph, const Ensemble& ensemble, const std::string& outputs) {
  Formula formula(graph);
  const std::size_t classes = ensemble.classes();
  const bool sets = ensemble.schema.multi_label;
  const bool product = ensemble.pool == Pool::kProduct;
  const std::string doubles = graph.cast(outputs, OnnxType::kDouble);
  std::string sum;
  for (std::size_t m = 0; m < ensemble.members.size(); ++m) {
    const Member& member = ensemble.members[m];
    Dims columns(classes);
    std::iota(columns.begin(), columns.end(), static_cast<std::int64_t>(m * classes));
    std::string p = plain_link(formula, {member.link, member.scale, member.shift, sets},
                               graph.pick(doubles, columns, 1), classes);
    if (product) p = bounded_log(formula, p, kLeastPooled, sets);
    p = formula.times(p, member.weight);
    sum = sum.empty() ? p : formula("Add", {sum, p});
  }
  return graph.cast(product ? sum : bounded_log(formula, sum, kLeastPooled, sets),
                    OnnxType::kFloat);
}

// codeword/simplex.h, in double precision.
std::string simplex_scores(OnnxGraph& graph, const Ensemble& ensemble, const std::string& outputs) {
  const std::size_t dimension = ensemble.forest.outputs;
  std::vector<double> diagonal(dimension);
  std::vector<double> below(dimension);
  for (std::size_t j = 0; j < dimension; ++j) {
    diagonal[j] = simplex_diagonal(ensemble.classes(), j) / 2;
    below[j] = simplex_below(ensemble.classes(), j) / 2;
  }
  const Dims line{1, static_cast<std::int64_t>(dimension)};
  const Dims axis{1};
  const Dims end{line[1] - 1};
  const std::string f = graph.cast(outputs, OnnxType::kDouble);
  const std::string own = graph.node("Mul", {f, graph.doubles(diagonal, line)});
  const std::string taken = graph.node("Mul", {f, graph.doubles(below, line)});
  const std::string along = graph.integers(axis, {});
  const std::string before =
      graph.node("CumSum", {taken, along}, OnnxAttributes().integer("exclusive", 1));
  const std::string all = graph.pick(graph.node("CumSum", {taken, along}), end, 1);
  const std::string scores =
      graph.node("Concat", {graph.node("Sub", {own, before}), graph.node("Neg", {all})},
                 OnnxAttributes().integer("axis", 1));
  return graph.cast(scores, OnnxType::kFloat);
}

// u = sum_c f_c (y_1c .. y_Kc) / 2: a product of matrices whose sums go in the predictor's order.
std::string codeword_scores(OnnxGraph& graph, const Ensemble& ensemble,
                            const std::string& outputs) {
  const std::size_t dimension = ensemble.forest.outputs;
  const std::size_t classes = ensemble.classes();
  OnnxSum sum(graph, onnx_rows(graph, outputs, std::vector<float>(classes)));
  const std::size_t group = onnx_group(classes);
  for (std::size_t first = 0; first < dimension; first += group) {
    const std::size_t count = std::min(group, dimension - first);
    const auto size = static_cast<std::int64_t>(count);
    Dims columns(count);
    std::iota(columns.begin(), columns.end(), static_cast<std::int64_t>(first));
    std::vector<float> words;
    for (std::size_t c = first; c < first + count; ++c)
      for (std::size_t k = 0; k < classes; ++k)
        words.push_back(ensemble.codewords[k * dimension + c] / 2);
    const std::string f = graph.reshape(graph.pick(outputs, columns, 1), {-1, size, 1});
    sum.add(
        graph.node("Mul", {f, graph.floats(words, {1, size, static_cast<std::int64_t>(classes)})}),
        size);
  }
  return sum.result(static_cast<std::int64_t>(classes));
}

// Of the scores as the link has them, in single precision; before anything is adjusted.
std::string link_probabilities_of(OnnxGraph& graph, const Ensemble& ensemble,
                                  const std::string& scores) {
  Formula formula(graph);
  const std::string doubles = graph.cast(scores, OnnxType::kDouble);
  if (ensemble.link != Link::kLoss)
    return plain_link(
        formula,
        {ensemble.link, ensemble.link_scale, ensemble.link_shift, ensemble.schema.multi_label},
        doubles, ensemble.classes());
  if (exported_posterior(*ensemble.link_loss) != ExportedPosterior::kSquaredSigmoid)
    throw ModelError(fmt::format("the probabilities of the loss '{}' cannot be written as ONNX",
                                 ensemble.link_loss->name));
  const std::string best =
      graph.node("ArgMax", {scores}, OnnxAttributes().integer("axis", 1).integer("keepdims", 0));
  return savage_link(graph, formula.times(doubles, ensemble.link_scale / 2), best,
                     ensemble.classes());
}

// From logarithms, or log-odds of labels, back to probabilities.
std::string from_logs(Formula& formula, const std::string& logs, bool sets) {
  return sets ? formula("Exp", {formula.log_sigmoid(logs)}) : formula.softmax(logs);
}

// Linear between knots, level beyond them: the first value, and what each piece before p adds.
std::string curves(OnnxGraph& graph, const ProbabilityMap& map, const std::string& p) {
  const std::size_t classes = map.knot_end.size();
  std::size_t pieces = 1;
  for (std::size_t k = 0, begin = 0; k < classes; begin = map.knot_end[k++])
    pieces = std::max<std::size_t>(pieces, map.knot_end[k] - begin - 1);
  std::vector<double> first(classes);
  std::vector<double> low(classes * pieces);
  std::vector<double> high(low.size());
  std::vector<double> slope(low.size());
  for (std::size_t k = 0, begin = 0; k < classes; begin = map.knot_end[k++]) {
    first[k] = map.knot_q[begin];
    for (std::size_t i = begin; i + 1 < map.knot_end[k]; ++i) {
      const std::size_t at = k * pieces + i - begin;
      low[at] = map.knot_p[i];
      high[at] = map.knot_p[i + 1];
      slope[at] = (map.knot_q[i + 1] - map.knot_q[i]) / (high[at] - low[at]);
    }
  }
  const auto k = static_cast<std::int64_t>(classes);
  const Dims tables{1, k, static_cast<std::int64_t>(pieces)};
  const Dims axis{2};
  const std::string from = graph.doubles(low, tables);
  const std::string above = graph.node("Max", {graph.reshape(p, {-1, k, 1}), from});
  const std::string within = graph.node("Min", {above, graph.doubles(high, tables)});
  const std::string added =
      graph.node("Mul", {graph.node("Sub", {within, from}), graph.doubles(slope, tables)});
  const std::string sum = graph.node("ReduceSum", {added, graph.integers(axis)},
                                     OnnxAttributes().integer("keepdims", 0));
  return graph.node("Add", {sum, graph.doubles(first, {1, k})});
}

// model/predict/adjusted.cpp: what calibration and other shares of the classes make of the
// probabilities.
std::string adjusted_scores(OnnxGraph& graph, const Ensemble& ensemble, const std::string& scores) {
  Formula formula(graph);
  const bool sets = ensemble.schema.multi_label;
  const Dims line{1, static_cast<std::int64_t>(ensemble.classes())};
  const auto told = [&](const std::string& p) { return bounded_log(formula, p, kLeastTold, sets); };
  std::string p = link_probabilities_of(graph, ensemble, scores);
  const ProbabilityMap& map = ensemble.map;
  if (!map.knot_end.empty()) {
    p = curves(graph, map, p);
    p = formula.at_most(formula.at_least(p, kLeastTold), sets ? 1 - kLeastTold : 1.0);
    if (!sets) p = formula("Div", {p, formula.row_sum(p)});
  } else if (!map.empty()) {
    std::string logs = told(p);
    logs = map.scale.size() == 1 ? formula.times(logs, map.scale[0])
                                 : formula("Mul", {logs, graph.doubles(map.scale, line)});
    if (!map.shift.empty()) logs = formula("Add", {logs, graph.doubles(map.shift, line)});
    p = from_logs(formula, logs, sets);
  }
  if (!ensemble.priors.empty()) {
    const std::vector<double> ratio = log_prior_ratios(ensemble);
    p = from_logs(formula, formula("Add", {told(p), graph.doubles(ratio, line)}), sets);
  }
  return graph.cast(told(p), OnnxType::kFloat);
}

// The class scores before anything is adjusted.
std::string plain_scores(OnnxGraph& graph, const Ensemble& ensemble, const std::string& outputs) {
  if (!ensemble.members.empty()) return pool_members(graph, ensemble, outputs);
  if (ensemble.simplex) return simplex_scores(graph, ensemble, outputs);
  if (!ensemble.codewords.empty()) return codeword_scores(graph, ensemble, outputs);
  return outputs;
}

}  // namespace

std::string onnx_scores(OnnxGraph& graph, const Ensemble& ensemble, const std::string& outputs) {
  const std::string scores = plain_scores(graph, ensemble, outputs);
  return ensemble.adjusted() ? adjusted_scores(graph, ensemble, scores) : scores;
}

std::string onnx_probabilities(OnnxGraph& graph, const Ensemble& ensemble,
                               const std::string& scores) {
  require_probabilities(ensemble);
  if (!ensemble.adjusted()) return link_probabilities_of(graph, ensemble, scores);
  Formula formula(graph);
  return from_logs(formula, graph.cast(scores, OnnxType::kDouble), ensemble.schema.multi_label);
}

}  // namespace simplexboost
