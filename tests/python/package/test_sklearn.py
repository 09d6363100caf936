"""scikit-learn's own checks, and its tools at work on the estimators."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import simplexboost
from simplexboost import (
    CDMCBoostClassifier,
    ForestClassifier,
    GDMCBoostClassifier,
    SAMMEClassifier,
    SimplexBoostClassifier,
    SimplexBoostMultiLabelClassifier,
)
from simplexboost._named import NAMED

CHECKED = [SimplexBoostClassifier, SimplexBoostMultiLabelClassifier, *NAMED.values()]


# A forest draws rows, and a row of weight 2 is drawn once where that row twice is drawn twice: as
# scikit-learn's own forests, it is another forest then.
DRAWN_ROWS = (
    "check_sample_weight_equivalence",
    "check_sample_weights_invariance",
    "check_class_weight_classifiers",
)


@parametrize_with_checks([kind(n_jobs=1) for kind in CHECKED])
def test_check_estimator(estimator, check):
    name = getattr(check, "func", check).__name__
    if isinstance(estimator, ForestClassifier) and name.startswith(DRAWN_ROWS):
        pytest.skip("a forest draws its rows")
    check(estimator)


def test_cross_validation_and_search(blobs):
    X, y = blobs
    assert cross_val_score(SimplexBoostClassifier(n_estimators=15), X, y, cv=3).mean() > 0.75
    grid = {"max_depth": [1, 3], "learning_rate": [0.1, 0.5]}
    search = GridSearchCV(GDMCBoostClassifier(n_estimators=8), grid, cv=3).fit(X, y)
    assert search.best_params_["max_depth"] == 3


def test_search_with_processes(blobs):
    search = GridSearchCV(
        SimplexBoostClassifier(n_estimators=4), {"max_depth": [1, 3]}, cv=2, n_jobs=2
    )
    assert search.fit(*blobs).best_score_ > 0.5


def test_pipeline_and_calibration(blobs):
    X, y = blobs
    pipeline = make_pipeline(StandardScaler(), SAMMEClassifier(n_estimators=10))
    calibrated = CalibratedClassifierCV(pipeline, cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (600, 5)
    assert calibrated.score(X, y) > 0.8


def test_metadata_routing(blobs):
    X, y = blobs
    weights = np.where(y == 0, 0.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        estimator = SimplexBoostClassifier(n_estimators=3).set_fit_request(sample_weight=True)
        estimator.set_score_request(sample_weight=False)
        search = GridSearchCV(estimator, {"max_depth": [2]}, cv=2)
        search.fit(X, y, sample_weight=weights)
    assert 0 not in search.predict(X)


def test_transformer_in_a_pipeline(blobs):
    X, y = blobs
    embed = CDMCBoostClassifier(n_estimators=20)
    assert embed.fit_transform(X, y).shape == (600, 4)
    assert list(embed.get_feature_names_out()) == [f"cdmcboostclassifier{j}" for j in range(4)]
    assert embed.set_output(transform="pandas").transform(X).shape == (600, 4)


def test_pickling_keeps_everything(blobs):
    X, y = blobs
    names = np.array(["zero", "one", "two", "three", "four"])[y]
    estimator = SimplexBoostClassifier(n_estimators=4).fit(X, names)
    again = pickle.loads(pickle.dumps(estimator))
    assert again.get_params() == estimator.get_params()
    assert (again.predict(X) == estimator.predict(X)).all()
    assert again.evals_result_ == estimator.evals_result_
    assert again.model_.to_bytes() == estimator.model_.to_bytes()


def test_clone_and_set_params(iris):
    estimator = SimplexBoostClassifier(n_estimators=4, max_depth=2).fit(*iris)
    copy = clone(estimator)
    assert not hasattr(copy, "model_")
    assert copy.set_params(max_depth=3).fit(*iris).get_params()["max_depth"] == 3


def test_version_is_the_command_s(simplexboost):
    assert globals()["simplexboost"].__version__ in simplexboost.succeed("--version")


def test_public_names_are_there():
    assert len(simplexboost.__all__) == len(set(simplexboost.__all__))
    for name in simplexboost.__all__:
        assert getattr(simplexboost, name) is not None
