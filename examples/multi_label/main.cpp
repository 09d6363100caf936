// Several labels a row: songs, each with a tempo, a loudness and a key, and tags that may hold
// together or not at all. AdaBoost.MH learns all tags at once, with one cut for all of them at each
// node of its trees; one-vs-all learns each tag for itself.
#include <simplexboost/error.h>
#include <simplexboost/train.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace simplexboost;

Dataset songs(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Dataset data;
  data.source = "songs";
  data.rows = count;
  data.labels.classes = {"dance", "calm", "sad", "loud"};
  data.labels.columns = data.labels.classes;
  data.labels.offsets = {0};
  std::vector<double> tempo;
  std::vector<double> loudness;
  std::vector<std::int32_t> key;
  for (std::size_t i = 0; i < count; ++i) {
    tempo.push_back(60 + 120 * uniform(random));
    loudness.push_back(-30 + 30 * uniform(random));
    key.push_back(uniform(random) < 0.5 ? 0 : 1);
    const bool holds[] = {tempo[i] > 110 && loudness[i] > -18, tempo[i] + 2 * loudness[i] < 70,
                          key[i] == 1 && tempo[i]<120, loudness[i]> - 10};
    // Codes of the labels that hold, ascending; offsets say where each row's begin.
    for (std::int32_t label = 0; label < 4; ++label)
      if (holds[label]) data.labels.codes.push_back(label);
    data.labels.offsets.push_back(data.labels.codes.size());
  }
  data.columns = {Column::numeric("tempo", tempo), Column::numeric("loudness", loudness),
                  Column::categorical("key", key, {"major", "minor"})};
  return data;
}

std::vector<bool> holds(const Labels& labels, std::size_t row) {
  std::vector<bool> result(labels.classes.size());
  for (std::size_t k = labels.offsets[row]; k < labels.offsets[row + 1]; ++k)
    result[static_cast<std::size_t>(labels.codes[k])] = true;
  return result;
}

// The share of the rows' labels that are predicted wrong.
double hamming_loss(const Labels& truth, const Labels& predicted, std::size_t rows) {
  double wrong = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<bool> is = holds(truth, i);
    const std::vector<bool> said = holds(predicted, i);
    for (std::size_t l = 0; l < is.size(); ++l) wrong += is[l] != said[l] ? 1 : 0;
  }
  return wrong / static_cast<double>(rows * truth.classes.size());
}

}  // namespace

int main() {
  try {
    const Dataset known = songs(2000, 1);
    const Dataset fresh = songs(1000, 2);
    bool good = true;
    for (const char* algorithm : {"adaboost-mh", "one-vs-all"}) {
      Parameters parameters;
      parameters.algorithm = algorithm;
      parameters.rounds = 60;
      const Model model = train(known, parameters);
      const Labels predicted = model.predict_labels(fresh);
      const double loss = hamming_loss(fresh.labels, predicted, fresh.rows);
      std::printf("%s: Hamming loss %.4f on songs that it has not seen\n", algorithm, loss);
      good = good && loss < 0.1;
      const Matrix shares = model.predict_proba(fresh);
      for (std::size_t l = 0; l < shares.columns; ++l)
        std::printf("  %s: %.2f\n", fresh.labels.classes[l].c_str(),
                    static_cast<double>(shares.row(0)[l]));
    }
    return good ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
