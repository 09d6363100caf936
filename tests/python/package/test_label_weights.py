"""Weights of labels, and labels that are unknown."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from simplexboost import (
    AdaBoostMHClassifier,
    OneVsAllClassifier,
    SimplexBoostClassifier,
    SimplexBoostMultiLabelClassifier,
)


def forget(y, share, seed=0):
    """Some labels become NaN."""
    unknown = np.random.default_rng(seed).random(y.shape) < share
    return np.where(unknown, np.nan, y)


def test_usual_weights_change_nothing(blobs):
    X, y = blobs
    usual = np.where(np.eye(5)[y] == 1, 0.5, 0.5 / 4)
    plain = AdaBoostMHClassifier(n_estimators=10).fit(X, y)
    weighted = AdaBoostMHClassifier(n_estimators=10).fit(X, y, label_weight=usual)
    assert (plain.decision_function(X) == weighted.decision_function(X)).all()


def test_weights_go_by_the_names_of_a_table(blobs):
    X, y = blobs
    names = np.array(["a", "b", "c", "d", "e"])
    weights = np.random.default_rng(1).random((len(y), 5))
    table = pd.DataFrame(weights, columns=names)[["c", "a", "e", "d", "b"]]
    for kind in (AdaBoostMHClassifier, OneVsAllClassifier):
        one = kind(n_estimators=5).fit(X, names[y], label_weight=weights)
        other = kind(n_estimators=5).fit(X, names[y], label_weight=table)
        assert (one.decision_function(X) == other.decision_function(X)).all()
    with pytest.raises(ValueError, match="the columns are"):
        one.fit(X, names[y], label_weight=table.rename(columns={"c": "z"}))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((600, 4)), "expected a matrix of 600 rows and 5 columns"),
        (np.ones(600), "expected a matrix"),
        (-np.ones((600, 5)), "below 0"),
        (np.full((600, 5), np.nan), "not NaN"),
        (np.full((600, 5), np.inf), "finite"),
        (np.zeros((600, 5)), "all weights are zero"),
    ],
)
def test_bad_weights_are_refused(blobs, weights, message):
    with pytest.raises(ValueError, match=message):
        AdaBoostMHClassifier(n_estimators=2).fit(*blobs, label_weight=weights)


def test_algorithms_without_a_place_for_weights_say_so(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="no place for weights of labels; use adaboost-mh"):
        SimplexBoostClassifier().fit(X, y, label_weight=np.ones((len(y), 5)))


def test_nan_is_unknown_and_is_weight_zero(label_sets):
    X, y = label_sets
    part = forget(y, 0.3)
    one = SimplexBoostMultiLabelClassifier(n_estimators=20).fit(X, part)
    other = SimplexBoostMultiLabelClassifier(n_estimators=20)
    other.fit(X, y, label_weight=~np.isnan(part))
    assert (one.decision_function(X) == other.decision_function(X)).all()
    table = pd.DataFrame(part).astype("Int64")
    third = SimplexBoostMultiLabelClassifier(n_estimators=20).fit(X, table)
    assert (one.decision_function(X) == third.decision_function(X)).all()
    assert set(np.unique(one.predict(X))) == {0, 1}


def test_unknown_labels_cost_little(label_sets):
    X, y = label_sets
    whole = SimplexBoostMultiLabelClassifier(n_estimators=60).fit(X[:400], y[:400])
    part = SimplexBoostMultiLabelClassifier(n_estimators=60).fit(X[:400], forget(y[:400], 0.3))
    losses = [(model.predict(X[400:]) != y[400:]).mean() for model in (whole, part)]
    assert losses[1] < losses[0] + 0.04


def test_figures_leave_unknown_labels_out(label_sets):
    X, y = label_sets
    valid = forget(y[400:], 0.4)
    weights = np.arange(200) % 3 + 1.0
    model = SimplexBoostMultiLabelClassifier(n_estimators=5)
    model.fit(X[:400], forget(y[:400], 0.2), eval_set=[(X[400:], valid, weights)] * 2)
    known = ~np.isnan(valid)
    wrong = (model.predict(X[400:]) != valid) & known
    expected = (weights @ wrong).sum() / (weights @ known).sum()
    for name in ("valid_0", "valid_1"):
        assert model.evals_result_[name]["error"][-1] == pytest.approx(expected)
    rows = known.any(axis=1)
    right = ~wrong.any(axis=1)
    assert model.score(X[400:], valid) == pytest.approx(right[rows].mean())
    assert list(model.staged_score(X[400:], valid))[-1] == pytest.approx(right[rows].mean())
    assert model.score(X[400:], y[400:]) == pytest.approx(
        (model.predict(X[400:]) == y[400:]).all(axis=1).mean()
    )


def test_weights_of_labels_count_in_figures(label_sets):
    X, y = label_sets
    valid = forget(y[400:], 0.4)
    rows = np.arange(200) % 3 + 1.0
    labels = np.random.default_rng(2).random(valid.shape)
    sets = [(X[400:], valid, rows, labels), (X[400:], valid, None, labels)] * 2
    model = SimplexBoostMultiLabelClassifier(n_estimators=5)
    model.fit(X[:400], y[:400], eval_set=sets)
    known = labels * ~np.isnan(valid)
    wrong = model.predict(X[400:]) != valid
    for name, weights in (("valid_0", rows), ("valid_1", np.ones(200)), ("valid_3", np.ones(200))):
        expected = (weights @ (wrong * known)).sum() / (weights @ known).sum()
        assert model.evals_result_[name]["error"][-1] == pytest.approx(expected, rel=1e-5)
    model.fit(X[:400], y[:400], eval_set=sets[:1])
    expected = (rows @ (wrong * known)).sum() / (rows @ known).sum()
    assert model.evals_result_["valid_0"]["error"][-1] == pytest.approx(expected, rel=1e-5)


def test_weights_of_labels_of_validation_rows_must_fit(label_sets, blobs):
    X, y = label_sets
    model = SimplexBoostMultiLabelClassifier(n_estimators=2)
    with pytest.raises(ValueError, match="expected a matrix of"):
        model.fit(X, y, eval_set=[(X, y, None, np.ones((3, 3)))])
    unknown = np.where(np.arange(y.shape[1]) == 0, np.nan, y)
    first = np.zeros(y.shape)
    first[:, 0] = 1
    with pytest.raises(ValueError, match="no label that is known"):
        model.fit(X, y, eval_set=[(X, unknown, None, first)])
    X, y = blobs
    with pytest.raises(ValueError, match="one label a row"):
        AdaBoostMHClassifier(n_estimators=2).fit(X, y, eval_set=[(X, y, None, np.eye(5)[y])])


def test_unknown_labels_may_stay_through_validation_fractions(label_sets):
    X, y = label_sets
    model = SimplexBoostMultiLabelClassifier(n_estimators=30, n_iter_no_change=5)
    model.fit(X, forget(y, 0.3))
    assert (model.predict(X) != y).mean() < 0.2
    assert SimplexBoostMultiLabelClassifier(n_estimators=3).fit(X, sparse.csr_matrix(y))


def test_some_label_must_be_known(label_sets):
    X, y = label_sets
    with pytest.raises(ValueError, match="no label is known"):
        SimplexBoostMultiLabelClassifier().fit(X, np.full(y.shape, np.nan))
    with pytest.raises(ValueError, match="zeros and ones"):
        SimplexBoostMultiLabelClassifier().fit(X, 2 * y)
