// Levels of vector instructions. Files named *_isa.cpp are compiled once for each level, with
// SIMPLEXBOOST_ISA naming the namespace; isa_level() says which copy this machine shall run.
//
// Such a file must not use inline functions of other headers: the linker could keep the copy with
// the widest instructions for the whole program (a test looks at the symbols). All levels must give
// the same bits: no fused multiply-add, and reductions in the order that lanes.h fixes.
#pragma once

#include <cstdint>
#include <string_view>

namespace simplexboost {

enum class IsaLevel : std::uint8_t {
  kV1,  // any x86-64, and other processors
  kV3,  // AVX2
  kV4,  // AVX-512
};

// The widest that this machine runs; the environment variable SIMPLEXBOOST_ISA (v1, v3) lowers it.
IsaLevel isa_level();

std::string_view isa_name(IsaLevel level);  // "v1"

}  // namespace simplexboost

// Declares `extern const Type name` in each level's namespace; use it in namespace simplexboost.
#if defined(__x86_64__)
#define SIMPLEXBOOST_ISA_COPIES(Type, name) \
  namespace v1 {                            \
  extern const Type name;                   \
  }                                         \
  namespace v3 {                            \
  extern const Type name;                   \
  }                                         \
  namespace v4 {                            \
  extern const Type name;                   \
  }
#define SIMPLEXBOOST_ISA_CHOICE(name) \
  (isa_level() == IsaLevel::kV4 ? v4::name : isa_level() == IsaLevel::kV3 ? v3::name : v1::name)
#else
#define SIMPLEXBOOST_ISA_COPIES(Type, name) \
  namespace v1 {                            \
  extern const Type name;                   \
  }
#define SIMPLEXBOOST_ISA_CHOICE(name) v1::name
#endif
