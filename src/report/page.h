// One HTML file from facts, a template, a stylesheet and scripts, all of them within it. The page
// may load nothing, and run no script but its own.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/text/json.h"

namespace simplexboost {

struct PageOptions {
  std::string title;
  std::initializer_list<std::string_view> scripts;  // files of src/report/page, in this order
  int refresh = 0;  // seconds after which it is read again; 0: never
};

std::string make_page(const Json& facts, const PageOptions& options);

// A file of src/report/page, as it was when the library was built; empty: there is none.
std::string_view page_part(std::string_view name);

}  // namespace simplexboost
