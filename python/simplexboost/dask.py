"""Training on a Dask cluster: the rows stay with the workers that have them, and the model is, to the
last byte, the one that a single process makes of all rows in the order of their partitions."""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

try:
    import distributed
    from dask import array as dask_array
    from dask.delayed import Delayed, delayed
except ImportError as error:  # the message says how to get it
    raise ImportError("simplexboost.dask needs Dask: pip install 'simplexboost[dask]'") from error

from ._dask_peers import DaskPeers, Session
from ._dask_run import Share, run_parts, run_ranks
from ._estimator import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier
from ._input import _SKIP, validate_data  # type: ignore[attr-defined]
from ._labels import is_indicator, read_labels
from ._parameters import seed
from ._training import warn_of_one_training
from .callbacks import Callback
from .metrics import EvalMetrics

__all__ = ["DaskSimplexBoostClassifier", "DaskSimplexBoostMultiLabelClassifier"]

#: One partition: rows, labels, weights of the rows and of the labels, and groups (or None).
Part = tuple[Any, Any, Any, Any, Any]


def _is_frame(data: Any) -> bool:
    return hasattr(data, "map_partitions") and hasattr(data, "divisions")


def _is_lazy(data: Any) -> bool:
    return (
        _is_frame(data) or isinstance(data, (dask_array.Array, Delayed)) or _is_delayed_list(data)
    )


def _is_delayed_list(data: Any) -> bool:
    return isinstance(data, (list, tuple)) and len(data) > 0 and isinstance(data[0], Delayed)


def _rows_here(X: Any) -> Any:
    """What would be gathered in this process is refused."""
    if _is_lazy(X):
        raise TypeError(
            "X: a Dask collection; fit, predict, predict_proba, decision_function and score take it: for all "
            "else call to_local(), and give its methods rows that are here (X.compute())"
        )
    return X


def _one_column_block(array: Any) -> Any:
    """A dask array whose chunks hold whole rows."""
    return array.rechunk({1: -1}) if array.ndim == 2 and len(array.chunks[1]) > 1 else array


def _partitions(data: Any, name: str) -> list[Any]:
    if _is_delayed_list(data):
        return list(data)
    if isinstance(data, Delayed):
        return [data]
    if isinstance(data, dask_array.Array):
        return list(_one_column_block(data).to_delayed().ravel())
    if _is_frame(data):
        return list(data.to_delayed())
    raise TypeError(
        f"{name}: {type(data).__name__} is no Dask collection; give a dask array, a dask dataframe or "
        "a list of delayed partitions, or use SimplexBoostClassifier"
    )


def _parts(client: Any, given: Sequence[Any], name: str, groups: Any = None) -> list[Any]:
    """Futures of the partitions, rows, labels, weights and groups together on one worker."""
    names = ("X", "y", "sample_weight", "label_weight", "groups")
    if not 2 <= len(given) < len(names):
        raise ValueError(
            f"{name}give pairs (X, y), or triples (X, y, weight), or (X, y, weight, label_weight)"
        )
    columns = [
        None if one is None else _partitions(one, f"{name}{called}")
        for one, called in zip([*given, None, None][:4] + [groups], names)
    ]
    counts = [len(column) for column in columns if column is not None]
    if len(set(counts)) > 1:
        raise ValueError(
            f"{name}X, y, weights and groups have {counts} partitions; give them the same, row by row "
            "(rechunk, repartition)"
        )
    whole = [[None] * counts[0] if column is None else column for column in columns]
    join = delayed(_join, pure=False)
    return list(client.compute([join(*part) for part in zip(*whole)]))


def _join(*pieces: Any) -> Part:
    X, y, weight, label_weight, groups = pieces
    if groups is not None and _rows(groups) != _rows(X):
        raise ValueError(f"groups: a partition of {_rows(X)} rows has {_rows(groups)}; give one a row")
    return X, y, weight, label_weight, groups


