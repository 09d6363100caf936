#!/usr/bin/env python3
"""What a constraint costs where it is true, and whether any of a million rows breaks it.

usage: monotone.py [--rows N] [--pairs N] [--seeds N] [--output FILE.md]

Generated rows: the class is an ordered one of three, by a score that rises in x0, falls in x1 (each in its own
curve), and depends on x2 and x3 together. Log loss on 20,000 new rows, with the constraints that hold and
without; and how many of a million pairs of random rows, which differ in one feature, break them. Of groups of
features that may meet: how far what one group adds depends on the others, on a million random rows.
"""

import argparse
import pathlib
import sys

import numpy as np

from simplexboost import SimplexBoostClassifier

WANTED = {0: (1, "high"), 1: (-1, "high")}


def draw(rows, seed, noise):
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(rows, 6))
    value = 2 * np.tanh(x[:, 0]) - np.exp(x[:, 1] / 2) + np.sin(2 * x[:, 2]) * x[:, 3]
    value += noise * generator.logistic(size=rows)
    return x, np.array(["low", "middle", "high"])[np.digitize(value, [-1.5, 0.5])]


def log_loss(model, x, y):
    own = model.predict_proba(x)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return -np.log(np.clip(own, 1e-15, None)).mean()


def broken(model, pairs):
    """Pairs in which the score of the class falls, or that of another rises."""
    generator = np.random.default_rng(11)
    own = list(model.classes_).index("high")
    count = 0
    for feature, (sign, _) in WANTED.items():
        low = generator.normal(scale=1.5, size=(pairs, 6))
        low[generator.random(low.shape) < 0.02] = np.nan
        low[:, feature] = generator.normal(scale=1.5, size=pairs)
        high = low.copy()
        high[:, feature] += sign * generator.exponential(size=pairs)
        change = model.decision_function(high) - model.decision_function(low)
        others = np.delete(change, own, axis=1).max(axis=1)
        count += int(((change[:, own] < 0) | (others > 0)).sum())
    return count


def dependence(rows):
    """Where groups do not meet, scores are sums of what each says: the largest difference from that, and
    the largest score."""
    x, y = draw(3000, 0, 0.3)
    groups = [[0, 1], [2, 3], [4, 5]]
    model = SimplexBoostClassifier(n_estimators=100, interaction_constraints=groups, random_state=0)
    model.fit(x, y)
    generator = np.random.default_rng(12)
    worst = largest = 0.0
    for group in groups:
        a, b = generator.normal(scale=1.5, size=(2, rows, 6))
        a[generator.random(a.shape) < 0.02] = np.nan
        moved_a, moved_b = a.copy(), b.copy()
        moved_a[:, group], moved_b[:, group] = b[:, group], a[:, group]
        scores = [model.decision_function(one) for one in (a, b, moved_a, moved_b)]
        worst = max(worst, np.abs(scores[0] + scores[1] - scores[2] - scores[3]).max())
        largest = max(largest, np.abs(scores[0]).max())
    return worst, largest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    lines = ["# Monotone constraints", "", f"    {sys.argv[0]} {' '.join(sys.argv[1:])}", "",
             "| noise | settings | log loss, free | constrained | pairs of 2 x a million that break it |",
             "|---|---|---|---|---|"]  # fmt: skip
    print("\n".join(lines), flush=True)
    for noise in (0.3, 1.0):
        for settings in ({}, {"thresholds": "best"}):
            losses, breaks = [], 0
            for seed in range(options.seeds):
                x, y = draw(options.rows, seed, noise)
                new = draw(20_000, 1000 + seed, noise)
                valid = [draw(1000, 2000 + seed, noise)]
                common = {"n_estimators": 400, "n_iter_no_change": 30, "random_state": seed, **settings}
                free = SimplexBoostClassifier(**common).fit(x, y, eval_set=valid)
                bound = SimplexBoostClassifier(monotone_constraints=WANTED, **common)
                bound.fit(x, y, eval_set=valid)
                losses.append([log_loss(free, *new), log_loss(bound, *new)])
                if seed == 0:
                    breaks = broken(bound, options.pairs)
            free, bound = np.mean(losses, axis=0)
            words = ", ".join(f"{key} {value}" for key, value in settings.items()) or "defaults"
            lines.append(f"| {noise} | {words} | {free:.4f} | {bound:.4f} | {breaks} |")
            print(lines[-1], flush=True)
    worst, largest = dependence(options.pairs)
    lines += ["", "Interactions of three groups of two: of 3 x a million random rows what a group adds depends on "
              f"the others by {worst:.1e} at most, of scores up to {largest:.0f}: by rounding."]  # fmt: skip
    print(lines[-1])
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
