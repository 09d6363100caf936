"""Training on a real Dask cluster of processes: the model of one process, whatever the partitions."""

import contextlib
import inspect
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.tree import DecisionTreeRegressor

import simplexboost
from simplexboost import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier
from simplexboost.metrics import EvalMetric

distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
from simplexboost._dask_lines import Lines, line_host  # noqa: E402
from simplexboost.dask import (  # noqa: E402
    DaskSimplexBoostClassifier,
    DaskSimplexBoostMultiLabelClassifier,
    _concatenated,
    _plan,
)

ALGORITHMS = ["newton", "gd-mcboost", "adaboost-mh", "samme", "logitboost"]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def frame():
    dice = np.random.default_rng(2)
    rows = 2600
    frame = pd.DataFrame(dice.normal(size=(rows, 3)), columns=["a", "b", "c"])
    frame.loc[dice.random(rows) < 0.1, "b"] = np.nan
    frame["place"] = pd.Categorical([f"p{i // 300}" for i in range(rows)])
    y = np.digitize(frame["a"] + 0.2 * dice.normal(size=rows), [-0.5, 0.5])
    y[2000:] = np.where(y[2000:] == 0, 3, y[2000:])  # a class that the first rows lack
    return frame, pd.Series(y, name="kind"), pd.Series(1.0 + np.arange(rows) % 3)


def delayed_parts(data, borders):
    return [
        dask.delayed(data.iloc[begin:end] if hasattr(data, "iloc") else data[begin:end])
        for begin, end in zip(borders, borders[1:])
    ]


BORDERS = [0, 0, 700, 701, 1500, 1500, 2600]  # uneven, and some of none


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "forest"])
def test_model_is_that_of_one_process(client, frame, algorithm):
    X, y, weight = frame
    settings = {"algorithm": algorithm, "n_estimators": 4, "subsample": 0.8}
    local = SimplexBoostClassifier(**settings).fit(X, y, weight)
    parts = [delayed_parts(one, BORDERS) for one in (X, y, weight)]
    trained = DaskSimplexBoostClassifier(client=client, **settings).fit(*parts)
    assert trained.model_.to_bytes() == local.model_.to_bytes()
    assert trained.oof_estimate_ == local.oof_estimate_


@pytest.mark.parametrize("more", [{}, {"quality": "default", "distil": True, "n_folds": 3}])
def test_cross_fitted_model_is_that_of_one_process(client, frame, more):
    X, y, weight = (one[::4] for one in frame)
    local = SimplexBoostClassifier(**more).fit(X, y, weight)
    parts = [delayed_parts(one, [0, 0, 300, 301, 650]) for one in (X, y, weight)]
    trained = DaskSimplexBoostClassifier(client=client, **more).fit(*parts)
    assert local.quality_ == trained.quality_ == "default"
    assert trained.model_.to_bytes() == local.model_.to_bytes()
    assert (trained.oof_proba_ == local.oof_proba_).all() and trained.oof_score_ == local.oof_score_
    assert ("distil_cost_" in vars(trained)) == bool(more)


def test_groups_stay_together(client, frame):
    X, y, weight = (one[::4] for one in frame)
    groups = pd.Series([f"g{i % 97}" for i in range(650)])
    for more in ({}, {"quality": "default", "n_folds": 3}):
        local = SimplexBoostClassifier(**more).fit(X, y, weight, groups=groups)
        parts = [delayed_parts(one, [0, 0, 300, 301, 650]) for one in (X, y, weight, groups)]
        trained = DaskSimplexBoostClassifier(client=client, **more)
        trained.fit(*parts[:3], groups=parts[3])
        assert trained.model_.to_bytes() == local.model_.to_bytes()
        assert (trained.oof_proba_ == local.oof_proba_).all()
        without = SimplexBoostClassifier(**more).fit(X, y, weight)
        assert without.model_.to_bytes() != local.model_.to_bytes()
    with pytest.raises(ValueError, match="partitions; give them the same"):
        trained.fit(*parts[:3], groups=parts[3][1:])
    with pytest.raises(
        ValueError, match=r"groups: a partition of (300 rows has 1|1 rows has 300);"
    ):
        trained.fit(*parts[:3], groups=[parts[3][i] for i in (0, 2, 1, 3)])
    with pytest.raises(ValueError, match="groups: they are for quality"):
        trained.set_params(quality="fast").fit(*parts[:3], groups=parts[3])


