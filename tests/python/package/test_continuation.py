"""Going on from a model: warm starts, partial fits and the command's --init."""

import numpy as np
import pytest
from sklearn.base import clone
from simplexboost import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier
from simplexboost._named import NAMED

#: Of the others, the weights or steps need more of the past than a model keeps.
CAN = {
    *("newton", "gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic", "adaboost-mh", "samme"),
    *("adaboost-m1", "adaboost-mm", "adaboost-m2", "adaboost-mr"),
    *("logitboost", "robust-logitboost", "mart", "abc-logitboost", "abc-mart", "aoso-logitboost"),
}


@pytest.mark.parametrize("algorithm", sorted(NAMED))
def test_a_warm_start_is_one_long_run_bit_for_bit(blobs, algorithm):
    X, y = blobs
    estimator = SimplexBoostClassifier(
        algorithm, n_estimators=4, max_depth=2, subsample=0.8, warm_start=True
    )
    estimator.fit(X, y)
    estimator.set_params(n_estimators=9)
    if algorithm not in CAN:
        with pytest.raises(ValueError, match="cannot go on from a model"):
            estimator.fit(X, y)
        return
    estimator.fit(X, y)
    whole = clone(estimator).set_params(warm_start=False).fit(X, y)
    if algorithm == "adaboost-m2":  # the bound in its log is computed from its last value
        assert (estimator.predict_proba(X) == whole.predict_proba(X)).all()
    else:
        assert estimator.model_.to_bytes() == whole.model_.to_bytes()


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


def test_a_new_validation_set_starts_a_new_log(blobs):
    X, y = blobs
    estimator = SimplexBoostClassifier(n_estimators=3, warm_start=True).fit(X, y)
    estimator.set_params(n_estimators=8).fit(X, y, eval_set=[(X, y)])
    assert len(estimator.evals_result_["valid_0"]["error"]) == 5
    assert estimator.n_estimators_ == 8
    error = estimator.evals_result_["valid_0"]["error"][-1]
    assert error == pytest.approx(1 - estimator.score(X, y))


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
