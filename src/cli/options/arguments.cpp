#include "cli/options/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>
#include <utility>

#include "base/text/nearest_name.h"
#include "cli/text/layout.h"

namespace simplexboost::cli {

namespace {

constexpr const char* kArguments = "Arguments";
constexpr const char* kOptions = "Options";

}  // namespace

struct Arguments::Item {
  CLI::Option* option = nullptr;
  std::string names;
  std::string placeholder;  // empty: a flag
  std::string heading;
  std::string help;
  Setter setter;
  bool positional = false;
  bool repeatable = false;
  bool required = false;

  // What help shows in front: "-o, --output FILE".
  std::string left_column() const {
    if (positional || placeholder.empty()) return spaced_names();
    return spaced_names() + " " + placeholder;
  }

  std::string spaced_names() const {
    std::string spaced = names;
    if (const auto comma = spaced.find(','); comma != std::string::npos) {
      spaced.insert(comma + 1, " ");
    }
    return spaced;
  }

  // The name that messages use: "--output" of "-o,--output".
  std::string name() const {
    const std::size_t comma = names.rfind(',');
    return comma == std::string::npos ? names : names.substr(comma + 1);
  }
};

struct Arguments::Implementation {
  const Verb& verb;
  std::vector<std::string> words;
  CLI::App app{};
  std::deque<Item> items{};
  std::string heading = kOptions;
  std::vector<std::pair<std::string, std::string>> exclusive{};

  // In the order of their first options; --help makes sure that there are "Options".
  std::vector<std::string> headings() const {
    std::vector<std::string> all;
    const auto note = [&](const std::string& one) {
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    };
    for (const Item& item : items) note(item.heading);
    note(kOptions);
    return all;
  }

  bool declares(const std::string& name) const {
    return std::any_of(items.begin(), items.end(),
                       [&](const Item& item) { return item.name() == name; });
  }

  const Item& find(const std::string& name) const {
    return *std::find_if(items.begin(), items.end(),
                         [&](const Item& item) { return item.name() == name; });
  }
};

namespace {

constexpr std::size_t kHelpWidth = 96;
constexpr std::size_t kHelpColumn = 28;

// Numbers are read whole and by the C locale; anything else is the person's mistake.
template <class Number>
Number parse_number(const std::string& name, const std::string& text, std::string_view kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && !text.empty()) return value;
  throw UsageError(fmt::format("{}: '{}' is not {}", name, text, kind));
}

std::string last_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

void append_item_help(std::string& out, const std::string& left, const std::string& help) {
  out += "  " + left;
  const std::size_t width = left.size() + 2;
  if (width + 2 > kHelpColumn) {
    out += "\n" + std::string(kHelpColumn, ' ');
  } else {
    out += std::string(kHelpColumn - width, ' ');
  }
  out += wrap(help, kHelpWidth - kHelpColumn, kHelpColumn) + "\n";
}

std::string see_help(const Verb& verb) {
  return fmt::format(" ('simplexboost {} --help' tells more)", verb.name);
}

}  // namespace

Arguments::Arguments(const Verb& verb, std::vector<std::string> words)
    : implementation_(new Implementation{verb, std::move(words)}) {
  CLI::App& app = implementation_->app;
  app.allow_extras();
  app.set_help_flag("-h,--help", "");
}

Arguments::~Arguments() = default;

void Arguments::group(std::string heading) { implementation_->heading = std::move(heading); }

Arguments::Item& Arguments::add(std::string names, std::string placeholder, Setter setter,
                                std::string help) {
  Item item;
  if (placeholder.empty()) {
    item.option = implementation_->app.add_flag(names);
  } else {
    // The values stay text until every name on the line is known to be right.
    item.option = implementation_->app.add_option(names);
    item.option->type_size(1)->expected(1)->take_all()->allow_extra_args(false);
  }
  item.names = std::move(names);
  item.placeholder = std::move(placeholder);
  item.heading = implementation_->heading;
  item.setter = std::move(setter);
  item.help = std::move(help);
  return implementation_->items.emplace_back(std::move(item));
}

void Arguments::positional(std::string name, std::string& value, std::string help) {
  const std::string placeholder = name;
  Item& item = add(
      std::move(name), placeholder, [&value](const std::string& text) { value = text; },
      std::move(help));
  item.positional = true;
  item.heading = kArguments;
}

void Arguments::flag(std::string names, bool& value, std::string help) {
  custom_flag(
      std::move(names), [&value] { value = true; }, std::move(help));
}

void Arguments::custom_flag(std::string names, std::function<void()> action, std::string help) {
  add(
      std::move(names), "", [action = std::move(action)](const std::string&) { action(); },
      std::move(help));
}

void Arguments::option(std::string names, std::string placeholder, std::string& value,
                       std::string help) {
  custom(
      std::move(names), std::move(placeholder), [&value](const std::string& text) { value = text; },
      std::move(help));
}

void Arguments::option(std::string names, std::string placeholder, double& value,
                       std::string help) {
  const std::string name = last_name(names);
  custom(
      std::move(names), std::move(placeholder),
      [&value, name](const std::string& text) {
        value = parse_number<double>(name, text, "a number");
      },
      std::move(help));
}