@pytest.mark.parametrize("most", [650 * 8, 650 * 8 - 1])
def test_plain_fit_around_the_limit_is_that_of_one_process(client, frame, monkeypatch, most):
    """650 rows of four features and four classes."""
    X, y, _ = (one[::4] for one in frame)
    name = "SIMPLEXBOOST_CROSS_FIT_VALUES"
    monkeypatch.setenv(name, str(most))
    client.run(os.environ.__setitem__, name, str(most))
    try:
        large = most < 650 * 8
        told = pytest.warns(UserWarning, match="this is one training") if large else no_warning()
        with told:
            local = SimplexBoostClassifier().fit(X, y)
        assert local.quality_ == ("fast" if large else "default")
        for borders in ([0, 650], [0, 300, 650], [0, 0, 300, 301, 650]):
            lazy = DaskSimplexBoostClassifier(client=client)
            told = (
                pytest.warns(UserWarning, match="this is one training") if large else no_warning()
            )
            with told:
                lazy.fit(*[delayed_parts(one, borders) for one in (X, y)])
            assert lazy.quality_ == local.quality_
            assert lazy.model_.to_bytes() == local.model_.to_bytes()
        if large:
            assert local.model_.parameters["rounds"] == "450" and "valid_0" in local.evals_result_
            with pytest.raises(
                ValueError, match="5200 values of features and classes are more than"
            ):
                DaskSimplexBoostClassifier(client=client, quality="default").fit(
                    *[delayed_parts(one, [0, 300, 650]) for one in (X, y)]
                )
            assert SimplexBoostClassifier(quality="default").fit(X, y).quality_ == "default"
            assert SimplexBoostClassifier(n_folds=3).fit(X, y).quality_ == "default"
    finally:
        client.run(os.environ.pop, name)


@contextlib.contextmanager
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        yield


def test_arrays_frames_and_sparse_blocks(client, frame):
    X, y, _ = frame
    numbers = X[["a", "b", "c"]].fillna(0).to_numpy()
    settings = {"algorithm": "newton", "n_estimators": 3}
    local = SimplexBoostClassifier(**settings).fit(numbers, y.to_numpy())
    wanted = local.model_.to_bytes()
    lazy = DaskSimplexBoostClassifier(client=client, **settings)
    array = da.from_array(numbers, chunks=(600, 2))
    labels = da.from_array(y.to_numpy(), chunks=600)
    assert lazy.fit(array, labels).model_.to_bytes() == wanted
    assert (lazy.predict(array).compute() == local.predict(numbers)).all()
    assert lazy.predict_proba(array).shape == (2600, 4)
    assert (lazy.predict_proba(array).compute() == local.predict_proba(numbers)).all()
    assert lazy.score(array, labels) == pytest.approx(local.score(numbers, y))
    blocks = [sparse.csr_matrix(one) for one in (numbers[:1000], numbers[1000:])]
    lazy.fit([dask.delayed(one) for one in blocks], delayed_parts(y.to_numpy(), [0, 1000, 2600]))
    assert (lazy.predict(numbers) == local.predict(numbers)).all()
    local = SimplexBoostClassifier(**settings).fit(X, y)
    frames = dd.from_pandas(X, npartitions=4)
    lazy.fit(frames, dd.from_pandas(y, npartitions=4))
    assert lazy.model_.to_bytes() == local.model_.to_bytes()
    assert (lazy.predict(frames).compute() == local.predict(X)).all()
    proba = lazy.predict_proba(frames).compute()
    assert (
        list(proba.columns) == [0, 1, 2, 3] and (proba.to_numpy() == local.predict_proba(X)).all()
    )


@pytest.fixture(scope="module")
def tables():
    """As `frame`, as Arrow and polars have it: texts as categories, and a gap."""
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    dice = np.random.default_rng(4)
    place = [f"p{i // 300}" for i in range(2000)]
    arrow = pa.table(
        {
            "a": dice.normal(size=2000),
            "b": [None if i % 9 == 0 else i % 50 for i in range(2000)],
            "place": pa.array(place).dictionary_encode(),
        }
    )
    kind = [f"k{one}" for one in np.digitize(arrow["a"].to_numpy(), [-0.5, 0.5])]
    labels = pa.table({"kind": kind, "weight": [1.0 + i % 3 for i in range(2000)]})
    return {"Arrow": (arrow, labels), "polars": (pl.from_arrow(arrow), pl.from_arrow(labels))}


