#include "simplexboost/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text/json.h"
#include "boosting/labelled_data.h"
#include "report/facts/row_facts.h"
#include "report/page.h"
#include "simplexboost/error.h"
#include "simplexboost/evaluate.h"
#include "simplexboost/explain.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::DataShape;
using testing::labelled_data;

Model report_model(const Dataset& data, int rounds = 8) {
  Parameters parameters;
  parameters.rounds = rounds;
  parameters.threads = 1;
  return train(data, parameters);
}

// The facts that a page holds.
Json facts_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="facts">)";
  const std::size_t from = page.find(begin) + begin.size();
  return Json::parse(std::string_view(page).substr(from, page.find("</script>", from) - from));
}

TEST(RowFacts, AgreeWithTheEvaluation) {
  const Dataset data = labelled_data({400, 4, 4, true, 0.2}, 1);
  const Model model = report_model(data);
  const Dataset rows = labelled_data({300, 4, 4, true, 0.2}, 2);
  const RowFacts facts = gather_rows(model, rows, {});
  const std::vector<float> margins = model.predict_margins(rows);
  const Matrix proba = model.predict_proba(rows);
  EXPECT_EQ(facts.predicted, model.predict(rows));
  double loss = 0;
  double mass = 0;
  for (std::size_t i = 0; i < facts.rows; ++i) {
    EXPECT_EQ(facts.margin[i], margins[i]);
    EXPECT_EQ(facts.truth_proba[i], proba.row(i)[facts.truth[i]]);
    EXPECT_EQ(facts.top_proba[i], proba.row(i)[facts.predicted[i]]);
    loss -= std::log(static_cast<double>(facts.truth_proba[i]));
  }
  for (const double one : facts.mass) mass += one;
  EXPECT_NEAR(mass, 300, 1e-3);
  EXPECT_NEAR(loss / 300, evaluate(model, rows, {{"log-loss"}, {}}).metric("log-loss"), 1e-6);
}

TEST(Report, TellsTheFiguresOfTheEvaluation) {
  const Dataset data = labelled_data({500, 5, 4, true, 0.2}, 1);
  const Model model = report_model(data);
  const Dataset rows = labelled_data({400, 5, 4, true, 0.2}, 2);
  const Json facts = facts_of(report_html(model, rows));
  const EvaluationReport judged =
      evaluate(model, rows, {{"error", "log-loss", "calibration-error"}, {}});
  const Json& verdict = facts.at("verdict");
  EXPECT_EQ(verdict.at("wrong").get<std::size_t>(), judged.wrong_rows);
  const auto interval = [&](const char* name) {
    return verdict.at(name).get<std::vector<double>>();
  };
  EXPECT_NEAR(interval("error")[0], judged.metric("error"), 1e-4);
  EXPECT_NEAR(interval("log_loss")[0], judged.metric("log-loss"), 1e-3);
  EXPECT_NEAR(interval("calibration")[0], judged.metric("calibration-error"), 1e-4);
  for (const char* const name : {"error", "log_loss", "calibration", "tree_error"}) {
    EXPECT_LT(interval(name)[1], interval(name)[0]) << name;
    EXPECT_GT(interval(name)[2], interval(name)[0]) << name;
  }
  std::size_t k = 0;
  for (const Json& line : facts.at("table")) {
    const auto values = line.begin();
    EXPECT_EQ(values[0].get<double>(), judged.classes[k].truth);
    EXPECT_EQ(values[1].get<double>(), judged.classes[k].predicted);
    EXPECT_NEAR(values[2].get<double>(), judged.classes[k].recall(), 1e-4);
    ++k;
  }
  EXPECT_EQ(k, 5U);
}

// Against what the model says where one writes the value into all rows.
TEST(Report, EffectsAreMeansOfPredictions) {
  const Dataset data = labelled_data({150, 3, 3, true, 0.2}, 1);
  const Model model = report_model(data);
  const Json facts = facts_of(report_html(model, data));
  std::size_t effects = 0;
  for (const Json& effect : facts.at("effects")) {
    ++effects;
    if (effect.at("name").get<std::string>() != "x0") continue;
    const auto grid = effect.at("grid").get<std::vector<double>>();
    const auto values = effect.at("values").get<std::vector<std::vector<double>>>();
    EXPECT_EQ(grid.size(), 12U);
    Dataset changed = data;
    changed.columns[0] = Column::numeric("x0", std::vector<double>(150, grid[5]));
    const Matrix proba = model.predict_proba(changed);
    for (std::size_t k = 0; k < 3; ++k) {
      double mean = 0;
      for (std::size_t i = 0; i < 150; ++i) mean += static_cast<double>(proba.row(i)[k]) / 150;
      EXPECT_NEAR(values[k][5], mean, 0.02);
    }
  }
  EXPECT_GE(effects, 3U);
}

