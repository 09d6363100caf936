#include "model/file/safetensors.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/text/json.h"
#include "simplexboost/error.h"

namespace simplexboost {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are stored as they lie in memory");

constexpr std::uint64_t kMaxHeader = 100'000'000;  // as the reference implementation
constexpr const char* kMetadataKey = "__metadata__";
constexpr const char* kDataChecksumKey =
    "data_crc32";  // of files by version 0.1: of the arrays alone
constexpr const char* kChecksumKey = "file_crc32";
constexpr std::string_view kNoChecksum = "00000000";  // what stands in its place while it is taken

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

// Reads the header's JSON. Anything but the one shape that a header may have is refused where it
// stands, so nesting is never deeper than that shape.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : cursor_(text) {}

  std::map<std::string, Entry> entries;
  std::map<std::string, std::string> metadata;

  void read() {
    try {
      cursor_.object([&](const std::string& name) {
        if (cursor_.peek() != '{') unexpected();
        name == kMetadataKey ? read_metadata() : read_entry(name);
      });
      cursor_.expect_end();
    } catch (const JsonError& error) {
      fail(fmt::format("its header is not valid JSON at byte {}", error.position()));
    }
  }

 private:
  // What comes next belongs to JSON, perhaps, but not here.
  [[noreturn]] static void refuse(const char* what) {
    fail(fmt::format("its header has {} where none belongs", what));
  }

  [[noreturn]] void unexpected() {
    switch (cursor_.peek()) {
      case '{': refuse("an object");
      case '[': refuse("a list");
      case '"': refuse("a string");
      case 't':
      case 'f': refuse("a truth value");
      case 'n': refuse("null");
      default: break;
    }
    const std::string_view number = cursor_.number();  // fails where it is none
    refuse(number.find_first_of(".eE") != std::string_view::npos ? "a fraction"
           : number.front() == '-'                               ? "a negative number"
                                                                 : "a number");
  }

  void read_metadata() {
    if (std::exchange(has_metadata_, true)) fail("its header has two __metadata__");
    cursor_.object([&](const std::string& key) {
      if (cursor_.peek() != '"') unexpected();
      if (!metadata.emplace(key, cursor_.string()).second)
        fail("metadata '" + key + "' appears twice");
    });
  }

  void read_entry(const std::string& name) {
    const auto [place, is_new] = entries.try_emplace(name);
    if (!is_new) fail("array '" + name + "' appears twice");
    Entry& entry = place->second;
    cursor_.object([&](const std::string& key) {
      const bool twice = (key == "dtype" && entry.dtype) || (key == "shape" && entry.shape) ||
                         (key == "data_offsets" && entry.offsets);
      if (twice) fail("array '" + name + "' has two of " + key);
      if (key == "dtype")
        entry.dtype = read_dtype(name);
      else if (key == "shape")
        entry.shape = read_numbers();
      else if (key == "data_offsets")
        entry.offsets = read_numbers();
      else
        fail("array '" + name + "' has a field that the format does not know");
    });
    if (!(entry.dtype && entry.shape && entry.offsets))
      fail("array '" + name + "' lacks its dtype, shape or data_offsets");
  }

  Dtype read_dtype(const std::string& name) {
    if (cursor_.peek() != '"') unexpected();
    const std::string value = cursor_.string();
    const auto* found = std::find_if(kDtypes.begin(), kDtypes.end(),
                                     [&](const auto& d) { return d.name == value; });
    if (found == kDtypes.end()) fail("array '" + name + "' has an unknown dtype");
    return static_cast<Dtype>(found - kDtypes.begin());
  }

  std::vector<std::uint64_t> read_numbers() {
    std::vector<std::uint64_t> numbers;
    if (cursor_.peek() != '[') unexpected();
    cursor_.array([&] {
      JsonCursor before = cursor_;
      const char first = cursor_.peek();
      std::uint64_t value = 0;
      if (first >= '0' && first <= '9') {
        const std::string_view text = cursor_.number();
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc() && stop == end) return numbers.push_back(value);
      }
      cursor_ = before;
      unexpected();
    });
    return numbers;
  }

  JsonCursor cursor_;
  bool has_metadata_ = false;
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
  // Metadata must be UTF-8; what is not is shown as U+FFFD rather than losing the model.
  std::string text = "{";
  append_json_string(kMetadataKey, text);
  text += ':' + Json(metadata).dump();
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : order) {
    const std::uint64_t end = offset + tensor->bytes.size();
    text += ',';
    append_json_string(name, text);
    text += fmt::format(R"(:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                        dtype_name(tensor->dtype), fmt::join(tensor->shape, ","), offset, end);
    offset = end;
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

// Where the digits of the checksum stand in a header that has them; quotes within strings are
// escaped, so nothing else looks like this.
std::size_t checksum_place(std::string_view header) {
  const std::string before = fmt::format(R"("{}":")", kChecksumKey);
  const std::size_t found = header.find(before);
  if (found == std::string_view::npos) fail("its checksum is not written as it should be");
  return found + before.size();
}

// Takes the checksums out of the metadata.
void check_checksums(std::span<const std::byte> bytes, std::string_view header,
                     std::map<std::string, std::string>& metadata) {
  const auto require = [](const std::string& stored, const Checksum& checksum) {
    if (stored != checksum.text()) fail("it does not match its checksum");
  };
  const auto data = bytes.subspan(kSafetensorsPrefix + header.size());
  if (const auto stored = metadata.extract(kDataChecksumKey)) {
    Checksum checksum;
    checksum.add(data);
    require(stored.mapped(), checksum);
  }
  if (const auto stored = metadata.extract(kChecksumKey)) {
    const std::size_t place = checksum_place(header);
    if (stored.mapped().size() != kNoChecksum.size()) fail("it does not match its checksum");
    const std::string_view after = header.substr(place + kNoChecksum.size());
    Checksum checksum;
    checksum.add(bytes.first(kSafetensorsPrefix));
    checksum.add(std::as_bytes(std::span(header.substr(0, place))));
    checksum.add(std::as_bytes(std::span(kNoChecksum)));
    checksum.add(std::as_bytes(std::span(after)));
    checksum.add(data);
    require(stored.mapped(), checksum);
  }
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
  auto metadata = file.metadata;
  metadata[kChecksumKey] = kNoChecksum;
  std::string header = header_text(order, metadata);
  const std::uint64_t length = header.size();
  Checksum checksum;
  checksum.add(std::as_bytes(std::span(&length, 1)));
  checksum.add(std::as_bytes(std::span(header)));
  for (const auto& [name, tensor] : order) checksum.add(tensor->bytes);
  header.replace(checksum_place(header), kNoChecksum.size(), checksum.text());
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

  HeaderReader reader({text, length});
  reader.read();
  const auto data = bytes.subspan(kSafetensorsPrefix + length);
  TensorFile file{place_tensors(reader.entries, data), std::move(reader.metadata)};
  file.has_checksum = file.metadata.contains(kChecksumKey);
  check_checksums(bytes, {text, length}, file.metadata);
  return file;
}

}  // namespace simplexboost