def slices(data, borders=(0, 0, 500, 501, 1300, 2000)):
    """One more partition than the cluster has workers, so that some worker joins two of rows."""
    return [data[begin:end] for begin, end in zip(borders, borders[1:])]


def record_batches(table):
    return [one.combine_chunks().to_batches()[0] for one in slices(table) if len(one)]


@pytest.mark.parametrize("kind", ["Arrow", "polars"])
def test_tables_are_joined(client, tables, kind):
    """Labels and weights are columns of tables: chunked arrays, or series."""
    X, labels = tables[kind]
    settings = {"algorithm": "newton", "n_estimators": 3}
    columns = (X, labels["kind"], labels["weight"])
    local = SimplexBoostClassifier(**settings).fit(*columns, eval_set=[columns])
    parts = [[dask.delayed(piece) for piece in slices(one)] for one in columns]
    lazy = DaskSimplexBoostClassifier(client=client, **settings)
    lazy.fit(*parts, eval_set=[tuple(parts)])
    assert lazy.model_.to_bytes() == local.model_.to_bytes()
    proba = np.concatenate(dask.compute(*lazy.predict_proba(parts[0])))
    assert (proba == local.predict_proba(X)).all()


def test_record_batches_are_joined(client, tables):
    X, labels = tables["Arrow"]
    settings = {"algorithm": "newton", "n_estimators": 3}
    local = SimplexBoostClassifier(**settings).fit(X, labels["kind"], labels["weight"])
    rows, others = record_batches(X), record_batches(labels)
    columns = (rows, [one["kind"] for one in others], [one["weight"] for one in others])
    parts = [[dask.delayed(piece) for piece in one] for one in columns]
    lazy = DaskSimplexBoostClassifier(client=client, **settings).fit(*parts)
    assert lazy.model_.to_bytes() == local.model_.to_bytes()


@pytest.mark.parametrize("kind", ["Arrow", "polars"])
def test_types_that_differ_between_partitions_are_made_one(tables, kind):
    """One partition has whole numbers alone, as readers of single files find."""
    X, _ = tables[kind]
    whole, broken = slices(X)[2:4]
    narrow = np.asarray(whole["b"], dtype=float)  # of a single row
    if kind == "Arrow":
        pa = pytest.importorskip("pyarrow")
        whole = whole.set_column(0, "a", pa.array([7], pa.int32()))
        columns, text = [pa.chunked_array([[1, 2]]), pa.array([2.5])], pa.string()
    else:
        pl = pytest.importorskip("polars")
        whole = whole.with_columns(pl.Series("a", [7], pl.Int32))
        columns, text = [pl.Series("x", [1, 2]), pl.Series("y", [2.5])], pl.String
    joined = _concatenated([whole, broken])
    assert joined.shape == (800, 3) and np.asarray(joined["a"])[0] == 7
    assert np.array_equal(np.asarray(joined["b"], float)[:1], narrow, equal_nan=True)
    assert sorted(set(joined["place"].cast(text).to_numpy())) == ["p1", "p2", "p3", "p4"]
    assert np.asarray(_concatenated(columns)).tolist() == [1.0, 2.0, 2.5]


def test_sparse_partitions_are_joined(client, frame):
    X, y, weight = frame
    numbers = sparse.csr_matrix(X[["a", "c"]].where(X[["a", "c"]] > 0.4, 0.0).to_numpy())
    settings = {"algorithm": "newton", "n_estimators": 3}
    local = SimplexBoostClassifier(**settings).fit(numbers, y, weight)
    parts = [delayed_parts(one, BORDERS) for one in (numbers, y, weight)]
    lazy = DaskSimplexBoostClassifier(client=client, **settings).fit(*parts)
    assert lazy.model_.to_bytes() == local.model_.to_bytes()


class Holder:
    """A client's word on where partitions lie: each is called by its worker."""

    def who_has(self, parts):
        return {part.key: [part.key[0]] for part in parts}


