// The arrays of a model file by name: how the fields of many small structures become arrays, and
// how they are taken out again with every name, type and size checked.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/file/safetensors.h"
#include "simplexboost/error.h"

namespace simplexboost {

// Collects arrays for the file; those made on the way are kept until it is written.
class TensorWriter {
 public:
  TensorFile file;

  template <class T>
  void view(const std::string& name, std::vector<std::uint64_t> shape, const std::vector<T>& data) {
    file.tensors[name] = Tensor{dtype_of<T>(), std::move(shape), std::as_bytes(std::span(data))};
  }

  template <class T>
  void keep(const std::string& name, std::vector<T> data) {
    auto bytes = std::as_bytes(std::span(data));
    auto& kept = kept_.emplace_back(bytes.begin(), bytes.end());
    file.tensors[name] = Tensor{dtype_of<T>(), {data.size()}, kept};
  }

  // One number (or bit field) of each item.
  template <class Items, class Get>
  void field(const std::string& name, const Items& items, const Get& get) {
    std::vector<decltype(get(*items.begin()))> values;
    values.reserve(items.size());
    for (const auto& item : items) values.push_back(get(item));
    keep(name, std::move(values));
  }

  // Strings are bytes and ends, not JSON: names from data need not be UTF-8.
  template <class Strings>
  void strings(const std::string& name, const Strings& items) {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint64_t> ends;
    for (const std::string& item : items) {
      bytes.insert(bytes.end(), item.begin(), item.end());
      ends.push_back(bytes.size());
    }
    keep(name + ".bytes", std::move(bytes));
    keep(name + ".ends", std::move(ends));
  }

 private:
  std::deque<std::vector<std::byte>> kept_;
};

// Takes arrays and metadata out of a file, each checked for presence, type and size.
class TensorReader {
 public:
  explicit TensorReader(TensorFile file) : file_(std::move(file)) {}

  const std::string& text(const std::string& key) const {
    const auto found = file_.metadata.find(key);
    if (found == file_.metadata.end())
      throw ModelError("the model lacks the metadata '" + key + "'");
    return found->second;
  }

  bool has(const std::string& key) const { return file_.metadata.contains(key); }
  bool has_tensor(const std::string& name) const { return file_.tensors.contains(name); }
  bool has_checksum() const { return file_.has_checksum; }

  bool truth(const std::string& key) const {
    const std::string& value = text(key);
    if (value != "true" && value != "false")
      throw ModelError("the metadata '" + key + "' must be true or false");
    return value == "true";
  }

  const Tensor& tensor(const std::string& name) const {
    const auto found = file_.tensors.find(name);
    if (found == file_.tensors.end()) throw ModelError("the model lacks the array '" + name + "'");
    return found->second;
  }

  template <class T>
  std::vector<T> numbers(const std::string& name) const {
    const Tensor& tensor = this->tensor(name);
    if (tensor.dtype != dtype_of<T>())
      throw ModelError(fmt::format("the array '{}' must be of type {}, not {}", name,
                                   dtype_name(dtype_of<T>()), dtype_name(tensor.dtype)));
    std::vector<T> values(tensor.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }

  // An array with one entry for each of `count` things.
  template <class T>
  std::vector<T> field(const std::string& name, std::size_t count) const {
    std::vector<T> values = numbers<T>(name);
    if (values.size() != count)
      throw ModelError(
          fmt::format("the array '{}' must hold {} numbers, not {}", name, count, values.size()));
    return values;
  }

  std::vector<std::string> strings(const std::string& name) const {
    const auto bytes = numbers<std::uint8_t>(name + ".bytes");
    const auto ends = numbers<std::uint64_t>(name + ".ends");
    std::vector<std::string> items;
    items.reserve(ends.size());
    std::uint64_t begin = 0;
    for (const std::uint64_t end : ends) {
      if (end < begin || end > bytes.size()) break;
      items.emplace_back(reinterpret_cast<const char*>(bytes.data()) + begin, end - begin);
      begin = end;
    }
    if (items.size() != ends.size() || begin != bytes.size())
      throw ModelError("the ends of the strings '" + name + "' are out of order");
    return items;
  }

 private:
  TensorFile file_;
};

}  // namespace simplexboost
