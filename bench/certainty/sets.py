#!/usr/bin/env python3
"""Do sets of 90 % hold the true class in 90 % of new rows, and how large are they?

usage: sets.py --data DIR [--sets a,b] [--splits 100] [--rows 2000] [--calibrate] [--journal FILE]
               [--output FILE.md]

For each set and split: two thirds of (at most so many) rows train plainly (cross-fitted), the rest is
predicted. Where MAPIE is installed, its adaptive sets (split-conformal by half of the rows that are left,
judged on the other half) from the same probabilities stand beside ours. With --calibrate half of the rows
train, a quarter calibrates, and the rest is predicted. Splits in the journal are not done again.
"""

import argparse
import pathlib

import numpy as np
from tables import read

from simplexboost import SimplexBoostClassifier

SETS = (
    "abalone,balance-scale,car,glass,krkopt,letter,nursery,pendigits,satimage,vehicle,vowel,"
    "waveform,yeast"
)
COVERAGE = 0.9


def mapie_figures(classifier, X, y, seed):
    """Coverage and mean size of MAPIE's adaptive sets, or None."""
    try:
        from mapie.classification import SplitConformalClassifier
    except ImportError:
        return None
    order = np.random.default_rng(seed).permutation(len(y))
    half = len(y) // 2
    sets = SplitConformalClassifier(
        classifier, confidence_level=COVERAGE, conformity_score="aps", prefit=True
    )
    sets.conformalize(X.iloc[order[:half]], y[order[:half]])
    _, member = sets.predict_set(X.iloc[order[half:]])
    member = member[:, :, 0]
    codes = np.searchsorted(classifier.classes_, y[order[half:]])
    return member[np.arange(len(codes)), codes].mean(), member.sum(axis=1).mean()


def one_split(X, y, rows, seed, calibrate):
    """Error, coverage and mean size on new rows; MAPIE's coverage and size."""
    order = np.random.default_rng(seed).permutation(len(y))[:rows]
    cut = len(order) // 2 if calibrate else len(order) * 2 // 3
    rest = len(order) * 3 // 4 if calibrate else cut
    train, calm, test = order[:cut], order[cut:rest], order[rest:]
    calm, test = (part[np.isin(y[part], y[train])] for part in (calm, test))
    classifier = SimplexBoostClassifier(random_state=seed).fit(X.iloc[train], y[train])
    if calibrate:
        classifier.calibrate(X.iloc[calm], y[calm])
    sets = classifier.predict_set(X.iloc[test], COVERAGE)
    held = np.mean([label in found for found, label in zip(sets, y[test], strict=True)])
    size = np.mean([len(found) for found in sets])
    theirs = mapie_figures(classifier, X.iloc[test], y[test], seed) or (np.nan, np.nan)
    return 1 - classifier.score(X.iloc[test], y[test]), held, size, *theirs


def read_journal(path):
    """Figures of the splits that are done: {(set, seed): figures}."""
    if not path or not path.exists():
        return {}
    lines = (line.split(",") for line in path.read_text().splitlines())
    return {(name, int(seed)): list(map(float, figures)) for name, seed, *figures in lines}


def table_line(name, classes, figures):
    error, held, size, their_held, their_size = np.mean(figures, axis=0)
    spread = np.std([one[1] for one in figures]) / max(len(figures) - 1, 1) ** 0.5
    theirs = [f"{100 * their_held:.1f}", f"{their_size:.2f}"] if their_held == their_held else ["-", "-"]
    cells = [name, classes, len(figures), f"{100 * error:.1f}", f"{100 * held:.1f} ± {100 * spread:.1f}",
             f"{size:.2f}", *theirs]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--splits", type=int, default=100)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--calibrate", action="store_true")
    parser.add_argument("--journal", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    done = read_journal(options.journal)
    data = {name: read(options.data, name) for name in options.sets.split(",")}
    for seed in range(options.splits):
        for name, (x, y) in data.items():
            if (name, seed) in done:
                continue
            done[name, seed] = one_split(x, y, options.rows, seed, options.calibrate)
            if options.journal:
                with options.journal.open("a") as out:
                    out.write(",".join(map(str, [name, seed, *done[name, seed]])) + "\n")
    lines = [
        "# Sets of 90 %",
        "",
        f"    bench/certainty/sets.py --data DIR --sets {options.sets} --splits {options.splits} "
        f"--rows {options.rows}{' --calibrate' if options.calibrate else ''}",
        "",
        "Means over the splits, coverage with its standard error; coverage and sizes in new rows.",
        "",
        "| data | classes | splits | error, % | coverage, % | mean size | MAPIE's coverage, % | its mean size |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, (_, y) in data.items():
        figures = [figures for (one, _), figures in done.items() if one == name]
        lines.append(table_line(name, len(np.unique(y)), figures))
    print("\n".join(lines))
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