class Lying:
    def __init__(self, key):
        self.key = key


def plan_of(homes, rows, watched, watched_rows):
    """Which partitions the workers get: of the training, and of a set to watch."""
    training, one = ([Lying(key) for key in keys] for keys in (homes, watched))
    plan = _plan(Holder(), training, rows, [one], [watched_rows])
    return [
        (home, [part.key for part in parts], [part.key for part in sets[0]])
        for home, parts, sets in plan
    ]


def test_partitions_stay_where_they_lie():
    homes = ["A1", "A2", "B1", "C1"]
    assert plan_of(homes, [5, 5, 900, 5], ["A3", "B2", "B3", "C2"], [50, 0, 9, 1]) == [
        ("A", ["A1", "A2"], ["A3"]),
        ("B", ["B1"], ["B3"]),  # one without rows is left out
        ("C", ["C1"], ["C2"]),
    ]
    # Out of the order of the ranks, or elsewhere: evenly, in the order of the rows.
    for keys in (["C2", "A3", "B2"], ["A3", "B2", "D1"]):
        dealt = plan_of(homes, [5, 5, 900, 5], keys, [10, 10, 10])
        assert [one[2] for one in dealt] == [[key] for key in keys]
    assert [one[2] for one in plan_of(homes, [5, 5, 900, 5], ["A3"], [0])] == [[], [], []]


def test_evaluation_early_stopping_and_callbacks(client, frame):
    X, y, weight = frame
    settings = {"algorithm": "gd-mcboost", "n_estimators": 30, "n_iter_no_change": 2}
    local = SimplexBoostClassifier(**settings).fit(
        X[:2000], y[:2000], eval_set=[(X[2000:], y[2000:])]
    )
    lazy = DaskSimplexBoostClassifier(client=client, **settings)
    parts = [delayed_parts(one, [0, 500, 2000]) for one in (X, y)]
    watched = tuple(delayed_parts(one, [2000, 2600]) for one in (X, y))
    lazy.fit(*parts, eval_set=[watched])
    assert lazy.model_.to_bytes() == local.model_.to_bytes()
    assert lazy.evals_result_ == local.evals_result_

    def enough(state):
        return state.number < 2

    lazy.fit(*parts, eval_set=[watched], callbacks=[enough])
    assert lazy.n_estimators_ <= 2
    # Rows set aside by itself.
    local = SimplexBoostClassifier(**settings).fit(X, y)
    lazy.fit(*[delayed_parts(one, BORDERS) for one in (X, y)])
    assert lazy.model_.to_bytes() == local.model_.to_bytes()


def late_rows_error(y_true, proba, sample_weight=None):
    """Sees the order of the rows."""
    wrong = proba.argmax(axis=1) != y_true
    return float(np.average(wrong, weights=np.arange(1, len(wrong) + 1)))


def weighted_error(y_true, y_pred, sample_weight):
    return float(np.average(y_true != y_pred, weights=sample_weight))


def test_metrics_of_ones_own_see_the_rows_of_all_workers(client, frame):
    X, y, weight = frame
    own = [late_rows_error, EvalMetric(weighted_error, needs="labels", weighted=True), "log-loss"]
    settings = {"algorithm": "newton", "n_estimators": 6, "n_iter_no_change": 2}
    local = SimplexBoostClassifier(**settings).fit(
        X, y, eval_set=[(X[1500:], y[1500:], weight[1500:])], eval_metric=own
    )
    lazy = DaskSimplexBoostClassifier(client=client, **settings)
    watched = tuple(delayed_parts(one, [1500, 1700, 2600]) for one in (X, y, weight))
    parts = [delayed_parts(one, BORDERS) for one in (X, y)]
    lazy.fit(*parts, eval_set=[watched], eval_metric=own)
    assert lazy.evals_result_ == local.evals_result_
    assert "late_rows_error" in lazy.evals_result_["valid_0"]
    assert lazy.model_.to_bytes() == local.model_.to_bytes()

    def broken(y_true, proba):
        raise ValueError("this metric is broken")

    with pytest.raises(ValueError, match="this metric is broken"):
        lazy.fit(*parts, eval_set=[watched], eval_metric=broken)


