// Times one vector tree on a data file, for comparison with other programs (bench/peers):
//   grow_tree FILE --leaves N | --depth N [--threads N] [--trees N] [--max-bins N]
// Prints one JSON object with the median milliseconds a tree and where they went.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/threads/parallel.h"
#include "data/binned_dataset.h"
#include "simplexboost/read.h"
#include "tree/grower.h"
#include "tree/leaf/leaf_assignment.h"
#include "tree/leaf/leaf_rule.h"

namespace {

using namespace simplexboost;

double now_ms() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(time).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Pulls as a softmax has them in the middle of training: the class less a random distribution. By
// all threads, as in training, where each finds its rows in its own cache.
void make_pulls(const Dataset& data, std::uint64_t seed, int threads, std::vector<float>& pulls) {
  const std::size_t classes = data.labels.classes.size();
  pulls.resize(data.rows * classes);
  parallel_blocks(threads, data.rows, 1024, [&](std::size_t begin, std::size_t end) {
    Random random(seed * data.rows + begin);
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      float* row = pulls.data() + i * classes;
      for (std::size_t k = 0; k < classes; ++k)
        sum += row[k] = static_cast<float>(random.uniform());
      for (std::size_t k = 0; k < classes; ++k) row[k] /= -static_cast<float>(sum);
      row[data.labels.codes[i]] += 1;
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: grow_tree FILE --leaves N | --depth N [--threads N] [--trees N]\n");
    return 2;
  }
  std::map<std::string, int> flags{
      {"--leaves", 0}, {"--depth", 0}, {"--threads", 2}, {"--trees", 21}, {"--max-bins", 256}};
  for (int i = 2; i + 1 < argc; i += 2) flags[argv[i]] = std::atoi(argv[i + 1]);
  const int threads = flags["--threads"];
  ReadOptions read;
  read.threads = threads;
  const Dataset data = read_dataset(argv[1], read);
  const BinnedDataset binned(data, choose_bins(data, {flags["--max-bins"], threads}), threads);
  GrowthOptions growth;
  growth.max_leaves = flags["--leaves"];
  growth.max_depth = flags["--depth"];
  growth.best_first = growth.max_leaves > 0;
  TreeGrower grower(binned, {binned.rows(), threads}, growth);
  std::vector<float> pulls;
  RowStats stats;
  Leaves leaves;
  std::vector<std::uint32_t> leaf_of_row(data.rows);
  std::map<std::string, std::vector<double>> times;
  std::size_t grown_leaves = 0;
  for (int tree = 0; tree < flags["--trees"]; ++tree) {
    make_pulls(data, static_cast<std::uint64_t>(tree), threads, pulls);
    const double start = now_ms();
    stats.assign({data.rows, data.labels.classes.size(), pulls.data(), nullptr, nullptr},
                 {data.rows, threads});
    const double assigned = now_ms();
    const CriterionSpec criterion = stats.criterion(CriterionKind::kLeastSquares, 1);
    const GrownTree& grown = grower.grow(stats, criterion);
    const double ended = now_ms();
    set_leaves(grown, stats, LeafRule::kMean, 1, leaves);
    assign_leaves(grown, leaves.of_node, binned, threads, leaf_of_row.data());
    const double done = now_ms();
    grown_leaves = leaves.count;
    times["statistics_ms"].push_back(assigned - start);
    times["grow_ms"].push_back(ended - assigned);
    times["leaves_ms"].push_back(done - ended);
    times["total_ms"].push_back(done - start);
  }
  fmt::print(R"({{"rows": {}, "features": {}, "width": {}, "leaves": {})", data.rows,
             data.columns.size(), data.labels.classes.size(), grown_leaves);
  for (const auto& [name, values] : times) fmt::print(R"(, "{}": {:.3f})", name, median(values));
  fmt::print("}}\n");
  return 0;
}
