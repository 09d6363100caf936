// Numbers at which things break, as bits of integers and of floating-point numbers.
#pragma once

#include <array>
#include <cstdint>

namespace simplexboost::fuzz {

inline constexpr std::array<std::uint64_t, 17> kTellingNumbers = {0,
                                                                  1,
                                                                  2,
                                                                  0x7f,
                                                                  0xff,
                                                                  0xffff,
                                                                  0x7fffffff,
                                                                  0x80000000,
                                                                  0xffffffff,
                                                                  0x7f7fffff,
                                                                  0x7f800000,
                                                                  0x7fc00000,
                                                                  0x7fefffffffffffff,
                                                                  0x7ff0000000000000,
                                                                  0x7ff8000000000000,
                                                                  0x7fffffffffffffff,
                                                                  0xffffffffffffffff};

}  // namespace simplexboost::fuzz