def _rows(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _look_at(part: Part, *, several: bool) -> tuple[int, np.ndarray]:
    """How many rows, and which labels (of `several` a row the columns say which)."""
    X, y = part[:2]
    rows = _rows(X)
    known = rows == 0 or (several and is_indicator(y))
    return rows, np.array([]) if known else np.unique(read_labels(y))


def _concatenated(pieces: Sequence[Any]) -> Any:
    """Partitions of any one kind as one; as they are where there is one alone."""
    if len(pieces) == 1:
        return pieces[0]
    first = pieces[0]
    if hasattr(first, "tocsr"):
        from scipy import sparse

        return sparse.vstack(pieces, format="csr")
    kind = type(first).__module__.split(".")[0]
    joins = {"pandas": _joined_pandas, "pyarrow": _joined_arrow, "polars": _joined_polars}
    if kind in joins:
        return joins[kind](pieces)
    return np.concatenate([np.asarray(piece) for piece in pieces])


def _joined_pandas(pieces: Sequence[Any]) -> Any:
    import pandas as pd
    from pandas.api.types import union_categoricals

    if isinstance(pieces[0], pd.DataFrame):
        for name in pieces[0].columns:
            dtypes = [piece[name].dtype for piece in pieces]
            if isinstance(dtypes[0], pd.CategoricalDtype) and len(set(dtypes)) > 1:
                union = union_categoricals([piece[name] for piece in pieces])
                kind = pd.CategoricalDtype(union.categories)
                pieces = [piece.assign(**{name: piece[name].astype(kind)}) for piece in pieces]
    return pd.concat(pieces)


def _joined_arrow(pieces: Sequence[Any]) -> Any:
    """Tables and record batches as a table; arrays, chunked or not, as a chunked one. Types that
    differ between partitions, as where one has whole numbers alone, become one that holds both."""
    import pyarrow as pa

    def table(piece: Any) -> Any:
        if isinstance(piece, pa.RecordBatch):
            return pa.Table.from_batches([piece])
        return piece if isinstance(piece, pa.Table) else pa.table({"": piece})

    joined = pa.concat_tables([table(piece) for piece in pieces], promote_options="permissive")
    return joined if isinstance(pieces[0], (pa.Table, pa.RecordBatch)) else joined.column(0)


def _joined_polars(pieces: Sequence[Any]) -> Any:
    """As those of Arrow."""
    import polars as pl

    if isinstance(pieces[0], pl.DataFrame):
        return pl.concat(pieces, how="vertical_relaxed")
    name = pieces[0].name
    return _joined_polars([piece.rename(name).to_frame() for piece in pieces]).to_series()


def _joined(parts: Sequence[Part]) -> Part | None:
    """The rows of all partitions, or nothing where they have none."""
    parts = [part for part in parts if _rows(part[0]) > 0]
    if not parts:
        return None
    X, y, weight, label_weight, groups = (
        None if pieces[0] is None else _concatenated(list(pieces)) for pieces in zip(*parts)
    )
    return X, y, weight, label_weight, groups


def _train_share(
    session: Session,
    rank: int,
    direct: bool,
    parts: Sequence[Part],
    eval_parts: Sequence[Sequence[Part]],
    estimator: SimplexBoostClassifier,
    fit: dict[str, Any],
) -> SimplexBoostClassifier | None:
    """What each rank does, on its worker; the first returns the fitted estimator."""
    worker = distributed.get_worker()
    peers = DaskPeers(worker, session, rank, direct)
    estimator = copy.copy(estimator)  # workers may be threads of one process
    if estimator.n_jobs is None:
        estimator.n_jobs = worker.state.nthreads
    try:
        share = _joined(parts)
        assert share is not None
        if rank > 0:
            fit = {**fit, "callbacks": None}
            estimator.verbose = 0
        estimator._fit_share(peers, share, [_joined(one) for one in eval_parts], **fit)
    except BaseException as error:
        peers.fail(str(error) or repr(error))
        raise
    finally:
        peers.close()
    return estimator if rank == 0 else None


class _OnDask(SimplexBoostClassifier):
    """What the estimators for data on a Dask cluster have in common."""

    _plain: type[SimplexBoostClassifier] = SimplexBoostClassifier

    def __init__(self, *, client: Any = None, **parameters: Any) -> None:
        self.client = client
        super().__init__(**parameters)

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "client": None}

    def __sklearn_clone__(self) -> Any:
        """The client cannot be copied, and need not."""
        return type(self)(client=self.client, **clone(self.to_local()).get_params(deep=False))

    def to_local(self) -> Any:
        """The same, without Dask."""
        local = self._plain(
            **{k: v for k, v in self.get_params(deep=False).items() if k != "client"}
        )
        for name, value in vars(self).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(local, name, value)
        return local

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        label_weight: Any = None,
        eval_set: Any = None,
        eval_metric: Any = None,
        callbacks: Sequence[Callback] | None = None,
        groups: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: int | str = "30s",
    ) -> Any:
        """Trains on the workers that have partitions.

        `label_weight` and `groups`: parted as X is. `eval_set`: pairs (X, y), triples (X, y, weight) or (X, y,
        weight, label_weight) of dask collections. `eval_metric`, `callbacks` and `checkpoint` are
        called, or written, by the first rank: functions see the rows of all workers, which are
        sent there after every round; a file must be where its worker can write it, and the same
        call goes on from it, with any number of workers.
        """
        client = self.client or distributed.default_client()
        if client.asynchronous:
            raise ValueError("client: an asynchronous one cannot wait for training; give another")
        local = self.to_local()
        local._metrics = EvalMetrics(eval_metric)  # what is wrong with it is said before any work
        parts = _parts(client, (X, y, sample_weight, label_weight), "", groups)
        sets = [eval_set] if isinstance(eval_set, tuple) else list(eval_set or [])
        evals = [_parts(client, one, "eval_set: ") for one in sets]
        several = issubclass(self._plain, SimplexBoostMultiLabelClassifier)
        watched = [part for one in evals for part in one]
        looks = run_parts(client, _look_at, [*parts, *watched], several=several)
        counts = iter([rows for rows, _ in looks[len(parts) :]])
        eval_rows = [[next(counts) for _ in one] for one in evals]
        looks = looks[: len(parts)]
        kept = [i for i, (rows, _) in enumerate(looks) if rows > 0]
        if not kept:
            raise ValueError("X: all partitions are empty; give rows")
        total = sum(looks[i][0] for i in kept)
        classes = np.unique(np.concatenate([looks[i][1] for i in kept]))
        quality = local._chosen_quality(total, eval_set, callbacks, label_weight)
        fit = {
            "quality": quality,
            "classes": classes,
            "eval_metric": eval_metric,
            "callbacks": callbacks,
            "checkpoint": checkpoint,
            "checkpoint_every": checkpoint_every,
        }
        del local._metrics
        local.random_state = seed(self.random_state)
        plan = _plan(client, [parts[i] for i in kept], [looks[i][0] for i in kept], evals, eval_rows)
        fitted = run_ranks(client, plan, _train_share, local, fit)
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # names of columns, say, which an array does not have
        for name, value in vars(fitted).items():
            if name.endswith("_"):
                setattr(self, name, value)
        if self.quality_ != quality:
            warn_of_one_training()
        return self

    def predict(self, X: Any) -> Any:
        """The class of highest score; lazily for dask collections."""
        if not _is_lazy(X):
            return super().predict(X)
        if self.model_.multi_label:
            return self._lazily(X, "predict", np.dtype(np.int64), len(self.model_.classes))
        return self._lazily(X, "predict", self.classes_.dtype, None)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, rows x classes; lazily for dask collections."""
        if not _is_lazy(X):
            return super().predict_proba(X)
        return self._lazily(X, "predict_proba", np.dtype(np.float64), len(self.model_.classes))

    def decision_function(self, X: Any) -> Any:
        """Scores of the classes, rows x classes; for two classes, by how much the second leads. Lazily
        for dask collections."""
        if not _is_lazy(X):
            return super().decision_function(X)
        count = len(self.model_.classes)
        columns = None if count == 2 and not self.model_.multi_label else count
        return self._lazily(X, "decision_function", np.dtype(np.float64), columns)

    def _table(self, X: Any) -> Any:
        return super()._table(_rows_here(X))

    def _training_table(self, X: Any, *more: Any) -> Any:
        return super()._training_table(_rows_here(X), *more)

    def _lazily(self, X: Any, method: str, dtype: Any, columns: int | None) -> Any:
        check_is_fitted(self)
        local = self.to_local()
        local.n_jobs = (
            1 if self.n_jobs is None else self.n_jobs
        )  # workers have threads of their own
        empty = np.empty(0 if columns is None else (0, columns), dtype)
        how = {"estimator": local, "method": method, "empty": empty}
        if isinstance(X, dask_array.Array):
            validate_data(local, X, reset=False, **_SKIP)  # its columns, now and not when computed
            X = _one_column_block(X)
            shape = {"drop_axis": 1} if columns is None else {"chunks": (X.chunks[0], (columns,))}
            return X.map_blocks(_predicted, **how, meta=empty, **shape)
        if _is_frame(X):
            validate_data(local, X._meta, reset=False, **_SKIP)
            meta = _as_frame(empty, X._meta.index, local)
            return X.map_partitions(_predicted_frame, **how, meta=meta)
        parts = X if isinstance(X, (list, tuple)) else [X]
        one = delayed(_predicted, pure=False)
        return [one(part, **how) for part in parts]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy, computed on the workers."""
        if not _is_lazy(X):
            return float(super().score(X, y, sample_weight))
        check_is_fitted(self)
        client = self.client or distributed.default_client()
        parts = _parts(client, (X, y, sample_weight), "")
        local = client.scatter(self.to_local())
        sums = run_parts(client, _right, parts, estimator=local)
        return float(sum(one[0] for one in sums) / sum(one[1] for one in sums))


