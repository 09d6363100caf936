// The few exception types that simplexboost throws. Every message is one line that says what is
// wrong and what would be right; the command prints it behind "error: ", Python raises it. Names
// that it quotes from files are shown with escapes in the place of control characters.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "simplexboost/export.h"

namespace simplexboost::inline SIMPLEXBOOST_ABI {

// Base of all: catch this to catch everything that the library throws on purpose.
class SIMPLEXBOOST_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what);
};

// A place in an input: 1-based line and column of a text, 0 where there is none to name.
struct Place {
  std::string source;
  std::size_t line = 0;
  std::size_t column = 0;
};

// Input data that cannot be used. The message reads "SOURCE:LINE:COLUMN: what".
class SIMPLEXBOOST_API DataError : public Error {
 public:
  explicit DataError(const std::string& what) : Error(what) {}
  DataError(const Place& place, const std::string& what);
};

// A model file that cannot be read, or a model that does not fit the data.
class SIMPLEXBOOST_API ModelError : public Error {
 public:
  using Error::Error;
};

// A parameter that is unknown, out of range, or at odds with another one.
class SIMPLEXBOOST_API ParameterError : public Error {
 public:
  using Error::Error;
};

// The operating system refused: no such file, no permission, disk full.
class SIMPLEXBOOST_API IoError : public Error {
 public:
  explicit IoError(const std::string& what, int code = 0) : Error(what), code_(code) {}
  int code() const { return code_; }  // the system's errno; 0: none

 private:
  int code_;
};

// Another process of the same training failed or cannot be reached; the message names it and its
// reason.
class SIMPLEXBOOST_API CommunicationError : public Error {
 public:
  using Error::Error;
};

}  // namespace simplexboost::inline SIMPLEXBOOST_ABI
