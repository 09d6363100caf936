#include "cli/json_output.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace simplexboost::cli {

void print_json(const nlohmann::ordered_json& value) {
  fmt::print("{}\n", value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

nlohmann::ordered_json json_count(double count) {
  constexpr double kExact = 0x1.0p53;
  if (count == std::floor(count) && std::abs(count) < kExact) {
    return static_cast<std::int64_t>(count);
  }
  return count;
}

}  // namespace simplexboost::cli
