#!/usr/bin/env python3
"""Checks that the source folders include only what src/README.md allows them.

Each folder is a heading there ("## data"), followed by a line "May include:" with folders above it
(or single headers of these) and a line "Libraries:" with the libraries that it may use; "none" is an
empty list. Any folder may include itself, the public headers and the standard library. An edge that
is allowed but not used is an error, too, so that the list is what is. A folder has thirty files at
most, and the text below its heading names its sub-folders; folders of tests and those of the Python package
have no more files, either.

Usage: check_layers.py PROJECT_ROOT
"""

import dataclasses
import pathlib
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">]', re.MULTILINE)
SECTION = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PUBLIC = "include/simplexboost"
PUBLIC_HEADERS = "simplexboost/"  # how they are included
BINDINGS = "python/bindings"
BINDINGS_HEADERS = "bindings/"
MOST_FILES = 30

# Headers in angle brackets, by how their names begin. Those of the standard library have neither a
# dot nor a slash in their names, but for the two of C that the interface in C needs.
LIBRARIES = {
    "fmt": ("fmt/",),
    "CLI11": ("CLI/",),
    "toml++": ("toml++/",),
    "zlib": ("zlib.h",),
    "mpi": ("mpi.h",),
    "cuda": ("cuda_runtime.h", "nccl.h"),
    "nanobind": ("nanobind/",),
    "system": (
        *("sys/", "unistd.h", "dirent.h", "dlfcn.h", "fcntl.h", "pthread.h", "errno.h", "glob.h"),
        *("poll.h", "signal.h"),
    ),
    "intrinsics": ("emmintrin.h", "immintrin.h"),
}


@dataclasses.dataclass
class Folder:
    name: str
    path: pathlib.Path
    own: str  # how its own headers are included
    text: str  # of its section
    edges: list = dataclasses.field(default_factory=list)
    libraries: list = dataclasses.field(default_factory=list)
    used: set = dataclasses.field(default_factory=set)


def listed(section, what, name, problems):
    """The names of the paragraph "WHAT: a, b." of a folder's section."""
    match = re.search(rf"^{what}: (.*?)\.(?=\n|\Z)", section, re.MULTILINE | re.DOTALL)
    if not match:
        problems.append(f'src/README.md: {name}: no line "{what}: a, b." (or "{what}: none.")')
        return []
    names = match.group(1).replace("`", "").split()
    names = [one.rstrip(",") for one in names]
    return [] if names == ["none"] else names


def read_folders(root, problems):
    folders = []
    for name, section in SECTION.findall((root / "src" / "README.md").read_text(encoding="utf-8")):
        path, own = root / "src" / name, name + "/"
        if name == PUBLIC:
            path, own = root / PUBLIC, PUBLIC_HEADERS
        elif name == BINDINGS:
            path, own = root / BINDINGS, BINDINGS_HEADERS
        folder = Folder(name, path, own, section)
        folder.edges = listed(section, "May include", name, problems)
        folder.libraries = listed(section, "Libraries", name, problems)
        above = [one.own for one in folders]
        for edge in folder.edges:
            if not any((edge + "/").startswith(own) for own in above):
                problems.append(f"src/README.md: {name}: '{edge}' does not stand above it")
        for library in folder.libraries:
            if library not in LIBRARIES:
                problems.append(
                    f"src/README.md: {name}: no library '{library}'; there are "
                    + ", ".join(LIBRARIES)
                )
        folders.append(folder)
    return folders


def sources(folder, kinds=(".h", ".cpp", ".cu", ".cuh")):
    return sorted(p for p in folder.rglob("*") if p.suffix in kinds)


def unlisted_folders(root, folders):
    there = [PUBLIC, BINDINGS]
    there += sorted(p.name for p in (root / "src").iterdir() if p.is_dir())
    names = [folder.name for folder in folders]
    for name in there:
        path = root / (name if "/" in name else f"src/{name}")
        if name not in names and path.is_dir() and sources(path):
            yield f"{path.relative_to(root)}: no heading in src/README.md"


def crowded_folders(root, paths):
    for path in sorted({p.parent for p in paths}):
        files = sum(p.is_file() and p.name != "py.typed" for p in path.iterdir())
        if files > MOST_FILES:
            yield f"{path.relative_to(root)}: {files} files; part what has more than {MOST_FILES}"


def unnamed_folders(root, folder):
    for path in sorted({p.parent for p in sources(folder.path)}):
        where = path.relative_to(root)
        if path != folder.path and not re.search(rf"`([\w/]+/)?{path.name}[`/]", folder.text):
            yield f"{where}: not named in src/README.md, below {folder.name}"


def wrong_header(folder, header):
    """Why a folder may not include a header in quotes, or nothing."""
    if "/" not in header:
        return 'name the folder: "folder/header.h"'
    if header.startswith((folder.own, PUBLIC_HEADERS)):
        return None
    for edge in folder.edges:
        if header == edge or header.startswith(edge + "/"):
            folder.used.add(edge)
            return None
    return "may include only itself, the public headers and " + (", ".join(folder.edges) or "no other")


def wrong_library(folder, header, project):
    """Why a folder may not include a header in angle brackets, or nothing."""
    if header.startswith(project):
        return f'it is the project\'s own: write "{header}"'
    for library, beginnings in LIBRARIES.items():
        if header.startswith(beginnings):
            folder.used.add(library)
            if library in folder.libraries:
                return None
            return "may use only the libraries " + (", ".join(folder.libraries) or "none")
    if header in ("stddef.h", "stdint.h"):
        return None
    if "/" in header or "." in header:
        return "tests/check_layers.py knows no library with such a header"
    return None


def wrong_includes(root, folder, project):
    for path in sources(folder.path):
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            bracket, header = match.groups()
            if bracket == '"':
                reason = wrong_header(folder, header)
            else:
                reason = wrong_library(folder, header, project)
            if reason:
                line = text.count("\n", 0, match.start(2)) + 1
                yield f"{path.relative_to(root)}:{line}: includes {match[0].split()[-1]}; {reason}"


def check(root):
    problems = []
    folders = read_folders(root, problems)
    if not folders:
        return ["src/README.md: no folders found; a folder is a heading like '## base'"]
    problems += unlisted_folders(root, folders)
    project = tuple(folder.own for folder in folders)
    for folder in folders:
        problems += crowded_folders(root, sources(folder.path))
        problems += unnamed_folders(root, folder)
        problems += wrong_includes(root, folder, project)
    problems += crowded_folders(root, sources(root / "tests", (".h", ".cpp", ".py")))
    problems += crowded_folders(root, sources(root / "python/simplexboost", (".py",)))
    for folder in folders:
        for name in [*folder.edges, *folder.libraries]:
            if name not in folder.used:
                problems.append(f"src/README.md: {folder.name}: '{name}' is allowed but not used")
    return problems


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "every folder includes only what it may")
    sys.exit(1 if found else 0)
