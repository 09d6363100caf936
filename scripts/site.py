#!/usr/bin/env python3
"""Lays out the pages of the documentation site, for mkdocs to build (make docs).

usage: site.py COMMAND PAGES

Copies docs/ and the pages beside it to the folder PAGES, turns links between them into links of the
site, and adds what is generated: the reference of the command from its own help, that of the Python
package from its docstrings. Links to files that are no pages become their names.
"""

import importlib
import inspect
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Pages that do not stand in docs/, and where they go.
BESIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "SECURITY.md": "security.md",
    "src/README.md": "source-folders.md",
    "fuzz/README.md": "fuzz.md",
}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
VERBS = re.compile(r"^  ([a-z]+) {2,}", re.MULTILINE)


def pages():
    """By the path of each page in the project, its path on the site."""
    found = {path: target for path, target in BESIDE.items() if (ROOT / path).exists()}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        inside = path.relative_to(ROOT / "docs").as_posix()
        found[f"docs/{inside}"] = "documentation.md" if inside == "README.md" else inside
    for path in sorted((ROOT / "bench/results").glob("*.md")):
        found[f"bench/results/{path.name}"] = f"results/{path.name}"
    return found


def relative(target, page):
    """The way from one page of the site to another."""
    up = "../" * page.count("/")
    return up + target


def rewrite(text, source, known, pictures):
    """The page with links of the site; adds the pictures that it shows to `pictures`."""
    page = known[source]

    def link(match):
        picture, words, address = match.groups()
        if re.match(r"[a-z]+:|#", address):
            return match[0]
        path, _, anchor = address.partition("#")
        full = (ROOT / source).parent.joinpath(path).resolve()
        if not full.is_relative_to(ROOT):
            return words
        inside = full.relative_to(ROOT).as_posix()
        if inside in known:
            return f"{picture}[{words}]({relative(known[inside], page)}{'#' * bool(anchor)}{anchor})"
        if picture and full.is_file():
            if pictures.setdefault(full.name, full) != full:
                raise SystemExit(f"{source}: there are two pictures {full.name}")
            return f"![{words}]({relative(f'images/{full.name}', page)})"
        if not full.exists():
            raise SystemExit(f"{source}: {address} leads nowhere")
        return words if "`" in words else f"{words} (`{inside}`)"

    return LINK.sub(link, text)


def run(command, *arguments):
    return subprocess.run(
        [command, *arguments], capture_output=True, text=True, check=True
    ).stdout


def command_reference(command):
    help_text = run(command, "--help")
    parts = ["# The command, verb by verb", "", "```text", help_text.rstrip(), "```", ""]
    for verb in VERBS.findall(help_text):
        parts += [f"## {verb}", "", "```text", run(command, verb, "--help").rstrip(), "```", ""]
    return "\n".join(parts)


def described(name, thing):
    """A class with its methods, or a function, from the docstrings."""
    parts = [f"## {name}", ""]
    try:
        signature = str(inspect.signature(thing)) if not inspect.isclass(thing) else ""
    except ValueError:
        signature = ""
    if signature:
        parts += ["```python", f"{name}{signature}", "```", ""]
    parts += ["```text", inspect.cleandoc(thing.__doc__ or ""), "```", ""]
    if not inspect.isclass(thing):
        return parts
    for method, function in sorted(inspect.getmembers(thing)):
        owner = next((base for base in thing.__mro__ if method in vars(base)), None)
        ours = owner is not None and owner.__module__.startswith("simplexboost")
        if method.startswith("_") or not ours or not getattr(function, "__doc__", None):
            continue
        call = str(inspect.signature(function)) if callable(function) else ""
        parts += [f"**`{method}{call}`**", "", "```text", inspect.cleandoc(function.__doc__), "```", ""]
    return parts


def python_reference():
    package = importlib.import_module("simplexboost")
    base = package.SimplexBoostClassifier
    parts = ["# The Python package", ""]
    rows = ["| class | what it is |", "| --- | --- |"]
    for name in sorted(package.__all__):
        thing = getattr(package, name)
        named = inspect.isclass(thing) and issubclass(thing, base) and thing is not base
        if named and name != "SimplexBoostMultiLabelClassifier":
            rows.append(f"| `{name}` | {(thing.__doc__ or '').strip().splitlines()[0]} |")
        elif callable(thing):
            parts += described(name, thing)
    return "\n".join([*parts, "## One class for every algorithm", "", *rows, ""])


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    known, pictures = pages(), {}
    for source, target in known.items():
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rewrite((ROOT / source).read_text(), source, known, pictures))
    (folder / "images").mkdir()
    for name, path in pictures.items():
        shutil.copyfile(path, folder / "images" / name)
    reference = folder / "reference"
    reference.mkdir()
    (reference / "command.md").write_text(command_reference(command))
    (reference / "python.md").write_text(python_reference())


if __name__ == "__main__":
    main()
