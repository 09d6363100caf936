// A model as the bytes of a file and back; docs/model-format.md describes them. The same model
// always gives the same bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/ensemble.h"
#include "model/safetensors.h"

namespace simplexboost {

// The newest that there is; a model is written in the oldest that can hold it.
inline constexpr int kFormatVersion = 4;

// Hands the bytes over in pieces: a large model is never held twice.
void serialize(const Ensemble& ensemble, const WriteBytes& write);
std::string serialize(const Ensemble& ensemble);

// Throws ModelError unless the bytes are a whole model that check_ensemble accepts.
Ensemble deserialize(std::span<const std::byte> bytes);

}  // namespace simplexboost
