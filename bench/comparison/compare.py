"""All programs at common settings: what each takes, and the time to the best peer's figures.

A set is run in turns: each turn runs every peer once, then ours. The first turn also evaluates, and
so sets the targets: the lowest test log loss and test error that any peer has after any round. Our
rounds to a target come from a run that watches the test rows, our time from further runs of so many
rounds that watch nothing. Runs that take more than a third of the time limit are made once.
"""

import statistics
import time
from dataclasses import dataclass

from comparison import programs, sets

MEASURES = ("log_loss", "error")
MORE_ROUNDS = (programs.ROUNDS, 4 * programs.ROUNDS, 16 * programs.ROUNDS)


@dataclass(frozen=True)
class Target:
    """The best figure of any peer, and when the first to have it has it."""

    value: float
    peer: str
    rounds: int


def first_at_most(curve, value):
    """Rounds until the curve is no higher than the value; None if it never is."""
    return next((i + 1 for i, figure in enumerate(curve) if figure <= value), None)


class Comparison:
    def __init__(self, journal, machine, peers, runs, once):
        self.journal = journal
        self.machine = machine
        self.peers = peers
        self.runs = runs
        self.once = once

    def peer_runs(self, name, peer):
        results = [self.journal.get((name, peer, "fixed", run)) for run in range(self.runs)]
        return [result for result in results if result and "failed" not in result]

    def long(self, result):
        """Too long to be run again."""
        seconds = result["seconds"][-1] if "seconds" in result else result["train_seconds"]
        return seconds > self.machine.time_limit / 3

    def worth_running(self, name, program, kind, run):
        if run == 0:
            return True
        first = self.journal.get((name, program, kind, 0))
        return first is not None and "failed" not in first and not self.long(first)

    def target(self, name, measure):
        best = None
        for peer in self.peers:
            result = self.journal.get((name, peer, "fixed", 0))
            if not result or "failed" in result or not result[measure]:
                continue
            value = min(result[measure])
            if best is None or value < best.value:
                best = Target(value, peer, first_at_most(result[measure], value))
        return best

    def run_set(self, prepared, model):
        for run in range(self.runs):
            for peer in self.peers:
                if self.worth_running(prepared.name, peer, "fixed", run):
                    self.run_peer(prepared, peer, run, model)
            for program in programs.OURS.values():
                self.run_ours(prepared, program, run, model)

    def run_peer(self, prepared, peer, run, model):
        self.once(
            (prepared.name, peer, "fixed", run),
            lambda: programs.run_peer(
                programs.PEERS[peer], prepared, self.machine, model, evaluate=run == 0
            ),
        )

    def run_ours(self, prepared, program, run, model):
        name = prepared.name
        targets = {measure: self.target(name, measure) for measure in MEASURES}
        if run == 0:
            self.once(
                (name, program.key, "curve", 0),
                lambda: self.curve(prepared, program, targets, model),
            )
        if self.worth_running(name, program.key, "fixed", run):
            self.once(
                (name, program.key, "fixed", run),
                lambda: self.timed(prepared, program.settings, model, rates=run == 0),
            )
        curve = self.journal[(name, program.key, "curve", 0)]
        for measure, target in targets.items():
            rounds = target and first_at_most(curve[measure], target.value)
            if rounds and self.worth_running(name, program.key, measure, run):
                settings = program.settings | {"rounds": rounds}
                self.once(
                    (name, program.key, measure, run),
                    lambda settings=settings: self.timed(prepared, settings, model),
                )

    def curve(self, prepared, program, targets, model):
        """Test figures after each round, of as many rounds as the targets need."""
        begun = time.monotonic()
        for rounds in MORE_ROUNDS:
            settings = program.settings | {"rounds": rounds}
            result = programs.run_ours(prepared, self.machine, model, settings, valid="test")
            if "failed" in result:
                return result | {"error": [], "log_loss": []}
            curves = programs.curves_of_ours(self.machine, model)
            reached = all(
                target is None or first_at_most(curves[measure], target.value)
                for measure, target in targets.items()
            )
            losses = curves["log_loss"]
            past_its_best = losses.index(min(losses)) < len(losses) / 2
            late = time.monotonic() - begun > self.machine.time_limit / 3
            if reached or past_its_best or late or result["interrupted"]:
                break
        return curves | {"rounds": result["rounds"]}

    def timed(self, prepared, settings, model, rates=False):
        result = programs.run_ours(prepared, self.machine, model, settings)
        if "failed" in result:
            return result
        result.pop("margins", None)
        result |= programs.evaluate_ours(prepared, self.machine, model)
        if rates:
            result |= programs.rates_of_ours(prepared, self.machine, model)
        return result

    # What came of it, for the report.

    def seconds_to(self, name, program, measure):
        """Median seconds until the target is met, and rounds; None where it never is."""
        target = self.target(name, measure)
        if target is None:
            return None
        if program in programs.OURS:
            runs = [self.journal.get((name, program, measure, run)) for run in range(self.runs)]
            runs = [run for run in runs if run and "failed" not in run]
            if not runs:
                return None
            return statistics.median(run["train_seconds"] for run in runs), runs[0]["rounds"]
        runs = self.peer_runs(name, program)
        rounds = runs and first_at_most(runs[0][measure], target.value)
        if not rounds:
            return None
        times = [run["seconds"][rounds - 1] for run in runs if len(run["seconds"]) >= rounds]
        return statistics.median(times), rounds


def prepared_sets(names, data, work, command, say):
    found, lacking = sets.available(names, data)
    if lacking:
        say(f"not in {data}, left out: {', '.join(lacking)}")
    for name in found:
        yield sets.prepare(name, data, work, command)
