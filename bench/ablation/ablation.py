#!/usr/bin/env python3
"""What each source of randomness, and each setting of newton, is worth: cross-validation on training
rows, one change at a time.

usage: ablation.py --data DIR [--command simplexboost] [--before OLD] [--jobs N] [--seconds S]
                   [--rows N] [--folds N] [--sets A,B,...] [--out TABLE.md]

DIR has a folder a data set with train.csv.gz, or data.csv.gz where there is no such part (rows for
testing are never read). Each set is shuffled, cut to --rows rows, and parted in three folds by class.
A setting is trained on two folds and watched on the third, round by round; what counts is the round
of the least mean log loss over the folds, as cross-fitting chooses it, and the last round. Trainings
of --quality are judged on the third fold as they come. --before: a command to compare the steps of
leaves with. Standard library only. Results are kept beside TABLE.md (.jsonl), and what is there
already is not done again.
"""

import argparse
import concurrent.futures
import csv
import gzip
import json
import math
import pathlib
import random
import subprocess
import tempfile
import time

FOLDS = 3
ROUNDS = 300
MANY = ["leaves100", "omniglot242", "coil100", "ujiindoorloc", "binaryalphadigs"]
FEWER_ROUNDS = 100  # of sets with so many classes
# Name, options, which sets (None: all), which command.
BASE = "defaults"
# Those of newton before this table taught better: what a setting does not say itself.
DEFAULTS = {"--thresholds": "best", "--l2": "1"}
SETTINGS = [
    (BASE, "", None, "new"),
    ("thresholds drawn", "--thresholds drawn", None, "new"),
    ("split-noise 0.5", "--split-noise 0.5", None, "new"),
    ("split-noise 1", "--split-noise 1", None, "new"),
    ("split-noise 2", "--split-noise 2", None, "new"),
    ("bootstrap bayesian", "--bootstrap bayesian", None, "new"),
    ("bootstrap plain", "--bootstrap plain", None, "new"),
    ("row-fraction 0.7", "--row-fraction 0.7", None, "new"),
    ("node-features 0.5", "--node-features 0.5", None, "new"),
    ("node-features 0.3", "--node-features 0.3", None, "new"),
    ("drawn, noise 1", "--thresholds drawn --split-noise 1", None, "new"),
    ("drawn, node-features 0.5", "--thresholds drawn --node-features 0.5", None, "new"),
    ("drawn, bayesian", "--thresholds drawn --bootstrap bayesian", None, "new"),
    ("drawn, all features", "--thresholds drawn --feature-fraction 1", None, "new"),
    ("noise 1, bayesian", "--split-noise 1 --bootstrap bayesian", None, "new"),
    ("before: l2 1", "--l2 1", MANY, "old"),
    ("before: l2 0.1", "--l2 0.1", MANY, "old"),
    ("before: l2 0", "--l2 0", MANY, "old"),
    ("l2 0.1", "--l2 0.1", None, "new"),
    ("l2 0", "--l2 0", MANY, "new"),
    ("l2 0.3", "--l2 0.3", None, "new"),
    ("l2 3", "--l2 3", None, "new"),
    ("learning-rate 0.05", "--learning-rate 0.05", None, "new"),
    ("learning-rate 0.2", "--learning-rate 0.2", None, "new"),
    ("drawn, learning-rate 0.2", "--thresholds drawn --learning-rate 0.2", None, "new"),
    ("leaves 6", "--leaves 6", None, "new"),
    ("leaves 12", "--leaves 12", None, "new"),
    ("leaves 24", "--leaves 24", None, "new"),
    ("leaves 48", "--leaves 48", None, "new"),
    ("drawn, leaves 24", "--thresholds drawn --leaves 24", None, "new"),
    ("drawn, leaves 48", "--thresholds drawn --leaves 48", None, "new"),
    ("drawn, l2 0.3", "--thresholds drawn --l2 0.3", None, "new"),
    ("sketch 1", "--sketch 1", None, "new"),
    ("sketch 0", "--sketch 0", None, "new"),
    ("drawn, sketch 1", "--thresholds drawn --sketch 1", None, "new"),
    ("bins 32", "--max-bins 32", None, "new"),
]
QUALITIES = [
    ("fast", "--quality fast"),
    ("default, 3 folds, rate 0.2", "--quality default --folds 3 --learning-rate 0.2"),
    ("default, 3 folds, rate 0.2, drawn",
     "--quality default --folds 3 --learning-rate 0.2 --thresholds drawn"),
    ("default, 5 folds, rate 0.3, drawn",
     "--quality default --folds 5 --learning-rate 0.3 --thresholds drawn"),
    ("fast, drawn, 150 rounds, rate 0.15",
     "--quality fast --thresholds drawn --rounds 150 --learning-rate 0.15"),
    ("default, 3 folds", "--quality default --folds 3"),
    ("default, 4 folds, rate 0.1, drawn",
     "--quality default --folds 4 --learning-rate 0.1 --thresholds drawn"),
    ("best, 10 seconds", "--quality best --budget 10"),
]


