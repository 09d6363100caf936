#!/usr/bin/env python3
"""Is a calibrated model ever worse? Log loss on new rows before and after `calibrate`.

usage: calibration.py --data DIR [--sets a,b] [--rows N] [--splits N] [--output FILE.md]

Half of (at most so many) rows train, once as usual (cross-fitted) and once plainly (80 rounds, which
leaves it too sure), a quarter calibrates, the rest is judged. Means over the splits.
"""

import argparse
import pathlib

import numpy as np
from tables import Table, log_loss, read

from simplexboost import SimplexBoostClassifier


def one_split(x, y, rows, seed, settings):
    order = np.random.default_rng(seed).permutation(len(y))[:rows]
    half, quarter = len(order) // 2, len(order) * 3 // 4
    train, calm, test = order[:half], order[half:quarter], order[quarter:]
    calm, test = (part[np.isin(y[part], y[train])] for part in (calm, test))
    model = SimplexBoostClassifier(random_state=seed, **settings).fit(x.iloc[train], y[train])
    before = log_loss(model.classes_, model.predict_proba(x.iloc[test]), y[test])
    model.calibrate(x.iloc[calm], y[calm])
    after = log_loss(model.classes_, model.predict_proba(x.iloc[test]), y[test])
    return before, after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--sets")
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    names = sorted(path.name for path in options.data.iterdir() if path.is_dir())
    table = Table(
        "Log loss before and after calibration",
        ["data", "classes", "cross-fitted", "calibrated", "change, %", "80 rounds", "calibrated",
         "change, %"],
    )  # fmt: skip
    for name in options.sets.split(",") if options.sets else names:
        x, y = read(options.data, name)
        cells = []
        for settings in ({}, {"n_estimators": 80}):
            pairs = [one_split(x, y, options.rows, seed, settings) for seed in range(options.splits)]
            before, after = np.mean(pairs, axis=0)
            cells += [f"{before:.4f}", f"{after:.4f}", f"{100 * (after / before - 1):+.2f}"]
        table.add(name, len(np.unique(y)), *cells)
    table.write(options.output)


if __name__ == "__main__":
    main()
