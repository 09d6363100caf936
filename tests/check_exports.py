#!/usr/bin/env python3
"""Compares what a shared library shows with the list of tests/package/exported_symbols.txt.

Weak symbols are left out: they are inline functions, and which of these are there depends on the
compiler.

Usage: check_exports.py NM LIBRARY LIST [--update]
"""

import pathlib
import subprocess
import sys

STRONG = set("TDBR")


def exported(nm, library):
    lines = subprocess.run(
        [nm, "-D", "--defined-only", "--demangle", library],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    symbols = (line.split(maxsplit=2)[1:] for line in lines)
    return sorted({name for kind, name in symbols if kind in STRONG})


def main(nm, library, path, *options):
    found = exported(nm, library)
    path = pathlib.Path(path)
    if options == ("--update",):
        path.write_text("".join(f"{name}\n" for name in found), encoding="utf-8")
        return 0
    listed = path.read_text(encoding="utf-8").splitlines()
    new = [name for name in found if name not in set(listed)]
    gone = [name for name in listed if name not in set(found)]
    if not new and not gone:
        print(f"the library shows the {len(found)} symbols of {path.name}")
        return 0
    print("".join(f"+ {name}\n" for name in new) + "".join(f"- {name}\n" for name in gone), end="")
    print(
        f"The library shows {len(new)} symbols (+) that {path.name} does not list, and not {len(gone)} "
        "(-) that it does.\nWhat users must not call wants no SIMPLEXBOOST_API. If the public interface "
        "is meant to change, run\n"
        f"  python3 {sys.argv[0]} {nm} {library} {path} --update\n"
        "and commit the list; a symbol that is gone or changed is a new minor version (until 1.0)."
    )
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
