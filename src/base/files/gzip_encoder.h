// Compresses a stream of bytes as it comes, in the gzip format.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace simplexboost {

class GzipEncoder {
 public:
  using Output = std::function<void(std::string_view bytes)>;

  explicit GzipEncoder(Output output);
  ~GzipEncoder();

  void write(std::string_view bytes);
  // Writes what is still inside and the checksum. Call once, after the last write.
  void finish();

 private:
  struct State;
  void run(int flush);

  Output output_;
  std::unique_ptr<State> state_;
};

}  // namespace simplexboost
