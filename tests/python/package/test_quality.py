"""Forests and cross-fitted ensembles."""

import warnings

import numpy as np
import pytest

from simplexboost import ForestClassifier, SimplexBoostClassifier, load_model


def test_forest_estimates_its_error(rows):
    x, y = rows
    model = ForestClassifier(n_estimators=60).fit(x[:300], y[:300])
    assert abs(model.oof_score_ - model.score(x[300:], y[300:])) < 0.1
    value, low, high = model.oof_estimate_["error"]
    assert low < value < high and value == pytest.approx(1 - model.oof_score_)
    assert set(model.oof_estimate_["classes"]) == {"left", "middle", "right"}
    for figures in model.oof_estimate_["classes"].values():
        assert set(figures) == {"error", "log_loss", "calibration"}
        assert all(low <= value <= high for value, low, high in figures.values())
    assert model.oof_estimate_["method"] == "out-of-bag"


def test_best_ensemble(rows, tmp_path):
    x, y = rows
    y = np.where(x[:, 2] * x[:, 3] > 0.3, "left", y)  # else the linear member would be alone
    model = SimplexBoostClassifier(quality="best", n_folds=3, n_estimators=40).fit(x[:300], y[:300])
    assert model.oof_proba_.shape == model.oof_decision_function_.shape == (300, 3)
    assert np.allclose(model.oof_proba_.sum(axis=1), 1, atol=1e-5)
    own = model.classes_[model.oof_proba_.argmax(axis=1)]
    assert (own == y[:300]).mean() == pytest.approx(model.oof_score_)
    assert len(model.model_.members) >= 2
    assert model.importance().sum() > 0
    staged = list(model.staged_predict(x[300:]))
    assert (staged[-1] == model.predict(x[300:])).all()
    path = tmp_path / "model.sb"
    model.save_model(path)
    again = load_model(path)
    assert np.array_equal(again.predict_proba(x), model.predict_proba(x))
    assert again.oof_score_ == model.oof_score_


@pytest.mark.parametrize("budget", [600, "600s", "10m"])
def test_budget_is_a_time(rows, budget):
    model = SimplexBoostClassifier(quality="default", n_folds=2, n_estimators=3, budget=budget)
    assert model.fit(*rows).oof_score_ > 0.5
    with pytest.raises(ValueError, match="budget: 'soon' is no time"):
        model.set_params(budget="soon").fit(*rows)


def test_groups_stay_together(rows):
    x, y = rows
    rng = np.random.default_rng(1)
    noise = rng.choice(["left", "right"], 100)
    x, y, groups = np.repeat(x[:100], 3, axis=0), np.repeat(noise, 3), np.repeat(np.arange(100), 3)
    forest = ForestClassifier(quality="best", n_folds=3, n_estimators=20)
    assert forest.fit(x, y).oof_score_ > 0.9
    assert forest.fit(x, y, groups=groups).oof_score_ < 0.7
    with pytest.raises(ValueError, match="groups: they are for quality"):
        ForestClassifier().fit(x, y, groups=groups)


def test_own_parts_are_refused(rows):
    x, y = rows
    with pytest.raises(ValueError, match="objective: quality='best'"):
        SimplexBoostClassifier(quality="best", objective=lambda a, b: (a, b)).fit(x, y)
    with pytest.raises(ValueError, match="quality"):
        SimplexBoostClassifier(quality="bets").fit(x, y)


def test_no_estimate(rows):
    x, y = rows
    model = SimplexBoostClassifier(n_estimators=3).fit(x, y)
    assert model.oof_estimate_ is None
    with pytest.raises(AttributeError, match="oof_score_"):
        _ = model.oof_score_


def test_plain_fit_is_cross_fitted(rows):
    x, y = rows
    model = SimplexBoostClassifier().fit(x, y)
    assert model.quality_ == "default" and 0 < model.oof_score_ < 1
    assert SimplexBoostClassifier().fit(x[:49], y[:49]).quality_ == "fast"
    given = SimplexBoostClassifier(n_estimators=7).fit(x, y)
    assert given.quality_ == "fast" and given.n_estimators_ == 7
    assert ForestClassifier().fit(x, y).quality_ == "fast"
    assert SimplexBoostClassifier().fit(x, y, eval_set=[(x, y)]).quality_ == "fast"


def test_partial_fit_begins_anew_after_cross_fitting(rows):
    x, y = rows
    model = SimplexBoostClassifier().fit(x, y)
    assert model.partial_fit(x, y).n_estimators_ == 100
    assert model.partial_fit(x, y).n_estimators_ == 200


def test_distil(rows):
    x, y = rows
    model = SimplexBoostClassifier(quality="best", n_folds=3, n_estimators=20, distil=True).fit(x, y)
    assert not model.model_.members
    assert model.distil_cost_["model"]["bytes"] < model.distil_cost_["ensemble"]["bytes"]
    assert 1 - model.oof_score_ == pytest.approx(model.distil_cost_["model"]["error"])
    assert not hasattr(model.set_params(distil=False).fit(x, y), "distil_cost_")


@pytest.mark.parametrize(("kind", "categories"), [(int, None), (float, None), (int, [0, 1])])
@pytest.mark.parametrize("distil", [False, True])
def test_rows_without_a_first_cut(kind, categories, distil):
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 20)
    y = np.array(["same", "other", "other", "same"] * 20)
    model = SimplexBoostClassifier(distil=distil, categorical_features=categories)
    model.fit(x.astype(kind), y)
    assert model.oof_proba_.shape == (80, 2) and np.isfinite(model.oof_score_)
    assert hasattr(model, "distil_cost_") == distil


def test_too_few_rows_for_folds_have_no_estimate():
    model = SimplexBoostClassifier(quality="default").fit([[0.0], [1.0]], ["a", "b"])
    assert model.oof_estimate_ is None and not hasattr(model, "oof_proba_")


def test_repeated_rows_are_told(rows):
    x, y = rows
    twice, labels = np.repeat(x[:50], 2, axis=0), np.repeat(y[:50], 2)
    with pytest.warns(UserWarning, match="^100% of the rows equal another in every feature"):
        SimplexBoostClassifier().fit(twice, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SimplexBoostClassifier(n_folds=5).fit(twice, labels, groups=np.repeat(np.arange(50), 2))
        SimplexBoostClassifier().fit(x, y)


@pytest.mark.parametrize("size", [1e308, 1e-165])
@pytest.mark.parametrize("grouped", [False, True])
def test_weights_of_any_size(rows, size, grouped):
    X, y = rows
    weight = np.full(len(y), size)
    groups = {"groups": np.arange(len(y)) // 2} if grouped else {}
    one = SimplexBoostClassifier(n_estimators=5, quality="default")
    one.fit(X, y, sample_weight=weight, **groups)
    assert one.score(X, y, sample_weight=weight) == pytest.approx(one.score(X, y))
    one.calibrate(X, y, sample_weight=weight)
    assert np.isfinite(one.predict_proba(X)).all()
