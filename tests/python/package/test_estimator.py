"""What the estimators say of themselves after training, and how training can be steered."""

import logging

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss

from simplexboost import (
    CDMCBoostClassifier,
    GDMCBoostClassifier,
    LogRounds,
    ProgressBar,
    SAMMEClassifier,
    SimplexBoostClassifier,
    SimplexBoostMultiLabelClassifier,
    load_model,
)


@pytest.fixture(scope="module")
def halves(blobs):
    X, y = blobs
    return X[::2], y[::2], X[1::2], y[1::2]


def test_staged_predictions_end_in_the_whole(blobs):
    X, y = blobs
    estimator = SimplexBoostClassifier(n_estimators=6).fit(X, y)
    proba = list(estimator.staged_predict_proba(X))
    assert len(proba) == 6
    assert (proba[-1] == estimator.predict_proba(X)).all()
    assert (list(estimator.staged_predict(X))[-1] == estimator.predict(X)).all()
    scores = list(estimator.staged_decision_function(X))
    assert (scores[-1] == estimator.decision_function(X)).all()
    errors = [1 - score for score in estimator.staged_score(X, y)]
    assert errors == pytest.approx(estimator.evals_result_["train"]["error"])
    short = SimplexBoostClassifier(n_estimators=2).fit(X, y)
    assert (proba[1] == short.predict_proba(X)).all()


def test_figures_of_several_validation_sets(halves):
    X, y, Xv, yv = halves
    weights = np.linspace(0, 1, len(yv))
    sets = [(Xv, yv), (Xv, yv, weights), (X, y)]
    estimator = SimplexBoostClassifier(n_estimators=5).fit(X, y, eval_set=sets)
    results = estimator.evals_result_
    assert set(results) == {"train", "valid_0", "valid_1", "valid_2"}
    assert results["valid_2"]["error"] == pytest.approx(results["train"]["error"])
    last = estimator.predict_proba(Xv)
    assert results["valid_0"]["log_loss"][-1] == pytest.approx(log_loss(yv, last), rel=1e-5)
    weighted = log_loss(yv, last, sample_weight=weights)
    assert results["valid_1"]["log_loss"][-1] == pytest.approx(weighted, rel=1e-5)
    # What training logs of a set and what is computed afterwards are the same.
    other = SimplexBoostClassifier(n_estimators=5).fit(X, y, eval_set=(Xv, yv, weights))
    for name in ("error", "log_loss"):
        assert other.evals_result_["valid_0"][name] == pytest.approx(results["valid_1"][name])


def test_early_stopping_keeps_the_best_round(halves):
    X, y, Xv, yv = halves
    estimator = SimplexBoostClassifier(n_estimators=300, n_iter_no_change=5, learning_rate=0.5)
    estimator.fit(X, y, eval_set=[(Xv, yv)])
    losses = estimator.evals_result_["valid_0"]["log_loss"]
    assert estimator.best_iteration_ == int(np.argmin(losses)) + 1 == estimator.n_estimators_
    assert len(losses) == estimator.best_iteration_ + 5
    assert "no better validation" in estimator.stop_reason_
    # Without stopping the best round is known all the same.
    n = len(losses)
    whole = SimplexBoostClassifier(n_estimators=n, learning_rate=0.5, n_iter_no_change=0).fit(
        X, y, eval_set=[(Xv, yv)]
    )
    assert (whole.best_iteration_, whole.n_estimators_) == (estimator.best_iteration_, n)


def test_newton_stops_by_itself_where_validation_rows_are_given(halves):
    X, y, Xv, yv = halves
    estimator = SimplexBoostClassifier(n_estimators=400, learning_rate=0.5)
    stopped = estimator.fit(X, y, eval_set=[(Xv, yv)])
    losses = stopped.evals_result_["valid_0"]["log_loss"]
    assert stopped.n_estimators_ == int(np.argmin(losses)) + 1 == len(losses) - 50
    assert estimator.fit(X, y).n_estimators_ == 400


def test_unseen_classes_of_validation_data_are_errors(halves):
    X, y, Xv, yv = halves
    few = y < 4
    estimator = SimplexBoostClassifier(n_estimators=3).fit(X[few], y[few], eval_set=[(Xv, yv)])
    assert estimator.evals_result_["valid_0"]["error"][-1] >= (yv == 4).mean()
    assert np.isnan(estimator.margins(Xv, yv)).sum() == (yv == 4).sum()