def read_rows(folder, most):
    for name in ("train.csv.gz", "data.csv.gz"):
        if (folder / name).exists():
            with gzip.open(folder / name, "rt", newline="") as file:
                header, *rows = csv.reader(file)
            random.Random(1).shuffle(rows)
            if len({row[-1] for row in rows}) >= 100:
                most *= 2
            return header, rows[:most]
    return None


def write_folds(folder, most, room):
    """Writes train-F.csv and valid-F.csv; returns the number of classes."""
    loaded = read_rows(folder, most)
    if loaded is None:
        return 0
    header, rows = loaded
    by_class = {}
    for row in rows:
        by_class.setdefault(row[-1], []).append(row)
    folds = [[] for _ in range(FOLDS)]
    number = 0
    for name in sorted(by_class):
        for row in by_class[name]:
            folds[number % FOLDS].append(row)
            number += 1
    for held in range(FOLDS):
        known = {row[-1] for f in range(FOLDS) if f != held for row in folds[f]}
        parts = {
            "train": [row for f in range(FOLDS) if f != held for row in folds[f]],
            "valid": [row for row in folds[held] if row[-1] in known],
        }
        for part, some in parts.items():
            with open(room / f"{part}-{held}.csv", "w", newline="") as file:
                csv.writer(file).writerows([header, *some])
    return len(by_class)


