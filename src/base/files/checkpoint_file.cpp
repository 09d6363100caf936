#include "base/files/checkpoint_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <utility>

#include "base/byte_stream.h"
#include "base/files/atomic_file.h"
#include "base/memory.h"
#include "base/text/visible_text.h"
#include "simplexboost/error.h"
#include "simplexboost/version.h"

namespace simplexboost {
namespace {

// The bytes: these, the number of bytes that follow up to the checksum, the facts, the parts, and
// the checksum (CRC-32) of all before it.
constexpr std::string_view kMagic = "simplexboost checkpoint 1\n";

std::uint32_t checksum_of(std::span<const std::byte> head, std::span<const std::byte> body) {
  unsigned long crc = 0;
  for (const auto piece : {head, body})
    crc = crc32_z(crc, reinterpret_cast<const unsigned char*>(piece.data()), piece.size());
  return static_cast<std::uint32_t>(crc);
}

std::string read_whole(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw IoError(fmt::format("{}: {}", path, error.message()), error.value());
  const std::uint64_t free = available_memory();
  if (size > free / 2)
    throw ModelError(fmt::format("{}: its {} are more than half of the memory that is free, {}",
                                 path, size_text(static_cast<double>(size)),
                                 size_text(static_cast<double>(free))));
  std::string bytes(size, '\0');
  std::ifstream in(path, std::ios::binary);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(size)))
    throw IoError(fmt::format("{}: {}", path, std::strerror(errno)), errno);
  return bytes;
}

}  // namespace

void require_same_facts(const std::string& path, const WorkFacts& there, const WorkFacts& here) {
  constexpr std::size_t kLongest = 200;
  const auto differ = [&](const std::string& one, const std::string& other) {
    throw ModelError(
        fmt::format("{}: the checkpoint is of other work: '{}' there, '{}' here; remove it, or "
                    "give another name",
                    path, short_text(one, kLongest), short_text(other, kLongest)));
  };
  for (std::size_t i = 0; i < std::min(there.size(), here.size()); ++i)
    if (there[i] != here[i]) differ(there[i], here[i]);
  if (there.size() > here.size()) differ(there[here.size()], "nothing of it");
  if (here.size() > there.size()) differ("nothing of it", here[there.size()]);
}

CheckpointFile::CheckpointFile(CheckpointOptions options, WorkFacts facts)
    : options_(std::move(options)), facts_(std::move(facts)) {
  facts_.insert(facts_.begin(), fmt::format("version: {}", SIMPLEXBOOST_VERSION));
  std::error_code none;
  if (!std::filesystem::exists(options_.file, none)) return;
  if (std::filesystem::is_other(options_.file, none))
    throw ModelError(options_.file +
                     ": it is a device or a pipe, and keeps nothing; give the name of a file");
  read();
}

void CheckpointFile::read() {
  const std::string& path = options_.file;
  const std::string text = read_whole(path);
  const std::span bytes = std::as_bytes(std::span(text));
  if (!text.starts_with(kMagic))
    throw ModelError(path + ": it is no checkpoint of this version; give another name");
  const auto damaged = [&](const char* what) {
    throw ModelError(
        fmt::format("{}: the checkpoint is damaged: {}; remove it to begin anew", path, what));
  };
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
  const std::size_t head = kMagic.size() + sizeof(size);
  if (bytes.size() < head + sizeof(checksum)) damaged("it is cut off");
  std::memcpy(&size, bytes.data() + kMagic.size(), sizeof(size));
  if (size != bytes.size() - head - sizeof(checksum)) damaged("it is not as long as it says");
  std::memcpy(&checksum, bytes.data() + head + size, sizeof(checksum));
  if (checksum != checksum_of(bytes.first(head), bytes.subspan(head, size)))
    damaged("it does not match its checksum");
  WorkFacts there;
  std::vector<std::string> names;
  std::vector<std::string> parts;
  try {
    ByteReader reader(bytes.subspan(head, size));
    reader(there)(names)(parts);
  } catch (const CommunicationError&) {
    damaged("a part is cut off");
  }
  require_same_facts(path, there, facts_);
  if (names.size() != parts.size()) damaged("parts without a name");
  for (std::size_t i = 0; i < names.size(); ++i)
    parts_.insert_or_assign(std::move(names[i]), std::move(parts[i]));
}

std::optional<std::string> CheckpointFile::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto part = parts_.find(name);
  return part == parts_.end() ? std::nullopt : std::optional(part->second);
}

void CheckpointFile::keep(const std::string& name, std::string bytes) {
  const std::lock_guard lock(mutex_);
  parts_.insert_or_assign(name, std::move(bytes));
}

void CheckpointFile::drop(const std::string& name) {
  const std::lock_guard lock(mutex_);
  parts_.erase(name);
}

void CheckpointFile::drop_all(const std::string& stem) {
  const std::lock_guard lock(mutex_);
  std::erase_if(parts_, [&](const auto& part) { return part.first.starts_with(stem); });
}

void CheckpointFile::write() const {
  if (options_.file.empty()) return;
  const std::lock_guard lock(mutex_);
  ByteWriter body;
  body(facts_);
  body(static_cast<std::uint64_t>(parts_.size()));
  for (const auto& [name, part] : parts_) body(name);
  body(static_cast<std::uint64_t>(parts_.size()));
  for (const auto& [name, part] : parts_) body(part);
  ByteWriter size;
  size(static_cast<std::uint64_t>(body.bytes().size()));
  std::vector<std::byte> head(size.bytes());
  const std::span magic = std::as_bytes(std::span(kMagic));
  head.insert(head.begin(), magic.begin(), magic.end());
  const std::uint32_t checksum = checksum_of(head, body.bytes());
  try {
    AtomicFile file(options_.file);
    file.write(head.data(), head.size());
    file.write(body.bytes().data(), body.bytes().size());
    file.write(&checksum, sizeof(checksum));
    file.commit();
  } catch (const IoError& error) {
    std::error_code none;
    if (!std::filesystem::exists(options_.file, none)) throw;
    throw IoError(fmt::format("{}; the checkpoint has the rounds before, and the same command goes "
                              "on from them",
                              error.what()),
                  error.code());
  }
}

void CheckpointFile::remove() const {
  std::error_code none;
  std::filesystem::remove(options_.file, none);
}

}  // namespace simplexboost
