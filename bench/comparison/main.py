"""The parts of bench/peers that compare whole trainings: compare, tuned."""

import sys
import tempfile
from pathlib import Path

from comparison import compare, programs, report, sets, tuned
from comparison.journal import Journal, OutOfBudget

ROOT = Path(__file__).resolve().parents[2]
NOT_FINISHED = 3


def names(text, known, what, parser):
    chosen = [name for name in text.split(",") if name]
    unknown = [name for name in chosen if known is not None and name not in known]
    if unknown:
        parser.error(f"no such {what}: {', '.join(unknown)}; there are {', '.join(known)}")
    return chosen


def add_options(parser):
    def add(name, *, short=(), **options):
        parser.add_argument(*short, name, **options)

    add("--data", type=Path, required=True, help="folder of the data sets")
    add("--sets", default=",".join(sets.ALL_SETS), help="which: some of %(default)s, or others")
    add("--peers", default=",".join(programs.PEERS), help="some of %(default)s")
    add("--threads", type=int, default=2)
    add("--time-limit", type=float, default=60, help="seconds of training in one run of a peer")
    add("--memory-limit", type=float, default=14, help="GB for one run of a peer")
    add("--budget", type=float, help="begin no run after so many seconds; the same command goes on "
        "where it stopped (exit status 3: not finished)")  # fmt: skip
    add("--command", type=Path, default=ROOT / "build/bench/simplexboost")
    add("--work", type=Path, default=ROOT / "build/comparison", help="splits and journal of runs")
    add("--again", default="", help="run these programs anew on the sets: ours,lightgbm,...")
    add("--output", short=["-o"], type=Path, default=ROOT / "bench/results", help="for the tables")


def machine_of(arguments):
    predictor = ROOT / "build/bench/bench/predict_file"
    for path in (arguments.command, predictor):
        if not path.exists():
            sys.exit(f"error: {path} is missing; build it: see the head of bench/peers")
    return programs.Machine(
        arguments.command.resolve(), predictor, arguments.threads, arguments.time_limit,
        arguments.memory_limit,
    )  # fmt: skip


def say(text):
    print(text, file=sys.stderr, flush=True)


def open_journal(arguments, parser, kind, chosen):
    journal = Journal(arguments.work / f"{kind}.jsonl")
    again = names(arguments.again, programs.PROGRAMS, "program", parser)
    if again:
        journal.forget(lambda key: key[0] in chosen and key[1] in again)
    return journal


def run(arguments, parser, kind, make, work, write):
    """Runs all sets, as far as the budget goes, and writes the tables of what there is."""
    chosen = names(arguments.sets, None, "set", parser)
    names(arguments.peers, programs.PEERS, "peer", parser)
    machine = machine_of(arguments)
    comparison = make(open_journal(arguments, parser, kind, chosen), machine)
    prepared = list(
        compare.prepared_sets(chosen, arguments.data, arguments.work / "sets", machine.command, say)
    )
    finished = True
    try:
        with tempfile.TemporaryDirectory() as folder:
            for one in prepared:
                work(comparison, one, Path(folder))
    except OutOfBudget:
        finished = False
        say("not finished: the same command goes on from here")
    write(comparison, prepared, arguments.output, f"bench/peers {kind} --data DIR")
    return 0 if finished else NOT_FINISHED


def run_compare(arguments, parser):
    peers = [name for name in arguments.peers.split(",") if name]
    return run(
        arguments, parser, "compare",
        lambda journal, machine: compare.Comparison(
            journal, machine, peers, arguments.runs, arguments.budget, say
        ),
        lambda comparison, one, folder: comparison.run_set(one, folder / "model"),
        report.write,
    )  # fmt: skip


def run_tuned(arguments, parser):
    peers = [name for name in arguments.peers.split(",") if name]
    return run(
        arguments, parser, "tuned",
        lambda journal, machine: tuned.Search(
            journal, machine, peers, arguments.trials, arguments.rounds, arguments.budget, say
        ),
        lambda search, one, folder: search.run_set(one, folder / "model"),
        tuned.write,
    )  # fmt: skip
