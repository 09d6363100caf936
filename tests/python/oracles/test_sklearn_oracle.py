"""SAMME against scikit-learn's AdaBoostClassifier over DecisionTreeClassifier, round by round.

Where the two agree by definition: weighted Gini cuts at midpoints, the error of every round, its
step, the votes. Where they may differ:

- scikit-learn cuts an impure node even where no cut gains anything, and breaks ties at random; here
  a cut must gain, and the first of equal ones is taken;
- here weights are summed in fixed point, to 2^-31 of the total, and cuts compared in single
  precision. Once easy rows weigh less than about 1e-7 of the total (SAMME multiplies the others by
  10 and more a round), cuts that differ by such rows alone are ties.

So the rows have uneven weights, and steps are small where rounds are many. Two features can still
part the few rows of a node alike, so only stumps are compared on rows that training did not see.
"""

import csv

import numpy as np
import pytest
from safetensors.numpy import load_file
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

TOLERANCE = 1e-12


def waveform(random, rows):
    """Breiman's three waves: 21 features, 3 classes. Single-precision values, as scikit-learn
    rounds them."""
    base = np.array([np.maximum(6 - np.abs(np.arange(1, 22) - peak), 0) for peak in (7, 15, 11)])
    classes = random.integers(0, 3, size=rows)
    share = random.uniform(size=(rows, 1))
    features = share * base[classes] + (1 - share) * base[(classes + 1) % 3]
    return (features + random.normal(size=features.shape)).astype(np.float32), classes


def write_csv(path, features, classes, weights):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{j}" for j in range(features.shape[1])] + ["weight", "class"])
        for row, weight, name in zip(features, weights, classes):
            writer.writerow([*(repr(float(x)) for x in row), repr(float(weight)), f"k{name}"])


def log_of(path):
    """The training log, by column."""
    arrays = load_file(path)
    ends = [0, *arrays["log.columns.ends"].tolist()]
    text = arrays["log.columns.bytes"].tobytes().decode()
    names = [text[begin:end] for begin, end in zip(ends, ends[1:])]
    values = arrays["log.values"].reshape(-1, len(names))
    return dict(zip(names, values.T))


def predictions(simplexboost, data):
    return simplexboost.succeed("predict", "m.sb", data).split()[1:]


@pytest.mark.parametrize(
    "depth, rounds, rate", [(1, 40, 1.0), (2, 20, 1.0), (3, 15, 1.0), (2, 50, 0.3), (3, 50, 0.3)]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_samme_is_scikit_learns_round_by_round(simplexboost, depth, rounds, rate, seed):
    random = np.random.default_rng(seed)
    features, classes = waveform(random, 500)
    unseen, unseen_classes = waveform(random, 1000)
    weights = random.uniform(0.5, 2, size=len(classes))
    folder = simplexboost.folder
    write_csv(folder / "train.csv", features, classes, weights)
    write_csv(folder / "unseen.csv", unseen, unseen_classes, np.ones(len(unseen)))
    simplexboost.succeed(
        "train", "train.csv", "--model", "m.sb", "--algorithm", "samme", "--learner", "tree",
        "--depth", depth, "--rounds", rounds, "--learning-rate", rate, "--max-bins", 65536,
        "--weight", "weight",
    )
    oracle = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=depth), n_estimators=rounds, learning_rate=rate
    )
    oracle.fit(features, classes, sample_weight=weights / weights.sum())

    log = log_of(folder / "m.sb")
    errors, steps = oracle.estimator_errors_, oracle.estimator_weights_
    np.testing.assert_allclose(log["weighted_error"], errors, rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(log["step"], steps, rtol=0, atol=10 * TOLERANCE)
    assert predictions(simplexboost, "train.csv") == [f"k{c}" for c in oracle.predict(features)]
    if depth == 1:
        assert predictions(simplexboost, "unseen.csv") == [f"k{c}" for c in oracle.predict(unseen)]
