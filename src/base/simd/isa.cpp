#include "base/simd/isa.h"

#include <cstdlib>

namespace simplexboost {
namespace {

IsaLevel find_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const char* variable = std::getenv("SIMPLEXBOOST_ISA");
  const std::string_view wish = variable ? variable : "";
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("fma");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (wish == "v1") return IsaLevel::kV1;
  if (has_v4 && wish != "v3") return IsaLevel::kV4;
  if (has_v3) return IsaLevel::kV3;
#endif
  return IsaLevel::kV1;
}

}  // namespace

std::string_view isa_name(IsaLevel level) {
  return level == IsaLevel::kV4 ? "v4" : level == IsaLevel::kV3 ? "v3" : "v1";
}

IsaLevel isa_level() {
  static const IsaLevel kLevel = find_level();
  return kLevel;
}

}  // namespace simplexboost
