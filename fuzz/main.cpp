// The entry points that libFuzzer calls. The first word of the command line chooses the target.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "target.h"

namespace simplexboost::fuzz {
namespace {

constexpr std::array kTargets = {&kCsvTarget,   &kLibsvmTarget,     &kArffTarget,
                                 &kGzipTarget,  &kModelTarget,      &kJournalTarget,
                                 &kJsonTarget,  &kConfigTarget,     &kExperimentTarget,
                                 &kArrowTarget, &kCheckpointTarget, &kImportTarget};

const Target* chosen = nullptr;

const std::filesystem::path& scratch_folder() {
  static const std::filesystem::path folder = [] {
    const std::filesystem::path memory = "/dev/shm";
    const std::filesystem::path base =
        ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
    std::filesystem::path made = base / ("simplexboost-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(made);
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(scratch_folder(), ignored);
    });
    return made;
  }();
  return folder;
}

void choose(int* count, char*** words) {
  const std::string_view name = *count > 1 ? (*words)[1] : "";
  const auto* const found = std::find_if(
      kTargets.begin(), kTargets.end(), [&](const Target* target) { return target->name == name; });
  if (found == kTargets.end()) {
    std::fprintf(stderr, "usage: simplexboost_fuzz TARGET [libFuzzer's options]; targets:");
    for (const Target* target : kTargets) std::fprintf(stderr, " %s", target->name.data());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  chosen = *found;
  // libFuzzer sees the words without this one.
  std::copy(*words + 2, *words + *count, *words + 1);
  --*count;
  scratch_folder();
}

}  // namespace

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "FUZZ: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

ScratchFile::ScratchFile(const std::string& name) : path_(scratch_folder() / name) {}

void ScratchFile::write(Bytes bytes) const { write(text_of(bytes)); }

void ScratchFile::write(std::string_view text) const {
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  require(file.good(), "the scratch file cannot be written");
}

std::string ScratchFile::read() const {
  std::ifstream file(path_, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t put_back(std::string_view bytes, std::uint8_t* data, std::size_t limit) {
  const std::size_t size = std::min(bytes.size(), limit);
  std::memcpy(data, bytes.data(), size);
  return size;
}

}  // namespace simplexboost::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  simplexboost::fuzz::choose(count, words);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simplexboost::fuzz::chosen->run({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t limit, unsigned seed) {
  const auto* target = simplexboost::fuzz::chosen;
  return target->mutate != nullptr ? target->mutate(data, size, limit, seed)
                                   : LLVMFuzzerMutate(data, size, limit);
}