def test_margins_are_differences_of_scores(iris):
    X, y = iris
    estimator = SAMMEClassifier(n_estimators=5, max_depth=1).fit(X, y)
    scores = estimator.decision_function(X)
    own = scores[np.arange(len(y)), y].copy()
    scores[np.arange(len(y)), y] = -np.inf
    assert np.allclose(estimator.margins(X, y), own - scores.max(axis=1))


def test_embedding_times_codewords_gives_scores(blobs):
    X, y = blobs
    estimator = GDMCBoostClassifier(n_estimators=10, dimension=2).fit(X, y)
    assert estimator.codewords_.shape == (5, 2)
    scores = estimator.transform(X) @ estimator.codewords_.T / 2
    assert np.allclose(scores, estimator.decision_function(X), atol=1e-5)
    assert (SAMMEClassifier(n_estimators=1).fit(X, y).codewords_ == np.eye(5)).all()


def test_codewords_of_ones_own(blobs, tmp_path):
    X, y = blobs
    angles = 2 * np.pi * np.arange(5) / 5
    codewords = np.column_stack([np.cos(angles), np.sin(angles)])
    own = GDMCBoostClassifier(n_estimators=5, codewords=codewords).fit(X, y)
    assert np.allclose(own.codewords_, codewords)
    own.save_model(tmp_path / "m.sb")
    again = load_model(tmp_path / "m.sb")
    assert (again.codewords == own.codewords_).all()
    assert again.fit(X, y).model_.to_bytes() == own.model_.to_bytes()
    for wrong in (codewords[:3], codewords * np.nan, codewords * 0, codewords[0]):
        with pytest.raises(ValueError, match="codewords: "):
            GDMCBoostClassifier(codewords=wrong).fit(X, y)
    with pytest.raises(ValueError, match="codewords: samme has its own"):
        SAMMEClassifier(codewords=codewords).fit(X, y)


def test_leaves_explain_scores(iris):
    X, y = iris
    estimator = SimplexBoostClassifier(n_estimators=3).fit(X, y)
    leaves = estimator.apply(X)
    assert leaves.shape == (150, 3)
    trees = [estimator.model_.tree(t) for t in range(3)]
    sums = sum(tree["values"][leaves[:, t]] for t, tree in enumerate(trees))
    assert np.allclose(sums, estimator.decision_function(X), atol=1e-6)


def test_importance(blobs):
    X, y = blobs
    X = np.column_stack([X, np.zeros(len(X))])
    estimator = SimplexBoostClassifier(n_estimators=10).fit(X, y)
    assert estimator.feature_importances_.sum() == pytest.approx(1)
    assert estimator.feature_importances_[-1] == 0
    for kind in ("gain", "split"):
        parts = estimator.importance(kind, per_class=True)
        assert parts.shape == (13, 5)
        assert parts.sum(axis=1) == pytest.approx(estimator.importance(kind), rel=1e-6)
    splits = sum(len(estimator.model_.tree(t)["feature"]) for t in range(10))
    assert estimator.importance("split").sum() == splits
    with pytest.raises(ValueError, match="'gain' or 'split'"):
        estimator.importance("weight")


def test_importance_of_a_class_is_that_of_its_feature():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    y = np.select([X[:, 0] > 0.8, X[:, 1] > 0.8], [1, 2], 0)
    parts = SimplexBoostClassifier(n_estimators=5).fit(X, y).importance(per_class=True)
    assert parts[:, 1].argmax() == 0 and parts[:, 2].argmax() == 1


@pytest.mark.parametrize("learner", ["linear", "tree"])
def test_class_importance_of_other_learners(iris, learner):
    estimator = SimplexBoostClassifier("gd-mcboost", learner=learner, n_estimators=5).fit(*iris)
    parts = estimator.importance("split", per_class=True).sum(axis=1)
    assert parts == pytest.approx(estimator.importance("split"))


def test_callbacks_hear_of_every_round_and_can_stop(iris):
    seen = []

    def stop_at_three(state):
        seen.append((state.number, state.total, state.metrics["train_error"]))
        return state.number < 3

    estimator = SimplexBoostClassifier(n_estimators=10).fit(*iris, callbacks=[stop_at_three])
    assert [number for number, _, _ in seen] == [1, 2, 3]
    assert seen[-1][1] == 10
    assert estimator.n_estimators_ == 3
    assert estimator.evals_result_["train"]["error"] == [error for _, _, error in seen]
    assert "interrupted after round 3" in estimator.stop_reason_


def test_an_error_in_a_callback_comes_through(iris):
    def fail(_):
        raise RuntimeError("enough")

    estimator = SimplexBoostClassifier(n_estimators=10)
    with pytest.raises(RuntimeError, match="enough"):
        estimator.fit(*iris, callbacks=[fail])
    assert not hasattr(estimator, "model_")
    assert estimator.fit(*iris).score(*iris) > 0.9