class DaskSimplexBoostClassifier(_OnDask):
    """SimplexBoostClassifier for data on a Dask cluster.

    `fit` takes dask arrays, dask dataframes or lists of delayed partitions (pandas, Arrow, numpy,
    scipy sparse). The row order is that of the partitions, and the model is that of one process;
    empty partitions, and workers that miss classes, are all the same. `predict`, `predict_proba` and
    `decision_function` of dask collections are lazy. Once fitted it is a plain estimator, too: it
    predicts numpy arrays and tables at once, is pickled without its client, and `to_local()` gives a
    `SimplexBoostClassifier`, which has methods for all else.
    """


class DaskSimplexBoostMultiLabelClassifier(_OnDask, SimplexBoostMultiLabelClassifier):
    """SimplexBoostMultiLabelClassifier for data on a Dask cluster: `y` is parted as X is, and its
    partitions are indicator matrices. Otherwise as `DaskSimplexBoostClassifier`."""

    _plain = SimplexBoostMultiLabelClassifier


def _constructor(estimator: type[_OnDask]) -> None:
    """Shows the arguments of the plain estimator as this one's own."""
    general = inspect.signature(SimplexBoostClassifier.__init__)
    client = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None)
    own = [*general.parameters.values(), client]
    own = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY) if one.name != "self" else one
        for one in own
    ]

    def initialise(self: Any, *, client: Any = None, **parameters: Any) -> None:
        _OnDask.__init__(self, client=client, **parameters)

    initialise.__signature__ = general.replace(parameters=own)  # type: ignore[attr-defined]
    estimator.__init__ = initialise  # type: ignore[method-assign]


