"""`simplexboost.cv` and `simplexboost.tune`: what the command's cv and tune do, from Python."""

import math
import time

import numpy as np
import pytest
from sklearn.datasets import make_classification

import simplexboost
from simplexboost import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier, cv, tune


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(
        300, 6, n_informative=5, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=1
    )
    return X.round(3), y


@pytest.fixture
def written(simplexboost, rows):
    """The same rows as a file of the command."""
    X, y = rows
    lines = [",".join([*(repr(float(x)) for x in row), str(label)]) for row, label in zip(X, y)]
    (simplexboost.folder / "rows.csv").write_text("\n".join(lines) + "\n")
    return simplexboost


def test_cv_is_the_command_s(rows, written):
    options = ["--folds", 4, "--repeats", 2, "--rounds", 8, "--seed", 5, "--metrics", "error,log-loss"]
    told = written.json("cv", "rows.csv", "--no-header", "--json", *options)
    found = cv(
        *rows,
        SimplexBoostClassifier(n_estimators=8, random_state=5),
        folds=4,
        repeats=2,
        metrics=["error", "log-loss"],
    )
    assert len(found.folds) == 8
    for one, other in zip(found.folds, told["results"]):
        for name in ("repeat", "fold", "train_rows", "test_rows", "error", "log_loss"):
            assert one[name] == other[name]
    for name, figure in told["metrics"].items():
        assert found.mean[name] == figure["mean"]
        assert found.std[name] == figure["standard_deviation"]


def test_cv_keeps_what_was_said_of_rows_held_out(rows):
    X, y = rows
    found = cv(X, y, SimplexBoostClassifier(n_estimators=8), folds=3, repeats=2, predictions=True)
    assert found.fold_of_row.shape == (2, 300) and found.proba.shape == (2, 300, 3)
    assert (found.fold_of_row[0] != found.fold_of_row[1]).any()
    wrong = (found.classes[found.scores.argmax(axis=2)] != y).mean()
    assert wrong == pytest.approx(found.mean["error"], abs=1e-3)
    assert np.allclose(found.proba.sum(axis=2), 1, atol=1e-5)
    assert cv(X, y, SimplexBoostClassifier(n_estimators=2), folds=2).proba is None


def test_groups_stay_together(rows):
    X, y = rows
    groups = np.repeat([f"g{i}" for i in range(30)], 10)
    found = cv(X, y, SimplexBoostClassifier(n_estimators=2), groups=groups, predictions=True)
    assert all(len(set(found.fold_of_row[0][groups == one])) == 1 for one in set(groups))


def test_cv_of_several_labels_and_of_wrong_ones(label_sets, rows):
    X, Y = label_sets
    found = cv(X, Y, SimplexBoostMultiLabelClassifier(n_estimators=10), folds=3)
    assert 0 < found.mean["hamming_loss"] < 0.25
    clean = cv(*rows, SimplexBoostClassifier(n_estimators=10), folds=3).mean["error"]
    noisy = cv(*rows, SimplexBoostClassifier(n_estimators=10), folds=3, label_noise=0.6).mean["error"]
    assert noisy > clean + 0.1


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"folds": 1}, "folds"),
        ({"folds": 2.5}, "folds"),
        ({"repeats": 0}, "repeats"),
        ({"valid_fraction": 0.95}, "valid_fraction"),
        ({"valid_fraction": math.nan}, "valid_fraction"),
        ({"label_noise": -0.1}, "label_noise"),
        ({"groups": [1, 2]}, "groups"),
        ({"metrics": "erorr"}, "error"),
        ({"valid_fold": True, "folds": 2}, "folds"),
        ({"estimator": SimplexBoostClassifier(quality="best")}, "quality"),
        ({"estimator": SimplexBoostClassifier(codewords=np.eye(3))}, "codewords"),
        ({"estimator": SimplexBoostClassifier(max_depth=-3)}, "max_depth"),
    ],
)
def test_cv_refuses(rows, options, named):
    with pytest.raises(ValueError, match=named):
        cv(*rows, **options)


def test_only_our_estimators(rows):
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(TypeError, match="LogisticRegression"):
        cv(*rows, LogisticRegression())
    with pytest.raises(ValueError, match="y"):
        tune(rows[0], None)


def test_tune_is_the_command_s(rows, written):
    told = written.json(
        *["tune", "rows.csv", "--no-header", "-m", "best.sb", "--json", "--rounds", 20],
        *["--trials", 5, "--finalists", 2, "--seed", 5],
    )
    heard = []
    found = tune(
        *rows,
        SimplexBoostClassifier(n_estimators=20, random_state=5),
        trials=5,
        finalists=2,
        on_trial=heard.append,
    )
    assert [trial.params["algorithm"] for trial in found.trials] == [
        trial["algorithm"] for trial in told["trials"]
    ]
    assert len(heard) == 7 and sum(trial.judged_again for trial in found.trials) == 2
    winner = told["winner"]
    assert found.best_params["algorithm"] == winner["algorithm"]
    assert found.best_estimator.n_estimators_ == told["rounds"]
    best = simplexboost.load_model(written.folder / "best.sb")
    assert (best.decision_function(rows[0]) == found.best_estimator.decision_function(rows[0])).all()


