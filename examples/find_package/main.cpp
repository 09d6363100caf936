// Makes a small data set in memory and looks at its rows.
#include <simplexboost/dataset.h>
#include <simplexboost/version.h>

#include <cstdio>

int main() {
  simplexboost::Dataset data;
  data.rows = 3;
  data.columns.push_back(simplexboost::Column::numeric("length", {1.5, 2.5, 4.0}));
  data.columns.push_back(simplexboost::Column::categorical("colour", {0, 1, 0}, {"red", "green"}));
  data.labels.classes = {"small", "large"};
  data.labels.codes = {0, 0, 1};
  const simplexboost::Dataset part = simplexboost::select_rows(data, {2, 0});
  std::printf("simplexboost %s: %zu rows of %zu features\n", SIMPLEXBOOST_VERSION, part.rows,
              part.columns.size());
  return part.rows == 2 ? 0 : 1;
}
