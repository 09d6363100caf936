#include "cli/options/memory_options.h"

#include "base/memory.h"

namespace simplexboost::cli {

void MemoryArguments::declare(Arguments& arguments) {
  arguments.group("Memory");
  arguments.option("--max-memory", "SIZE", most_,
                   "Take no more, as 800M or 2.5G: where training would, by an estimate made "
                   "before it begins, bins go to a file, and what is still too much is refused.");
  arguments.flag("--bins-on-disk", on_disk_,
                 "Keep the bins of the rows in a file without a name; the values as read stay in "
                 "memory, and the model is the same.");
  arguments.option(
      "--bins-folder", "FOLDER", folder_,
      "As --bins-on-disk, with the file in this folder instead of that for temporary files.");
}

void MemoryArguments::set_rules() const {
  MemoryRules rules;
  if (!most_.empty()) rules.most = parse_memory(most_, "--max-memory");
  rules.bins_folder = folder_;
  if (on_disk_) rules.bins_folder = bins_folder(rules);
  set_memory_rules(rules);
}

}  // namespace simplexboost::cli