_constructor(DaskSimplexBoostClassifier)
_constructor(DaskSimplexBoostMultiLabelClassifier)


def _predicted(
    X: Any, *, estimator: SimplexBoostClassifier, method: str, empty: np.ndarray
) -> np.ndarray:
    return np.asarray(getattr(estimator, method)(X)) if _rows(X) > 0 else empty


def _predicted_frame(X: Any, *, estimator: SimplexBoostClassifier, **how: Any) -> Any:
    return _as_frame(_predicted(X, estimator=estimator, **how), X.index, estimator)


def _as_frame(values: np.ndarray, index: Any, estimator: SimplexBoostClassifier) -> Any:
    import pandas as pd

    if values.ndim == 1:
        return pd.Series(values, index=index, name="prediction")
    return pd.DataFrame(values, index=index, columns=list(estimator.classes_))


def _right(part: Part, *, estimator: SimplexBoostClassifier) -> tuple[float, float]:
    X, y, weight = part[:3]
    rows = _rows(X)
    if rows == 0:
        return 0.0, 0.0
    total = float(rows) if weight is None else float(np.sum(np.asarray(weight, dtype=np.float64)))
    return estimator.score(X, y, weight) * total, total


def _plan(
    client: Any,
    parts: list[Any],
    rows: list[int],
    evals: list[list[Any]],
    eval_rows: list[list[int]],
) -> list[Share]:
    """Deals consecutive partitions to the workers that have partitions.

    Each run of partitions goes to the worker that has most of its rows, so that as few as can be
    move; where partitions lie in order, none does.
    """
    homes = _homes(client, parts)
    workers = list(dict.fromkeys(homes))
    owner = _even_owners(rows, len(workers))
    # Cut between workers instead where each has one run of partitions.
    if sum(a != b for a, b in zip(homes, homes[1:])) == len(workers) - 1:
        owner = [workers.index(home) for home in homes]
    shares: list[Share] = []
    free = list(workers)
    for run in sorted(set(owner)):
        mine = [i for i in range(len(parts)) if owner[i] == run]
        here = {one: sum(rows[i] for i in mine if homes[i] == one) for one in free}
        home = max(free, key=lambda one: here[one])
        free.remove(home)
        shares.append((home, [parts[i] for i in mine], []))
    ranks = [home for home, _, _ in shares]
    for one, counts in zip(evals, eval_rows):
        dealt = _deal_watched(client, one, counts, ranks)
        for share, its in zip(shares, dealt):
            share[2].append(its)
    return shares


def _homes(client: Any, parts: list[Any]) -> list[str]:
    holders = client.who_has(parts)
    return [list(holders[part.key])[0] for part in parts]


def _even_owners(rows: Sequence[int], count: int) -> list[int]:
    """Of partitions with so many rows: which of `count` runs of about equal length has them."""
    middles = np.cumsum(rows) - np.asarray(rows) / 2
    return list(np.minimum((middles * count / max(sum(rows), 1)).astype(int), count - 1))


def _deal_watched(
    client: Any, parts: list[Any], rows: Sequence[int], ranks: list[str]
) -> list[list[Any]]:
    """Partitions of rows to watch, for each rank. Their order is that of the ranks, which the training
    rows have settled: where they lie in it, they stay there, otherwise they are dealt evenly."""
    kept = [i for i, count in enumerate(rows) if count > 0]
    homes = _homes(client, [parts[i] for i in kept])
    owner = [ranks.index(home) if home in ranks else -1 for home in homes]
    if -1 in owner or owner != sorted(owner):
        owner = _even_owners([rows[i] for i in kept], len(ranks))
    return [[parts[i] for i, r in zip(kept, owner) if r == rank] for rank in range(len(ranks))]
