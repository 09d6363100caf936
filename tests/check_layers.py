#!/usr/bin/env python3
"""Checks that the source folders include only what stands above them.

The order is the order of the headings of src/README.md. Any folder may include itself and the
public headers; public headers may include public headers only.

Usage: check_layers.py PROJECT_ROOT
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
HEADING = re.compile(r"^## (\S+)$", re.MULTILINE)
PUBLIC = "simplexboost"


def folder_order(root):
    return HEADING.findall((root / "src" / "README.md").read_text(encoding="utf-8"))


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cpp"))


def undocumented_folders(root, order):
    folders = sorted(p.name for p in (root / "src").iterdir() if p.is_dir() and sources(p))
    return [f"src/{name}: no heading in src/README.md" for name in folders if name not in order]


def wrong_includes(root, path, allowed):
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        target = match.group(1)
        folder = target.split("/")[0] if "/" in target else None
        if folder not in allowed:
            line = text.count("\n", 0, match.start(1)) + 1
            reason = (
                f"may include only {', '.join(allowed)}"
                if folder
                else 'name the folder: "folder/header.h"'
            )
            yield f'{path.relative_to(root)}:{line}: includes "{target}"; {reason}'


def check(root):
    order = folder_order(root)
    if not order:
        return ["src/README.md: no folders found; a folder is a heading like '## base'"]
    problems = undocumented_folders(root, order)
    for path in sources(root / "include"):
        problems += wrong_includes(root, path, [PUBLIC])
    for position, folder in enumerate(order):
        for path in sources(root / "src" / folder):
            problems += wrong_includes(root, path, [PUBLIC, *order[: position + 1]])
    return problems


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "every folder includes only those above it")
    sys.exit(1 if found else 0)
