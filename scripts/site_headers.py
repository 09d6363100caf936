"""The reference of C++ and C on the site, made of the public headers: what each opens with, its classes and
functions, and what their comments say (scripts/site.py calls it)."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADERS = ROOT / "include/simplexboost"
API = "SIMPLEXBOOST_API "
PRIVATE = re.compile(r"\n*^ private:\n.*?(?=^ public:|^\};)", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^ *(//|/\*|\*/|\*) ?|\*/$")
# What a declaration declares, the first that fits.
NAMES = [
    re.compile(r"#define (\w+)"),
    re.compile(r"typedef (?:struct|enum) (\w+)"),
    re.compile(r"^(?:class|struct|enum class|enum) (?:SIMPLEXBOOST_API )?(\w+)"),
    re.compile(r"\busing (\w+) ="),
    re.compile(r"\bconstexpr [\w:]+ (\w+) ="),
    re.compile(r"(\w+)\("),
]


def headers():
    """All of them, the one of C last."""
    found = [*HEADERS.glob("*.h"), *HEADERS.glob("*.h.in")]
    return sorted(found, key=lambda path: (path.name == "simplexboost.h", path.name))


def is_comment(line):
    return line.startswith(("//", "/*", " *"))


def prose(lines):
    """A comment as Markdown: paragraphs, without what Markdown would take for its own."""
    text = "\n".join(COMMENT.sub("", line).rstrip().removesuffix("*/").rstrip() for line in lines)
    return re.sub(r"([\\*_<>\[\]#])", r"\\\1", text).strip()


def whole(lines):
    """Whether a declaration ends with the last of these lines."""
    code = re.sub(r"//.*|/\*.*?\*/", "", "\n".join(lines)).strip()
    closed = code.count("{") == code.count("}") and code.count("(") == code.count(")")
    return code.startswith("#") or (closed and code.endswith((";", "}")))


def groups(text):
    """Lists of declarations that stand together, each list with the comment above it."""
    comment, declared, open_lines = [], [], []
    for line in [*text.splitlines(), ""]:
        if open_lines:
            open_lines.append(line)
        elif is_comment(line):
            if declared:
                yield comment, declared
                comment, declared = [], []
            comment.append(line)
        elif line:
            open_lines = [line]
        else:
            if declared:
                yield comment, declared
            comment, declared = [], []
        if open_lines and whole(open_lines):
            declared.append("\n".join(open_lines))
            open_lines = []


def name_of(declaration):
    code = re.sub(r"^template <[^>]*>\n", "", without_bodies(declaration))
    return next(found[1] for found in (name.search(code) for name in NAMES) if found)


def without_bodies(code):
    """Functions that the header has in full, as they are called."""
    out, place = "", 0
    while place < len(code):
        if code[place] == "{" and re.search(r"(\)|\bconst|\bnoexcept|\boverride) *$", out):
            depth = 1
            while depth:
                place += 1
                depth += {"{": 1, "}": -1}.get(code[place], 0)
            begin = max(out.rfind(mark) for mark in (";", "{", "\n\n", ":\n"))
            out = out[: begin + 1] + re.sub(r"\)\s*:\s.*", ")", out[begin + 1 :], flags=re.DOTALL).rstrip() + ";"
        else:
            out += code[place]
        place += 1
    return out


def shown(declaration):
    """As users read it: no bodies, nothing private, no word for the linker."""
    if declaration.startswith("#"):
        return declaration
    code = without_bodies(PRIVATE.sub("\n", declaration))
    first, *others = code.split("\n")
    if API in first and first.rstrip().endswith((",", "(")):
        others = [line.removeprefix(" " * len(API)) for line in others]
    return "\n".join([first, *others]).replace(API, "")


def inside(text):
    """A header without its guard, its opening comment, what it includes and its namespace."""
    for rest in (
        r"^#(?:if|endif|include|pragma|define SIMPLEXBOOST_\w+_H$).*",
        r"^/\* NOLINT.*",
        r"^extern \"C\" \{$",
        r"^namespace .*\{$",
        r"^\}  // namespace.*$",
        r"^\}\s*\Z",
    ):
        text = re.sub(rest, "", text, flags=re.MULTILINE)
    return text


def section(path):
    text = path.read_text()
    lines = text.splitlines()
    opening = lines[: next(i for i, line in enumerate(lines) if not is_comment(line))]
    name = path.name.removesuffix(".in")
    parts = [f"## {name}", "", f"`#include <simplexboost/{name}>`", "", prose(opening), ""]
    for comment, declared in groups(inside("\n".join(lines[len(opening) :]))):
        names = list(dict.fromkeys(name_of(one) for one in declared))
        code = "\n".join(shown(one) for one in declared)
        parts += [f"### {', '.join(names)}", "", prose(comment), "", "```cpp", code, "```", ""]
    return parts


def page():
    parts = [
        "# The C++ headers",
        "",
        "What each of the public headers holds, made of the headers themselves. [C++](../cpp.md) is the guide.",
        "All names are in the namespace `simplexboost`; those of `simplexboost.h`, the last, are for C and begin",
        "with `sb_`.",
        "",
    ]
    for path in headers():
        parts += section(path)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts))
