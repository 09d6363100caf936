// AdaBoost.MH with a weak learner of our own: the best of a few cuts drawn at random. Each votes
// +v to its right and -v to its left, for or against every class.
#include <simplexboost/error.h>
#include <simplexboost/generate.h>
#include <simplexboost/train.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using namespace simplexboost;

class RandomCuts : public CustomLearner {
 public:
  explicit RandomCuts(const LearnerContext& context) : random_(context.parameters.seed) {
    for (const Column& column : context.data.columns) {
      columns_.emplace_back(context.data.rows);
      column.copy(0, context.data.rows, columns_.back().data());
    }
  }

  Forest fit(const FitTarget& target, const Sample&) override {
    constexpr int kCuts = 20;
    double best_edge = -1;
    Node best_node;
    std::vector<float> best_leaves;
    for (int i = 0; i < kCuts; ++i) {
      Node node;
      node.feature = static_cast<std::uint32_t>(random_() % columns_.size());
      const std::vector<double>& x = columns_[node.feature];
      node.threshold = x[random_() % x.size()];
      node.left = ~0;  // leaf 0
      node.right = ~1;
      std::vector<float> leaves;
      const double edge = vote(target, x, node.threshold, leaves);
      if (edge <= best_edge) continue;
      best_edge = edge;
      best_node = node;
      best_leaves = leaves;
    }
    Forest hypothesis;
    append_tree(hypothesis, {&best_node, 1}, best_leaves, 0, target.width);
    return hypothesis;
  }

 private:
  // The best votes of a cut, and their edge: the sum of <h(x), pull>.
  static double vote(const FitTarget& target, const std::vector<double>& x, double threshold,
                     std::vector<float>& leaves) {
    std::vector<double> pull(target.width);
    for (std::size_t i = 0; i < target.rows; ++i)
      for (std::size_t k = 0; k < target.width; ++k)
        pull[k] += (x[i] <= threshold ? -1.0 : 1.0) * target.pulls[i * target.width + k];
    double edge = 0;
    leaves.resize(2 * target.width);
    for (std::size_t k = 0; k < target.width; ++k) {
      edge += std::abs(pull[k]);
      leaves[target.width + k] = pull[k] < 0 ? -1.0F : 1.0F;
      leaves[k] = -leaves[target.width + k];
    }
    return edge;
  }

  std::mt19937_64 random_;
  std::vector<std::vector<double>> columns_;
};

double error_of(const Model& model, const Dataset& data) {
  const std::vector<std::int32_t> predicted = model.predict(data);
  double wrong = 0;
  for (std::size_t i = 0; i < data.rows; ++i) wrong += predicted[i] != data.labels.codes[i];
  return wrong / static_cast<double>(data.rows);
}

}  // namespace

int main() {
  try {
    GeneratorSpec spec;
    spec.name = "waveform";
    spec.rows = 1000;
    const Dataset data = generate(spec);
    Parameters parameters;
    parameters.algorithm = "adaboost-mh";
    parameters.rounds = 200;
    TrainOptions options;
    options.make_learner = [](const LearnerContext& context) {
      return std::make_unique<RandomCuts>(context);
    };
    const Model model = train(data, parameters, options);
    model.save("random-cuts.sb");
    const double error = error_of(Model::load("random-cuts.sb"), data);
    std::printf("%zu rounds of random cuts, training error %.3f\n", model.rounds(), error);
    return error < 0.2 ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
