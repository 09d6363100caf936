"""Sets of classes, likeliest classes, costs, calibration, priors and suspects in Python."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, make_classification
from sklearn.metrics import log_loss

from simplexboost import SimplexBoostClassifier, suspects


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(
        3000, 12, n_informative=6, n_classes=4, class_sep=0.8, random_state=0
    )
    names = np.array(["a", "b", "c", "d"])
    return X, names[y]


@pytest.fixture(scope="module")
def plain(rows):
    X, y = rows
    return SimplexBoostClassifier(n_jobs=2).fit(X[:1200], y[:1200])


def coverage(sets, y):
    return np.mean([label in found for found, label in zip(sets, y, strict=True)])


def test_sets_hold_the_class_as_often_as_promised(plain, rows):
    X, y = rows
    for wanted in (0.6, 0.9):  # a little more, since the mean of trainings is better than each
        assert -0.03 < coverage(plain.predict_set(X[1200:], wanted), y[1200:]) - wanted < 0.06
    per_class = plain.predict_set(X[1200:], 0.9, per_class=True)
    assert abs(coverage(per_class, y[1200:]) - 0.9) < 0.05
    assert min(map(len, plain.predict_set(X[1200:], 0.3, allow_empty=False))) == 1
    assert min(map(len, plain.predict_set(X[1200:], 0.3))) == 0


def test_sets_of_a_row_do_not_depend_on_its_company(plain, rows):
    X, _ = rows
    alone = [plain.predict_set(X[i : i + 1])[0].tolist() for i in range(1200, 1220)]
    assert alone == [found.tolist() for found in plain.predict_set(X[1200:1220])]


def test_models_that_do_not_know_how_sure_they_are_say_so(rows):
    X, y = rows
    one = SimplexBoostClassifier(n_estimators=5).fit(X[:300], y[:300])
    with pytest.raises(ValueError, match="calibrate"):
        one.predict_set(X)


def test_top_classes_are_those_of_predict_proba(plain, rows):
    X, _ = rows
    classes, proba = plain.predict_top(X[:50], k=2)
    whole = plain.predict_proba(X[:50])
    assert classes.shape == proba.shape == (50, 2)
    assert (classes[:, 0] == plain.predict(X[:50])).all()
    np.testing.assert_allclose(proba[:, 0], whole.max(axis=1), rtol=1e-5)
    with pytest.raises(ValueError, match="from 1 to 4"):
        plain.predict_top(X, k=9)


def test_least_cost_is_that_of_numpy(plain, rows):
    X, _ = rows
    costs = np.array([[0, 1, 2, 3], [9, 0, 1, 1], [1, 1, 0, 5], [2, 2, 2, 0]], dtype=float)
    said, cost = plain.predict_least_cost(X[:200], costs)
    expected = plain.predict_proba(X[:200]) @ costs
    np.testing.assert_allclose(cost, expected.min(axis=1), atol=1e-5)
    assert (said == plain.classes_[expected.argmin(axis=1)]).all()
    some, _ = plain.predict_least_cost(X[:200], costs, abstain_above=0.5)
    assert [one is None for one in some] == (cost > 0.5).tolist()
    with pytest.raises(ValueError, match="4 x 4"):
        plain.predict_least_cost(X, costs[:3, :3])


@pytest.mark.parametrize("method", ["auto", "temperature", "vector", "isotonic"])
def test_calibration_lowers_the_log_loss_of_a_model_that_is_too_sure(rows, method):
    X, y = rows
    sure = SimplexBoostClassifier(n_estimators=200, learning_rate=0.5, n_jobs=1).fit(
        X[:500], y[:500]
    )
    before = log_loss(y[1500:], sure.predict_proba(X[1500:]))
    raw = sure.predict_proba(X[1500:1600])
    assert sure.calibration_ is None
    sure.calibrate(X[500:1500], y[500:1500], method)
    after = sure.predict_proba(X[1500:])
    assert log_loss(y[1500:], after) < 0.95 * before
    assert sure.calibration_ in ("temperature", "vector", "isotonic")
    assert (sure.predict(X[1500:]) == sure.classes_[after.argmax(axis=1)]).all()
    assert abs(coverage(sure.predict_set(X[1500:]), y[1500:]) - 0.9) < 0.04
    np.testing.assert_array_equal(sure.uncalibrate().predict_proba(X[1500:1600]), raw)


def test_scikit_learns_own_calibration_works(rows):
    X, y = rows
    calibrated = CalibratedClassifierCV(SimplexBoostClassifier(n_estimators=10), cv=2)
    assert calibrated.fit(X[:400], y[:400]).predict_proba(X[:5]).shape == (5, 4)


def test_priors_of_rows_without_labels_are_found(plain, rows):
    X, y = rows
    kept = np.flatnonzero((y == "a") | (np.arange(len(y)) % 6 == 0))
    kept = kept[kept >= 1200]
    true = np.array([(y[kept] == name).mean() for name in plain.classes_])
    priors = plain.estimate_priors(X[kept])
    assert np.abs(priors - true).max() < 0.06
    assert np.abs(plain.class_shares_.sum() - 1) < 1e-9
    moved = plain.with_priors(priors)
    assert moved.score(X[kept], y[kept]) > plain.score(X[kept], y[kept])
    np.testing.assert_array_equal(
        moved.with_priors(None).predict_proba(X[:20]), plain.predict_proba(X[:20])
    )


def test_suspects_are_planted_labels():
    X, y = load_digits(return_X_y=True)
    generator = np.random.default_rng(0)
    planted = generator.choice(len(y), len(y) // 20, replace=False)
    wrong = y.copy()
    wrong[planted] = (wrong[planted] + generator.integers(1, 10, len(planted))) % 10
    found = suspects(X, wrong)
    first = found.row[: len(planted)]
    assert np.isin(first, planted).mean() > 0.9
    right = np.isin(first, planted)
    assert (found.likelier[: len(planted)][right] == y[first[right]]).mean() > 0.9
    assert (found.label == wrong[found.row]).all()
    assert found.wrong[0] > found.wrong[-1]
