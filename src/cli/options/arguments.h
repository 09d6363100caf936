// The command line of one verb: options declared by name, then parsed and checked at one go. Wraps
// CLI11 so that a verb's file says only what it takes, and every verb's help and errors look alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "simplexboost/error.h"

namespace simplexboost::cli {

// A command line that cannot be right; the command answers with exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The person asked for help: `what()` is the text, to be printed with exit status 0.
class HelpRequested : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Arguments {
 public:
  using Setter = std::function<void(const std::string& text)>;

  Arguments(const Verb& verb, std::vector<std::string> words);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // Options declared from here on stand under this heading in the help.
  void group(std::string heading);

  // `names` as in "-o,--output"; `placeholder` is what help shows for the value.
  void positional(std::string name, std::string& value, std::string help);
  void flag(std::string names, bool& value, std::string help);
  void option(std::string names, std::string placeholder, std::string& value, std::string help);
  void option(std::string names, std::string placeholder, double& value, std::string help);
  void option(std::string names, std::string placeholder, int& value, std::string help);
  void option(std::string names, std::string placeholder, std::uint64_t& value, std::string help);
  // May be given several times, and each time with several names between commas.
  void list(std::string names, std::string placeholder, std::vector<std::string>& value,
            std::string help);
  void custom(std::string names, std::string placeholder, Setter setter, std::string help);
  void custom_flag(std::string names, std::function<void()> action, std::string help);

  // About the option or positional declared last: it must be given.
  void required();
  // And this: it may be given several times.
  void repeatable();
  // Two options (by name, "--proba") that make no sense together.
  void exclusive(std::string first, std::string second);

  // Takes --quiet of every verb, also where the verb has not declared it: given() tells. Throws
  // UsageError or HelpRequested. Values are set only once the whole line is known to be
  // made of valid names.
  void parse();

  bool given(const std::string& name) const;

  // The whole line as one would type it in a shell.
  std::string command_line() const;

 private:
  struct Item;
  struct Implementation;
  Item& add(std::string names, std::string placeholder, Setter setter, std::string help);
  std::string help() const;
  void check_names() const;
  void check_presence() const;

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace simplexboost::cli
