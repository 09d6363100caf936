"""The check of what the source folders include: it must find what is wrong."""

import pathlib
import subprocess
import sys

import pytest

CHECK = pathlib.Path(__file__).parents[2] / "check_layers.py"

README = """
## include/simplexboost
May include: none.
Libraries: none.

## base
May include: none.
Libraries: fmt.

## tree
`parts` are its parts.
May include: base/random.h.
Libraries: none.

## python/bindings
May include: tree.
Libraries: nanobind.
"""

SOURCES = {
    "include/simplexboost/model.h": '#include <vector>\n#include "simplexboost/error.h"\n',
    "src/base/random.cpp": '#include <fmt/format.h>\n#include "base/random.h"\n',
    "src/tree/parts/grower.cpp": '#include "base/random.h"\n#include "tree/parts/grower.h"\n',
    "python/bindings/module.cpp": '#include <nanobind/nanobind.h>\n#include "tree/grower.h"\n',
}


def check(folder, path=None, text=None, readme=README):
    files = dict(SOURCES)
    if path:
        files[path] = files.get(path, "") + text
    for name, content in {**files, "src/README.md": readme}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return subprocess.run(
        [sys.executable, CHECK, folder], capture_output=True, text=True, check=False
    )


def test_what_is_allowed_passes(tmp_path):
    done = check(tmp_path)
    assert (done.returncode, done.stdout) == (0, "every folder includes only what it may\n")


@pytest.mark.parametrize(
    ("path", "text", "complaint"),
    [
        ("src/base/random.cpp", '#include "tree/grower.h"\n', ':3: includes "tree/grower.h"; may'),
        ("src/tree/parts/grower.cpp", '#include "base/isa.h"\n', ':3: includes "base/isa.h"; may'),
        ("src/tree/a.h", "#include <fmt/format.h>\n", ":1: includes <fmt/format.h>; may use only"),
        ("src/tree/a.h", "#include <base/random.h>\n", "it is the project's own"),
        ("src/tree/a.h", "#include <Eigen/Core>\n", "knows no library with such a header"),
        ("src/tree/a.h", '#include "grower.h"\n', "name the folder"),
        ("src/tree/a.cuh", '#include "grower.h"\n', "name the folder"),
        ("include/simplexboost/model.h", '#include "base/random.h"\n', ":3: includes"),
        ("include/simplexboost/model.h", "#include <zlib.h>\n", ":3: includes <zlib.h>; may use"),
        ("python/bindings/module.cpp", '#include "base/random.h"\n', "module.cpp:3: includes"),
        ("src/loss/loss.cpp", "", "src/loss: no heading in src/README.md"),
        ("src/tree/leaf/rule.h", "", "src/tree/leaf: not named in src/README.md, below tree"),
    ],
)
def test_names_what_is_not_allowed(tmp_path, path, text, complaint):
    done = check(tmp_path, path, text)
    assert done.returncode == 1
    assert complaint in done.stdout
    assert len(done.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("May include: tree.", "May include: tree, base."), "'base' is allowed but not used"),
        (("Libraries: nanobind.", "Libraries: nanobind, zlib."), "'zlib' is allowed but not used"),
        (("May include: none.", "May include: tree."), "'tree' does not stand above it"),
        (("Libraries: fmt.", "Libraries: boost, fmt."), "no library 'boost'"),
        (("Libraries: nanobind.", ""), 'no line "Libraries: a, b."'),
    ],
)
def test_the_list_itself_must_be_right(tmp_path, change, complaint):
    done = check(tmp_path, readme=README.replace(*change))
    assert done.returncode == 1
    assert complaint in done.stdout


@pytest.mark.parametrize("where", ["src/base", "tests/base", "tests/python", "python/simplexboost"])
def test_a_folder_has_thirty_files_at_most(tmp_path, where):
    (tmp_path / where).mkdir(parents=True)
    suffix = "py" if "python" in where else "h"
    for number in range(29 if where == "src/base" else 30):
        (tmp_path / f"{where}/part{number}.{suffix}").touch()
    if where == "python/simplexboost":
        (tmp_path / where / "py.typed").touch()  # which is no code
    assert check(tmp_path).returncode == 0
    done = check(tmp_path, f"{where}/part30.{suffix}", "")
    assert (done.returncode, done.stdout) == (
        1,
        f"{where}: 31 files; part what has more than 30\n",
    )
