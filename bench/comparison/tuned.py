"""Each program at its best: the same number of trials for each, drawn at random.

A trial trains on three quarters of the training rows and stops when the log loss of the rest has
not fallen for a while. Trial 0 of every program has its own defaults. The trial of least log loss
there is trained once more, on all training rows with the rounds found, and tested.

A round of ours is one tree where most peers grow one for each class, so ours may have five times as
many rounds, and waits five times as long. Its ranges were set by cross-validation on training rows:
leaves in proportion to its default, low rates, and sketches of any width.
"""

import csv
import math
import zlib
from dataclasses import dataclass, replace

import numpy

from comparison import programs, report, sets

PATIENCE = 20
ROUNDS_OF_OURS = 5  # to one of the peers


@dataclass(frozen=True)
class Range:
    low: float
    high: float
    log: bool = True
    whole: bool = False

    def draw(self, generator):
        if self.log:
            value = math.exp(generator.uniform(math.log(self.low), math.log(self.high)))
        else:
            value = generator.uniform(self.low, self.high)
        return round(value) if self.whole else float(f"{value:.3g}")


RATE = Range(0.03, 0.3)
LEAVES = Range(8, 256, whole=True)
SHARE = Range(0.4, 1, log=False)
ROWS = Range(1, 30, whole=True)
L2 = Range(0.03, 10)
TREES = {"rate": RATE, "leaves": LEAVES, "row_share": SHARE, "feature_share": SHARE, "l2": L2}
SPACES = {
    "xgboost": {**TREES, "min_weight": Range(0.01, 10)},
    "xgboost-vector": {**TREES, "min_weight": Range(0.01, 10)},
    "lightgbm": {**TREES, "min_rows": ROWS},
    "catboost": {
        "rate": RATE, "depth": Range(4, 8, log=False, whole=True), "row_share": SHARE,
        "feature_share": SHARE, "l2": Range(0.3, 10), "random_strength": Range(0.1, 3),
    },
    "sklearn": {
        "rate": RATE, "leaves": LEAVES, "feature_share": SHARE, "l2": L2, "min_rows": ROWS,
    },
    "ours": {
        **TREES, "rate": Range(0.02, 0.1), "leaves": Range(0.25, 2), "min_rows": ROWS,
        "sketch": Range(1, 12, whole=True),
    },
}  # fmt: skip


