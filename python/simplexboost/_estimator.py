"""The estimators: scikit-learn's manners over the library's `train` and `Model`."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score

from . import _core
from ._batches import read_batches
from ._constructor import describe_parameters
from ._device import is_on_device, like
from ._input import feature_places, label_weights, sample_weights, summable
from ._labels import (
    check_rows,
    class_names,
    classes_from_names,
    find_classes,
    indicator,
    is_indicator,
    label_name,
    label_names,
    read_labels,
    require_labels,
    set_label_sets,
)
from ._parameters import OPTIONS, checkpoint_options, codes_of_groups, file_name, threads
from ._report import Page
from ._shared_rows import gathered_everywhere
from ._training import Training
from .callbacks import Callback, Dashboard, listeners_of
from .metrics import EvalMetrics

USUAL_ROUNDS = 100
LEAST_ROWS = 50  # of data that are cross-fitted unless one asks for it


class SimplexBoostClassifier(ClassifierMixin, Training):
    """Multiclass boosting: every algorithm of the command `simplexboost`, as a classifier.

    `fit` takes numpy arrays, pandas, polars and Arrow tables, scipy sparse matrices, and Parquet and
    Arrow files by their path (`y` is then the name of a column); missing
    values and categories may stay as they are, and labels may be of any type that can be sorted.
    """

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
    ) -> SimplexBoostClassifier:
        """Trains.

        `label_weight`: for AdaBoost.MH and one-vs-all, how much counts what a row says about a
        class, rows x classes in the order of `classes_` (a table's columns go by name), times
        the row's weight; 0: the row does not say. `eval_set`: pairs (X, y) or triples (X, y,
        weight) whose figures are logged after every round; the last of them decides when to
        stop early. For several labels a row a fourth element may be their `label_weight`.
        `eval_metric`: more figures of these, one or a list: names of metrics, functions
        f(y_true, proba) of which less is better, or `metrics.EvalMetric`, which says more. The
        first decides when to stop early, unless `early_stopping_metric` names another one.
        `callbacks` are called with a `Round` after every round; one that returns
        False ends training. `groups`: for `quality` "default" and "best", a label a row (a
        patient, a writer); rows of the same one stay in the same fold. `checkpoint`: a file that
        keeps the rounds so far, every `checkpoint_every`: a time ("30s", "10m", "1h") or a number
        of rounds. The same call goes on from it after the process was killed or interrupted, to the
        model of an unbroken run; it is removed at the end.
        """
        require_labels(self, y)
        X, y = read_batches(X, y)
        init = self.model_ if self.warm_start and hasattr(self, "model_") else None
        self._metrics = EvalMetrics(eval_metric)
        callbacks = listeners_of(callbacks)
        rows = X.shape[0] if getattr(X, "shape", ()) else len(X) if hasattr(X, "__len__") else 0
        self.quality_ = self._chosen_quality(rows, eval_set, callbacks, label_weight)
        if groups is not None:
            self._set_groups(groups)
        weights = (sample_weight, label_weight)
        self._checkpoint = checkpoint_options(checkpoint, checkpoint_every)
        try:
            return self._fit(X, y, weights, eval_set, callbacks, init, self._rounds())
        finally:
            self.__dict__.pop("_groups", None)
            del self._checkpoint, self._metrics

    def _set_groups(self, groups: Any) -> None:
        if self.quality_ == "fast":
            raise ValueError("groups: they are for quality 'default' and 'best'")
        self._groups = codes_of_groups(groups)

    def _fit_share(
        self,
        peers: Any,
        share: tuple[Any, ...],
        eval_shares: Sequence[tuple[Any, ...] | None],
        *,
        quality: str,
        classes: np.ndarray,
        eval_metric: Any,
        callbacks: Sequence[Callback] | None,
        checkpoint: str | os.PathLike[str] | None,
        checkpoint_every: int | str,
    ) -> None:
        """`fit` in one of several processes, each of which has a share of the rows."""
        self.quality_ = quality
        init = self.model_ if self.warm_start and hasattr(self, "model_") else None
        self._metrics = EvalMetrics(eval_metric, peers)
        self._checkpoint = checkpoint_options(checkpoint, checkpoint_every)
        self._peers = peers
        try:
            X, y, weight, label_weight, groups = share
            if groups is not None:
                self._set_groups(gathered_everywhere(peers, np.asarray(groups).ravel()))
            evals = [None if one is None else one[:4] for one in eval_shares] or None
            weights = (weight, label_weight)
            self._fit(X, y, weights, evals, callbacks, init, self._rounds(), classes)
        finally:
            self.__dict__.pop("_groups", None)
            del self._peers, self._checkpoint, self._metrics

    def _rounds(self) -> int:
        """At most, where cross-fitting decides: it takes the usual number for none given."""
        return USUAL_ROUNDS if self.n_estimators is None else self.n_estimators

    def _chosen_quality(
        self, rows: int, eval_set: Any, callbacks: Sequence[Callback] | None, label_weight: Any
    ) -> str:
        """What quality 'auto' is: 'default', where nothing is given that it would decide."""
        if not isinstance(self.quality, str):
            raise ValueError(
                f"quality: {self.quality!r:.40} is no name; give 'auto', 'fast', 'default' or 'best'"
            )
        if self.quality != "auto":
            return self.quality
        given = (
            self.n_estimators is not None
            or self.warm_start
            or eval_set is not None
            or any(not isinstance(one, Dashboard) for one in callbacks or [])
            or bool(self._metrics.given)
            or label_weight is not None
            or bool(self.validation_fraction)
            or bool(self.n_iter_no_change)
            or self.objective is not None
            or self.dimension is not None
            or self.monotone_constraints is not None
            or self.interaction_constraints is not None
            or any(
                getattr(self, name) != "auto"
                for name in ("algorithm", "loss", "codewords", "learner")
                if isinstance(getattr(self, name), str)
            )
            or any(
                not isinstance(getattr(self, name), str) for name in ("loss", "codewords", "learner")
            )
        )
        several = isinstance(self, SimplexBoostMultiLabelClassifier)
        return "fast" if given or several or rows < LEAST_ROWS else "default"

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        *,
        label_weight: Any = None,
    ) -> SimplexBoostClassifier:
        """Trains `n_estimators` more rounds on these rows, from the model so far; the first call
        needs `classes`, all labels that will come, unless its rows have them all. It begins anew
        after a fit that was cross-fitted (`quality_`)."""
        require_labels(self, y)
        X, y = read_batches(X, y)
        init = getattr(self, "model_", None)
        if getattr(self, "quality_", "fast") != "fast" and self.quality == "auto":
            init = None
        done = 0 if init is None else init.rounds
        weights = (sample_weight, label_weight)
        self.quality_ = "fast" if self.quality == "auto" else self.quality
        return self._fit(X, y, weights, None, None, init, done + self._rounds(), classes)

    def _fit(
        self,
        X: Any,
        y: Any,
        given_weights: tuple[Any, Any],
        eval_set: Any,
        callbacks: Sequence[Callback] | None,
        init: _core.Model | None,
        rounds: int,
        classes: Any = None,
    ) -> SimplexBoostClassifier:
        texts = {**self._option_texts(), "rounds": str(rounds)}
        table = self._rows(X, y, given_weights, init, classes)
        if self._peers is not None:
            table = table.agreed(self._peers)
        share = self.validation_fraction
        if self._too_large(table):
            texts = self._train_once(table, texts)
            share = _core.set_aside
        train, valid = self._validation_tables(table, eval_set, texts, share)
        self._fit_table(train, valid, texts, callbacks, init)
        return self

    def _rows(
        self,
        X: Any,
        y: Any,
        given_weights: tuple[Any, Any],
        init: _core.Model | None = None,
        classes: Any = None,
    ) -> _core.Table:
        """Rows to train on, with their labels and weights."""
        table = self._training_table(X, init)
        self._set_training_labels(table, y, init, classes)
        sample_weight, label_weight = given_weights
        weights = sample_weights(sample_weight, table.rows)
        if weights is not None:
            table.set_weights(weights)
        if label_weight is not None:
            names = class_names(self.classes_)
            table.weigh_labels(label_weights(label_weight, table.rows, names))
        return table

    def _set_training_labels(
        self, table: _core.Table, y: Any, init: _core.Model | None, classes: Any
    ) -> None:
        """Sets the classes, unless those of a model are to stay, and the table's labels."""
        labels = read_labels(y)
        check_rows(table, labels)
        if init is None:
            self.classes_ = find_classes(labels if classes is None else np.asarray(classes))
        codes = self._codes(labels)
        if (codes < 0).any():
            unknown = np.unique(labels[codes < 0])
            raise ValueError(f"y has the labels {unknown.tolist()}, which are none of classes_")
        fallback = "class" if table.named else str(self.n_features_in_ + 1)
        table.set_labels(codes, class_names(self.classes_), [label_name(y, fallback)])

    def _label_table(self, table: _core.Table, y: Any, columns: list[str]) -> np.ndarray:
        labels = read_labels(y)
        check_rows(table, labels)
        codes = self._codes(labels)
        table.set_labels(codes, class_names(self.classes_), columns)
        return codes

    def _codes(self, labels: np.ndarray) -> NDArray[np.int32]:
        """The places of labels among the classes; -1 where training did not see them."""
        if labels.dtype.kind not in "biuf" or self.classes_.dtype.kind not in "biuf":
            index = {label: code for code, label in enumerate(self.classes_.tolist())}
            return np.array([index.get(label, -1) for label in labels.tolist()], dtype=np.int32)
        codes = np.searchsorted(self.classes_, labels)
        codes[codes == len(self.classes_)] = 0
        return np.where(self.classes_[codes] == labels, codes, -1).astype(np.int32)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of highest score."""
        table = self._table(X)
        codes = self._predictor.predict(table, threads=threads(self.n_jobs))
        return self.classes_.take(codes, mode="clip")

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of the classes, rows x classes; for two classes, by how much the second leads."""
        decision = self._decision(self._class_scores(X))
        return like(decision, X) if is_on_device(X) else decision

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """`decision_function` after each round."""
        for scores in self._staged_scores(X):
            yield self._decision(scores)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """`predict` after each round."""
        for scores in self._staged_scores(X):
            yield self._decide(scores)

    def _decide(self, scores: np.ndarray) -> NDArray[Any]:
        return self.classes_[np.argmax(scores, axis=1)]

    def _decision(self, scores: NDArray[np.float32]) -> NDArray[np.float64]:
        doubles = scores.astype(np.float64)  # what others, like calibration, expect
        return doubles[:, 1] - doubles[:, 0] if scores.shape[1] == 2 else doubles

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """`score` after each round."""
        for predicted in self.staged_predict(X):
            yield self._accuracy(y, predicted, sample_weight)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows whose class is right, by weight."""
        return self._accuracy(y, self.predict(X), sample_weight)

    def _accuracy(self, y: Any, predicted: np.ndarray, sample_weight: Any) -> float:
        return float(accuracy_score(y, predicted, sample_weight=summable(sample_weight)))

    def margins(self, X: Any, y: Any) -> NDArray[np.float32]:
        """By how much the score of each row's class exceeds the best of the others; NaN where
        training did not see the class."""
        table = self._table(X)
        self._label_table(table, y, ["class"])
        return self._predictor.predict_margins(table, threads=threads(self.n_jobs))

    def _labelled_table(self, X: Any, y: Any, sample_weight: Any = None) -> _core.Table:
        """Rows to judge by."""
        table = self._table(X)
        self._label_table(table, y, ["class"])
        weights = sample_weights(sample_weight, table.rows)
        if weights is not None:
            table.set_weights(weights)
        return table

    def report(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        train: tuple[Any, Any] | None = None,
        oof: bool = False,
        dashboard: str | os.PathLike[str] | None = None,
        random_state: int = 0,
    ) -> Page:
        """A page about the model on labelled rows: a verdict with intervals and warnings, the
        classes, their confusions, calibration, margins, curves, features, rows to look at. Notebooks
        show it; `save(path)` writes it. `train`: the rows (X, y) that it was trained on, for the
        single tree that it is compared with, their margins, and rows that are in both. `oof`: X and
        y are the training rows, judged by `oof_proba_`, what those say who had not seen them.
        `dashboard`: the file of a `Dashboard` that watched the training, for the time axis of its
        curves.
        """
        table = self._labelled_table(X, y, sample_weight)
        proba = None
        if oof:
            if not hasattr(self, "oof_proba_"):
                raise ValueError("oof: there is no oof_proba_; train with quality 'default' or 'best'")
            proba = np.ascontiguousarray(self.oof_proba_, dtype=np.float32)
        text = _core.report_html(
            self.model_,
            table,
            train=None if train is None else self._labelled_table(*train),
            proba=proba,
            dashboard="" if dashboard is None else pathlib.Path(dashboard).read_text("utf-8"),
            threads=threads(self.n_jobs),
            seed=random_state,
        )
        return Page(text)

    def load_model(self, path: str | os.PathLike[str]) -> Any:
        """Takes the model of a file that `save_model` or the command wrote; returns self."""
        return self._take_model(_core.Model.load(file_name("path", path)))

    def _take_model(self, model: _core.Model) -> Any:
        if model.multi_label and not isinstance(self, SimplexBoostMultiLabelClassifier):
            raise ValueError(
                "the model is for several labels a row; use SimplexBoostMultiLabelClassifier"
            )
        self.model_ = model
        places = None if model.named else feature_places(model.feature_names)
        self.n_features_in_ = len(model.feature_names) if places is None else int(places[-1]) + 1
        if model.named:
            self.feature_names_in_ = np.array(model.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.classes_ = classes_from_names(model.classes)
        self._set_results()
        return self


class SimplexBoostMultiLabelClassifier(SimplexBoostClassifier):
    """Boosting for rows that may have any number of labels: AdaBoost.MH by default.

    `y` is an indicator matrix, rows x labels, of zeros and ones (dense or scipy sparse), NaN
    where it is unknown whether a label holds; `predict` gives such a matrix, too, without NaN.
    Where `y` has one class a row, this is a `SimplexBoostClassifier`.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "multilabel": True}

    def _set_training_labels(
        self, table: _core.Table, y: Any, init: _core.Model | None, classes: Any
    ) -> None:
        if not is_indicator(y):
            super()._set_training_labels(table, y, init, classes)
            return
        names = label_names(y) if init is None else init.classes
        set_label_sets(table, y, names)
        self.classes_ = classes_from_names(names)

    def _label_table(self, table: _core.Table, y: Any, columns: list[str]) -> np.ndarray:
        if not is_indicator(y):
            return super()._label_table(table, y, columns)
        return set_label_sets(table, y, columns)

    def _decide(self, scores: np.ndarray) -> NDArray[Any]:
        if not self.model_.multi_label:
            return super()._decide(scores)
        return (scores > 0).astype(np.int64)

    def _decision(self, scores: NDArray[np.float32]) -> NDArray[np.float64]:
        return scores.astype(np.float64) if self.model_.multi_label else super()._decision(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """An indicator matrix: 1 where a label's score is above 0."""
        return self._decide(self._class_scores(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows whose labels are all right; unknown ones (NaN) do not count, nor
        do rows of nothing else."""
        return self._accuracy(y, self.predict(X), sample_weight)

    def _accuracy(self, y: Any, predicted: np.ndarray, sample_weight: Any) -> float:
        if not self.model_.multi_label:
            return super()._accuracy(y, predicted, sample_weight)
        truth = indicator(y)
        known = ~np.isnan(truth)
        if known.all():
            return super()._accuracy(y, predicted, sample_weight)
        right = ((truth == predicted) | ~known).all(axis=1)
        counts = known.any(axis=1)
        if not counts.any():
            raise ValueError("y: no label is known")
        weights = sample_weights(sample_weight, len(truth))
        kept = None if weights is None else summable(weights[counts])
        return float(np.average(right[counts], weights=kept))


def load_model(
    path: str | os.PathLike[str],
) -> SimplexBoostClassifier | SimplexBoostMultiLabelClassifier:
    """An estimator of the model in a file, with the settings that it was trained with."""
    model = _core.Model.load(file_name("path", path))
    estimator = (SimplexBoostMultiLabelClassifier if model.multi_label else SimplexBoostClassifier)()
    table = {row["name"]: row for row in _core.parameter_table()}
    for name, option in OPTIONS.items():
        text = model.parameters.get(option)
        if option == "codewords" and text == "custom":
            estimator.codewords = model.codewords
        elif text is not None and table[option]["type"] == "str":
            choices = table[option]["choices"]
            if not choices or text in choices:  # not the name of a loss or learner of one's own
                setattr(estimator, name, text)
        elif text is not None:
            setattr(estimator, name, (int if table[option]["type"] == "int" else float)(text))
    return estimator._take_model(model)


for _estimator in (SimplexBoostClassifier, SimplexBoostMultiLabelClassifier):
    _estimator.__doc__ = f"{_estimator.__doc__}\n{describe_parameters()}\n"
