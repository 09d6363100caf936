"""Metrics of one's own while training: logged, watched, and allowed to fail."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss

from simplexboost import (
    EvalMetric,
    ForestClassifier,
    OptunaPruning,
    SimplexBoostClassifier,
    SimplexBoostMultiLabelClassifier,
)


def parts(blobs):
    X, y = blobs
    return (X[:400], y[:400]), (X[400:500], y[400:500]), (X[500:], y[500:])


def brier(y_true, proba):
    return float(((np.eye(5)[y_true] - proba) ** 2).sum(axis=1).mean())


macro_f1 = EvalMetric(
    partial(f1_score, average="macro"), "macro_f1", greater_is_better=True, needs="labels"
)


def test_several_metrics_on_all_sets(blobs):
    train, one, two = parts(blobs)
    model = SimplexBoostClassifier(n_estimators=6, random_state=1)
    model.fit(*train, eval_set=[one, two], eval_metric=["top-2-error", brier, macro_f1])
    assert list(model.evals_result_) == ["train", "valid_0", "valid_1"]
    for name, (X, y) in (("valid_0", one), ("valid_1", two)):
        figures = model.evals_result_[name]
        assert {"error", "log_loss", "top_2_error", "brier", "macro_f1"} <= set(figures)
        proba = list(model.staged_predict_proba(X))
        assert figures["brier"] == pytest.approx([brier(y, p) for p in proba], abs=1e-6)
        assert figures["macro_f1"] == pytest.approx(
            [f1_score(y, said, average="macro") for said in model.staged_predict(X)]
        )
        best = [np.mean([t not in np.argsort(-p)[:2] for t, p in zip(y, one)]) for one in proba]
        assert figures["top_2_error"] == pytest.approx(best, abs=1e-6)


def test_ones_own_metric_may_stop_training(blobs):
    train, one, _ = parts(blobs)
    said = iter([0.5, 0.7, 0.9, 0.8, 0.6, 0.5, 0.4] + [0.1] * 100)

    def quality(y_true, proba):
        return next(said)

    metric = EvalMetric(quality, greater_is_better=True)
    model = SimplexBoostClassifier(n_estimators=50, n_iter_no_change=3, random_state=1)
    model.fit(*train, eval_set=[one], eval_metric=metric)
    assert model.n_estimators_ == 3 == model.best_iteration_
    assert "no better validation quality in 3 rounds" in model.stop_reason_
    assert len(model.evals_result_["valid_0"]["quality"]) == 6


def test_early_stopping_metric_names_which_one_decides(blobs):
    train, one, _ = parts(blobs)
    model = SimplexBoostClassifier(n_estimators=5, early_stopping_metric="macro_f1", random_state=1)
    model.fit(*train, eval_set=[one], eval_metric=[brier, macro_f1])
    figures = model.evals_result_["valid_0"]["macro_f1"]
    assert model.best_iteration_ == int(np.argmax(figures)) + 1


def test_weights_and_labels_reach_the_function(blobs):
    train, (X, y), _ = parts(blobs)
    weights = np.linspace(1, 2, len(y))
    seen = []

    def look(y_true, scores, sample_weight):
        seen.append((y_true.copy(), scores.shape, sample_weight.copy()))
        return 0.0

    names = np.array(["a", "b", "c", "d", "e"])
    metric = EvalMetric(look, needs="scores", weighted=True)
    model = SimplexBoostClassifier(n_estimators=2)
    model.fit(train[0], names[train[1]], eval_set=[(X, names[y], weights)], eval_metric=metric)
    truth, shape, given = seen[0]
    assert (truth == names[y]).all() and shape == (len(y), 5)
    assert np.allclose(given / given[0], weights / weights[0])


def test_what_a_metric_raises_reaches_the_caller(blobs):
    train, one, _ = parts(blobs)

    def broken(y_true, proba):
        raise KeyError("mine")

    model = SimplexBoostClassifier(n_estimators=3)
    with pytest.raises(KeyError, match="mine"):
        model.fit(*train, eval_set=[one], eval_metric=broken)
    with pytest.raises(ValueError, match="not a number"):
        model.fit(*train, eval_set=[one], eval_metric=EvalMetric(lambda t, p: "no", name="bad"))

    def stop(state):
        raise RuntimeError("callback")

    with pytest.raises(RuntimeError, match="callback"):
        model.fit(*train, callbacks=[stop])
    model.fit(*train)  # as good as new


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("no-such-metric", "no-such-metric"),
        (3, "neither the name"),
        (lambda t, p: 0, "needs one"),
        ([EvalMetric(brier, "error")], "name of another"),
        ([brier, brier], "name of another"),
    ],
)
def test_metrics_that_cannot_be(blobs, metric, words):
    train, one, _ = parts(blobs)
    with pytest.raises(ValueError, match=words):
        SimplexBoostClassifier(n_estimators=2).fit(*train, eval_set=[one], eval_metric=metric)


def test_metrics_need_validation_rows_and_boosting(blobs):
    train, one, _ = parts(blobs)
    with pytest.raises(ValueError, match="eval_set"):
        SimplexBoostClassifier(n_estimators=2).fit(*train, eval_metric=brier)
    with pytest.raises(ValueError, match="forest"):
        ForestClassifier(n_estimators=2).fit(*train, eval_set=[one], eval_metric=brier)
    with pytest.raises(ValueError, match="quality"):
        SimplexBoostClassifier(quality="default").fit(*train, eval_set=[one], eval_metric=brier)


def test_several_labels_a_row(label_sets):
    X, y = label_sets
    metric = EvalMetric(lambda t, p: float((t != p).mean()), "wrong", needs="labels")
    model = SimplexBoostMultiLabelClassifier(n_estimators=4).fit(
        X[:400], y[:400], eval_set=[(X[400:], y[400:])], eval_metric=metric
    )
    figures = model.evals_result_["valid_0"]
    assert figures["wrong"] == pytest.approx(figures["error"])


def test_a_name_alone_is_the_librarys(blobs):
    train, one, _ = parts(blobs)
    model = SimplexBoostClassifier(n_estimators=3).fit(*train, eval_set=[one], eval_metric="log-loss")
    proba = list(model.staged_predict_proba(one[0]))
    wanted = [log_loss(one[1], p, labels=model.classes_) for p in proba]
    assert model.evals_result_["valid_0"]["log_loss"] == pytest.approx(wanted, rel=1e-4)


def test_optuna_prunes_by_a_callback(blobs):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    train, one, _ = parts(blobs)

    def objective(trial):
        rate = trial.suggest_categorical("learning_rate", [0.3, 0.001])
        model = SimplexBoostClassifier(n_estimators=15, learning_rate=rate, random_state=1)
        model.fit(*train, eval_set=[one], callbacks=[OptunaPruning(trial)])
        return model.evals_result_["valid_0"]["log_loss"][-1]

    sampler = optuna.samplers.GridSampler({"learning_rate": [0.3, 0.001]}, seed=0)
    pruner = optuna.pruners.MedianPruner(n_startup_trials=1, n_warmup_steps=3)
    study = optuna.create_study(sampler=sampler, pruner=pruner)
    study.enqueue_trial({"learning_rate": 0.3})
    study.enqueue_trial({"learning_rate": 0.001})
    study.optimize(objective, n_trials=2)
    states = [trial.state for trial in study.trials]
    assert states == [optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED]
    assert max(study.trials[1].intermediate_values) < 15
    with pytest.raises(ValueError, match="is not judged; there is error"):
        SimplexBoostClassifier(n_estimators=2).fit(
            *train, eval_set=[one], callbacks=[OptunaPruning(study.trials[0], "nothing")]
        )
