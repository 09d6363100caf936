#include "tree/kernels.h"

#include <cstdlib>
#include <string_view>

namespace simplexboost {

// One for each time that kernels_isa.cpp is compiled (src/CMakeLists.txt), widest first.
#if defined(__x86_64__)
namespace v4 {
extern const Kernels kKernels;
}
namespace v3 {
extern const Kernels kKernels;
}
#endif
namespace v1 {
extern const Kernels kKernels;
}

namespace {

const Kernels& choose() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const char* wish = std::getenv("SIMPLEXBOOST_ISA");
  const std::string_view wanted = wish ? wish : "";
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("fma");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (has_v4 && (wanted.empty() || wanted == "v4")) return v4::kKernels;
  if (has_v3 && (wanted.empty() || wanted == "v3" || wanted == "v4")) return v3::kKernels;
#endif
  return v1::kKernels;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace simplexboost
