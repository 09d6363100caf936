// What is fuzzed: each target takes bytes and stops the program at the first thing that must not
// be. main.cpp has the list, and one program holds them all: simplexboost_fuzz TARGET [options].
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace simplexboost::fuzz {

using Bytes = std::span<const std::uint8_t>;

struct Target {
  std::string_view name;
  void (*run)(Bytes bytes);
  // Changes `size` bytes at `data` in place, up to `limit` of them, and returns their new number;
  // null: as libFuzzer does it. For formats with a checksum, which random changes would only break.
  std::size_t (*mutate)(std::uint8_t* data, std::size_t size, std::size_t limit, unsigned seed);
};

extern const Target kCsvTarget;
extern const Target kLibsvmTarget;
extern const Target kArffTarget;
extern const Target kGzipTarget;
extern const Target kModelTarget;
extern const Target kImportTarget;
extern const Target kJournalTarget;
extern const Target kJsonTarget;
extern const Target kConfigTarget;
extern const Target kExperimentTarget;
extern const Target kArrowTarget;
extern const Target kCheckpointTarget;

// Ends the program as a crash, which libFuzzer reports with the input, unless `holds`.
void require(bool holds, std::string_view what);

// A file of this process alone, in memory where the system has such a place.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name);

  const std::string& path() const { return path_; }
  void write(Bytes bytes) const;
  void write(std::string_view text) const;
  std::string read() const;

 private:
  std::string path_;
};

// Copies what fits to `data` and returns its size: the end of every mutation.
std::size_t put_back(std::string_view bytes, std::uint8_t* data, std::size_t limit);

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace simplexboost::fuzz

// libFuzzer's own changes, those from the dictionary among them.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit);