class LateSoftmax:
    """An objective that sees how many rows there are, and their order."""

    def factors(self, labels):
        return 0.5 + np.arange(len(labels)) / len(labels)

    def shares(self, scores):
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    def __call__(self, labels, scores):
        p, factors = self.shares(scores), self.factors(labels)[:, None]
        return factors * (np.eye(p.shape[1])[labels] - p), factors * p * (1 - p)

    def losses(self, labels, scores):
        own = self.shares(scores)[np.arange(len(labels)), labels]
        return -self.factors(labels) * np.log(own)


class MiddleStump:
    """A learner that cuts in the middle of the rows that it is shown."""

    def grow(self, X, pulls, weights):
        middle = float(np.median(X[:, 0]))
        sides = [X[:, 0] <= middle, X[:, 0] > middle]
        values = [pulls[side].sum(axis=0) / weights[side].sum() for side in sides]
        return simplexboost.Tree(feature=[0], threshold=[middle], left=[~0], right=[~1], values=values)


@pytest.mark.parametrize(
    "settings",
    [
        {"algorithm": "newton", "objective": LateSoftmax()},
        {"algorithm": "gd-mcboost", "objective": LateSoftmax()},
        {"algorithm": "newton", "learner": MiddleStump()},
        {"algorithm": "gd-mcboost", "learner": DecisionTreeRegressor(max_depth=2, random_state=0)},
    ],
)
def test_objectives_and_learners_of_ones_own_see_the_rows_of_all_workers(client, frame, settings):
    X, y, weight = frame
    X = X[["a", "c"]]  # trees of scikit-learn take no missing values
    settings = {**settings, "n_estimators": 4, "n_iter_no_change": 2}
    watched = (X[1500:], y[1500:])
    local = SimplexBoostClassifier(**settings).fit(X, y, weight, eval_set=[watched])
    lazy = DaskSimplexBoostClassifier(client=client, **settings)
    watched = tuple(delayed_parts(one, [0, 200, 1100]) for one in watched)
    lazy.fit(*[delayed_parts(one, BORDERS) for one in (X, y, weight)], eval_set=[watched])
    assert lazy.model_.to_bytes() == local.model_.to_bytes()
    assert lazy.evals_result_ == local.evals_result_


def test_an_objective_that_fails_ends_all_workers(client, frame):
    X, y, _ = frame
    calls = []

    def broken(labels, scores):
        calls.append(len(labels))
        if len(calls) == 3:
            raise ValueError(f"no pulls of {len(labels)} rows")
        return LateSoftmax()(labels, scores)

    parts = [delayed_parts(one, BORDERS) for one in (X, y)]
    lazy = DaskSimplexBoostClassifier(client=client, n_estimators=5, objective=broken)
    with pytest.raises(ValueError, match="no pulls of 2600 rows"):
        lazy.fit(*parts)
    lazy.set_params(objective=LateSoftmax()).fit(*parts)  # on the same workers
    assert lazy.n_estimators_ == 5


def test_several_labels_a_row(client, frame):
    X, y, weight = frame
    labels = pd.DataFrame({"low": X["a"] < 0, "high": X["a"] > 0.5, "far": y == 3}).astype(float)
    labels.iloc[5, 0] = np.nan
    label_weight = pd.DataFrame(1.0 + (np.arange(2600 * 3) % 4), dtype=float)
    label_weight = pd.DataFrame(label_weight.to_numpy().reshape(2600, 3), columns=labels.columns)
    settings = {"n_estimators": 4}
    local = SimplexBoostMultiLabelClassifier(**settings)
    local.fit(X, labels, weight, label_weight=label_weight)
    lazy = DaskSimplexBoostMultiLabelClassifier(client=client, **settings)
    assert "n_estimators" in inspect.signature(type(lazy).__init__).parameters
    parts = [delayed_parts(one, BORDERS) for one in (X, labels, weight, label_weight)]
    lazy.fit(*parts[:3], label_weight=parts[3])
    assert lazy.model_.to_bytes() == local.model_.to_bytes()
    frames = dd.from_pandas(X, npartitions=3)
    assert (lazy.predict(frames).compute().to_numpy() == local.predict(X)).all()
    assert lazy.score(*parts[:2]) > 0.5
    assert type(clone(lazy).to_local()) is SimplexBoostMultiLabelClassifier


