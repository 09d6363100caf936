#include "simplexboost/training_log.h"

#include <algorithm>

namespace simplexboost {

std::optional<double> TrainingLog::value(std::string_view column, std::size_t round) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end() || round >= rounds()) return std::nullopt;
  return values[round * columns.size() + static_cast<std::size_t>(found - columns.begin())];
}

std::vector<double> TrainingLog::column(std::string_view name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  std::vector<double> result;
  if (found == columns.end()) return result;
  for (auto at = static_cast<std::size_t>(found - columns.begin()); at < values.size();
       at += columns.size())
    result.push_back(values[at]);
  return result;
}

}  // namespace simplexboost
