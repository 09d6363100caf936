"""newton against XGBoost on two classes: the same cuts in every tree, the same probabilities.

With two classes the two outputs of a vector tree mirror each other. Their pulls sum to zero and their
curvatures are equal, so the gain of a cut is XGBoost's for the logistic loss, and the difference of
the two leaf values is XGBoost's leaf value, where its penalty is half of ours: ours is on the square
of each of two values, each half of the difference. The features are small whole numbers, so that
both programs see the same bins, and the classes have equal shares, so that both begin at zero.
"""

import csv

import numpy as np
import pytest
import xgboost
from safetensors.numpy import load_file

ROWS, FEATURES, ROUNDS, DEPTH, RATE = 3000, 6, 20, 4, 0.1


@pytest.fixture
def problem(simplexboost):
    """A matrix and two classes of half of the rows each, also as data.csv."""
    random = np.random.default_rng(4)
    X = random.integers(0, 60, size=(ROWS, FEATURES)).astype(float)
    score = (X[:, 0] - 30) * (X[:, 1] > 25) / 10 + 2 * np.sin(X[:, 2] / 9)
    score += 3 * (X[:, 3] > 40) * (X[:, 4] < 20) + random.normal(size=ROWS)
    y = np.zeros(ROWS, dtype=int)
    y[np.argsort(score)[ROWS // 2 :]] = 1
    with open(simplexboost.folder / "data.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"x{j}" for j in range(FEATURES)), "class"])
        writer.writerows([*map(int, row), f"k{label}"] for row, label in zip(X, y))
    return X, y


def train_ours(simplexboost, l2):
    simplexboost.succeed(
        *["train", "data.csv", "-m", "m.sb", "--algorithm", "newton", "--quiet", "--l2", l2],
        *["--depth", DEPTH, "--rounds", ROUNDS, "--learning-rate", RATE],
        *["--feature-fraction", 1, "--max-bins", 256, "--sketch", 0, "--thresholds", "best"],
    )
    return load_file(simplexboost.folder / "m.sb")


def train_theirs(X, y, l2):
    settings = {
        **{"objective": "binary:logistic", "tree_method": "hist", "max_bin": 256, "nthread": 1},
        **{"max_depth": DEPTH, "eta": RATE, "base_score": 0.5, "min_child_weight": 0},
        "reg_lambda": l2 / 2,
    }
    return xgboost.train(settings, xgboost.DMatrix(X, y), ROUNDS)


def our_cuts(model, tree):
    """(way from the root, feature, least whole number that goes right) of every inner node."""
    first = int(model["trees.nodes"][:tree].sum())
    cuts = set()

    def visit(node, way):
        if node < 0:
            return
        at = first + node
        threshold = np.floor(model["nodes.threshold"][at]) + 1  # left: value <= threshold
        cuts.add((way, int(model["nodes.feature"][at]), float(threshold)))
        visit(int(model["nodes.left"][at]), way + "L")
        visit(int(model["nodes.right"][at]), way + "R")

    visit(0, "")
    return cuts


def their_cuts(table, tree):
    nodes = table[table.Tree == tree].set_index("ID")
    cuts = set()

    def visit(name, way):
        node = nodes.loc[name]
        if node.Feature == "Leaf":
            return
        cuts.add((way, int(node.Feature[1:]), float(np.ceil(node.Split))))  # left: value < split
        visit(node.Yes, way + "L")
        visit(node.No, way + "R")

    visit(f"{tree}-0", "")
    return cuts


@pytest.mark.parametrize("l2", [1.0, 20.0])
def test_newton_cuts_as_xgboost_does(simplexboost, problem, l2):
    X, y = problem
    ours, theirs = train_ours(simplexboost, l2), train_theirs(X, y, l2)
    table = theirs.trees_to_dataframe()
    for tree in range(ROUNDS):
        expected = their_cuts(table, tree)
        assert len(expected) > 2**DEPTH - 4
        assert our_cuts(ours, tree) == expected, f"tree {tree}"
    lines = simplexboost.succeed("predict", "m.sb", "data.csv", "--proba").splitlines()[1:]
    probabilities = [float(line.split(",")[-1]) for line in lines]
    np.testing.assert_allclose(probabilities, theirs.predict(xgboost.DMatrix(X)), atol=1e-5)
