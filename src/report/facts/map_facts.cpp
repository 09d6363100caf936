#include "report/facts/map_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/stop.h"
#include "model/model_access.h"
#include "report/facts/facts_json.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMapRows = 1500;
constexpr std::size_t kNearClasses = 5;
constexpr int kStressSteps = 60;
constexpr int kPowerSteps = 60;
constexpr std::size_t kMostPairs = 2000;
constexpr std::size_t kMostCodewordWork = 200'000'000;  // classes x classes x dimensions

using Place = std::array<double, 2>;
using Places = std::vector<Place>;

// The plane in which distances are those of 1 - likeness, as far as may be: least stress by
// majorisation (de Leeuw 1977), from a circle in the order of the classes.
Places place_classes(const std::vector<float>& likeness, const std::vector<std::uint32_t>& order) {
  const std::size_t count = order.size();
  Places places(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    places[order[i]] = {std::cos(angle) / 2, std::sin(angle) / 2};
  }
  std::vector<float> wanted(count * count);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = 1 - 0.9F * std::sqrt(std::sqrt(likeness[i]));
  Places next(count);
  for (int step = 0; step < kStressSteps; ++step) {
    check_stop();
    for (std::size_t i = 0; i < count; ++i) {
      Place sum{};
      for (std::size_t j = 0; j < count; ++j) {
        if (j == i) continue;
        const double dx = places[i][0] - places[j][0];
        const double dy = places[i][1] - places[j][1];
        const double ratio =
            static_cast<double>(wanted[i * count + j]) / std::max(std::hypot(dx, dy), 1e-9);
        sum[0] += places[j][0] + ratio * dx;
        sum[1] += places[j][1] + ratio * dy;
      }
      const auto others = static_cast<double>(std::max<std::size_t>(count - 1, 1));
      next[i] = {sum[0] / others, sum[1] / others};
    }
    places.swap(next);
  }
  return places;
}