def test_goes_on_from_what_was_fitted(client, frame):
    X, y, _ = frame
    settings = {"algorithm": "newton", "n_estimators": 2, "warm_start": True}
    local = SimplexBoostClassifier(**settings).fit(X, y)
    lazy = DaskSimplexBoostClassifier(client=client, **settings)
    parts = [delayed_parts(one, [0, 700, 2600]) for one in (X, y)]
    with dask.config.set({"simplexboost.direct": False}):  # as where Dask encrypts
        lazy.fit(*parts)
    for one in (local, lazy):
        one.set_params(n_estimators=5)
    assert lazy.fit(*parts).model_.to_bytes() == local.fit(X, y).model_.to_bytes()
    assert lazy.n_estimators_ == 5


def test_a_fitted_one_is_a_plain_one(client, frame, tmp_path):
    X, y, _ = frame
    lazy = DaskSimplexBoostClassifier(client=client, algorithm="newton", n_estimators=2)
    assert clone(lazy).get_params()["n_estimators"] == 2
    lazy.fit(*[delayed_parts(one, [0, 1300, 2600]) for one in (X, y)])
    again = pickle.loads(pickle.dumps(lazy))
    assert (again.predict(X) == lazy.predict(X)).all()
    plain = lazy.to_local()
    assert type(plain) is SimplexBoostClassifier and (plain.predict(X) == again.predict(X)).all()
    plain.save_model(tmp_path / "m.sb")


@pytest.mark.parametrize("classes", [2, 4])
def test_decisions_are_lazy_and_those_of_one_process(client, frame, classes):
    X, y, _ = frame
    y = y % classes
    lazy = DaskSimplexBoostClassifier(client=client, algorithm="newton", n_estimators=2)
    lazy.fit(*[delayed_parts(one, [0, 1300, 2600]) for one in (X, y)])
    plain = lazy.to_local()
    frames = dd.from_pandas(X, npartitions=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = lazy.decision_function(frames)
        assert type(found) is not np.ndarray
        assert (found.compute().to_numpy() == plain.decision_function(X)).all()
        parts = lazy.decision_function(delayed_parts(X, BORDERS))
        joined = np.concatenate(dask.compute(*parts))
    assert (joined == plain.decision_function(X)).all()
    assert (lazy.decision_function(X) == plain.decision_function(X)).all()


def test_columns_are_those_of_training(client, frame):
    X, y, _ = frame
    lazy = DaskSimplexBoostClassifier(client=client, algorithm="newton", n_estimators=2)
    lazy.fit(*[delayed_parts(one, [0, 1300, 2600]) for one in (X, y)])
    for columns, message in (
        (["b", "a", "c", "place"], "same order"),
        (["a", "b", "c"], "seen at fit"),
    ):
        other = dd.from_pandas(X[columns], npartitions=2)
        for method in (lazy.predict, lazy.predict_proba, lazy.decision_function):
            with pytest.raises(ValueError, match=message):
                method(other)
    numbers = da.from_array(X[["a", "b", "c"]].to_numpy(), chunks=(1000, 3))
    lazy.fit(numbers, da.from_array(y.to_numpy(), chunks=1000))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # there are no names any more
        with pytest.raises(ValueError, match="2 features, but .* is expecting 3"):
            lazy.decision_function(numbers[:, :2])


def test_says_what_takes_no_lazy_rows(client, frame):
    X, y, _ = frame
    lazy = DaskSimplexBoostClassifier(client=client, algorithm="newton", n_estimators=2)
    lazy.fit(*[delayed_parts(one, [0, 1300, 2600]) for one in (X, y)])
    frames, labels = dd.from_pandas(X, npartitions=3), dd.from_pandas(y, npartitions=3)
    calls = [
        lambda: lazy.apply(frames),
        lambda: lazy.transform(frames),
        lambda: next(lazy.staged_predict(frames)),
        lambda: next(lazy.staged_decision_function(delayed_parts(X, BORDERS))),
        lambda: next(lazy.staged_score(frames, labels)),
        lambda: lazy.explain(frames),
        lambda: lazy.explain(X, background=frames),
        lambda: lazy.margins(frames, labels),
        lambda: lazy.partial_fit(frames, labels),
    ]
    for call in calls:
        with warnings.catch_warnings(), pytest.raises(TypeError, match=r"to_local\(\)"):
            warnings.simplefilter("error")
            call()
    assert lazy.apply(X).shape[0] == len(X)


def test_says_what_is_wrong(client, frame):
    X, y, _ = frame
    lazy = DaskSimplexBoostClassifier(client=client, algorithm="newton", n_estimators=2)
    with pytest.raises(TypeError, match="no Dask collection"):
        lazy.fit(X, y)
    with pytest.raises(ValueError, match="partitions; give them the same"):
        lazy.fit(delayed_parts(X, [0, 10, 20]), delayed_parts(y, [0, 20]))
    with pytest.raises(ValueError, match="only one class"):
        lazy.fit(delayed_parts(X, [0, 900, 1800]), [dask.delayed(y[:900] * 0)] * 2)
    with pytest.raises(ValueError, match="dmcboost sorts all rows"):
        DaskSimplexBoostClassifier(client=client, algorithm="dmcboost").fit(
            *[delayed_parts(one, [0, 1300, 2600]) for one in (X, y)]
        )


@pytest.fixture
def lines():
    made = [Lines(rank, "127.0.0.1", b"secret") for rank in range(3)]
    addresses = [one.address for one in made]
    with ThreadPoolExecutor(3) as pool:
        assert all(pool.map(lambda one: one.connect(addresses), made))
    yield made
    for one in made:
        one.close()


def test_direct_lines_carry_long_messages_both_ways(lines):
    """More than the system holds: who sends must take what comes in meanwhile."""
    size = 20_000_000

    def swap(me, other):
        taken = bytearray(size)
        lines[me].send(other, memoryview(bytes([me]) * size), lambda: None)
        lines[me].receive(other, memoryview(taken), lambda: None)
        lines[me].await_sent()
        return taken == bytes([other]) * size

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(swap, (0, 2), (2, 0)))


