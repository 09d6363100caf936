#include "cli/options/page_options.h"

#include <fmt/format.h>

#include "cli/options/data_options.h"
#include "cli/options/parameter_options.h"

namespace simplexboost::cli {

void PageOptions::declare_first(Arguments& arguments, const std::string& page,
                                const char* data_help) {
  output = page;
  arguments.positional("DATA", data, data_help);
  arguments.required();
  arguments.option(
      "-o,--output", "FILE", output,
      fmt::format("Where to write the page; {} by default, - is standard output.", page));
}

void PageOptions::declare_last(Arguments& arguments) {
  arguments.group("Data");
  declare_label_option(arguments, read);
  declare_weight_option(arguments, read);
  declare_format_options(arguments, read);
  arguments.group("Options");
  declare_threads_option(arguments, report.threads);
  arguments.option("--seed", "N", report.seed, "Of what is drawn: another seed, other draws.");
  arguments.flag("--quiet", quiet, "No notes on standard error, no summary.");
}

}  // namespace simplexboost::cli