// Among the few classes that it is most said to be of.
Place place_row(const float* p, const Places& classes) {
  std::vector<std::size_t> near(classes.size());
  for (std::size_t k = 0; k < near.size(); ++k) near[k] = k;
  const std::size_t few = std::min(kNearClasses, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(few), near.end(),
                    [&](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  Place place{};
  double total = 0;
  for (std::size_t i = 0; i < few; ++i) {
    const double weight = std::sqrt(std::max(0.0, static_cast<double>(p[near[i]])));
    for (std::size_t d = 0; d < 2; ++d) place[d] += weight * classes[near[i]][d];
    total += weight;
  }
  for (double& d : place) d /= total > 0 ? total : 1;
  return place;
}

Json flat(const Places& places, double scale) {
  Json result = Json::array();
  for (const Place& place : places)
    for (const double d : place) result.push_back(short_number(std::round(d * scale * 1e3) / 1e3));
  return result;
}

double radius(const Places& a, const Places& b) {
  double most = 1e-12;
  for (const Places* places : {&a, &b})
    for (const Place& place : *places)
      most = std::max({most, std::fabs(place[0]), std::fabs(place[1])});
  return most;
}

Json places_json(const Places& classes, const Places& rows) {
  const double scale = 1 / radius(classes, rows);
  return {{"classes", flat(classes, scale)}, {"rows", flat(rows, scale)}};
}

// The two directions of the largest variance of centred lines, by power iteration; deterministic.
class Axes {
 public:
  explicit Axes(Matrix lines) : lines_(std::move(lines)), mean_(lines_.columns) {
    for (std::size_t i = 0; i < lines_.rows; ++i)
      for (std::size_t k = 0; k < mean_.size(); ++k)
        mean_[k] += static_cast<double>(lines_.row(i)[k]) / static_cast<double>(lines_.rows);
    for (std::size_t i = 0; i < lines_.rows; ++i)
      for (std::size_t k = 0; k < mean_.size(); ++k) {
        lines_.row(i)[k] -= static_cast<float>(mean_[k]);
        total_ += static_cast<double>(lines_.row(i)[k]) * static_cast<double>(lines_.row(i)[k]);
      }
    for (std::size_t a = 0; a < 2; ++a) find(a);
  }

  Place place(const double* line) const {
    Place place{};
    for (std::size_t a = 0; a < 2; ++a)
      for (std::size_t k = 0; k < mean_.size(); ++k) place[a] += axes_[a][k] * line[k];
    return place;
  }
  Places rows() const {
    Places places(lines_.rows);
    std::vector<double> line(mean_.size());
    for (std::size_t i = 0; i < lines_.rows; ++i) {
      line.assign(lines_.row(i), lines_.row(i) + mean_.size());
      places[i] = place(line.data());
    }
    return places;
  }
  double share() const { return total_ > 0 ? (found_[0] + found_[1]) / total_ : 0; }

 private:
  void find(std::size_t a) {
    std::vector<double>& axis = axes_[a];
    axis.resize(mean_.size());
    for (std::size_t k = 0; k < axis.size(); ++k)
      axis[k] = std::sin(1.0 + static_cast<double>((k + 1) * (a + 1)));
    std::vector<double> next(axis.size());
    for (int step = 0; step < kPowerSteps; ++step) {
      check_stop();
      std::fill(next.begin(), next.end(), 0.0);
      for (std::size_t i = 0; i < lines_.rows; ++i) {
        double dot = 0;
        for (std::size_t k = 0; k < axis.size(); ++k)
          dot += axis[k] * static_cast<double>(lines_.row(i)[k]);
        for (std::size_t k = 0; k < axis.size(); ++k)
          next[k] += dot * static_cast<double>(lines_.row(i)[k]);
      }
      if (a == 1) {
        double along = 0;
        for (std::size_t k = 0; k < axis.size(); ++k) along += next[k] * axes_[0][k];
        for (std::size_t k = 0; k < axis.size(); ++k) next[k] -= along * axes_[0][k];
      }
      double norm = 0;
      for (const double value : next) norm += value * value;
      norm = std::sqrt(norm);
      if (!(norm > 1e-12)) {
        std::fill(axis.begin(), axis.end(), 0.0);
        return;
      }
      found_[a] = norm;  // at the end: the sum of squares along the axis
      for (std::size_t k = 0; k < axis.size(); ++k) axis[k] = next[k] / norm;
    }
  }

  Matrix lines_;
  std::vector<double> mean_;
  std::array<std::vector<double>, 2> axes_;
  Place found_{};
  double total_ = 0;
};

// Codewords, where they are not all equally far apart: then they say no more than which class is
// which. Empty otherwise, and where they are too long for pairs of them.
std::vector<float> telling_codewords(const Model& model) {
  const std::size_t classes = model.schema().classes.size();
  if (ensemble_of(model).simplex) return {};
  std::vector<float> codewords = model.codewords();
  if (codewords.size() * classes > kMostCodewordWork) return {};
  return codewords;
}

// The class scores of a row that lies at each codeword, what all classes share taken off.
std::vector<double> codeword_scores(const Model& model) {
  const std::size_t classes = model.schema().classes.size();
  const std::vector<float> codewords = telling_codewords(model);
  std::vector<double> scores(classes * classes);
  const std::size_t width = codewords.size() / classes;
  for (std::size_t k = 0; k < classes; ++k) {
    double mean = 0;
    for (std::size_t j = 0; j < classes; ++j) {
      double score = codewords.empty() && j == k ? 1 : 0;
      for (std::size_t d = 0; d < width; ++d)
        score += 0.5 * static_cast<double>(codewords[k * width + d]) *
                 static_cast<double>(codewords[j * width + d]);
      scores[k * classes + j] = score;
      mean += score / static_cast<double>(classes);
    }
    for (std::size_t j = 0; j < classes; ++j) scores[k * classes + j] -= mean;
  }
  return scores;
}

Json axes_facts(const Model& model, Matrix scores) {
  // What all classes share says nothing.
  for (std::size_t i = 0; i < scores.rows; ++i) {
    double mean = 0;
    for (std::size_t k = 0; k < scores.columns; ++k)
      mean += static_cast<double>(scores.row(i)[k]) / static_cast<double>(scores.columns);
    for (std::size_t k = 0; k < scores.columns; ++k) scores.row(i)[k] -= static_cast<float>(mean);
  }
  const Axes axes(std::move(scores));
  const Places rows = axes.rows();
  const std::vector<double> ideal = codeword_scores(model);
  const std::size_t classes = model.schema().classes.size();
  Places places;
  for (std::size_t k = 0; k < classes; ++k) places.push_back(axes.place(&ideal[k * classes]));
  // Codewords have a length of their own: drawn as far out as the rows.
  const double stretch = radius(rows, {}) / radius(places, {});
  for (Place& place : places)
    for (double& d : place) d *= 0.9 * stretch;
  Json result = places_json(places, rows);
  result["share"] = short_number(axes.share(), 3);
  return result;
}

// The mean class scores of the rows of each class.
std::vector<std::vector<double>> class_centres(const RowFacts& facts, const RowSample& sample) {
  std::vector<std::vector<double>> centres(facts.classes, std::vector<double>(facts.classes));
  std::vector<double> rows(facts.classes);
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    const std::int32_t truth = facts.truth[sample.rows[i]];
    if (truth < 0) continue;
    const auto k = static_cast<std::size_t>(truth);
    rows[k] += 1;
    for (std::size_t j = 0; j < facts.classes; ++j)
      centres[k][j] += static_cast<double>(sample.scores.row(i)[j]);
  }
  for (std::size_t k = 0; k < facts.classes; ++k)
    for (double& value : centres[k]) value /= rows[k] > 0 ? rows[k] : 1;
  return centres;
}

// {codewords, pairs: [truth, said, distance, weight] of confusions}: distances of codewords; where
// these tell nothing, of the mean scores of the classes.
Json distance_facts(const Model& model, const RowFacts& facts, const RowSample& sample,
                    const Confusion& confusion) {
  const std::vector<float> codewords = telling_codewords(model);
  const std::size_t width = codewords.size() / facts.classes;
  std::vector<std::vector<double>> points;
  for (std::size_t k = 0; k < facts.classes && width > 0; ++k)
    points.emplace_back(codewords.data() + k * width, codewords.data() + (k + 1) * width);
  if (points.empty()) points = class_centres(facts, sample);
  Json pairs = Json::array();
  for (const ConfusionCell& cell : confusion.largest_confusions(kMostPairs)) {
    const std::vector<double>& a = points[static_cast<std::size_t>(cell.truth)];
    const std::vector<double>& b = points[static_cast<std::size_t>(cell.predicted)];
    double squares = 0;
    for (std::size_t d = 0; d < a.size(); ++d) squares += (a[d] - b[d]) * (a[d] - b[d]);
    pairs.push_back(cell.truth);
    pairs.push_back(cell.predicted);
    pairs.push_back(short_number(std::sqrt(squares)));
    pairs.push_back(short_number(cell.weight));
  }
  return {{"codewords", width > 0}, {"pairs", std::move(pairs)}};
}

}  // namespace