def test_who_waits_at_a_line_is_woken(lines):
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lines[0].receive, 1, memoryview(bytearray(4)), lambda: None)
        time.sleep(0.1)
        lines[0].hang_up()
        with pytest.raises((EOFError, OSError)):
            waiting.result(5)


def test_a_stranger_gets_no_line(lines):
    stranger = Lines(1, "127.0.0.1", b"another secret")
    assert not stranger.connect([lines[0].address, stranger.address])
    stranger.close()
    assert line_host("tls://10.0.0.1:8786") == "" and line_host("inproc://10.0.0.1/7/1") == ""


class Beacon:
    """A callback that after some rounds tells the process of the first rank, and waits there for what
    comes, until the file is gone."""

    def __init__(self, path):
        self.path = path

    def __call__(self, state):
        if state.number == 4:
            self.path.with_suffix(".new").write_text(str(os.getpid()))
            self.path.with_suffix(".new").rename(self.path)
            for _ in range(600):
                if not self.path.exists():
                    break
                time.sleep(0.1)


@contextlib.contextmanager
def hard_limit(seconds):
    """A hang is a failure, not a wait for ever."""

    def end(*_):
        raise AssertionError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def strike_when(path, how):
    """Sends a signal to the process that a beacon tells; the list that it returns gets it and the
    time."""
    struck = []

    def strike():
        for _ in range(6000):
            if path.exists():
                struck.extend([int(path.read_text()), time.monotonic()])
                os.kill(struck[0], how)
                return
            time.sleep(0.02)

    threading.Thread(target=strike, daemon=True).start()
    return struck


