#!/usr/bin/env python3
"""Are planted wrong labels found? Ours beside cleanlab's on LightGBM's out-of-fold probabilities.

usage: suspects.py --data DIR [--sets a,b] [--shares 0.05,0.2] [--rows N] [--seed N]
       [--output FILE.md]

A share of the labels is made wrong, evenly over the other classes. One thread each (several that wait
for each other on a busy machine take more of the processor). Precision (here equal to recall): the
share of planted labels among as many of the most suspect rows.
"""

import argparse
import pathlib
import sys
import time

import numpy as np
from tables import read

from simplexboost import SimplexBoostClassifier, suspects

SETS = "letter,pendigits,satimage,car,nursery"


def plant(y, share, seed):
    generator = np.random.default_rng(seed)
    classes, codes = np.unique(y, return_inverse=True)
    planted = generator.choice(len(y), round(share * len(y)), replace=False)
    wrong = codes.copy()
    wrong[planted] = (wrong[planted] + generator.integers(1, len(classes), len(planted))) % len(classes)
    return classes[wrong], np.sort(planted)


def cleanlab_order(X, y):
    """Rows, most suspect first, by cleanlab on LightGBM's probabilities; None where one is missing."""
    try:
        import lightgbm
        from cleanlab.rank import get_label_quality_scores
    except ImportError:
        return None
    from sklearn.model_selection import cross_val_predict

    model = lightgbm.LGBMClassifier(verbose=-1, n_jobs=1)
    _, codes = np.unique(y, return_inverse=True)
    proba = cross_val_predict(model, X, codes, cv=5, method="predict_proba")
    return np.argsort(get_label_quality_scores(codes, proba), kind="stable")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--shares", default="0.05,0.2")
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0, help="of the rows and of what is planted")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    lines = [
        "# Planted wrong labels",
        "",
        f"    bench/certainty/suspects.py {' '.join(sys.argv[1:])}",
        "",
        "| data | rows | share wrong | precision, ours | cleanlab's on LightGBM | CPU seconds, ours | theirs |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for name in options.sets.split(","):
        X, y = read(options.data, name)
        kept = np.random.default_rng(options.seed).permutation(len(y))[: options.rows]
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
        for share in map(float, options.shares.split(",")):
            labels, planted = plant(y, share, seed=options.seed + 1)
            judge = SimplexBoostClassifier(quality="default", random_state=0, n_jobs=1)
            begin = time.process_time()
            order = suspects(X, labels, judge).row
            seconds = time.process_time() - begin
            begin = time.process_time()
            other = cleanlab_order(X, labels)
            their_seconds = time.process_time() - begin
            count = len(planted)
            ours = np.isin(order[:count], planted).mean()
            theirs = "-" if other is None else f"{np.isin(other[:count], planted).mean():.3f}"
            lines.append(
                f"| {name} | {len(y)} | {share} | {ours:.3f} | {theirs} | {seconds:.2f} | {their_seconds:.2f} |"
            )
            print(lines[-1], flush=True)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