Json map_facts(const Model& model, const RowFacts& facts, const RowSample& sample,
               const std::vector<float>& likeness, const std::vector<std::uint32_t>& order,
               const Confusion& confusion) {
  const std::size_t step = (sample.rows.size() + kMapRows - 1) / kMapRows;
  const bool proba = !sample.proba.values.empty();
  const Places classes = place_classes(likeness, order);
  Places rows;
  Json who = Json::array();
  Matrix scores{0, facts.classes, {}};
  for (std::size_t i = 0; i < sample.rows.size(); i += step) {
    const std::uint32_t row = sample.rows[i];
    if (proba) {
      rows.push_back(place_row(sample.proba.row(i), classes));
    } else {
      rows.push_back(classes[static_cast<std::size_t>(facts.predicted[row])]);
    }
    scores.values.insert(scores.values.end(), sample.scores.row(i),
                         sample.scores.row(i) + facts.classes);
    ++scores.rows;
    who.push_back(row + 1);
    who.push_back(facts.truth[row]);
    who.push_back(facts.predicted[row]);
  }
  return {{"rows", std::move(who)},
          {"likeness", places_json(classes, rows)},
          {"axes", axes_facts(model, std::move(scores))},
          {"distances", distance_facts(model, facts, sample, confusion)}};
}

}  // namespace simplexboost
