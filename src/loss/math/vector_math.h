// exp over arrays, by the vector instructions of this machine. It does not call libm, so
// the results are the same bits on every machine.
#pragma once

#include <cstddef>

namespace simplexboost {

// out[i] = e^in[i], to 2 units in the last place; 0 where the result would be subnormal. `out` may
// be `in`.
void vector_exp(const float* in, float* out, std::size_t size);

}  // namespace simplexboost
