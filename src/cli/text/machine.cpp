#include "cli/text/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "simplexboost/version.h"

namespace simplexboost::cli {

std::string machine_name() {
  std::string name = "unknown processor";
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      name = line.substr(colon + 2);
      break;
    }
  }
  return fmt::format("{}, {} cores", name, std::thread::hardware_concurrency());
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

std::string program_name() {
  return fmt::format("simplexboost {}, commit {}", SIMPLEXBOOST_VERSION, SIMPLEXBOOST_COMMIT);
}

}  // namespace simplexboost::cli