def test_logging_and_progress(iris, caplog, capsys):
    with caplog.at_level(logging.INFO, logger="simplexboost"):
        SimplexBoostClassifier(n_estimators=4).fit(*iris, callbacks=[LogRounds(2), ProgressBar()])
    lines = [record.message for record in caplog.records]
    assert [line.split(":")[0] for line in lines] == ["round 2/4", "round 4/4", "newton"]
    assert "4/4" in capsys.readouterr().err
    SimplexBoostClassifier(n_estimators=4, verbose=1).fit(*iris)
    assert "4/4" in capsys.readouterr().err


def test_class_weights(blobs):
    X, y = blobs
    kept = (y != 2) | (np.arange(len(y)) % 10 == 0)

    def predicted_as_2(class_weight):
        estimator = CDMCBoostClassifier(n_estimators=5, class_weight=class_weight)
        return (estimator.fit(X[kept], y[kept]).predict(X) == 2).sum()

    assert predicted_as_2({2: 30.0}) > predicted_as_2("balanced") > predicted_as_2(None)
    by_rows = CDMCBoostClassifier(n_estimators=5).fit(X, y, sample_weight=np.where(y == 2, 3, 1))
    by_class = CDMCBoostClassifier(n_estimators=5, class_weight={2: 3}).fit(X, y)
    assert (by_rows.predict_proba(X) == by_class.predict_proba(X)).all()
    with pytest.raises(ValueError, match="class_weight: .*7"):
        SimplexBoostClassifier(class_weight={7: 2.0}).fit(X, y)


def test_costs_of_mistakes(blobs):
    X, y = blobs
    costs = np.ones((5, 5)) - np.eye(5)
    costs[3, :] *= 30
    plain = CDMCBoostClassifier(n_estimators=5).fit(X, y)
    costly = CDMCBoostClassifier(n_estimators=5, costs=costs).fit(X, y)
    missed = [(e.predict(X)[y == 3] != 3).sum() for e in (plain, costly)]
    assert missed[1] < missed[0]
    with pytest.raises(ValueError, match="costs"):
        SimplexBoostClassifier(costs=np.ones(3)).fit(X, y)


class Logistic:
    """gamma(s) = log(1 + s), phi(v) = exp(-2 v): the built-in logistic loss."""

    def gamma(self, s):
        return np.log1p(s), 1 / (1 + s), -1 / (1 + s) ** 2

    def phi(self, v):
        e = np.exp(-2 * v)
        return e, -2 * e, 4 * e


@pytest.mark.parametrize("algorithm", ["newton", "gd-mcboost"])
def test_a_pair_of_ones_own_is_the_built_in_one(iris, algorithm):
    X, y = iris
    own = SimplexBoostClassifier(algorithm, n_estimators=5, loss=Logistic()).fit(X, y)
    built_in = SimplexBoostClassifier(algorithm, n_estimators=5, loss="logistic").fit(X, y)
    assert np.allclose(own.decision_function(X), built_in.decision_function(X), atol=1e-3)
    assert np.allclose(own.predict_proba(X), built_in.predict_proba(X), atol=1e-3)


class Softmax:
    """Minus the log of the softmax of the scores, by its derivatives."""

    def __call__(self, labels, scores):
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        return np.eye(scores.shape[1])[labels] - p, p * (1 - p)

    def losses(self, labels, scores):
        top = scores.max(axis=1)
        total = np.log(np.exp(scores - top[:, None]).sum(axis=1)) + top
        return total - scores[np.arange(len(labels)), labels]


@pytest.mark.parametrize("objective", [Softmax(), Softmax().__call__])
def test_an_objective_of_ones_own(blobs, objective):
    X, y = blobs
    estimator = SimplexBoostClassifier(n_estimators=40, objective=objective).fit(X, y)
    assert estimator.score(X, y) > 0.9
    with pytest.raises(ValueError, match="loss of its user's own"):
        estimator.predict_proba(X)


def test_bad_losses_of_ones_own(iris):
    class Rising(Logistic):
        def phi(self, v):
            return np.exp(v), np.exp(v), np.exp(v)

    with pytest.raises(ValueError):
        SimplexBoostClassifier(loss=Rising()).fit(*iris)
    with pytest.raises(ValueError, match="gamma and phi"):
        SimplexBoostClassifier(loss=3).fit(*iris)
    with pytest.raises(ValueError, match="objective gives 3 numbers where 450"):
        SimplexBoostClassifier(objective=lambda y, f: (np.ones(3), np.ones(3))).fit(*iris)
    with pytest.raises(ValueError):
        SimplexBoostClassifier(objective=lambda y, f: (f * np.nan, f)).fit(*iris)

    def fail(labels, scores):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        SimplexBoostClassifier(objective=fail).fit(*iris)


