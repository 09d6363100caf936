#include "quality/shared_fit.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/byte_stream.h"
#include "model/file/serialization.h"

namespace simplexboost {
namespace {

template <class Bytes>
void carry_fit(Bytes& bytes, std::string& model, CrossFit& fit) {
  bytes(fit.whole)(fit.rounds)(fit.seconds)(fit.left_out)(model);
  bytes(fit.proba.rows)(fit.proba.columns)(fit.proba.values);
}

}  // namespace

bool anywhere(Communicator& ranks, bool here) {
  std::int64_t value = here ? 1 : 0;
  ranks.maximum({&value, 1});
  return value != 0;
}

void share_fit(Communicator& ranks, int root, std::optional<CrossFit>& fit) {
  if (ranks.size() == 1) return;
  std::vector<std::byte> bytes;
  if (ranks.rank() == root && fit) {
    ByteWriter writer;
    std::string model = fit->has_model() ? serialize(fit->ensemble) : "";
    carry_fit(writer, model, *fit);
    bytes = writer.bytes();
  }
  broadcast_all(ranks, bytes, root);
  if (ranks.rank() == root) return;
  fit.reset();
  if (bytes.empty()) return;
  ByteReader reader(bytes);
  std::string model;
  carry_fit(reader, model, fit.emplace());
  if (!model.empty()) fit->ensemble = deserialize(std::as_bytes(std::span(model)));
}

}  // namespace simplexboost