def call(command, *words):
    done = subprocess.run([*command.split(), *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"exit status {done.returncode}")
    return json.loads(done.stdout)


def run_curve(command, options, room, fold, rounds, model):
    seen = call(command, "train", str(room / f"train-{fold}.csv"), "-m", model, "--valid",
                str(room / f"valid-{fold}.csv"), "--early-stopping", "0", "--rounds", str(rounds),
                "--threads", "1", "--json", "--quiet", *options.split())
    log = call(command, "inspect", model, "--json")["log"]
    return {"log_loss": log["valid_log_loss"], "error": log["valid_error"],
            "seconds": seen["train_seconds"]}


def run_quality(command, options, room, fold, model):
    seen = call(command, "train", str(room / f"train-{fold}.csv"), "-m", model, "--threads", "1",
                "--json", "--quiet", *options.split())
    judged = call(command, "evaluate", model, str(room / f"valid-{fold}.csv"), "--json",
                  "--metrics", "error,log-loss")
    figures = judged.get("metrics", judged)
    return {"log_loss": [figures["log_loss"]], "error": [figures["error"]],
            "seconds": seen["train_seconds"]}


def plan(sets, commands, folds):
    jobs = []
    for name, options in QUALITIES:
        jobs += [(name, options, "quality", s, f) for s in sets for f in range(folds)]
    for name, options, wanted, which in SETTINGS:
        if which not in commands:
            continue
        jobs += [(name, options, which, s, f) for s in sets if wanted is None or s in wanted
                 for f in range(folds)]
    # What all are compared with comes first, and the rest of each kind in turn.
    half = [job for job in jobs if job[2] == "quality"]
    rest = [job for job in jobs if job[2] != "quality"]
    first = [job for job in rest if job[0] == BASE]
    rest = rest[len(first):]
    mixed = []
    while half or rest:
        mixed += rest[: 3 * len(sets) * 3]
        rest = rest[3 * len(sets) * 3:]
        mixed += half[: len(sets) * 3]
        half = half[len(sets) * 3:]
    return first + mixed


def best_of(folds):
    """Figures at the round of the least mean log loss, and at the last."""
    rounds = max(len(fold["log_loss"]) for fold in folds)
    def mean(name, r):
        return sum(fold[name][min(r, len(fold[name]) - 1)] for fold in folds) / len(folds)
    best = min(range(rounds), key=lambda r: mean("log_loss", r))
    seconds = sum(fold["seconds"] for fold in folds) / len(folds)
    return {"rounds": best + 1, "log_loss": mean("log_loss", best), "error": mean("error", best),
            "last_log_loss": mean("log_loss", rounds - 1), "last_error": mean("error", rounds - 1),
            "seconds": seconds}


def geometric(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def ratio(pairs, figure, smooth=0.0):
    return geometric([(one[figure] + smooth) / (other[figure] + smooth) for one, other in pairs])


def table_of(results, sets, classes, count):
    done = {}
    for key, figures in results.items():
        name, which, dataset, fold = json.loads(key)
        done.setdefault((name, dataset), {})[fold] = figures
    cells = {key: best_of(list(folds.values())) for key, folds in done.items()
             if len(folds) == count and "failed" not in str(folds)}
    lines = []
    def add(title, names, base):
        lines.append(f"\n## {title}\n")
        lines.append("Ratios to the first line, geometric means over the sets that both have; "
                     "below 1 is better.\n")
        lines.append("| setting | sets | log loss | error | log loss, last round | error, last round "
                     "| better on | time |")
        lines.append("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for name in names:
            both = [s for s in sets if (name, s) in cells and (base, s) in cells]
            if not both:
                continue
            pairs = [(cells[name, s], cells[base, s]) for s in both]
            wins = sum(cells[name, s]["log_loss"] < cells[base, s]["log_loss"] for s in both)
            lines.append(f"| {name} | {len(both)} | {ratio(pairs, 'log_loss'):.3f} | "
                         f"{ratio(pairs, 'error', 0.002):.3f} | "
                         f"{ratio(pairs, 'last_log_loss'):.3f} | "
                         f"{ratio(pairs, 'last_error', 0.002):.3f} | {wins} | "
                         f"{ratio(pairs, 'seconds', 1e-3):.2f} |")
        lines.append("\nError in percent / log loss at the best round (its number):\n")
        lines.append("| setting | " + " | ".join(f"{s} ({classes[s]})" for s in sets) + " |")
        lines.append("| --- |" + " --- |" * len(sets))
        for name in names:
            row = []
            for s in sets:
                c = cells.get((name, s))
                row.append(f"{100 * c['error']:.2f} / {c['log_loss']:.4f} ({c['rounds']})" if c else "")
            if any(row):
                lines.append(f"| {name} | " + " | ".join(row) + " |")
    add("One training", [name for name, *_ in SETTINGS], BASE)
    add("Quality", [name for name, _ in QUALITIES], "fast")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--command", default="simplexboost")
    parser.add_argument("--before", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--sets", default="")
    parser.add_argument("--folds", type=int, default=FOLDS, help="how many are held out in turn")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("ablation.md"))
    given = parser.parse_args()
    begin = time.monotonic()
    names = given.sets.split(",") if given.sets else sorted(p.name for p in given.data.iterdir() if p.is_dir())
    kept = given.out.with_suffix(".jsonl")
    results = {}
    if kept.exists():
        for line in kept.read_text().splitlines():
            results.update(json.loads(line))
    commands = {"new": given.command, "quality": given.command}
    if given.before:
        commands["old"] = given.before
    with tempfile.TemporaryDirectory() as temp, open(kept, "a") as journal:
        root = pathlib.Path(temp)
        classes = {}
        for name in names:
            (root / name).mkdir()
            classes[name] = write_folds(given.data / name, given.rows, root / name)
        sets = [name for name in names if classes[name] > 0]
        jobs = [job for job in plan(sets, commands, given.folds)
                if json.dumps([job[0], job[2], job[3], job[4]]) not in results]

        def work(number, job):
            name, options, which, dataset, fold = job
            if time.monotonic() - begin > given.seconds:
                return None
            model = str(root / f"{number}.sb")
            if which != "old":
                plain = [f"{flag} {value}" for flag, value in DEFAULTS.items() if flag not in options]
                options = " ".join([options, *plain])
            try:
                if which == "quality":
                    figures = run_quality(commands[which], options, root / dataset, fold, model)
                else:
                    rounds = FEWER_ROUNDS if classes[dataset] >= 100 else ROUNDS
                    figures = run_curve(commands[which], options, root / dataset, fold, rounds, model)
            except (RuntimeError, KeyError, ValueError) as error:
                figures = {"failed": f"{type(error).__name__}: {error}"}
            finally:
                pathlib.Path(model).unlink(missing_ok=True)
            return {json.dumps([name, which, dataset, fold]): figures}

        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for done in pool.map(work, range(len(jobs)), jobs):
                if done is None:
                    continue
                results.update(done)
                journal.write(json.dumps(done) + "\n")
                journal.flush()
    title = "# What randomness and settings are worth\n"
    failed = sorted({f"{json.loads(key)[0]} on {json.loads(key)[2]}: {figures['failed']}"
                     for key, figures in results.items() if "failed" in figures})
    text = title + table_of(results, sets, classes, given.folds)
    if failed:
        text += "\n## Failed\n\n" + "\n".join(f"- {line}" for line in failed) + "\n"
    given.out.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
