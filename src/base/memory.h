// What this machine can hold: what is large is refused before memory is taken for it, since a
// system that promises more than it has ends the process later, without a word.
#pragma once

#include <cstdint>
#include <string>

#include "simplexboost/memory.h"

namespace simplexboost {

// In bytes.
struct SystemMemory {
  std::uint64_t most = 0;  // of the machine, or what control groups allow where this is less
  std::uint64_t free = 0;  // of that now, with what the system keeps of files and can give up
};

// Control groups of either version, and those that they are in. `root`: where /proc and /sys are.
SystemMemory system_memory(const std::string& root = "");

// In bytes; less than that of the system where the rules of the process allow less.
std::uint64_t physical_memory();

// What this process may still take: what is free, or where there is a rule what is left of that.
std::uint64_t available_memory();

// What this process has of it now; 0 where the system does not tell.
std::uint64_t resident_memory();

// Where bins go that shall not be in memory.
std::string bins_folder(const MemoryRules& rules);

// 640 KB, 35 MB, 2.5 GB
std::string size_text(double bytes);

// Throws a DataError that names `what`, its size and what is free, where so many bytes would be
// more. What is small (see there) is not looked at.
void require_bytes(const std::string& what, double bytes);

// The same of rows x columns numbers of `size` bytes.
void require_memory(const std::string& what, std::uint64_t rows, std::uint64_t columns,
                    std::uint64_t size);

}  // namespace simplexboost
