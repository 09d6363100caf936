// What a format cannot hold for its size is refused with the size and the limit.
#include "exchange/limits.h"

#include <gtest/gtest.h>

#include "base/message_of.h"
#include "boosting/labelled_data.h"
#include "simplexboost/train.h"

namespace simplexboost {
namespace {

using testing::labelled_data;
using testing::message_of;

Model small_model() {
  Parameters parameters;
  parameters.algorithm = "newton";
  parameters.rounds = 3;
  return train(labelled_data({.mixed = true}, 1), parameters);
}

TEST(ExportLimits, NameTheSizeAndTheMost) {
  const Model model = small_model();
  ExportLimits limits;
  limits.header_numbers = 50;
  limits.treelite_bytes = 100;
  limits.onnx_bytes = 200;
  const std::string header = message_of([&] { header_text(model, "m", limits); });
  EXPECT_NE(header.find("numbers; 50 is the most; train with fewer rounds"), std::string::npos)
      << header;
  const std::string treelite = message_of([&] { treelite_bytes(model, {}, limits); });
  EXPECT_NE(treelite.find("GiB in Treelite's format; 0 is the most"), std::string::npos)
      << treelite;
  const std::string onnx = message_of([&] { onnx_bytes(model, {}, limits); });
  EXPECT_NE(onnx.find("GiB as ONNX, whose files end at 2 GiB"), std::string::npos) << onnx;
}

// The tables of leaves may fit where the whole does not.
TEST(ExportLimits, SeeTheWholeFileToo) {
  const Model model = small_model();
  const std::size_t size = onnx_bytes(model, {}, {}).size();
  ExportLimits limits;
  limits.onnx_bytes = size - 1;
  EXPECT_NE(message_of([&] { onnx_bytes(model, {}, limits); }), "");
  limits.onnx_bytes = size;
  EXPECT_EQ(onnx_bytes(model, {}, limits).size(), size);
}

TEST(ExportLimits, AreWhatThePublicFunctionsTake) {
  const Model model = small_model();
  EXPECT_EQ(header_text(model, "m", {}), to_header(model, "m"));
  EXPECT_EQ(treelite_bytes(model, {}, {}), to_treelite(model));
  EXPECT_EQ(onnx_bytes(model, {}, {}), to_onnx(model, {}));
}

}  // namespace
}  // namespace simplexboost