def test_dead_workers_end_training_and_others_go_on(frame, tmp_path):
    """One is stopped, one is killed, and what is left goes on from the checkpoint."""
    X, y, _ = frame
    checkpoint = tmp_path / "rounds"
    settings = {"algorithm": "newton", "n_estimators": 8, "max_depth": 2}
    kept = {"checkpoint": checkpoint, "checkpoint_every": 2}
    parts = [delayed_parts(one, range(0, 2601, 260)) for one in (X, y)]
    with (
        hard_limit(280),
        dask.config.set({"simplexboost.silence": 8}),
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        training = DaskSimplexBoostClassifier(client=client, **settings)
        for how in (signal.SIGSTOP, signal.SIGKILL):
            checkpoint.unlink(missing_ok=True)
            beacon = Beacon(tmp_path / how.name)
            struck = strike_when(beacon.path, how)
            with pytest.raises(ConnectionError, match=r"^rank 0 \(tcp://[^ ]+\): ") as error:
                training.fit(*parts, **kept, callbacks=[beacon])
            assert time.monotonic() - struck[1] < 30 and "\n" not in str(error.value)
            beacon.path.unlink()
            if how == signal.SIGSTOP:
                os.kill(struck[0], signal.SIGCONT)
        assert checkpoint.exists()
        again = training.fit(*parts, **kept).model_.to_bytes()
    assert again == SimplexBoostClassifier(**settings).fit(X, y).model_.to_bytes()
    assert not checkpoint.exists()


class Sleeper:
    """A callback that keeps the first rank so long after its second round, while its worker lives."""

    def __call__(self, state):
        if state.number == 2:
            time.sleep(8)


@pytest.mark.parametrize("direct", [True, False])
def test_a_worker_that_lives_but_comes_too_late_is_named(client, frame, direct):
    X, y, _ = frame
    parts = [delayed_parts(one, [0, 1300, 2600]) for one in (X, y)]
    training = DaskSimplexBoostClassifier(client=client, algorithm="newton", n_estimators=9)
    with (
        hard_limit(100),
        dask.config.set({"simplexboost.patience": 3, "simplexboost.direct": direct}),
        pytest.raises(ConnectionError, match=r"^rank 0 \(tcp://[^ ]+\): has kept rank 1 ") as error,
    ):
        training.fit(*parts, callbacks=[Sleeper()])
    assert str(error.value).endswith(" waiting for 3 s")
    assert training.fit(*parts).n_estimators_ == 9  # the workers are there for the next one


@contextlib.contextmanager
def networks(count):
    """Names of network namespaces that reach each other and 10.77.0.1 only."""

    def ip(words):
        done = subprocess.run(["ip", *words.split()], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(f"no network namespaces here: ip {words}: {done.stderr.strip()}")

    if shutil.which("ip") is None or os.geteuid() != 0:
        pytest.skip("network namespaces need root and ip")
    names = [f"sb{os.getpid()}n{i}" for i in range(count)]
    bridge = f"sb{os.getpid() % 100_000}"
    try:
        ip(f"link add {bridge} type bridge")
        ip(f"addr add 10.77.0.1/24 dev {bridge}")
        ip(f"link set {bridge} up")
        for i, name in enumerate(names):
            ip(f"netns add {name}")
            ip(f"link add {bridge}o{i} type veth peer name {bridge}i{i} netns {name}")
            ip(f"link set {bridge}o{i} master {bridge} up")
            ip(f"-n {name} addr add 10.77.0.{i + 2}/24 dev {bridge}i{i}")
            ip(f"-n {name} link set {bridge}i{i} up")
            ip(f"-n {name} link set lo up")
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        subprocess.run(["ip", "link", "del", bridge], capture_output=True, check=False)


def test_workers_on_networks_of_their_own(frame):
    X, y, _ = frame
    settings = {"algorithm": "newton", "n_estimators": 2}
    with contextlib.ExitStack() as stack:
        names = stack.enter_context(networks(2))
        scheduler = stack.enter_context(
            distributed.LocalCluster(n_workers=0, host="10.77.0.1", dashboard_address=":0")
        )
        client = stack.enter_context(distributed.Client(scheduler))
        for i, name in enumerate(names):
            words = f"-m distributed.cli.dask_worker {scheduler.scheduler_address} --no-nanny"
            process = subprocess.Popen(
                ["ip", "netns", "exec", name, sys.executable, *words.split(), "--nthreads", "1",
                 "--host", f"10.77.0.{i + 2}", "--no-dashboard"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            stack.callback(process.wait)
            stack.callback(process.kill)
        client.wait_for_workers(2, timeout=60)
        trained = DaskSimplexBoostClassifier(client=client, **settings)
        trained.fit(*[delayed_parts(one, [0, 900, 2600]) for one in (X, y)])
        assert len(client.scheduler_info()["workers"]) == 2
    local = SimplexBoostClassifier(**settings).fit(X, y)
    assert trained.model_.to_bytes() == local.model_.to_bytes()
