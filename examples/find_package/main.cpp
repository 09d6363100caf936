// Trains a model on a data set made in memory, saves it, loads it and predicts with it.
#include <simplexboost/error.h>
#include <simplexboost/train.h>
#include <simplexboost/version.h>

#include <cstdio>

namespace {

// Twelve fruits: two features, three classes.
simplexboost::Dataset fruits() {
  simplexboost::Dataset data;
  data.rows = 12;
  data.columns.push_back(
      simplexboost::Column::numeric("length", {3, 4, 3.5, 4.5, 15, 18, 16, 17, 6, 7, 6.5, 7.5}));
  data.columns.push_back(simplexboost::Column::categorical(
      "colour", {0, 0, 0, 0, 1, 1, 1, 1, 0, 2, 2, 2}, {"red", "yellow", "green"}));
  data.labels.classes = {"cherry", "banana", "apple"};
  data.labels.codes = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  return data;
}

}  // namespace

int main() {
  try {
    const simplexboost::Dataset data = fruits();
    simplexboost::Parameters parameters;
    parameters.rounds = 20;
    simplexboost::train(data, parameters).save("fruits.sb");

    const simplexboost::Model model = simplexboost::Model::load("fruits.sb");
    const auto predicted = model.predict(data);
    std::printf("simplexboost %s, %zu rounds\n", SIMPLEXBOOST_VERSION, model.rounds());
    for (const auto code : predicted) {
      std::printf("%s\n", model.schema().classes[static_cast<std::size_t>(code)].c_str());
    }
    return predicted == data.labels.codes ? 0 : 1;
  } catch (const simplexboost::Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
