"""Going on from a model: warm starts, partial fits and the command's --init."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from simplexboost import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier
from simplexboost._named import NAMED


@pytest.mark.parametrize("algorithm", sorted(NAMED))
def test_a_warm_start_is_one_long_run_bit_for_bit(blobs, algorithm):
    X, y = blobs
    estimator = SimplexBoostClassifier(
        algorithm, n_estimators=4, max_depth=4, subsample=0.8, warm_start=True
    )
    estimator.fit(X, y)
    estimator.set_params(n_estimators=9).fit(X, y)
    assert estimator.n_estimators_ > 4
    whole = clone(estimator).set_params(warm_start=False).fit(X, y)
    if algorithm == "adaboost-m2":  # the bound in its log is computed from its last value
        assert (estimator.predict_proba(X) == whole.predict_proba(X)).all()
    elif algorithm == "boostma":  # its steps are divided by their sum at the end of a run
        assert np.allclose(estimator.predict_proba(X), whole.predict_proba(X), atol=1e-5)
    else:
        assert estimator.model_.to_bytes() == whole.model_.to_bytes()


@pytest.mark.parametrize("algorithm", sorted(NAMED))
def test_partial_fits_of_every_algorithm(blobs, algorithm):
    """Rows that the model has not seen do not end training, nor do they break it."""
    X, y = blobs
    estimator = SimplexBoostClassifier(algorithm, n_estimators=3)
    for part in range(4):
        estimator.partial_fit(X[part::4], y[part::4])
    assert estimator.n_estimators_ == 12
    assert estimator.score(X, y) > 0.4  # by chance: 0.2


def test_early_stopping_goes_on_as_if_nothing_had_happened(blobs):
    X, y = blobs
    options = {"learning_rate": 0.5, "n_iter_no_change": 4, "validation_fraction": 0.3}
    whole = SimplexBoostClassifier(n_estimators=60, **options).fit(X, y)
    assert whole.n_estimators_ < 50
    parts = SimplexBoostClassifier(n_estimators=3, warm_start=True, **options).fit(X, y)
    parts.set_params(n_estimators=60).fit(X, y)
    assert parts.model_.to_bytes() == whole.model_.to_bytes()


def test_warm_starts_with_the_same_or_fewer_rounds(iris):
    estimator = SimplexBoostClassifier(n_estimators=4, warm_start=True).fit(*iris)
    before = estimator.model_.to_bytes()
    assert estimator.fit(*iris).model_.to_bytes() == before
    with pytest.raises(ValueError, match="n_estimators: the model to go on from has 4"):
        estimator.set_params(n_estimators=3).fit(*iris)


def test_a_warm_start_needs_the_same_problem(iris):
    X, y = iris
    estimator = SimplexBoostClassifier(n_estimators=2, warm_start=True).fit(X, y)
    estimator.set_params(n_estimators=4)
    with pytest.raises(ValueError, match="none of classes_"):
        estimator.fit(X, y + 1)
    with pytest.raises(ValueError, match="features"):
        estimator.fit(X[:, :2], y)
    with pytest.raises(ValueError, match="codewords: they are not those"):
        estimator.set_params(codewords="simplex").fit(X, y)
    estimator.set_params(codewords="auto")
    with pytest.raises(ValueError, match="algorithm: the model to go on from is of newton"):
        estimator.set_params(algorithm="samme").fit(X, y)


def test_the_log_of_a_new_validation_set_stays_in_step_with_the_rounds(blobs):
    X, y = blobs
    estimator = SimplexBoostClassifier(n_estimators=3, warm_start=True).fit(X, y)
    estimator.set_params(n_estimators=8).fit(X, y, eval_set=[(X, y)])
    errors = estimator.evals_result_["valid_0"]["error"]
    assert np.isnan(errors[:3]).all() and not np.isnan(errors[3:]).any()
    assert len(errors) == estimator.n_estimators_ == 8
    assert errors[-1] == pytest.approx(1 - estimator.score(X, y))
    assert 4 <= estimator.best_iteration_ <= 8


def test_partial_fits_learn_from_rows_as_they_come(blobs):
    X, y = blobs
    estimator = SimplexBoostClassifier(n_estimators=6)
    estimator.partial_fit(X[:60], y[:60], classes=np.arange(5))
    scores = [estimator.score(X, y)]
    for begin in range(60, 600, 180):
        part = slice(begin, begin + 180)
        estimator.partial_fit(X[part], y[part])
        scores.append(estimator.score(X, y))
    assert estimator.n_estimators_ == 24
    assert scores[-1] > scores[0] + 0.1
    only_one = SimplexBoostClassifier(n_estimators=2).partial_fit(X[:5], y[:5] * 0, [0, 1])
    assert only_one.predict(X[:5]).tolist() == [0] * 5


def test_multi_label_warm_start(label_sets):
    X, y = label_sets
    estimator = SimplexBoostMultiLabelClassifier(n_estimators=3, warm_start=True).fit(X, y)
    estimator.set_params(n_estimators=6).fit(X, y)
    whole = SimplexBoostMultiLabelClassifier(n_estimators=6).fit(X, y)
    assert estimator.model_.to_bytes() == whole.model_.to_bytes()


def test_the_command_goes_on_too(simplexboost, tmp_path):
    simplexboost.succeed("generate", "waveform", "--rows", "500", "-o", "d.csv")
    simplexboost.succeed("train", "d.csv", "-m", "four.sb", "--rounds", "4")
    simplexboost.succeed("train", "d.csv", "-m", "ten.sb", "--rounds", "10", "--init", "four.sb")
    simplexboost.succeed("train", "d.csv", "-m", "whole.sb", "--rounds", "10")
    assert (tmp_path / "ten.sb").read_bytes() == (tmp_path / "whole.sb").read_bytes()
    line = simplexboost.fail(
        *("train", "d.csv", "-m", "x.sb", "--rounds", "3", "--init", "ten.sb"), status=2
    )
    assert "rounds: the model to go on from has 10" in line
    line = simplexboost.fail(
        *("train", "d.csv", "-m", "x.sb", "--algorithm", "samme", "--init", "four.sb"), status=2
    )
    assert "newton" in line and not (tmp_path / "x.sb").exists()


def test_boosting_starts_from_a_forest(blobs):
    X, y = blobs
    clf = SimplexBoostClassifier(
        algorithm="forest", n_estimators=40, warm_start=True, random_state=1
    )
    before = clf.fit(X, y).predict_proba(X)
    clf.set_params(algorithm="newton", n_estimators=15, learning_rate=0.1).fit(X, y)
    assert clf.n_estimators_ == 15
    assert clf.model_.algorithm == "newton"
    assert not np.allclose(clf.predict_proba(X), before)
    again = pickle.loads(pickle.dumps(clf))
    assert np.array_equal(again.predict_proba(X), clf.predict_proba(X))
    clf.set_params(n_estimators=20).fit(X, y)
    assert clf.n_estimators_ == 20
    with pytest.raises(ValueError, match="rows and weights that it was trained on"):
        clf.fit(X[1:], y[1:])
