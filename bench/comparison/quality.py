"""Runs of bench/quality: every program on every set and fold, and the tables of what came of it."""

import argparse
import shutil
import sys
import time
from pathlib import Path

from comparison import contests, program_names, ranks, sets
from comparison.at_once import at_once
from comparison.journal import OutOfBudget, RunTable
from comparison.main import NOT_FINISHED, ROOT, names, say
from comparison.program_names import OURS, PEERS
from comparison.quality_runs import count_splits, make_splits, run_one


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of the data sets")
    add("--sets", default="", help="which; all that are there by default")
    program_names.declare(parser)
    add("--folds", type=int, default=5, help="outer folds of sets without test rows")
    add("--most-folds", type=int, default=5, help="judge only so many of them")
    add("--summary", type=contests.asked, action="append", default=[], help="KEY=PROGRAM,...: rank "
        "these, too, beside the usual three summaries; may be given again")  # fmt: skip
    add("--tables", action="store_true", help="run nothing, only write the tables of the runs "
        "that are kept")  # fmt: skip
    add("--noise", type=float, default=0, help="make this share of the training labels wrong")
    add("--threads", type=int, default=2, help="of each run")
    add("--jobs", type=int, default=1, help="runs at the same time, each on cores of its own")
    add("--time-limit", type=float, help="seconds after which a run is given up")
    add("--tuned-seconds", type=float, help="for each of those that are tuned; as long as "
        "ours-best took on the same rows by default")  # fmt: skip
    add("--autogluon-seconds", type=float, default=300)
    add("--autogluon", type=Path, default=ROOT / "build/autogluon", help="its environment")
    add("--budget", type=float, help="begin no run after so many seconds (exit status 3)")
    add("--command", type=Path, default=ROOT / "build/bench/simplexboost")
    add("--work", type=Path, default=ROOT / "build/quality", help="for the rows of the splits")
    add("--name", default="quality", help="of the runs and the tables")
    add("--no-times", action="store_true", help="leave them out, where others use the machine")
    add("--again", default="", help="run these programs anew")
    add("--extra", default="", help="options for ours, as one word: '--l2 0.1'")
    add("--output", "-o", type=Path, default=ROOT / "bench/results", help="for the runs, which "
        "the same command goes on from, the tables and the pictures")  # fmt: skip
    arguments = parser.parse_args(words)
    chosen = ",".join(program_names.chosen(arguments))
    arguments.programs = names(chosen, [*OURS, *PEERS], "program", parser)
    arguments.extra = arguments.extra.split()
    arguments.command = arguments.command.resolve()
    if not arguments.sets:
        found = {path.parent.name: path.stat().st_size for path in sets.files(arguments.data)}
        arguments.sets = ",".join(sorted(found, key=found.get))
    arguments.sets = names(arguments.sets, None, "set", parser)
    return arguments


class Comparison:
    def __init__(self, arguments, journal):
        self.arguments = arguments
        self.journal = journal
        self.ends = time.monotonic() + arguments.budget if arguments.budget else None
        self.rows = arguments.work / f"{arguments.name}-rows"

    def keys(self):
        return [
            (name, program, number)
            for name in self.arguments.sets
            for number in range(count_splits(name, self.arguments))
            for program in self.arguments.programs
        ]

    def run(self):
        wanted = [key for key in self.keys() if key not in self.journal]
        missing = sorted({key[0] for key in wanted}, key=self.arguments.sets.index)
        # The largest first, so that all are there at about the same time.
        self.at_once([self.split_task(name) for name in reversed(missing)], self.split_made)
        tuned = [key for key in wanted if key[1].endswith("-tuned")]
        self.at_once([self.task(key) for key in wanted if key not in tuned], self.keep)
        self.at_once([self.task(key) for key in tuned], self.keep)
        shutil.rmtree(self.rows, ignore_errors=True)

    def at_once(self, tasks, done):
        arguments = self.arguments
        limit = arguments.time_limit
        at_once(tasks, arguments.jobs, arguments.threads, limit, self.ends, done)

    def split_task(self, name):
        arguments = self.arguments
        count = count_splits(name, arguments)
        given = (name, self.rows / name, arguments.data, arguments.folds, count, arguments.noise)
        return (name,), make_splits, given

    def split_made(self, key, result, seconds):
        if "failed" in result:
            raise RuntimeError(f"{key[0]}: {result['failed']}")
        say(f"{key[0]}: rows parted in {seconds:.1f} s")

    def task(self, key):
        name, program, number = key
        seconds = self.arguments.tuned_seconds
        if seconds is None and program.endswith("-tuned"):
            best = self.journal.get((name, "ours-best", number)) or {}
            seconds = best.get("seconds", 60)
        return key, run_one, (program, self.rows / name / str(number), self.arguments, seconds)

    def keep(self, key, result, seconds):
        result["date"] = time.strftime("%Y-%m-%d %H:%M")
        result["wall_seconds"] = seconds
        self.journal.add(key, result)
        say(f"{' '.join(map(str, key))}: {seconds:.1f} s {result.get('failed', '')}")


def main(words=None):
    arguments = parse(words)
    journal = RunTable(arguments.output / f"{arguments.name}.csv")
    if arguments.again:
        again = arguments.again.split(",")
        journal.forget(lambda key: key[0] in arguments.sets and key[1] in again)
    finished = True
    try:
        if not arguments.tables:
            Comparison(arguments, journal).run()
    except OutOfBudget:
        finished = False
        say("not finished: the same command goes on from here")
    arguments.given = sys.argv[1:] if words is None else list(words)
    ranks.write(journal, arguments)
    return 0 if finished else NOT_FINISHED


if __name__ == "__main__":
    sys.exit(main())
