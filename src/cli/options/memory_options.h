// --max-memory, --bins-on-disk and --bins-folder, shared by the verbs that train.
#pragma once

#include <string>

#include "cli/options/arguments.h"

namespace simplexboost::cli {

class MemoryArguments {
 public:
  void declare(Arguments& arguments);
  // Of the whole process, from the first row that is read.
  void set_rules() const;

 private:
  std::string most_;
  std::string folder_;
  bool on_disk_ = false;
};

}  // namespace simplexboost::cli
