#!/usr/bin/env python3
"""Categories against CatBoost: log loss on new rows, and seconds of all cores in training.

usage: categories.py --data DIR [--sets a,b] [--rows N] [--threads N] [--output FILE.md]

All columns of car, nursery, krkopt and poker are taken as categories; `names` is generated
(simplexboost generate names: three columns of 10,000 values). Two thirds of the rows train, both with
their defaults.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import pandas as pd
from tables import Table, log_loss, read

from simplexboost import SimplexBoostClassifier

SETS = "car,nursery,krkopt,poker,names"
PROGRAM = os.environ.get("SIMPLEXBOOST_BIN", "simplexboost")


def generated(rows):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "names.csv"
        words = [PROGRAM, "generate", "names", "--rows", str(rows), "-o", path, "--quiet"]
        subprocess.run(words, check=True)
        table = pd.read_csv(path)
    return table.drop(columns="class"), table["class"].astype(str).to_numpy()


def as_categories(features):
    return features.astype(str).astype("category")


def ours(x, y, new, threads):
    model = SimplexBoostClassifier(random_state=0, n_jobs=threads).fit(x, y)
    return model.classes_, model.predict_proba(new)


def catboost(x, y, new, threads):
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(
        cat_features=list(x.columns), thread_count=threads, random_seed=0, verbose=False,
        allow_writing_files=False,
    )  # fmt: skip
    model.fit(x.astype(str), y)
    return model.classes_.astype(str), model.predict_proba(new.astype(str))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    table = Table(
        "Categories",
        ["data", "rows", "classes", "log loss, ours", "CatBoost's", "error, %, ours", "CatBoost's",
         "CPU seconds, ours", "CatBoost's"],
    )  # fmt: skip
    ratios, times = [], []
    for name in options.sets.split(","):
        x, y = generated(options.rows) if name == "names" else read(options.data, name)
        order = np.random.default_rng(0).permutation(len(y))[: options.rows]
        x, y = as_categories(x.iloc[order].reset_index(drop=True)), y[order]
        cut = len(y) * 2 // 3
        test = np.flatnonzero(np.isin(y, y[:cut]) & (np.arange(len(y)) >= cut))
        losses, errors, seconds = [], [], []
        for method in (ours, catboost):
            begin = time.process_time()
            classes, proba = method(x[:cut], y[:cut], x.iloc[test], options.threads)
            seconds.append(time.process_time() - begin)
            order = np.argsort(classes)
            classes, proba = np.asarray(classes)[order], np.asarray(proba)[:, order]
            losses.append(log_loss(classes, proba, y[test]))
            errors.append(100 * (classes[proba.argmax(axis=1)] != y[test]).mean())
        ratios.append(losses[0] / losses[1])
        times.append(seconds[0] / seconds[1])
        table.add(
            name, len(y), len(classes), *(f"{loss:.4f}" for loss in losses),
            *(f"{error:.2f}" for error in errors), *(f"{second:.2f}" for second in seconds),
        )  # fmt: skip
    table.say(
        f"Geometric means: log loss {np.exp(np.log(ratios).mean()):.3f} of CatBoost's, "
        f"time {np.exp(np.log(times).mean()):.4f} of its time."
    )
    table.write(options.output)


if __name__ == "__main__":
    main()
