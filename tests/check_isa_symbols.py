"""Fails if an object compiled for one instruction level defines a symbol that the linker might share
with the rest of the program: weak or unique, and not in the level's own namespace (base/simd/isa.h).

usage: check_isa_symbols.py NM LEVEL OBJECT...
"""

import subprocess
import sys

SHARED = set("WVu")  # weak function, weak object, unique global, as nm names them
POINTER = "DW.ref."  # the compiler's pointer to a routine of the runtime: data, the same in each copy


def shared_symbols(nm, level, path):
    table = subprocess.run([nm, "-P", path], capture_output=True, text=True, check=True).stdout
    own = f"12simplexboost{len(level)}{level}"  # simplexboost::LEVEL, mangled
    for line in table.splitlines():
        name, kind = line.split()[:2]
        if kind in SHARED and own not in name and not name.startswith(POINTER):
            yield name


def main():
    nm, level, *objects = sys.argv[1:]
    found = [(path, name) for path in objects for name in shared_symbols(nm, level, path)]
    for path, name in found:
        print(f"{path}: {name} is not the level's own")
    if not objects:
        print("no objects to look at")
    sys.exit(1 if found or not objects else 0)


main()
