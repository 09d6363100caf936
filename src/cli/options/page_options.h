// What verbs that write a page have in common: where it goes, which rows it is about, what is
// drawn.
#pragma once

#include <string>

#include "cli/options/arguments.h"
#include "simplexboost/read.h"
#include "simplexboost/report.h"

namespace simplexboost::cli {

struct PageOptions {
  std::string data;
  std::string output;
  ReadOptions read;
  ReportOptions report;
  bool quiet = false;

  // DATA and -o, after the model or models; `page` is what is written where nothing is said.
  void declare_first(Arguments& arguments, const std::string& page, const char* data_help);
  // How DATA are read, and the options that all commands have.
  void declare_last(Arguments& arguments);
};

}  // namespace simplexboost::cli