// What features add to the lead of what is said over the label, and to nothing else.
TEST(Report, TellsWhyHardRowsAreWrong) {
  const Dataset data = labelled_data({300, 3, 3, false, 0.2}, 1);
  const Model model = report_model(data);
  const Json facts = facts_of(report_html(model, data));
  const Explainer explainer(model);
  const Matrix scores = model.predict_scores(data);
  std::size_t rows = 0;
  for (const Json& row : facts.at("hardest")) {
    const auto i = row.at("row").get<std::size_t>() - 1;
    const auto said = row.at("said").get<std::size_t>();
    const auto truth = row.at("truth").get<std::size_t>();
    double lead = explainer.expected()[said] - explainer.expected()[truth];
    for (const Json& one : row.at("why")) lead += one.at("by").get<double>();
    EXPECT_NEAR(lead, static_cast<double>(scores.row(i)[said] - scores.row(i)[truth]), 0.02);
    ++rows;
  }
  EXPECT_GT(rows, 10U);
}

TEST(Report, IsTheSameForAnyNumberOfThreads) {
  const Dataset data = labelled_data({300, 4, 4, true, 0.2}, 1);
  const Model model = report_model(data);
  ReportOptions one;
  one.threads = 1;
  ReportOptions three = one;
  three.threads = 3;
  EXPECT_EQ(report_html(model, data, one), report_html(model, data, three));
}

TEST(Report, JudgesByProbabilitiesThatAreGiven) {
  const Dataset data = labelled_data({200, 3, 4, false, 0.1}, 1);
  const Model model = report_model(data);
  Matrix proba{200, 3, std::vector<float>(600, 0.1F)};
  for (std::size_t i = 0; i < 200; ++i) proba.row(i)[(data.labels.codes[i] + 1) % 3] = 0.8F;
  ReportOptions options;
  options.probabilities = &proba;
  const Json facts = facts_of(report_html(model, data, options));
  EXPECT_EQ(facts.at("verdict").at("wrong").get<int>(), 200);
  proba.rows = 199;
  EXPECT_THROW(report_html(model, data, options), DataError);
}

std::string all_warnings(const Json& facts) {
  std::string text;
  for (const Json& one : facts.at("warnings")) text += one.at("text").get<std::string>() + "\n";
  return text;
}

TEST(Report, WarnsOfALeakAndOfRowsThatAreInBoth) {
  Dataset data = labelled_data({600, 4, 4, false, 0.3}, 1);
  std::vector<double> leak;
  for (const std::int32_t code : data.labels.codes) leak.push_back(static_cast<double>(code));
  data.columns.push_back(Column::numeric("paid_back", leak));
  const Model model = report_model(data);
  ReportOptions options;
  options.train = &data;
  const std::string warnings = all_warnings(facts_of(report_html(model, data, options)));
  EXPECT_NE(warnings.find("A leak is suspected: the feature paid_back"), std::string::npos);
  EXPECT_NE(warnings.find("600 of the 600 rows"), std::string::npos);
  const Dataset sound = labelled_data({600, 4, 4, false, 0.3}, 1);
  const std::string none = all_warnings(
      facts_of(report_html(report_model(sound), labelled_data({500, 4, 4, false, 0.3}, 2))));
  EXPECT_EQ(none.find("leak"), std::string::npos) << none;
}

TEST(Report, WarnsOfClassesThatAreNeverSaidAndOfUnknownOnes) {
  Dataset data = labelled_data({300, 4, 4, false, 0.1}, 1);
  const Model model = report_model(data);
  Dataset rows = labelled_data({200, 4, 4, false, 0.1}, 2);
  Matrix proba{200, 4, std::vector<float>(800, 0.0F)};
  for (std::size_t i = 0; i < 200; ++i)
    proba.row(i)[rows.labels.codes[i] == 3 ? 0 : rows.labels.codes[i]] = 1;
  rows.labels.codes[0] = -1;
  ReportOptions options;
  options.probabilities = &proba;
  const std::string warnings = all_warnings(facts_of(report_html(model, rows, options)));
  EXPECT_NE(warnings.find("One class is never predicted, though there are rows of it: k3"),
            std::string::npos)
      << warnings;
  EXPECT_NE(warnings.find("1 rows are of classes"), std::string::npos) << warnings;
}

