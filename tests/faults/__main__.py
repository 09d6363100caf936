"""Lets things go wrong around the command, and looks at what it does: `python3 tests/faults KIND`.

A kind is a module beside this one; docs/reliability.md says what each promises. All take the same
options, so that short and long runs differ in their counts alone.
"""

import argparse
import os
import pathlib
import sys
import time

import allocations
import calls
import kills
import levels
import power
import programs
import ranks
import signals
from sandbox import Tools

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = {
    "allocations": (allocations, "the k-th allocation fails, for every k"),
    "calls": (calls, "the k-th system call on files fails, for every k"),
    "kills": (kills, "SIGKILL at every call of a save, and at random times"),
    "ranks": (ranks, "one of three processes of MPI is killed or stopped at random times"),
    "power": (power, "the power fails: what was not synced is lost, in any order"),
    "signals": (signals, "SIGINT and SIGTERM at random times"),
    "levels": (levels, "the same model from any number of threads and instruction level"),
    "programs": (programs, "the same models from another build of the command (--other)"),
}


def parse(words):
    parser = argparse.ArgumentParser(prog="tests/faults", description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
    for name, (_, summary) in KINDS.items():
        kind = kinds.add_parser(name, help=summary, description=summary)
        kind.add_argument("--runs", type=int, default=100, help="of those that are drawn at random")
        kind.add_argument("--step", type=int, default=1, help="take every so many points only")
        kind.add_argument("--only", default="", help="the commands whose names contain this")
        kind.add_argument("--seed", type=int, default=1)
        kind.add_argument("--jobs", type=int, default=os.cpu_count())
        kind.add_argument("--limit", type=float, default=2, help="seconds until a signal's end")
        kind.add_argument("--busy", action="store_true",
                          help="a signal's seconds are the processor's, on a machine with other work")
        kind.add_argument("--places", action="store_true",
                          help="of the allocations by one stack of calls only three")
        kind.add_argument("--data", type=pathlib.Path, help="data sets, for signals on large ones")
        kind.add_argument("--binaries", type=pathlib.Path, help="folder that holds all programs")
        if name == "programs":
            kind.add_argument("--other", type=pathlib.Path, required=True, help="the other command")
    return parser.parse_args(words)


def main(words):
    options = parse(words)
    module, _ = KINDS[options.kind]
    begin = time.monotonic()
    tally = module.run(Tools.find(ROOT, options.binaries), options)
    print(f"{options.kind}: {tally.points:,} points, {len(tally.findings)} findings, "
          f"{time.monotonic() - begin:.0f} s")
    if tally.points == 0:
        print("nothing was tried: --only or --step leave nothing over")
    return 0 if tally.points > 0 and not tally.findings else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
