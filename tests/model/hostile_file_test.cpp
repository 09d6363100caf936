// Whatever happens to a model file, loading gives an error or a model that works. Run these under
// the sanitizers (make asan) to see that nothing is read or written out of bounds on the way.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "model/explain.h"
#include "model/file/safetensors.h"
#include "model/file/serialization.h"
#include "model/model_access.h"
#include "model/random_ensemble.h"
#include "simplexboost/error.h"
#include "simplexboost/model.h"

namespace simplexboost {
namespace {

std::string small_file(std::uint64_t seed) {
  if (seed % 3 == 2) return serialize(random_pooled_ensemble(seed));
  return serialize(random_ensemble({4, 3, seed % 2 == 0 ? 3UL : 2UL, 3, 1, 5}, seed));
}

// Uses every part of the model.
void exercise(const Model& model) {
  const Dataset data = random_data(model.schema(), 11, 1);
  const Matrix proba = model.predict_proba(data);
  for (const float p : proba.values) ASSERT_TRUE(std::isfinite(p));
  std::vector<float> scores(model.schema().classes.size());
  model.predict_row(std::vector<double>(model.schema().features.size(), 0.25), scores);
  for (const float u : scores) ASSERT_TRUE(std::isfinite(u));
  const Ensemble& ensemble = ensemble_of(model);
  for (std::size_t t = 0; t < ensemble.forest.trees.size(); ++t) tree_text(ensemble, t);
  summarize(ensemble);
  serialize(ensemble);
}

// True if the bytes gave a model, which then worked.
bool loads(const std::string& bytes) {
  std::shared_ptr<const Ensemble> ensemble;
  try {
    ensemble = std::make_shared<const Ensemble>(deserialize(std::as_bytes(std::span(bytes))));
  } catch (const Error&) {
    return false;
  }
  exercise(make_model(ensemble));
  return true;
}

std::size_t header_end(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kSafetensorsPrefix);
  return kSafetensorsPrefix + length;
}

// Writes the arrays again, so that the checksum fits what was changed.
std::string with_changed_array(const std::string& bytes, Random& random) {
  TensorFile file = parse_safetensors(std::as_bytes(std::span(bytes)));
  auto chosen = file.tensors.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(random.below(file.tensors.size())));
  Tensor& tensor = chosen->second;
  std::vector<std::byte> changed(tensor.bytes.begin(), tensor.bytes.end());
  const std::size_t size = dtype_size(tensor.dtype);
  if (!changed.empty()) {
    const std::size_t changes = 1 + random.below(3);
    for (std::size_t i = 0; i < changes; ++i) {
      static constexpr std::uint64_t kTelling[] = {0,
                                                   1,
                                                   2,
                                                   3,
                                                   0x7f,
                                                   0x80,
                                                   0xff,
                                                   0x7fffffff,
                                                   0x80000000,
                                                   0xffffffff,
                                                   0x7f800000,
                                                   0x7fc00000,
                                                   0x7ff0000000000000,
                                                   0x7ff8000000000000,
                                                   0x7fffffffffffffff,
                                                   0xffffffffffffffff};
      const std::uint64_t value = random.below(2) == 0 ? kTelling[random.below(std::size(kTelling))]
                                                       : random.next() >> random.below(64);
      std::memcpy(changed.data() + random.below(changed.size() / size) * size, &value, size);
    }
  }
  if (random.below(8) == 0 && tensor.shape.size() == 1) {  // one entry more or less
    const bool longer = changed.empty() || random.below(2) == 0;
    changed.resize(longer ? changed.size() + size : changed.size() - size);
    tensor.shape[0] = changed.size() / size;
  }
  tensor.bytes = changed;
  return write_safetensors(file);
}

TEST(HostileFile, EveryTruncationIsRefused) {
  std::size_t tried = 0;
  for (const std::uint64_t seed : {1U, 3U, 8U}) {
    const std::string bytes = small_file(seed);
    ASSERT_TRUE(loads(bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size, ++tried)
      ASSERT_FALSE(loads(bytes.substr(0, size))) << size << " of " << bytes.size();
    ASSERT_FALSE(loads(bytes + '\0'));
  }
  RecordProperty("tried", std::to_string(tried));
}

// With codewords, with a simplex, and with leaf values of half precision.
TEST(HostileFile, EveryTurnedBitIsRefused) {
  std::size_t tried = 0;
  for (const std::uint64_t seed : {1U, 3U, 8U}) {
    const std::string bytes = small_file(seed);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit, ++tried) {
      std::string changed = bytes;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
      ASSERT_FALSE(loads(changed)) << "bit " << bit % 8 << " of byte " << bit / 8;
    }
  }
  RecordProperty("tried", std::to_string(tried));
}

TEST(HostileFile, ChangedBytesGiveAnErrorOrAModelThatWorks) {
  Random random(1);
  const std::string bytes = small_file(0);
  for (int i = 0; i < 10000; ++i) {
    std::string changed = bytes;
    const std::size_t changes = 1 + random.below(i % 2 == 0 ? 1 : 8);
    for (std::size_t k = 0; k < changes; ++k)
      changed[random.below(changed.size())] = static_cast<char>(random.below(256));
    loads(changed);
  }
}

TEST(HostileFile, ChangedDataIsAlwaysNoticed) {
  Random random(2);
  const std::string bytes = small_file(0);
  const std::size_t begin = header_end(bytes);
  for (int i = 0; i < 1000; ++i) {
    std::string changed = bytes;
    char& byte = changed[begin + random.below(bytes.size() - begin)];
    byte = static_cast<char>(byte ^ (1 << random.below(8)));
    ASSERT_FALSE(loads(changed));
  }
}

// Digits, brackets and letters in the place of others: the header stays nearly right.
TEST(HostileFile, ChangedHeadersGiveAnErrorOrAModelThatWorks) {
  Random random(3);
  const std::string bytes = small_file(1);
  const std::size_t end = header_end(bytes);
  const std::string alphabet = "0123456789{}[]\",:-.eFUI8 ";
  for (int i = 0; i < 10000; ++i) {
    std::string changed = bytes;
    const std::size_t changes = 1 + random.below(2);
    for (std::size_t k = 0; k < changes; ++k)
      changed[kSafetensorsPrefix + random.below(end - kSafetensorsPrefix)] =
          alphabet[random.below(alphabet.size())];
    loads(changed);
  }
}

TEST(HostileFile, ChangedArraysWithAFittingChecksumGiveAnErrorOrAModelThatWorks) {
  Random random(4);
  std::vector<std::string> files;
  for (std::uint64_t seed = 0; seed < 8; ++seed) files.push_back(small_file(seed));
  int accepted = 0;
  constexpr int kTries = 8000;
  for (int i = 0; i < kTries; ++i)
    if (loads(with_changed_array(files[random.below(files.size())], random))) ++accepted;
  EXPECT_GT(accepted, kTries / 20);
  EXPECT_LT(accepted, kTries / 2);
}

}  // namespace
}  // namespace simplexboost