TEST(Report, TakesFewRowsAndNone) {
  const Dataset data = labelled_data({60, 3, 4, true, 0.1}, 1);
  const Model model = report_model(data, 2);
  for (const std::uint32_t rows : {1U, 2U, 7U}) {
    std::vector<std::uint32_t> some(rows);
    for (std::uint32_t i = 0; i < rows; ++i) some[i] = i;
    EXPECT_GT(report_html(model, select_rows(data, some)).size(), 1000U);
  }
  EXPECT_THROW(report_html(model, select_rows(data, {})), DataError);
  Dataset bare = data;
  bare.labels = {};
  EXPECT_THROW(report_html(model, bare), DataError);
}

// Names that are text of a page, a script, or turn the direction of writing.
TEST(Report, NamesCannotLeaveTheirPlace) {
  Dataset data = labelled_data({200, 3, 3, false, 0.2}, 1);
  data.labels.classes = {"</script><script>alert(1)</script>", "\"'&<b>\x01\u202e",
                         std::string(5000, 'x')};
  data.columns[0].schema.name = "<img src=x onerror=alert(1)>";
  const std::string page = report_html(report_model(data), data);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("\u202e"), std::string::npos);
  EXPECT_LT(page.size(), 400'000U);
  const auto names = facts_of(page).at("classes").get<std::vector<std::string>>();
  EXPECT_EQ(names[0], "</script><script>alert(1)</script>");
  EXPECT_EQ(names[1], "\"'&<b>\\x01\\u{202e}");
  EXPECT_LE(names[2].size(), 130U);
}

TEST(Page, RunsItsOwnScriptAlone) {
  const std::string page = make_page({{"a", "<!--</script>"}}, {"<title>", {"page.js"}, 3});
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;title&gt;</title>"), std::string::npos);
  EXPECT_NE(page.find("http-equiv=\"refresh\" content=\"3\""), std::string::npos);
  EXPECT_EQ(page.find("unsafe"), std::string::npos);
  EXPECT_EQ(facts_of(page).at("a").get<std::string>(), "<!--</script>");
}

TEST(Compare, CountsWhatOnlyOneHasRight) {
  const Dataset data = labelled_data({400, 4, 4, false, 0.2}, 1);
  const Dataset rows = labelled_data({300, 4, 4, false, 0.2}, 2);
  const Model weak = report_model(data, 1);
  const Model strong = report_model(data, 30);
  const Json facts = facts_of(compare_html({"weak", weak, rows}, {"strong", strong, rows}));
  const std::vector<std::int32_t> a = weak.predict(rows);
  const std::vector<std::int32_t> b = strong.predict(rows);
  std::size_t only[2] = {};
  std::size_t changed = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const std::int32_t truth = rows.labels.codes[i];
    if (a[i] == truth && b[i] != truth) ++only[0];
    if (a[i] != truth && b[i] == truth) ++only[1];
    if (a[i] != b[i]) ++changed;
  }
  EXPECT_EQ(facts.at("agreement").at("only_first").get<std::size_t>(), only[0]);
  EXPECT_EQ(facts.at("agreement").at("only_second").get<std::size_t>(), only[1]);
  EXPECT_EQ(facts.at("changed").at("count").get<std::size_t>(), changed);
  const auto difference =
      facts.at("figures").at("error").at("difference").get<std::vector<double>>();
  EXPECT_NEAR(difference[0], (static_cast<double>(only[0]) - static_cast<double>(only[1])) / 300,
              1e-4);
}

