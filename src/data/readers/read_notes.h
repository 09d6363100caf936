// Notes of what was read in pieces, told as of one.
#pragma once

#include <cstddef>

#include "simplexboost/read.h"

namespace simplexboost {

// So many names are kept of what is unknown; a line tells the first few.
inline constexpr std::size_t kMostUnknown = 1000;

// Makes a line of each entry of `unknown`, which is empty then.
void tell_unknown(ReadNotes& notes);

// Adds the notes of a further piece: lines that are not there yet, and names under those that were
// noted in the same words.
void merge_notes(ReadNotes piece, ReadNotes& whole);

}  // namespace simplexboost