void Arguments::option(std::string names, std::string placeholder, int& value, std::string help) {
  const std::string name = last_name(names);
  custom(
      std::move(names), std::move(placeholder),
      [&value, name](const std::string& text) {
        value = parse_number<int>(name, text, "a whole number");
      },
      std::move(help));
}

void Arguments::option(std::string names, std::string placeholder, std::uint64_t& value,
                       std::string help) {
  const std::string name = last_name(names);
  custom(
      std::move(names), std::move(placeholder),
      [&value, name](const std::string& text) {
        value = parse_number<std::uint64_t>(name, text, "a whole number, 0 or more");
      },
      std::move(help));
}

void Arguments::list(std::string names, std::string placeholder, std::vector<std::string>& value,
                     std::string help) {
  Item& item = add(
      std::move(names), std::move(placeholder),
      [&value](const std::string& text) {
        for (std::string& part : split(text, ',')) value.push_back(std::move(part));
      },
      std::move(help));
  item.repeatable = true;
}

void Arguments::custom(std::string names, std::string placeholder, Setter setter,
                       std::string help) {
  add(std::move(names), std::move(placeholder), std::move(setter), std::move(help));
}

void Arguments::repeatable() { implementation_->items.back().repeatable = true; }

void Arguments::required() { implementation_->items.back().required = true; }

void Arguments::exclusive(std::string first, std::string second) {
  implementation_->exclusive.emplace_back(std::move(first), std::move(second));
}

std::string Arguments::command_line() const {
  std::string line = fmt::format("simplexboost {}", implementation_->verb.name);
  for (const std::string& word : implementation_->words) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+@%";
    line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) c == '\'' ? line += "'\\''" : line += c;
    line += '\'';
  }
  return line;
}

bool Arguments::given(const std::string& name) const {
  return implementation_->find(name).option->count() > 0;
}

void Arguments::parse() {
  if (!implementation_->declares("--quiet")) {
    group(kOptions);
    custom_flag(
        "--quiet", [] {}, "No progress, no notes, no summary.");
  }
  std::vector<std::string> reversed(implementation_->words.rbegin(), implementation_->words.rend());
  try {
    implementation_->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    throw HelpRequested(help());
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = error.what();
    throw UsageError(message.substr(0, message.find(':')) + " needs a value" +
                     see_help(implementation_->verb));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what() + see_help(implementation_->verb));
  }
  check_names();
  check_presence();
  for (const Item& item : implementation_->items) {
    if (item.option->count() == 0) continue;
    if (item.placeholder.empty()) {
      item.setter("");
    } else {
      for (const std::string& text : item.option->results()) item.setter(text);
    }
  }
}

void Arguments::check_names() const {
  const std::vector<std::string> left_over = implementation_->app.remaining();
  if (left_over.empty()) return;
  const std::string& word = left_over.front();
  if (word.size() < 2 || word.front() != '-') {
    throw UsageError(
        fmt::format("unexpected argument '{}'{}", word, see_help(implementation_->verb)));
  }
  std::vector<std::string> names;
  for (const Item& item : implementation_->items) {
    if (!item.positional) names.push_back(item.name());
  }
  names.emplace_back("--help");
  const std::vector<std::string_view> valid(names.begin(), names.end());
  const std::string typed = word.substr(0, word.find('='));
  const std::string_view nearest = nearest_name(typed, valid);
  throw UsageError(
      fmt::format("unknown option '{}'{}{}", typed,
                  nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest),
                  see_help(implementation_->verb)));
}

void Arguments::check_presence() const {
  for (const Item& item : implementation_->items) {
    const std::size_t count = item.option->count();
    if (item.required && count == 0) {
      throw UsageError(
          fmt::format("{} is missing{}", item.name(), see_help(implementation_->verb)));
    }
    if (count > 1 && !item.repeatable && !item.placeholder.empty()) {
      throw UsageError(fmt::format("{} is given {} times; once is enough", item.name(), count));
    }
  }
  for (const auto& [first, second] : implementation_->exclusive) {
    if (given(first) && given(second)) {
      throw UsageError(fmt::format("{} and {} exclude each other", first, second));
    }
  }
}

std::string Arguments::help() const {
  const Verb& verb = implementation_->verb;
  std::string out = fmt::format("simplexboost {}: {}\n\n", verb.name, verb.summary);
  out += fmt::format("Usage: simplexboost {}{}{}\n", verb.name, verb.usage.empty() ? "" : " ",
                     verb.usage);
  if (!verb.description.empty()) {
    out += "\n" + wrap(verb.description, kHelpWidth, 0) + "\n";
  }
  for (const std::string& heading : implementation_->headings()) {
    out += "\n" + heading + ":\n";
    for (const Item& item : implementation_->items) {
      if (item.heading == heading) append_item_help(out, item.left_column(), item.help);
    }
    if (heading == kOptions) append_item_help(out, "-h, --help", "Show this text.");
  }
  if (!verb.examples.empty()) out += fmt::format("\nExamples:\n{}\n", verb.examples);
  return out;
}

}  // namespace simplexboost::cli