// The same data in another order of classes and of columns.
TEST(Compare, MatchesClassesByName) {
  const Dataset data = labelled_data({300, 3, 3, false, 0.2}, 1);
  Dataset turned = data;
  turned.labels.classes = {"k2", "k1", "k0"};
  for (std::int32_t& code : turned.labels.codes) code = 2 - code;
  std::swap(turned.columns[0], turned.columns[2]);
  const Model first = report_model(data);
  const Model second = report_model(turned);
  const Json facts = facts_of(compare_html({"a", first, data}, {"b", second, turned}));
  EXPECT_EQ(facts.at("classes").get<std::vector<std::string>>(),
            (std::vector<std::string>{"k0", "k1", "k2"}));
  EXPECT_GT(facts.at("agreement").at("both_right").get<std::size_t>(), 150U);
  Dataset other = turned;
  other.labels.codes[0] = (other.labels.codes[0] + 1) % 3;
  EXPECT_THROW(compare_html({"a", first, data}, {"b", second, other}), DataError);
  EXPECT_THROW(compare_html({"a", first, data}, {"b", second, select_rows(turned, {0, 1})}),
               DataError);
}

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Dashboard, WritesAWholePageThatIsReadAgainUntilTheEnd) {
  const std::string path = ::testing::TempDir() + "dashboard_test.html";
  {
    Dashboard eager(path, "a <b>", nullptr, 0);
    eager.start(1000);
    for (std::size_t r = 0; r < 5; ++r) eager.round(r, {});
    EXPECT_NE(text_of(path).find("http-equiv=\"refresh\""), std::string::npos);
    EXPECT_EQ(facts_of(text_of(path)).at("done").get<int>(), 5);
  }
  EXPECT_EQ(facts_of(text_of(path)).at("ended").get<std::string>(), "broken off");

  Dashboard page(path, "a <b>", nullptr, 3600);
  page.start(1000);
  for (std::size_t r = 0; r < 1000; ++r) {
    const RoundMetric metrics[] = {{"train_error", 1.0 / static_cast<double>(r + 1)}, {"step", 1}};
    EXPECT_TRUE(page.round(r, std::span(metrics, r < 500 ? 1U : 2U)));
  }
  page.finish("all rounds done");
  const std::string text = text_of(path);
  EXPECT_EQ(text.find("http-equiv=\"refresh\""), std::string::npos);
  EXPECT_TRUE(text == page.html());
  EXPECT_LT(text.size(), 100'000U);
  const Json facts = facts_of(text);
  EXPECT_EQ(facts.at("ended").get<std::string>(), "all rounds done");
  const auto rounds = facts.at("rounds").get<std::vector<int>>();
  EXPECT_LE(rounds.size(), 400U);
  for (const Json& series : facts.at("series")) {
    std::size_t at = 0;
    for (const Json& value : series.at("values")) {
      if (series.at("name").get<std::string>() == "train_error")
        EXPECT_NEAR(value.get<double>(), 1.0 / rounds[at], 1e-3 / rounds[at]);
      else
        EXPECT_EQ(value.is_null(), rounds[at] <= 500);
      ++at;
    }
    EXPECT_EQ(at, rounds.size());
  }
  std::filesystem::remove(path);
}

TEST(Dashboard, ItsTimesAreReadAgain) {
  Dashboard page("", "training");
  page.start(5);
  for (std::size_t r = 0; r < 5; ++r) page.round(r, {});
  const std::vector<RoundTime> times = dashboard_times(page.html());
  ASSERT_EQ(times.size(), 5U);
  EXPECT_EQ(times[4].round, 5U);
  EXPECT_GE(times[4].seconds, times[0].seconds);
  EXPECT_THROW(dashboard_times(""), DataError);
  EXPECT_THROW(dashboard_times("id=\"facts\">{\"rounds\": 1}</script>"), DataError);
  EXPECT_THROW(dashboard_times("id=\"facts\">{\"rounds\": [1]</script>"), DataError);
  const Dataset data = labelled_data({100, 3, 3, false, 0.2}, 1);
  ReportOptions options;
  options.times = times;
  EXPECT_EQ(facts_of(report_html(report_model(data, 5), data, options))
                .at("curves")
                .at("seconds")
                .get<std::vector<double>>()
                .size(),
            5U);
}

TEST(Dashboard, AFileThatCannotBeWrittenStopsNothing) {
  Dashboard page("/nowhere/at/all.html", "", nullptr, 0);
  page.start(2);
  EXPECT_TRUE(page.round(0, {}));
  page.finish("");
  EXPECT_NE(page.problem().find("/nowhere/at/all.html"), std::string::npos);
}

// Says no in the third round.
class Stubborn : public Progress {
 public:
  void start(std::size_t total) override { total_ = total; }
  bool round(std::size_t round, std::span<const RoundMetric>) override { return round < 2; }
  void finish(const std::string& why) override { why_ = why; }
  std::size_t total_ = 0;
  std::string why_;
};

TEST(Dashboard, HandsEverythingOn) {
  Stubborn next;
  Dashboard page("", "", &next);
  page.start(7);
  EXPECT_EQ(next.total_, 7U);
  EXPECT_TRUE(page.round(1, {}));
  EXPECT_FALSE(page.round(2, {}));
  page.finish("over");
  EXPECT_EQ(next.why_, "over");
}

}  // namespace
}  // namespace simplexboost
