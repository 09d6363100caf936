#include "model/safetensors.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "simplexboost/error.h"

namespace simplexboost {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are stored as they lie in memory");

constexpr std::uint64_t kMaxHeader = 100'000'000;  // as the reference implementation
constexpr const char* kMetadataKey = "__metadata__";
constexpr const char* kChecksumKey = "data_crc32";

struct DtypeInfo {
  std::string_view name;
  std::size_t size;
};

// In the order of Dtype.
constexpr std::array<DtypeInfo, 15> kDtypes = {{{"BOOL", 1},
                                                {"U8", 1},
                                                {"I8", 1},
                                                {"F8_E4M3", 1},
                                                {"F8_E5M2", 1},
                                                {"U16", 2},
                                                {"I16", 2},
                                                {"F16", 2},
                                                {"BF16", 2},
                                                {"U32", 4},
                                                {"I32", 4},
                                                {"F32", 4},
                                                {"U64", 8},
                                                {"I64", 8},
                                                {"F64", 8}}};

[[noreturn]] void fail(const std::string& what) {
  throw ModelError("not a sound safetensors file: " + what);
}

// Of all bytes that were added.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;  // crc32_z starts anew at a null pointer
    crc_ = crc32_z(crc_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  }
  std::string text() const { return fmt::format("{:08x}", crc_); }

 private:
  unsigned long crc_ = 0;
};

// One tensor as the header describes it, its parts present or not.
struct Entry {
  std::optional<Dtype> dtype;
  std::optional<std::vector<std::uint64_t>> shape;
  std::optional<std::vector<std::uint64_t>> offsets;
};

// Takes the header's JSON event by event. Anything but the one shape that a header may have is
// refused where it stands, so nesting is never deeper than that shape.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::map<std::string, Entry> entries;
  std::map<std::string, std::string> metadata;

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a truth value"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { unexpected("a fraction"); }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kNumbers) unexpected("a number");
    numbers_->push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::kMetadata) {
      metadata[key_] = std::move(value);
      return true;
    }
    if (place_ != Place::kTensor || key_ != "dtype") unexpected("a string");
    const auto* found = std::find_if(kDtypes.begin(), kDtypes.end(),
                                     [&](const auto& d) { return d.name == value; });
    if (found == kDtypes.end()) fail("array '" + name_ + "' has an unknown dtype");
    entry_->dtype = static_cast<Dtype>(found - kDtypes.begin());
    return true;
  }

  bool start_object(std::size_t) override {
    switch (place_) {
      case Place::kBefore: place_ = Place::kRoot; return true;
      case Place::kRoot:
        place_ = name_ == kMetadataKey ? Place::kMetadata : Place::kTensor;
        return true;
      default: unexpected("an object");
    }
  }

  bool key(string_t& key) override {
    switch (place_) {
      case Place::kRoot: start_entry(key); break;
      case Place::kMetadata:
        if (!metadata.emplace(key, "").second) fail("metadata '" + key + "' appears twice");
        break;
      default: check_tensor_key(key); break;
    }
    key_ = std::move(key);
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor && !(entry_->dtype && entry_->shape && entry_->offsets))
      fail("array '" + name_ + "' lacks its dtype, shape or data_offsets");
    place_ = Place::kRoot;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::kTensor || key_ == "dtype") unexpected("a list");
    auto& list = key_ == "shape" ? entry_->shape : entry_->offsets;
    numbers_ = &list.emplace();
    place_ = Place::kNumbers;
    return true;
  }

  bool end_array() override {
    place_ = Place::kTensor;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    fail(fmt::format("its header is not valid JSON at byte {}", position));
  }

 private:
  enum class Place : std::uint8_t { kBefore, kRoot, kMetadata, kTensor, kNumbers };

  [[noreturn]] void unexpected(const char* what) const {
    fail(fmt::format("its header has {} where none belongs", what));
  }

  void start_entry(const std::string& key) {
    if (key == kMetadataKey) {
      if (std::exchange(has_metadata_, true)) fail("its header has two __metadata__");
    } else {
      const auto [place, is_new] = entries.try_emplace(key);
      if (!is_new) fail("array '" + key + "' appears twice");
      entry_ = &place->second;
    }
    name_ = key;
  }

  void check_tensor_key(const std::string& key) const {
    const bool twice = (key == "dtype" && entry_->dtype) || (key == "shape" && entry_->shape) ||
                       (key == "data_offsets" && entry_->offsets);
    if (twice) fail("array '" + name_ + "' has two of " + key);
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      fail("array '" + name_ + "' has a field that the format does not know");
  }

  Place place_ = Place::kBefore;
  bool has_metadata_ = false;
  std::string name_;  // of the tensor
  std::string key_;   // within it, or within the metadata
  Entry* entry_ = nullptr;
  std::vector<std::uint64_t>* numbers_ = nullptr;
};

