#include "experiment/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/readers/csv_field.h"
#include "experiment/report.h"
#include "experiment/svg_plot.h"
#include "loss/margin.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

constexpr std::size_t kMarginBins = 40;
constexpr std::size_t kShownRows = 1000;

// For file names: letters, digits, '-' and '.' as they are, the rest as '-'.
std::string file_part(const std::string& name) {
  std::string part = name;
  for (char& c : part) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '.') c = '-';
  }
  return part;
}

// From class scores u_k = <y_k, f> / 2 back to the two components of f, by least squares.
class PlaneOfScores {
 public:
  // Codewords: classes x 2.
  explicit PlaneOfScores(const std::vector<float>& codewords)
      : codewords_(codewords.begin(), codewords.end()) {
    for (std::size_t k = 0; k < classes(); ++k) {
      xx_ += word(k)[0] * word(k)[0];
      xy_ += word(k)[0] * word(k)[1];
      yy_ += word(k)[1] * word(k)[1];
    }
  }

  PlotPoint predictor(const float* scores) const {
    double x = 0;
    double y = 0;
    for (std::size_t k = 0; k < classes(); ++k) {
      x += 2 * static_cast<double>(scores[k]) * word(k)[0];
      y += 2 * static_cast<double>(scores[k]) * word(k)[1];
    }
    const double determinant = xx_ * yy_ - xy_ * xy_;
    return {(yy_ * x - xy_ * y) / determinant, (xx_ * y - xy_ * x) / determinant};
  }

  // From the origin along each codeword, in the colour of the points of its class.
  std::vector<PlotSeries> rays(double length) const {
    std::vector<PlotSeries> series;
    for (std::size_t k = 0; k < classes(); ++k) {
      PlotSeries ray;
      ray.dashed = true;
      ray.color = static_cast<int>(k);
      ray.points = {{0, 0}, {length * word(k)[0], length * word(k)[1]}};
      series.push_back(std::move(ray));
    }
    return series;
  }

 private:
  std::size_t classes() const { return codewords_.size() / 2; }
  const double* word(std::size_t k) const { return codewords_.data() + 2 * k; }

  std::vector<double> codewords_;
  double xx_ = 0;
  double xy_ = 0;
  double yy_ = 0;
};

// The test rows after one stage.
struct Stage {
  std::size_t rounds = 0;
  std::vector<PlotPoint> predictions;  // empty unless the predictor has two components
  std::vector<float> margins;
};

std::vector<Stage> run_stages(const ExperimentSpec& spec, const Model& model, const Dataset& test,
                              int threads) {
  const std::size_t classes = model.schema().classes.size();
  const bool plane = model.forest().outputs == 2 && classes != 2;
  const PlaneOfScores scores_plane(plane ? model.codewords() : std::vector<float>{});
  std::vector<std::size_t> rounds;
  for (const std::size_t stage : spec.stages)
    if (stage <= model.rounds()) rounds.push_back(stage);
  std::vector<Stage> stages;
  model.predict_staged(test, rounds,
                       [&](std::size_t done, const Matrix& scores) {
                         Stage stage;
                         stage.rounds = done;
                         stage.margins.resize(scores.rows);
                         LossBlock block;
                         block.rows = scores.rows;
                         block.classes = classes;
                         block.scores = scores.values.data();
                         block.labels = test.labels.codes.data();
                         row_margins(block, stage.margins.data());
                         for (std::size_t i = 0; plane && i < scores.rows; ++i)
                           stage.predictions.push_back(scores_plane.predictor(scores.row(i)));
                         stages.push_back(std::move(stage));
                       },
                       {threads, 0});
  return stages;
}

Plot scatter_plot(const Stage& stage, const Labels& labels, const std::vector<float>& codewords) {
  Plot plot{fmt::format("Predictions f(x) after {} rounds", stage.rounds), "f1", "f2", {}, true};
  double reach = 1;
  for (const std::string& name : labels.classes)
    plot.series.push_back({name, PlotStyle::kPoints, {}});
  for (std::size_t i = 0; i < stage.predictions.size(); ++i) {
    const PlotPoint& point = stage.predictions[i];
    plot.series[static_cast<std::size_t>(labels.codes[i])].points.push_back(point);
    reach = std::max({reach, std::abs(point.x), std::abs(point.y)});
  }
  for (PlotSeries& ray : PlaneOfScores(codewords).rays(reach)) plot.series.push_back(ray);
  return plot;
}

Plot margin_plot(const Stage& stage) {
  Plot plot{fmt::format("Margins after {} rounds", stage.rounds), "margin", "test rows", {}, false};
  const Histogram counts = histogram(stage.margins, kMarginBins);
  PlotSeries bars{"", PlotStyle::kBars, {}};
  const double width = (counts.high - counts.low) / static_cast<double>(kMarginBins);
  for (std::size_t b = 0; b < counts.counts.size(); ++b) {
    bars.points.push_back({counts.low + (static_cast<double>(b) + 0.5) * width,
                           static_cast<double>(counts.counts[b])});
    if (width == 0) break;  // all margins alike
  }
  plot.series.push_back(std::move(bars));
  return plot;
}

