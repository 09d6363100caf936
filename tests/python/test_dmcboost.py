"""DMCBoost's objective (5) against the soft margin (6) of kdd2014, by linear programs."""

import csv
import io

import numpy as np
import pytest
from scipy.optimize import linprog

BOTTOM = 5  # n'
ROWS = 24
CLASSES = 3


@pytest.fixture(params=range(4))
def problem(simplexboost, request):
    """A trained model: the votes of its trees on each row, their steps, the labels, the objective."""
    random = np.random.default_rng(request.param)
    x = random.normal(size=(ROWS, 2)).round(3)
    labels = random.integers(CLASSES, size=ROWS)
    labels[:CLASSES] = range(CLASSES)
    lines = [f"{a},{b},{c}" for (a, b), c in zip(x, labels, strict=True)]
    (simplexboost.folder / "d.csv").write_text("a,b,class\n" + "\n".join(lines) + "\n", encoding="utf-8")
    options = ["--algorithm", "dmcboost", "--depth", 1, "--rounds", 12, "--margin-rows", BOTTOM]
    simplexboost.succeed("train", "d.csv", "--model", "m.sb", *options, "--relaxation", 0)
    shown = simplexboost.json("inspect", "m.sb", "--json")
    steps = np.array(shown["log"]["step"])
    before = np.zeros((ROWS, CLASSES))
    votes = []
    for t, step in enumerate(steps):
        text = simplexboost.succeed("predict", "m.sb", "d.csv", "--scores", "--rounds", t + 1)
        scores = np.array([[float(v) for v in row] for row in list(csv.reader(io.StringIO(text)))[1:]])
        votes.append(np.round((scores - before) / step))
        before = scores
    names = shown["classes"]
    own = np.array([names.index(str(c)) for c in labels])
    return np.array(votes), steps, own, shown["log"]["margin_objective"][-1]


def smallest(margins):
    """(5): the average of the n' smallest."""
    return np.sort(margins)[:BOTTOM].mean()


def margins_of(votes, steps, own):
    scores = np.tensordot(steps, votes, axes=1)
    rivals = scores.copy()
    rivals[np.arange(ROWS), own] = -np.inf
    return (scores[np.arange(ROWS), own] - rivals.max(axis=1)) / np.abs(steps).sum()


def soft_margin(margins):
    """(6) for given margins: the largest rho - 1/n' sum xi with margin + xi >= rho."""
    cost = np.concatenate([[-1], np.full(ROWS, 1 / BOTTOM)])
    left = np.hstack([np.ones((ROWS, 1)), -np.eye(ROWS)])
    bounds = [(None, None)] + [(0, None)] * ROWS
    return -linprog(cost, left, margins, bounds=bounds).fun


def best_soft_margin(votes, own):
    """(6) over all steps of either sign with sum |alpha| = 1; also the steps."""
    signed = np.concatenate([votes, -votes])
    trees = len(signed)
    cost = np.concatenate([np.zeros(trees), [-1], np.full(ROWS, 1 / BOTTOM)])
    left = []
    for i in range(ROWS):
        for other in set(range(CLASSES)) - {own[i]}:
            slack = np.zeros(ROWS)
            slack[i] = -1
            left.append(np.concatenate([signed[:, i, other] - signed[:, i, own[i]], [1], slack]))
    total = np.concatenate([np.ones(trees), np.zeros(ROWS + 1)])[None]
    bounds = [(0, None)] * trees + [(None, None)] + [(0, None)] * ROWS
    found = linprog(cost, np.array(left), np.zeros(len(left)), total, [1], bounds=bounds)
    return -found.fun, found.x[: trees // 2] - found.x[trees // 2 : trees]


def test_the_objective_is_the_soft_margin(problem):
    votes, steps, own, objective = problem
    margins = margins_of(votes, steps, own)
    assert smallest(margins) == pytest.approx(objective, abs=1e-5)
    assert soft_margin(margins) == pytest.approx(objective, abs=1e-5)


def test_both_have_the_same_maximum(problem):
    votes, _, own, objective = problem
    best, steps = best_soft_margin(votes, own)
    # A tree with both signs at once only shortens margins; where the program has none, they agree.
    if np.abs(steps).sum() == pytest.approx(1, abs=1e-6):
        assert smallest(margins_of(votes, steps, own)) == pytest.approx(best, abs=1e-6)
    assert objective <= best + 1e-5