def test_the_winner_is_a_member_of_an_ensemble_as_the_command_s(rows, written):
    written.succeed(
        *["tune", "rows.csv", "--no-header", "-m", "ensemble.sb", "--quiet", "--ensemble"],
        *[
            "--algorithms",
            "adaboost-mh",
            "--rounds",
            20,
            "--trials",
            2,
            "--finalists",
            0,
            "--seed",
            5,
        ],
    )
    found = tune(
        *rows,
        SimplexBoostClassifier(n_estimators=20, random_state=5),
        algorithms="adaboost-mh",
        trials=2,
        finalists=0,
        ensemble=True,
    )
    best = found.best_estimator
    assert found.best_params["algorithm"] == "adaboost-mh"
    assert best.quality_ == "best" and 0.5 < best.oof_score_ <= 1
    names = [name for name, _ in best.model_.members]
    assert names[0].startswith("given: adaboost-mh") and len(names) > 1
    told = simplexboost.load_model(written.folder / "ensemble.sb")
    assert (told.predict_proba(rows[0]) == best.predict_proba(rows[0])).all()
    again = best.fit(*rows).model_.members
    assert not any(name.startswith("given") for name, _ in again)


def test_an_ensemble_keeps_groups_together_and_its_time(rows):
    X, y = rows
    groups = np.repeat(np.arange(150), 2)
    base = SimplexBoostClassifier("newton", n_estimators=5, n_iter_no_change=3)
    found = tune(
        X, y, base, trials=1, finalists=0, groups=groups, ensemble=True, budget="60s"
    ).best_estimator
    assert 0 < found.budget < 60 and found.oof_proba_.shape == (300, 3)
    one_of_each = np.arange(0, 300, 2)
    twins = np.repeat(X[one_of_each], 2, axis=0)
    luck = np.repeat(np.random.default_rng(1).integers(0, 3, 150), 2)
    judged = tune(twins, luck, base, trials=1, finalists=0, groups=groups, ensemble=True)
    assert judged.best_estimator.oof_score_ < 0.6


def test_what_the_estimator_says_holds_for_all_trials(rows):
    given = SimplexBoostClassifier("samme", n_estimators=15, max_depth=2)
    found = tune(*rows, given, trials=3, finalists=0, folds=2, metric="log-loss")
    assert {trial.params["algorithm"] for trial in found.trials} == {"samme"}
    assert all("max_depth" not in trial.params for trial in found.trials)
    best = found.best_estimator
    assert best.max_depth == 2 and best.algorithm == "samme" and best.n_estimators_ <= 15
    assert given.get_params()["n_estimators"] == 15 and not hasattr(given, "model_")
    assert found.metric == "log-loss" and found.best_value == min(t.value for t in found.trials)


def test_ranges_and_grids(rows):
    base = SimplexBoostClassifier("newton", n_estimators=10)
    drawn = tune(*rows, base, trials=4, finalists=0, ranges={"learning_rate": (0.05, 0.5, "log")})
    rates = [trial.params["learning_rate"] for trial in drawn.trials if "learning_rate" in trial.params]
    assert rates and all(0.05 <= rate <= 0.5 for rate in rates)
    grid = tune(
        *rows, base, search="grid", finalists=0, ranges={"max_depth": [2, 3], "subsample": [0.5, 1.0]}
    )
    tried = {(trial.params["max_depth"], trial.params["subsample"]) for trial in grid.trials}
    assert tried == {(2, 0.5), (2, 1.0), (3, 0.5), (3, 1.0)}


def test_other_rows_may_judge(rows):
    X, y = rows
    base = SimplexBoostClassifier("newton", n_estimators=10)
    found = tune(X[:200], y[:200], base, trials=2, eval_set=[(X[200:], y[200:])])
    first = SimplexBoostClassifier("newton", n_estimators=10).fit(X[:200], y[:200])
    errors = [1 - score for score in first.staged_score(X[200:], y[200:])]
    assert found.trials[0].value >= min(errors) - 1e-9
    assert not any(trial.judged_again for trial in found.trials)


def test_a_search_keeps_its_time_and_ends_when_told(rows):
    began = time.monotonic()
    found = tune(*rows, budget="2s", finalists=0)
    assert time.monotonic() - began < 30 and found.trials
    few = tune(*rows, SimplexBoostClassifier(n_estimators=5), finalists=0, on_trial=lambda _: False)
    assert len(few.trials) == 1


def test_a_journal_is_gone_on_from(rows, tmp_path):
    base = SimplexBoostClassifier("newton", n_estimators=5)
    options = {"finalists": 0, "journal": tmp_path / "tried.jsonl"}
    first = tune(*rows, base, trials=2, **options)
    second = tune(*rows, base, trials=3, **options)
    assert [t.seconds for t in second.trials[:2]] == [t.seconds for t in first.trials]
    assert len((tmp_path / "tried.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"budget": "soon"}, "budget"),
        ({"budget": 0}, "budget"),
        ({"budget": math.nan}, "budget"),
        ({"trials": 0}, "trials"),
        ({"search": "halfing"}, "halving"),
        ({"metric": "erorr"}, "error"),
        ({"algorithms": ["adaboostmh"]}, "adaboost-mh"),
        ({"algorithms": ["samme"], "estimator": SimplexBoostClassifier("newton")}, "algorithms"),
        ({"ranges": {"depth_of_it": [1]}}, "ranges"),
        ({"ranges": {"max_depth": (1, 2, 3)}}, "ranges"),
        ({"ranges": {"max_depth": (5, 2)}}, "depth"),
        ({"folds": 3, "valid_fraction": 0.2}, "judge"),
        ({"valid_fraction": 0.0}, "valid_fraction"),
        ({"eval_set": []}, "eval_set"),
        ({"finalists": -1}, "finalists"),
    ],
)
def test_tune_refuses(rows, options, named):
    with pytest.raises(ValueError, match=named):
        tune(*rows, **options)
