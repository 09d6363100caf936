#!/usr/bin/env python3
"""Costs inside the loss, and costs at prediction: what errors cost on new rows.

usage: costs.py --data DIR [--sets a,b] [--rows N] [--splits N] [--output FILE.md]

Unequal costs: taking a row of the rarest third of the classes for another costs 10, any other error 1.
One and the same algorithm, gd-mcboost, which takes costs in its loss; the rounds (up to 300) are those of
least validation log loss or cost; a quarter of the rows calibrates what decides at prediction.
"""

import argparse
import pathlib

import numpy as np
from tables import Table, read

from simplexboost import SimplexBoostClassifier


def cost_matrix(y):
    classes, counts = np.unique(y, return_counts=True)
    costs = 1.0 - np.eye(len(classes))
    rare = np.argsort(counts)[: max(1, len(classes) // 3)]
    costs[rare] *= 10
    return classes, costs


def mean_cost(classes, costs, truth, told):
    return costs[np.searchsorted(classes, truth), np.searchsorted(classes, told)].mean()


def one_split(x, y, classes, costs, rows, seed):
    order = np.random.default_rng(seed).permutation(len(y))[:rows]
    half, quarter = len(order) // 2, len(order) * 3 // 4
    train, calm, test = order[:half], order[half:quarter], order[quarter:]
    calm, test = (part[np.isin(y[part], y[train])] for part in (calm, test))
    valid = [(x.iloc[calm], y[calm])]
    settings = {"algorithm": "gd-mcboost", "n_estimators": 300, "n_iter_no_change": 30,
                "random_state": seed}  # fmt: skip
    plain = SimplexBoostClassifier(**settings).fit(x.iloc[train], y[train], eval_set=valid)
    inside = SimplexBoostClassifier(costs=costs, **settings)
    inside.fit(x.iloc[train], y[train], eval_set=valid)
    own = np.searchsorted(classes, plain.classes_)
    seen = costs[np.ix_(own, own)]
    new = x.iloc[test]
    answers = [plain.predict(new), inside.predict(new), plain.predict_least_cost(new, seen)[0]]
    plain.calibrate(x.iloc[calm], y[calm])
    answers.append(plain.predict_least_cost(new, seen)[0])
    return [mean_cost(classes, costs, y[test], told) for told in answers]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--sets", default="satimage,yeast,vehicle")
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    table = Table(
        "Costs inside the loss and at prediction",
        ["data", "classes", "no costs", "in the loss", "at prediction", "at prediction, calibrated"],
    )
    for name in options.sets.split(","):
        x, y = read(options.data, name)
        classes, costs = cost_matrix(y)
        figures = [
            one_split(x, y, classes, costs, options.rows, seed) for seed in range(options.splits)
        ]
        table.add(name, len(classes), *(f"{cost:.3f}" for cost in np.mean(figures, axis=0)))
    table.say("Mean cost of a new row, over the splits.")
    table.write(options.output)


if __name__ == "__main__":
    main()
