#include "simplexboost/error.h"

#include "base/text/visible_text.h"

namespace simplexboost {
namespace {

std::string locate(const Place& place, const std::string& what) {
  std::string text = place.source;
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (place.line > 0 && place.column > 0) text += ":" + std::to_string(place.column);
  return text.empty() ? what : text + ": " + what;
}

}  // namespace

Error::Error(const std::string& what) : std::runtime_error(visible_text(what)) {}

DataError::DataError(const Place& place, const std::string& what) : Error(locate(place, what)) {}

}  // namespace simplexboost
