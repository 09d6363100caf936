"""The pages of the site's reference, generated from what the program says of itself: the command's help,
and the signatures and docstrings of the Python package (scripts/site.py calls it)."""

import dataclasses
import importlib
import inspect
import re
import subprocess

VERBS = re.compile(r"^  ([a-z]+) {2,}", re.MULTILINE)
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
ITEM = re.compile(r"^(\S.*)\n((?:(?: {4}.*)?\n)*(?: {4}.*))", re.MULTILINE)
# Modules with names of their own.
MODULES = ("plot", "metrics", "dask")
WIDTH = 88


def run(command, *arguments):
    return subprocess.run(
        [command, *arguments], capture_output=True, text=True, check=True
    ).stdout


def command_page(command):
    help_text = run(command, "--help")
    parts = [
        "# The command, verb by verb",
        "",
        "What `simplexboost --help` and `simplexboost VERB --help` say.",
        "",
        "```text",
        help_text.rstrip(),
        "```",
        "",
    ]
    for verb in VERBS.findall(help_text):
        parts += [f"## {verb}", "", "```text", run(command, verb, "--help").rstrip(), "```", ""]
    return "\n".join(parts)


def plain(text):
    """Prose of a docstring as Markdown: what looks like a tag is none."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(one if one.startswith("`") else one.replace("<", "&lt;") for one in pieces)


def prose(docstring):
    """A docstring as Markdown; its sections (numpy's style) become lists of what they define."""
    text = inspect.cleandoc(docstring or "")
    head, *sections = SECTION.split(text)
    parts = [plain(head.strip()), ""]
    for title, body in zip(sections[::2], sections[1::2]):
        parts += [f"**{title}**", ""]
        end = 0
        for item in ITEM.finditer(body):
            words = " ".join(item[2].split())
            parts += [f"`{item[1]}`", f":   {plain(words)}", ""]
            end = item.end()
        parts += [plain(body[end:].strip()), ""]
    return parts


def annotated(parameter):
    text = str(parameter.replace(annotation=parameter.empty))
    annotation = parameter.annotation
    if annotation is not parameter.empty:
        shown = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        name, equals, default = text.partition("=")
        text = f"{name}: {shown}" + (f" = {default}" if equals else "")
    return text


def signature(name, thing):
    """How it is called, in one line or, where that is long, with a line for each parameter."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return f"{name}(...)"
    words, keyword_only = [], False
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind == parameter.KEYWORD_ONLY and not keyword_only:
            words.append("*")
        keyword_only |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        words.append(annotated(parameter))
    back = found.return_annotation
    end = "" if back is found.empty or inspect.isclass(thing) else f" -> {back}"
    line = f"{name}({', '.join(words)}){end}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){end}"])


def members(thing, beside):
    """Methods and properties of our own, by name; those of the class `beside` are told there."""
    for name, value in sorted(inspect.getmembers(thing)):
        if getattr(beside, name, None) is value or name.endswith("_request"):
            continue
        owner = next((base for base in thing.__mro__ if name in vars(base)), None)
        ours = owner is not None and owner.__module__.startswith("simplexboost")
        if ours and not name.startswith("_") and getattr(value, "__doc__", None):
            if inspect.isroutine(value) or isinstance(value, property):
                yield name, value


def described(name, thing, level, beside=None):
    """A class with its fields, methods and properties, or a function."""
    parts = [f"{level} {name}", ""]
    if not (inspect.isclass(thing) and len(inspect.signature(thing).parameters) > 20):
        parts += ["```python", signature(name, thing), "```", ""]
    parts += prose(thing.__doc__)
    if not inspect.isclass(thing):
        return parts
    if dataclasses.is_dataclass(thing):
        fields = [f"`{one.name}`: `{one.type}`" for one in dataclasses.fields(thing)]
        parts += ["Fields: " + ", ".join(fields) + ".", ""]
    for method, value in members(thing, beside):
        parts += [f"{level}# {method}", ""]
        if inspect.isroutine(value):
            parts += ["```python", signature(method, value), "```", ""]
        parts += prose(value.__doc__)
    return parts


def python_page():
    package = importlib.import_module("simplexboost")
    base = package.SimplexBoostClassifier
    rows = ["| class | what it is |", "| --- | --- |"]
    others = []
    for name in sorted(package.__all__):
        thing = getattr(package, name)
        named = inspect.isclass(thing) and issubclass(thing, base) and thing is not base
        if named and name != "SimplexBoostMultiLabelClassifier":
            rows.append(f"| `{name}` | {(thing.__doc__ or '').strip().splitlines()[0]} |")
        elif callable(thing) and thing is not base:
            others.append((name, thing))
    parts = [
        "# The Python package",
        "",
        "From the signatures and docstrings of the package: every class and function of Python.",
        "[Python](../python.md) is the guide; C++ has [a page like this one](cpp.md).",
        "",
    ]
    parts += described("SimplexBoostClassifier", base, "##")
    parts += ["## One class for every algorithm", ""]
    parts += ["The same parameters and methods, with the algorithm's name left out.", "", *rows, ""]
    for name, thing in others:
        parts += described(name, thing, "##", base)
    for module in MODULES:
        found = importlib.import_module(f"simplexboost.{module}")
        parts += [f"## simplexboost.{module}", "", *prose(found.__doc__)]
        for name in found.__all__:
            if getattr(package, name, None) is None:
                parts += described(name, getattr(found, name), "###", base)
    return "\n".join(parts)
