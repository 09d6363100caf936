"""The parts of bench/peers that compare whole trainings: compare, tuned, defaults."""

import sys
import tempfile
from pathlib import Path

from comparison import compare, programs, report, sets, single_tree, tuned
from comparison.journal import Journal, OutOfBudget, Runner

ROOT = Path(__file__).resolve().parents[2]
NOT_FINISHED = 3
ALL = ",".join(sets.ALL_SETS)


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
    add("--sets", default=ALL, help="which: some of %(default)s, or others")
    add("--peers", default=",".join(programs.PEERS), help="some of %(default)s")
    add("--threads", type=int, default=2)
    add("--clock", choices=["wall", "cpu"], default="wall",
        help="cpu: of the processor, with --threads 1, where other programs run")  # fmt: skip
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
        arguments.memory_limit, arguments.clock,
    )  # fmt: skip


def say(text):
    print(text, file=sys.stderr, flush=True)


def open_journal(arguments, parser, kind, chosen):
    journal = Journal(arguments.work / f"{kind}.jsonl")
    again = names(arguments.again, programs.PROGRAMS, "program", parser)
    if again:
        journal.forget(lambda key: key[0] in chosen and key[1] in again)
    return journal


def command_line(arguments, parser, kind):
    """The command that measures the same again: what differs from the defaults."""
    words = ["bench/peers", kind, "--data DIR"]
    for name in "sets", "peers", "runs", "trials", "rounds", "threads", "clock", "time_limit":
        value = getattr(arguments, name, None)
        if value != parser.get_default(name):
            words.append(f"--{name.replace('_', '-')} {value}")
    return " ".join(words)


def run(arguments, parser, kind, make, write):
    """Runs all sets, as far as the budget goes, and writes the tables of what there is."""
    chosen = names(arguments.sets, None, "set", parser)
    names(arguments.peers, programs.PEERS, "peer", parser)
    if arguments.clock == "cpu" and arguments.threads != 1:
        parser.error("--clock cpu needs --threads 1: threads that wait for others count as work")
    machine = machine_of(arguments)
    journal = open_journal(arguments, parser, kind, chosen)
    work = make(journal, machine, Runner(journal, arguments.budget, say))
    prepared = list(
        compare.prepared_sets(chosen, arguments.data, arguments.work / "sets", machine.command, say)
    )
    finished = True
    try:
        with tempfile.TemporaryDirectory() as folder:
            for one in prepared:
                work.run_set(one, Path(folder) / "model")
    except OutOfBudget:
        finished = False
        say("not finished: the same command goes on from here")
    write(work, prepared, arguments.output, command_line(arguments, parser, kind))
    return 0 if finished else NOT_FINISHED


def run_compare(arguments, parser):
    peers = [name for name in arguments.peers.split(",") if name]
    return run(
        arguments, parser, "compare",
        lambda journal, machine, once: compare.Comparison(
            journal, machine, peers, arguments.runs, once
        ),
        report.write,
    )  # fmt: skip


def run_tuned(arguments, parser):
    peers = [name for name in arguments.peers.split(",") if name]
    return run(
        arguments, parser, "tuned",
        lambda journal, machine, once: tuned.Search(
            journal, machine, peers, arguments.trials, arguments.rounds, once
        ),
        tuned.write,
    )  # fmt: skip


def run_defaults(arguments, parser):
    if arguments.sets == ALL:
        arguments.sets = ",".join(sorted(path.parent.name for path in sets.files(arguments.data)))
    return run(arguments, parser, "defaults", single_tree.Defaults, single_tree.write)
