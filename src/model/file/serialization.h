// A model as the bytes of a file and back; docs/model-format.md describes them. The same model
// always gives the same bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/ensemble.h"
#include "model/file/safetensors.h"

namespace simplexboost {

// What is written; all up to this one are read.
inline constexpr int kFormatVersion = 5;

// Hands the bytes over in pieces: a large model is never held twice.
void serialize(const Ensemble& ensemble, const WriteBytes& write);
std::string serialize(const Ensemble& ensemble);

// Throws ModelError unless the bytes are a whole model that check_ensemble accepts.
Ensemble deserialize(std::span<const std::byte> bytes);

}  // namespace simplexboost
