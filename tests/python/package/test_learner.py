"""Weak learners written in Python, and scikit-learn's trees as weak learners."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

from simplexboost import (
    AdaBoostMHClassifier,
    GDMCBoostClassifier,
    SAMMEClassifier,
    SimplexBoostClassifier,
    Tree,
    load_model,
)


class Stump:
    """The cut of least squares, by looking at every value."""

    def grow(self, X, pulls, weights):
        best = None
        for j in range(X.shape[1]):
            for t in np.unique(X[:, j])[:-1]:
                sides = [X[:, j] <= t, X[:, j] > t]
                sums = [pulls[side].sum(axis=0, dtype=float) for side in sides]
                masses = [weights[side].sum(dtype=float) for side in sides]
                gain = sum((g**2).sum() / w for g, w in zip(sums, masses))
                if best is None or gain > best[0]:
                    best = gain, j, t, [g / w for g, w in zip(sums, masses)]
        gain, j, t, values = best
        return Tree([j], [t], [-1], [-2], values, gain=[gain])


class Vote:
    """A class for the rows left of the middle of a feature, another for the others."""

    def __init__(self, wrong=False):
        self.wrong = wrong

    def grow(self, X, pulls, weights):
        middle = np.median(X[:, 2])
        sides = [pulls[X[:, 2] <= middle], pulls[X[:, 2] > middle]]
        votes = np.eye(pulls.shape[1])[[np.argmax(side.sum(axis=0)) for side in sides]]
        return [Tree([2], [middle], [-1], [-2], votes + self.wrong)]


def test_a_stump_in_python_is_the_library_s(iris):
    X, y = iris
    ours = GDMCBoostClassifier(n_estimators=5, learner="stump", leaf_values="vector").fit(X, y)
    theirs = GDMCBoostClassifier(n_estimators=5, learner=Stump()).fit(X, y)
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert theirs.model_.parameters["learner"] == "custom"
    assert np.argmax(theirs.feature_importances_) == np.argmax(ours.feature_importances_)


@pytest.mark.parametrize("algorithm", ["gd-mcboost", "newton"])
def test_trees_of_scikit_learn(blobs, tmp_path, algorithm):
    X, y = blobs
    learner = DecisionTreeRegressor(max_depth=3, random_state=0)
    estimator = SimplexBoostClassifier(algorithm, n_estimators=15, learner=learner)
    estimator.fit(X, y, eval_set=[(X, y)])
    assert estimator.score(X, y) > 0.7
    assert estimator.evals_result_["valid_0"]["error"][-1] == pytest.approx(
        1 - estimator.score(X, y)
    )
    estimator.save_model(tmp_path / "m.sb")
    again = load_model(tmp_path / "m.sb")
    assert (again.predict_proba(X) == estimator.predict_proba(X)).all()
    first = learner.fit(X, np.zeros(len(X)))  # the user's own is not touched
    assert first.tree_.node_count == 1


def test_samples_weights_and_missing_values(blobs):
    X, y = blobs
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    weights = np.where(y == 0, 0.0, 1.0)
    estimator = GDMCBoostClassifier(
        n_estimators=10,
        learner=DecisionTreeRegressor(max_depth=3, random_state=0),
        subsample=0.7,
        max_features=0.5,
    ).fit(X[:, :6], y, sample_weight=weights)
    assert 0 not in estimator.predict(X[:, :6])
    assert estimator.score(X[y != 0][:, :6], y[y != 0]) > 0.6


def test_search_over_the_settings_of_the_learner(blobs):
    X, y = blobs
    estimator = GDMCBoostClassifier(n_estimators=3, learner=DecisionTreeRegressor(random_state=0))
    search = GridSearchCV(estimator, {"learner__max_depth": [1, 3]}, cv=2).fit(X, y)
    assert search.best_params_["learner__max_depth"] == 3
    assert clone(estimator).learner is not estimator.learner


def test_votes_for_samme(iris):
    X, y = iris
    assert SAMMEClassifier(n_estimators=1, learner=Vote()).fit(X, y).score(X, y) > 0.5
    with pytest.raises(ValueError, match="needs 1 for one class and 0 for the others"):
        SAMMEClassifier(n_estimators=1, learner=Vote(wrong=True)).fit(X, y)


def test_a_warm_start_with_a_learner_of_ones_own(iris):
    X, y = iris
    tree = DecisionTreeRegressor(max_depth=2, random_state=0)
    parts = GDMCBoostClassifier(n_estimators=2, learner=tree, warm_start=True).fit(X, y)
    parts.set_params(n_estimators=5).fit(X, y)
    whole = GDMCBoostClassifier(n_estimators=5, learner=tree).fit(X, y)
    assert parts.model_.to_bytes() == whole.model_.to_bytes()


class Broken:
    def __init__(self, answer):
        self.answer = answer

    def grow(self, X, pulls, weights):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("learner", "kind", "message"),
    [
        (3, ValueError, "learner: give the name of one"),
        (LinearRegression(), ValueError, "LinearRegression grows no tree"),
        (Broken(Tree([0], [1.0], [-1], [-2], [[1.0]])), ValueError, "needs values of 2 x 2"),
        (Broken(Tree([7], [1.0], [-1], [-2], np.ones((2, 2)))), ValueError, "feature must be from 0 to"),
        (Broken(Tree([2**40], [1.0], [-1], [-2], np.ones((2, 2)))), ValueError, "feature must be from"),
        (Broken(Tree([0.5], [1.0], [-1], [-2], np.ones((2, 2)))), ValueError, "feature must be whole"),
        (Broken(Tree([0], [1.0], [-1], [2**40], np.ones((2, 2)))), ValueError, "right must be from"),
        (Broken(Tree([0], [1j], [-1], [-2], np.ones((2, 2)))), ValueError, "threshold must be numbers"),
        (
            Broken(Tree([0], [1.0], [-1], [-2], np.ones((2, 2)) * 1j)),
            ValueError,
            "values must be numbers",
        ),
        (Broken(Tree([0], [1.0, 2, 3], [-1], [-2], np.ones((2, 2)))), ValueError, "must be one or 1"),
        (Broken(None), ValueError, "grow gave None; it must give a Tree"),
        (Broken("str"), ValueError, "grow gave 'str'; it must give a Tree"),
        (Broken(Tree([0], [1.0], [0], [-2], np.ones((2, 2)))), ValueError, "hypothesis"),
        (Broken(KeyError("mine")), KeyError, "mine"),
    ],
)
def test_what_is_wrong_is_said(iris, learner, kind, message):
    with pytest.raises(kind, match=message):
        GDMCBoostClassifier(n_estimators=2, learner=learner).fit(*iris)


def test_algorithms_that_have_their_own(iris):
    with pytest.raises(ValueError, match="takes no learner of one's own"):
        SimplexBoostClassifier("dmcboost", learner=Stump()).fit(*iris)
    with pytest.raises(ValueError, match="needs -1 or \\+1 for every class"):
        AdaBoostMHClassifier(n_estimators=1, learner=Vote()).fit(*iris)