// The rows to show: of classes that the training rows have too (others have no margin), and no more
// than one can look at.
Dataset shown_rows(const Dataset& data) {
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < data.rows && rows.size() < kShownRows; ++i)
    if (data.labels.codes[i] >= 0) rows.push_back(static_cast<std::uint32_t>(i));
  return select_rows(data, rows);
}

std::string stage_table(const std::vector<Stage>& stages, const Labels& labels) {
  std::string text = "rounds,row,class,f1,f2,margin\n";
  for (const Stage& stage : stages) {
    for (std::size_t i = 0; i < stage.margins.size(); ++i) {
      const auto code = static_cast<std::size_t>(labels.codes[i]);
      const std::string place =
          stage.predictions.empty()
              ? ","
              : fmt::format("{:.5f},{:.5f}", stage.predictions[i].x, stage.predictions[i].y);
      text += fmt::format("{},{},{},{},{:.5f}\n", stage.rounds, i, csv_field(labels.classes[code]),
                          place, stage.margins[i]);
    }
  }
  return text;
}

// The curve at a round: its last point before or at it.
double curve_at(const CellResult& cell, const std::vector<double>& curve, std::size_t round) {
  const auto after = std::upper_bound(cell.curve_rounds.begin(), cell.curve_rounds.end(), round);
  const auto points = static_cast<std::size_t>(after - cell.curve_rounds.begin());
  return points == 0 ? curve.front() : curve[points - 1];
}

// The mean over the cells that have the curve; a cell that ended early stays where it was.
PlotSeries mean_curve(const ExperimentRow& row, const std::string& name) {
  PlotSeries line;
  line.name = row.algorithm->name;
  const CellResult* longest = nullptr;
  for (const CellResult& cell : row.results)
    if (cell.curves.count(name) > 0 && !cell.curve_rounds.empty() &&
        (!longest || cell.curve_rounds.back() > longest->curve_rounds.back()))
      longest = &cell;
  if (!longest) return line;
  for (const std::size_t round : longest->curve_rounds) {
    double sum = 0;
    double cells = 0;
    for (const CellResult& cell : row.results) {
      const auto curve = cell.curves.find(name);
      if (curve == cell.curves.end()) continue;
      sum += curve_at(cell, curve->second, round);
      ++cells;
    }
    line.points.push_back({static_cast<double>(round), sum / cells});
  }
  return line;
}

}  // namespace

std::vector<NamedText> curve_figures(const ExperimentSpec& spec,
                                     const std::vector<ExperimentRow>& rows) {
  std::vector<NamedText> files;
  for (const ExperimentData& data : spec.data) {
    for (const std::string& name : spec.curves) {
      Plot plot{data.name, "rounds", name + " (%)", {}, false};
      for (const ExperimentRow& row : rows) {
        if (row.data->spec != &data || !row.finished()) continue;
        PlotSeries line = mean_curve(row, name);
        if (!line.points.empty()) plot.series.push_back(std::move(line));
      }
      if (plot.series.empty()) continue;
      std::replace(plot.y_label.begin(), plot.y_label.end(), '_', ' ');
      files.push_back(
          {fmt::format("{}-{}-{}.svg", spec.name, file_part(data.name), file_part(name)),
           svg_text(plot)});
    }
  }
  return files;
}

std::vector<NamedText> dimension_figures(const ExperimentSpec& spec,
                                         const std::vector<ExperimentRow>& rows) {
  std::vector<NamedText> files;
  for (const ExperimentAlgorithm& algorithm : spec.algorithms) {
    if (!algorithm.all_dimensions) continue;
    std::map<std::string, PlotSeries> lines;
    for (const ExperimentRow& row : rows) {
      if (row.algorithm != &algorithm || !row.finished()) continue;
      PlotSeries& line = lines[row.data->spec->name];
      line.name = row.data->spec->name;
      line.points.push_back({static_cast<double>(row.dimension), compare(spec, row).ours});
    }
    const bool accuracy = spec.metric == ExperimentMetric::kAccuracy;
    Plot plot{algorithm.name,
              "dimension of the codewords",
              accuracy ? "test accuracy (%)" : "test error (%)",
              {},
              false};
    for (auto& [name, line] : lines) plot.series.push_back(std::move(line));
    files.push_back(
        {fmt::format("{}-{}.svg", spec.name, file_part(algorithm.name)), svg_text(plot)});
  }
  return files;
}

std::vector<NamedText> stage_figures(const ExperimentSpec& spec, const ExperimentRow& row) {
  const SplitData data = split_data(*row.data, spec.protocol, row.splits.front());
  Parameters parameters = row.parameters;
  parameters.seed = row.splits.front().seed;
  const Model model = train(data.train, parameters);
  const Dataset test = shown_rows(data.test);
  const std::vector<Stage> stages = run_stages(spec, model, test, parameters.threads);
  std::vector<NamedText> files{{spec.name + "-stages.csv", stage_table(stages, test.labels)}};
  for (const Stage& stage : stages) {
    files.push_back(
        {fmt::format("{}-margins-{}.svg", spec.name, stage.rounds), svg_text(margin_plot(stage))});
    if (stage.predictions.empty()) continue;
    files.push_back({fmt::format("{}-predictions-{}.svg", spec.name, stage.rounds),
                     svg_text(scatter_plot(stage, test.labels, model.codewords()))});
  }
  return files;
}

}  // namespace simplexboost
