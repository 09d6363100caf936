// How large an exported model may become, and the exports with other limits than these, for those
// who would see what happens beyond without memory for it.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "model/ensemble.h"
#include "simplexboost/exchange.h"

namespace simplexboost {

struct ExportLimits {
  // Numbers of all tables together; text of more is beyond what compilers read.
  std::size_t header_numbers = std::size_t{1} << 26U;
  std::size_t treelite_bytes = std::size_t{1} << 34U;                 // of leaves
  std::size_t onnx_bytes = std::numeric_limits<std::int32_t>::max();  // of protocol buffers
};

std::string header_text(const Model& model, const std::string& name, const ExportLimits& limits);
std::string treelite_bytes(const Model& model, const TreeliteOptions& options,
                           const ExportLimits& limits);
std::string onnx_bytes(const Model& model, const OnnxOptions& options, const ExportLimits& limits);

}  // namespace simplexboost
