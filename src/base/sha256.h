// SHA-256 (FIPS 180-4): names a model by its bytes, and tells a browser which script may run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace simplexboost {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::span<const std::byte> bytes);
Sha256 sha256(std::string_view text);

// As `sha256sum` prints it.
std::string hex_text(const Sha256& hash);
// As the policy of a page has it.
std::string base64_text(std::span<const std::uint8_t> bytes);

}  // namespace simplexboost