// Bytes that an array of this shape takes, nothing where that overflows.
std::optional<std::uint64_t> bytes_of(Dtype dtype, const std::vector<std::uint64_t>& shape) {
  std::uint64_t total = dtype_size(dtype);
  for (const std::uint64_t extent : shape)
    if (__builtin_mul_overflow(total, extent, &total)) return std::nullopt;
  return total;
}

// Turns entries into views; they must cover the data without gap or overlap.
std::map<std::string, Tensor> place_tensors(std::map<std::string, Entry>& entries,
                                            std::span<const std::byte> data) {
  std::map<std::string, Tensor> tensors;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (auto& [name, entry] : entries) {
    if (entry.offsets->size() != 2) fail("array '" + name + "' needs two data_offsets");
    const std::uint64_t begin = (*entry.offsets)[0];
    const std::uint64_t end = (*entry.offsets)[1];
    if (begin > end || end > data.size()) fail("array '" + name + "' lies outside the file");
    if (bytes_of(*entry.dtype, *entry.shape) != end - begin)
      fail("array '" + name + "' has data_offsets that do not fit its shape");
    ranges.emplace_back(begin, end);
    tensors[name] = Tensor{*entry.dtype, std::move(*entry.shape), data.subspan(begin, end - begin)};
  }
  std::sort(ranges.begin(), ranges.end());
  std::uint64_t covered = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin != covered) fail("its arrays overlap or leave gaps");
    covered = end;
  }
  if (covered != data.size())
    fail(fmt::format("{} bytes follow the last array", data.size() - covered));
  return tensors;
}

std::string header_text(const std::vector<std::pair<std::string, const Tensor*>>& order,
                        const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header;
  header[kMetadataKey] = metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : order) {
    auto& entry = header[name];
    entry["dtype"] = dtype_name(tensor->dtype);
    entry["shape"] = tensor->shape;
    entry["data_offsets"] = {offset, offset + tensor->bytes.size()};
    offset += tensor->bytes.size();
  }
  // Metadata must be UTF-8; what is not is shown as U+FFFD rather than losing the model.
  std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

std::string_view dtype_name(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)].name; }

std::size_t dtype_size(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)].size; }

std::string collect_bytes(const std::function<void(const WriteBytes&)>& produce) {
  std::string all;
  produce([&](std::span<const std::byte> bytes) {
    all.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return all;
}

void write_safetensors(const TensorFile& file, const WriteBytes& write) {
  std::vector<std::pair<std::string, const Tensor*>> order;
  for (const auto& [name, tensor] : file.tensors) {
    assert(bytes_of(tensor.dtype, tensor.shape) == tensor.bytes.size());
    order.emplace_back(name, &tensor);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return dtype_size(a.second->dtype) > dtype_size(b.second->dtype);
  });
  Checksum checksum;
  for (const auto& [name, tensor] : order) checksum.add(tensor->bytes);
  auto metadata = file.metadata;
  metadata[kChecksumKey] = checksum.text();
  const std::string header = header_text(order, metadata);
  const std::uint64_t length = header.size();
  write(std::as_bytes(std::span(&length, 1)));
  write(std::as_bytes(std::span(header)));
  for (const auto& [name, tensor] : order) write(tensor->bytes);
}

std::string write_safetensors(const TensorFile& file) {
  return collect_bytes([&](const WriteBytes& write) { write_safetensors(file, write); });
}

std::uint64_t check_safetensors_prefix(std::span<const std::byte, kSafetensorsPrefix> prefix,
                                       std::uint64_t file_size) {
  std::uint64_t length = 0;
  std::memcpy(&length, prefix.data(), kSafetensorsPrefix);
  if (length > kMaxHeader) fail("it does not begin with the length of a header");
  if (length > file_size - kSafetensorsPrefix) fail("it ends within its header");
  return length;
}

TensorFile parse_safetensors(std::span<const std::byte> bytes) {
  if (bytes.size() < kSafetensorsPrefix) fail("it is shorter than 8 bytes");
  const std::uint64_t length =
      check_safetensors_prefix(bytes.first<kSafetensorsPrefix>(), bytes.size());
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + kSafetensorsPrefix;
  if (length == 0 || text[0] != '{') fail("its header is not a JSON object");

  HeaderReader reader;
  nlohmann::json::sax_parse(text, text + length, &reader);
  const auto data = bytes.subspan(kSafetensorsPrefix + length);
  TensorFile file{place_tensors(reader.entries, data), std::move(reader.metadata)};
  const auto stored = file.metadata.find(kChecksumKey);
  if (stored != file.metadata.end()) {
    Checksum checksum;
    checksum.add(data);
    if (stored->second != checksum.text()) fail("its data does not match its checksum");
    file.metadata.erase(stored);
  }
  return file;
}

}  // namespace simplexboost
