// Answers a mistyped name with the one that was probably meant. Wherever the user names something
// from a list (a generator, an algorithm, a parameter, a verb), the error offers the nearest.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace simplexboost {

// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other;
// upper and lower case, and '-' and '_', count as the same.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The valid name that is closest, or "" where none is near enough to be a likely typing error.
// A name that begins with what was typed counts as near. Ties go to the first in the list.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> valid);

// "unknown KIND 'NAME'; did you mean 'NEAREST'? (valid: A, B, C)": the whole line of an error.
std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 std::span<const std::string_view> valid);

}  // namespace simplexboost