def test_multi_label(label_sets):
    X, y = label_sets
    estimator = SimplexBoostMultiLabelClassifier(n_estimators=40).fit(X, y, eval_set=[(X, y)])
    predicted = estimator.predict(X)
    assert predicted.shape == y.shape and (predicted == y).mean() > 0.9
    assert estimator.score(X, y) == (predicted == y).all(axis=1).mean()
    assert ((estimator.predict_proba(X) > 0.5) == predicted).all()
    assert ((estimator.decision_function(X) > 0) == predicted).all()
    assert (list(estimator.staged_predict(X))[-1] == predicted).all()
    assert estimator.evals_result_["valid_0"]["error"][-1] == pytest.approx(
        (predicted != y).mean()
    )
    assert estimator.importance(per_class=True).shape == (12, 4)
    with pytest.raises(ValueError, match="zeros and ones"):
        SimplexBoostMultiLabelClassifier().fit(X, y + 1)


def test_multi_label_files(label_sets, tmp_path):
    X, y = label_sets
    estimator = SimplexBoostMultiLabelClassifier(n_estimators=3).fit(X, y)
    estimator.save_model(tmp_path / "m.sb")
    again = load_model(tmp_path / "m.sb")
    assert isinstance(again, SimplexBoostMultiLabelClassifier)
    assert (again.predict(X) == estimator.predict(X)).all()
    with pytest.raises(ValueError, match="SimplexBoostMultiLabelClassifier"):
        SimplexBoostClassifier().load_model(tmp_path / "m.sb")


def test_exceptions_are_of_fitting_types(iris, tmp_path):
    X, y = iris
    for method in ("predict", "predict_proba", "decision_function", "transform", "apply"):
        with pytest.raises(NotFittedError):
            getattr(SimplexBoostClassifier(), method)(X)
    with pytest.raises(NotFittedError):
        SimplexBoostClassifier().save_model(tmp_path / "m.sb")
    with pytest.raises(FileNotFoundError, match="nothing.sb"):
        load_model(tmp_path / "nothing.sb")
    with pytest.raises(IsADirectoryError):
        load_model(tmp_path)
    estimator = SimplexBoostClassifier(n_estimators=1).fit(X, y)
    with pytest.raises(FileNotFoundError):
        estimator.save_model(tmp_path / "no" / "m.sb")
    (tmp_path / "bad.sb").write_bytes(b"not a model, not at all")
    with pytest.raises(ValueError, match="bad.sb"):
        load_model(tmp_path / "bad.sb")
    with pytest.raises(ValueError, match="number == 1, must be <= 0"):
        estimator.tree_text(1)
    assert "petal" not in estimator.tree_text(0) and "leaf" in estimator.tree_text(0)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "b", "c"]),
        np.array([True, False]),
        np.array([2.0, -1.0, 7.0]),
        np.array([3, -4, 10**12]),
        np.array(["x", "y y", "ü"], dtype=object),
        np.array(["2001-01-01", "1999-12-31"], dtype="datetime64[D]"),
    ],
)
def test_labels_of_any_type(labels, tmp_path):
    rng = np.random.default_rng(1)
    codes = rng.integers(len(labels), size=90)
    y = labels[codes]
    X = codes[:, None] + rng.normal(scale=0.01, size=(90, 1))
    estimator = SimplexBoostClassifier(n_estimators=3, thresholds="best").fit(X, y)
    assert estimator.predict(X).dtype == y.dtype
    assert (estimator.predict(X) == y).all()
    estimator.save_model(tmp_path / "m.sb")
    again = load_model(tmp_path / "m.sb")
    assert [str(one) for one in again.predict(X)] == [str(one) for one in y]


def test_labels_that_cannot_be_used(iris):
    X, y = iris
    with pytest.raises(ValueError, match="missing"):
        SimplexBoostClassifier().fit(X[:3], np.array(["a", None, "b"], dtype=object))
    with pytest.raises(ValueError):
        SimplexBoostClassifier().fit(X[:3], np.array([1, "a", 2.5], dtype=object))
    with pytest.raises(ValueError, match="one class"):
        SimplexBoostClassifier().fit(X[:3], [1, 1, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SimplexBoostClassifier().fit(X, y[:-1])
