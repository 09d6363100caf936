#include "report/page.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/sha256.h"

namespace simplexboost {
namespace {

std::string html_escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// As it stands in a script element of JSON: nothing in it can end the element.
std::string script_json(const Json& facts) {
  const std::string text = facts.dump();
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string source_hash(std::string_view text) {
  return fmt::format("'sha256-{}'", base64_text(sha256(text)));
}

}  // namespace

std::string make_page(const Json& facts, const PageOptions& options) {
  const std::string style = "\n" + std::string(page_part("page.css"));
  std::string script = "\n\"use strict\";\n";
  for (const std::string_view name : options.scripts) script += page_part(name);
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
      source_hash(script), source_hash(style));
  const std::string refresh =
      options.refresh > 0
          ? fmt::format("<meta http-equiv=\"refresh\" content=\"{}\">\n", options.refresh)
          : "";
  const std::array<std::pair<std::string_view, std::string>, 6> values{{
      {"POLICY", policy},
      {"REFRESH", refresh},
      {"TITLE", html_escape(options.title)},
      {"STYLE", style},
      {"FACTS", script_json(facts)},
      {"SCRIPT", script},
  }};
  // What is put in is not looked through again.
  std::string out;
  std::string_view rest = page_part("page.html");
  for (std::size_t open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
    const std::size_t close = rest.find("}}", open);
    const std::string_view name = rest.substr(open + 2, close - open - 2);
    out += rest.substr(0, open);
    for (const auto& [key, value] : values)
      if (key == name) out += value;
    rest.remove_prefix(close + 2);
  }
  return out += rest;
}

}  // namespace simplexboost
