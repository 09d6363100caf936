// A model as the bytes of a file and back; docs/model-format.md describes them. The same model
// always gives the same bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/ensemble.h"

namespace simplexboost {

inline constexpr int kFormatVersion = 1;

std::string serialize(const Ensemble& ensemble);

// Throws ModelError unless the bytes are a whole model that check_ensemble accepts.
Ensemble deserialize(std::span<const std::byte> bytes);

}  // namespace simplexboost