def default_leaves(rows, classes):
    """Of newton's trees."""
    least = min(max(3 * classes // 2, 8), 16)
    return min(max(rows // 100, least), 128)


def settings_of(program, trial, rounds, rows, classes):
    """Of a trial on such data; the first trial is the program as it comes."""
    if program == "ours":
        rounds *= ROUNDS_OF_OURS
    if trial == 0:
        return {"rounds": rounds}
    generator = numpy.random.default_rng([zlib.crc32(program.encode()), trial])
    drawn = {name: span.draw(generator) for name, span in SPACES[program].items()}
    if program == "ours":
        drawn["leaves"] = round(drawn["leaves"] * default_leaves(rows, classes))
    return {"rounds": rounds, **drawn}


class Search:
    def __init__(self, journal, machine, peers, trials, rounds, once):
        self.journal = journal
        self.machine = machine
        self.programs = [*peers, "ours"]
        self.trials = trials
        self.rounds = rounds
        self.once = once

    def run_set(self, prepared, model):
        sets.part_training_rows(prepared)
        for trial in range(self.trials):
            for program in self.programs:
                self.once(
                    (prepared.name, program, "trial", trial),
                    lambda program=program, trial=trial: self.trial(
                        prepared, program,
                        settings_of(program, trial, self.rounds, prepared.rows, prepared.classes),
                        model,
                    ),
                )
        for program in self.programs:
            best = self.best_trial(prepared.name, program)
            if best:
                self.once(
                    (prepared.name, program, "test", best["trial"]),
                    lambda program=program, best=best: self.test(prepared, program, best, model),
                )

    def trial(self, prepared, program, settings, model):
        if program == "ours":
            result = programs.run_ours(
                prepared, self.machine, model, settings, part="fit", valid="valid",
                patience=ROUNDS_OF_OURS * PATIENCE,
            )  # fmt: skip
            if "failed" not in result:
                result["best_rounds"] = result["rounds"]
        else:
            result = programs.run_peer(
                programs.PEERS[program], prepared, self.machine, model, evaluate=False,
                settings=settings, tuning=PATIENCE,
            )  # fmt: skip
        wanted = ("failed", "valid_log_loss", "best_rounds", "version", "cut")
        kept = {key: result[key] for key in wanted if key in result}
        return kept | {"settings": settings | result.get("found_settings", {})}

    def best_trial(self, name, program):
        found = []
        for trial in range(self.trials):
            result = self.journal.get((name, program, "trial", trial))
            if result and "failed" not in result and result["valid_log_loss"] is not None:
                found.append(result | {"trial": trial})
        return min(found, key=lambda result: result["valid_log_loss"], default=None)

    def test(self, prepared, program, best, model):
        settings = best["settings"] | {"rounds": best["best_rounds"]}
        if program == "ours":
            result = programs.run_ours(prepared, self.machine, model, settings)
            return result | programs.evaluate_ours(prepared, self.machine, model)
        patient = replace(self.machine, time_limit=10 * self.machine.time_limit)
        result = programs.run_peer(
            programs.PEERS[program], prepared, patient, model, evaluate=True, settings=settings
        )
        if "failed" in result:
            return result
        return result | {
            "error": result["error"][-1],
            "log_loss": result["log_loss"][-1],
            "train_seconds": result["seconds"][-1],
        }

    def tested(self, name, program):
        best = self.best_trial(name, program)
        result = best and self.journal.get((name, program, "test", best["trial"]))
        return result | {"best": best} if result and "failed" not in result else None


COLUMNS = [
    "set", "classes", "program", "error", "log_loss", "valid_log_loss", "train_seconds", "rounds",
    "trial", "trials_cut", "search_seconds", "settings",
]  # fmt: skip


def records_of(search, prepared):
    for program in search.programs:
        tested = search.tested(prepared.name, program)
        if not tested:
            continue
        trials = [
            search.journal.get((prepared.name, program, "trial", trial))
            for trial in range(search.trials)
        ]
        best = tested["best"]
        yield {
            "set": prepared.name, "classes": prepared.classes, "program": program,
            "error": tested["error"], "log_loss": tested["log_loss"],
            "valid_log_loss": best["valid_log_loss"], "train_seconds": tested["train_seconds"],
            "rounds": tested["rounds"], "trial": best["trial"],
            "trials_cut": sum(trial.get("cut", False) for trial in trials if trial),
            "search_seconds": sum(trial["wall_seconds"] for trial in trials if trial),
            "settings": " ".join(f"{k}={v}" for k, v in best["settings"].items() if k != "rounds"),
        }  # fmt: skip


def title(program):
    return "simplexboost" if program == "ours" else programs.PEERS[program].title


def rows_of(records):
    for record in records:
        yield (
            f"| {record['set']} | {record['classes']} | {title(record['program'])} "
            f"| {100 * record['error']:.2f} | {record['log_loss']:.4f} "
            f"| {report.seconds(record['train_seconds'])} | {record['rounds']} "
            f"| {record['search_seconds']:.0f} | {record['trials_cut']} "
            f"| {record['settings'] if record['trial'] else 'defaults'} |"
        )


def verdict(records):
    """Whether ours is no worse than the best peer of the set, in log loss and in error."""
    ours = next((record for record in records if record["program"] == "ours"), None)
    peers = [record for record in records if record["program"] != "ours"]
    if not ours or not peers:
        return None
    cells = [records[0]["set"], records[0]["classes"]]
    for measure, scale in (("log_loss", 1), ("error", 100)):
        best = min(peers, key=lambda record: record[measure])
        cells += [
            f"{scale * ours[measure]:.4g}",
            f"{scale * best[measure]:.4g} ({title(best['program'])})",
            report.yes(ours[measure] <= best[measure]),
        ]
    return f"| {' | '.join(map(str, cells))} |"


def write(search, prepared, folder, command_line):
    """tuned.md and tuned.csv in the folder."""
    by_set = [list(records_of(search, one)) for one in prepared]
    by_set = [records for records in by_set if records]
    verdicts = [row for row in map(verdict, by_set) if row]
    text = [
        "# Each program at its tuned best", "",
        f"    {command_line}", "",
        f"{report.dates(search.journal)}; {report.cpu()}, {search.machine.threads} threads, "
        f"{search.machine.clock} time; "
        f"{report.versions(search.journal)}; {programs.version_of_ours(search.machine)}. "
        f"{search.trials} trials each, at most {search.rounds} rounds and "
        f"{search.machine.time_limit:g} s a trial.", "",
        "| data | K | log loss, ours | best peer's | no worse | error, ours, % | best peer's "
        "| no worse |", "|---" * 8 + "|", *verdicts, "",
        "| data | K | program | test error, % | test log loss | training, s | rounds | search, s "
        "| trials cut | settings |", "|---" * 10 + "|",
        *(row for records in by_set for row in rows_of(records)),
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tuned.md").write_text("\n".join(text) + "\n")
    with open(folder / "tuned.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(record for records in by_set for record in records)
