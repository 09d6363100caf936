"""The estimators: scikit-learn's manners over the library's `train` and `Model`."""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from . import _core
from ._input import (
    Columns,
    check_sparse_size,
    class_names,
    classes_from_names,
    label_name,
    make_table,
    sample_weights,
)
from ._parameters import ADDED, OPTIONS, option_texts, threads, with_python_names
from .callbacks import Callback, ProgressBar, Round, logger


@dataclass
class _Watched:
    """A validation table, with what its figures are computed from."""

    table: _core.Table
    truth: np.ndarray  # codes, or an indicator matrix
    weights: np.ndarray | None


class _Boosting(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Parameters, files, and what does not ask how many labels a row has."""

    def __init__(
        self,
        algorithm: str = "auto",
        *,
        n_estimators: int = 100,
        learning_rate: float | None = None,
        loss: Any = "auto",
        objective: Any = None,
        codewords: Any = "auto",
        dimension: int | None = None,
        learner: str = "auto",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        n_factors: int = 3,
        linear_features: int = 1,
        leaf_values: str = "auto",
        criterion: str = "auto",
        categorical_splits: str = "subset",
        sketch: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_leaf: float = 0.0,
        min_gain: float = 0.0,
        l2_regularization: float | None = None,
        uninformed_share: float | None = None,
        subsample: float = 1.0,
        max_features: float | None = None,
        resample: str = "none",
        weight_floor: float | None = None,
        max_bins: int | None = None,
        histogram_memory: float = 512.0,
        categorical_features: Any = "from_dtype",
        class_weight: Any = None,
        costs: Any = None,
        validation_fraction: float | None = None,
        n_iter_no_change: int | None = None,
        early_stopping_metric: str = "auto",
        early_stopping_rule: str = "best",
        early_stopping_start: int | None = None,
        margin_rows: float | None = None,
        relaxation: float | None = None,
        phase_patience: int | None = None,
        tree_search: str | None = None,
        search_steps: int | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.algorithm = algorithm
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.objective = objective
        self.codewords = codewords
        self.dimension = dimension
        self.learner = learner
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.n_factors = n_factors
        self.linear_features = linear_features
        self.leaf_values = leaf_values
        self.criterion = criterion
        self.categorical_splits = categorical_splits
        self.sketch = sketch
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_leaf = min_weight_leaf
        self.min_gain = min_gain
        self.l2_regularization = l2_regularization
        self.uninformed_share = uninformed_share
        self.subsample = subsample
        self.max_features = max_features
        self.resample = resample
        self.weight_floor = weight_floor
        self.max_bins = max_bins
        self.histogram_memory = histogram_memory
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.costs = costs
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_rule = early_stopping_rule
        self.early_stopping_start = early_stopping_start
        self.margin_rows = margin_rows
        self.relaxation = relaxation
        self.phase_patience = phase_patience
        self.tree_search = tree_search
        self.search_steps = search_steps
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state

    # What scikit-learn asks of estimators.

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"allow_nan": True, "preserves_dtype": []}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    @property
    def _n_features_out(self) -> int:
        return int(self.model_.outputs)

    # Training.

    def _option_texts(self) -> dict[str, str]:
        given = {name: getattr(self, name) for name in OPTIONS}
        for name in ("loss", "codewords"):
            if not isinstance(given[name], str):
                given[name] = None
        return option_texts(given)

    def _pair(self) -> Any:
        """The gamma-phi pair that the user gave in the place of a loss's name."""
        return None if isinstance(self.loss, str) else self.loss

    def _codeword_matrix(self) -> list[float]:
        """The codewords that the user gave in the place of a kind's name, line by line."""
        if isinstance(self.codewords, str):
            return []
        matrix = np.asarray(self.codewords, dtype=np.float32)
        if matrix.ndim != 2 or len(matrix) != len(self.classes_):
            raise ValueError(
                f"codewords: give a name, or a matrix of {len(self.classes_)} lines, one a class"
            )
        return list(matrix.ravel().tolist())

    def _label_table(self, table: _core.Table, y: Any, columns: list[str]) -> _Watched:
        """Sets the labels of a table of known classes."""
        raise NotImplementedError

    def _fit_table(
        self,
        table: _core.Table,
        valid: Sequence[_Watched],
        texts: dict[str, str],
        callbacks: Sequence[Callback] | None,
        init: _core.Model | None,
    ) -> None:
        listeners: list[Callback] = list(callbacks or [])
        bar = ProgressBar() if self.verbose else None
        if bar is not None:
            listeners.append(bar)
        total = int(texts["rounds"])

        def on_round(number: int, metrics: dict[str, float]) -> bool:
            state = Round(number + 1, total, metrics)
            # All of them hear of the round, whoever wants to stop.
            return all([listener(state) is not False for listener in listeners])

        watched = valid[-1].table if valid else None
        try:
            self.model_ = with_python_names(
                _core.train,
                table,
                texts,
                valid=watched,
                on_round=on_round if listeners else None,
                loss=self._pair(),
                objective=self.objective,
                init=init,
                codewords=self._codeword_matrix(),
            )
        finally:
            if bar is not None:
                bar.close()
        logger.info(
            "%s: %d rounds (%s)", self.model_.algorithm, self.model_.rounds, self.model_.stop_reason
        )
        self._set_results(valid)

    def _set_results(self, valid: Sequence[_Watched]) -> None:
        log = self.model_.log
        results: dict[str, dict[str, list[float]]] = {"train": {}}
        last = f"valid_{max(len(valid), 1) - 1}"
        for i, one in enumerate(valid[:-1]):
            results[f"valid_{i}"] = self._evaluate_rounds(one)
        for column, values in log.items():
            if column.startswith("valid_"):
                results.setdefault(last, {})[column.removeprefix("valid_")] = values.tolist()
            else:
                results["train"][column.removeprefix("train_")] = values.tolist()
        self.evals_result_ = results
        self.n_estimators_ = self.model_.rounds
        self.best_iteration_ = self._best_iteration(results.get(last))
        self.stop_reason_ = self.model_.stop_reason

    def _best_iteration(self, figures: dict[str, list[float]] | None) -> int:
        """The number of rounds that did best on the last validation set; without one, all."""
        if not figures or self.n_iter_no_change:
            return int(self.model_.rounds)
        by_error = self.model_.parameters["early-stopping-metric"] == "error"
        watched = figures["error" if by_error or "log_loss" not in figures else "log_loss"]
        return int(np.argmin(watched)) + 1 if watched else 0

    def _evaluate_rounds(self, one: _Watched) -> dict[str, list[float]]:
        """The figures that training logs of its own validation set, for another one."""
        figures: dict[str, list[float]] = {}
        stages = _core.Stages(self.model_, one.table, threads=threads(self.n_jobs))
        for rounds in range(1, self.model_.rounds + 1):
            scores = stages.scores(rounds)
            for name, losses in self._row_losses(scores, one.truth).items():
                figures.setdefault(name, []).append(float(np.average(losses, weights=one.weights)))
        return figures

    def _row_losses(self, scores: np.ndarray, truth: np.ndarray) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def _columns(self) -> Columns:
        return Columns(self.categorical_features, model=self.model_)

    def _table(self, X: Any) -> _core.Table:
        """Rows to predict."""
        check_is_fitted(self)
        return make_table(self, X, self._columns(), reset=False)

    def _training_table(
        self, X: Any, texts: dict[str, str], init: _core.Model | None
    ) -> _core.Table:
        wide = int(texts.get("max-bins", "0")) > 256
        check_sparse_size(X, 8 if texts["learner"] == "linear" else 2 if wide else 1)
        columns = Columns(self.categorical_features, model=init)
        table = make_table(self, X, columns, reset=init is None)
        if table.rows < 2:
            raise ValueError(f"training needs at least two rows; got n_samples={table.rows}")
        return table

    def _validation_tables(
        self, table: _core.Table, eval_set: Any, texts: dict[str, str]
    ) -> tuple[_core.Table, list[_Watched]]:
        """The table to train on and those to watch."""
        if eval_set is not None:
            if isinstance(eval_set, tuple):
                eval_set = [eval_set]
            return table, [self._eval_table(one, table) for one in eval_set]
        share = self.validation_fraction
        if share is None:
            share = 0.1 if self.n_iter_no_change else 0.0
        if share == 0:
            return table, []
        if not 0 < share <= 0.9:
            raise ValueError(f"validation_fraction: {share} is out of range; give 0 to 0.9")
        train, valid = table.split(float(share), int(texts["seed"]))
        return train, [_Watched(valid, np.empty(0), None)]

    def _eval_table(self, given: Any, like: _core.Table) -> _Watched:
        if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
            raise ValueError("eval_set: give a list of pairs (X, y), or triples (X, y, weight)")
        columns = Columns(self.categorical_features, like=like)
        table = make_table(self, given[0], columns, reset=False)
        watched = self._label_table(table, given[1], like.label_columns)
        watched.weights = sample_weights(given[2] if len(given) == 3 else None, table.rows)
        if watched.weights is not None:
            table.set_weights(watched.weights)
        return watched

    # Prediction.

    def _rounds(self, n_rounds: int | None) -> int:
        if n_rounds is None:
            return 0
        if not 1 <= n_rounds <= self.model_.rounds:
            raise ValueError(f"the model has {self.model_.rounds} rounds, not {n_rounds}")
        return int(n_rounds)

    def _class_scores(self, X: Any) -> NDArray[np.float32]:
        table = self._table(X)
        return self.model_.predict_scores(table, threads=threads(self.n_jobs))

    def _staged_scores(self, X: Any) -> Iterator[NDArray[np.float32]]:
        table = self._table(X)
        stages = _core.Stages(self.model_, table, threads=threads(self.n_jobs))
        for rounds in range(1, self.model_.rounds + 1):
            yield stages.scores(rounds)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, rows x classes, in the order of `classes_`."""
        table = self._table(X)
        pair = self._pair()
        if pair is not None and not self.model_.has_proba:
            proba = self.model_.predict_pair_proba(table, pair, threads=threads(self.n_jobs))
            return proba.astype(np.float64)
        return self.model_.predict_proba(table, threads=threads(self.n_jobs))

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """`predict_proba` after each round."""
        for scores in self._staged_scores(X):
            yield self.model_.scores_to_proba(scores)

    def transform(self, X: Any) -> NDArray[np.float32]:
        """The predictor's values, rows x dimension of the codewords: an embedding of the rows
        in the space where each class has its codeword (`codewords_`)."""
        table = self._table(X)
        return self.model_.predict_outputs(table, threads=threads(self.n_jobs))

    def apply(self, X: Any) -> NDArray[np.uint32]:
        """The leaf of each row in each tree, rows x trees."""
        table = self._table(X)
        return self.model_.predict_leaves(table, threads=threads(self.n_jobs))

    # What was learnt.

    @property
    def codewords_(self) -> NDArray[np.float32]:
        """The codewords, classes x dimension; the unit vectors where the algorithm has none."""
        check_is_fitted(self)
        codewords = self.model_.codewords
        return np.eye(len(self.model_.classes), dtype=np.float32) if codewords is None else codewords

    def importance(self, kind: str = "gain", *, per_class: bool = False) -> NDArray[np.float64]:
        """What each feature gave to the model: the sum of the gains of its splits (`kind` "gain")
        or their number ("split"). With `per_class`, features x classes: each split counts for a
        class in proportion to the square of what it changes in the class's score."""
        check_is_fitted(self)
        if kind not in ("gain", "split"):
            raise ValueError(f"kind: {kind!r} is unknown; give 'gain' or 'split'")
        if per_class:
            return self.model_.class_importance(kind == "gain")
        return self.model_.importance()[:, 0 if kind == "gain" else 1]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Shares of the features in the gain of all splits; of their number where no gain is
        recorded. They sum to 1, unless nothing was split."""
        gains = self.importance("gain")
        total = gains if gains.sum() > 0 else self.importance("split")
        return total / total.sum() if total.sum() > 0 else total

    def tree_text(self, number: int) -> str:
        """One tree in words, a line a node."""
        check_is_fitted(self)
        return str(self.model_.tree_text(number))

    # Files.

    def save_model(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file that the command reads, too; the old file or the new one."""
        check_is_fitted(self)
        self.model_.save(os.fspath(path))

    def load_model(self, path: str | os.PathLike[str]) -> Any:
        """Takes the model of a file that `save_model` or the command wrote; returns self."""
        return self._take_model(_core.Model.load(os.fspath(path)))

    def _take_model(self, model: _core.Model) -> Any:
        if model.multi_label and not isinstance(self, SimplexBoostMultiLabelClassifier):
            raise ValueError(
                "the model is for several labels a row; use SimplexBoostMultiLabelClassifier"
            )
        self.model_ = model
        self.n_features_in_ = len(model.feature_names)
        if model.named:
            self.feature_names_in_ = np.array(model.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.classes_ = classes_from_names(model.classes)
        self._set_results([])
        return self


def _take_added_options() -> None:
    """Gives the constructor the options that the library has beyond those written out above."""
    written = _Boosting.__init__
    signature = inspect.signature(written)

    def __init__(self: Any, *positional: Any, **named: Any) -> None:
        added = {name: named.pop(name, default) for name, default in ADDED.items()}
        written(self, *positional, **named)
        for name, value in added.items():
            setattr(self, name, value)

    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in ADDED.items()
    ]
    parameters = [*signature.parameters.values(), *more]
    __init__.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    _Boosting.__init__ = __init__  # type: ignore[method-assign]


if ADDED:
    _take_added_options()


class SimplexBoostClassifier(ClassifierMixin, _Boosting):
    """Multiclass boosting: every algorithm of the command `simplexboost`, as a classifier.

    `fit` takes numpy arrays, pandas, polars and Arrow tables and scipy sparse matrices; missing
    values and categories may stay as they are, and labels may be of any type that can be sorted.
    """

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        callbacks: Sequence[Callback] | None = None,
    ) -> SimplexBoostClassifier:
        """Trains.

        `eval_set`: pairs (X, y) or triples (X, y, weight) whose figures are logged after every
        round; the last of them decides when to stop early. `callbacks` are called with a
        `Round` after every round; one that returns False ends training.
        """
        _require_labels(self, y)
        init = self.model_ if self.warm_start and hasattr(self, "model_") else None
        return self._fit(X, y, sample_weight, eval_set, callbacks, init, self.n_estimators)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> SimplexBoostClassifier:
        """Trains `n_estimators` more rounds on these rows, from the model so far; the first call
        needs `classes`, all labels that will come, unless its rows have them all."""
        _require_labels(self, y)
        init = getattr(self, "model_", None)
        done = 0 if init is None else init.rounds
        return self._fit(X, y, sample_weight, None, None, init, done + self.n_estimators, classes)

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        eval_set: Any,
        callbacks: Sequence[Callback] | None,
        init: _core.Model | None,
        rounds: int,
        classes: Any = None,
    ) -> SimplexBoostClassifier:
        texts = {**self._option_texts(), "rounds": str(rounds)}
        table = self._training_table(X, texts, init)
        self._set_training_labels(table, y, init, classes)
        weights = sample_weights(sample_weight, table.rows)
        if weights is not None:
            table.set_weights(weights)
        train, valid = self._validation_tables(table, eval_set, texts)
        self._fit_table(train, valid, texts, callbacks, init)
        return self

    def _set_training_labels(
        self, table: _core.Table, y: Any, init: _core.Model | None, classes: Any
    ) -> None:
        """Sets the classes, unless those of a model are to stay, and the table's labels."""
        labels = _labels(y)
        _check_rows(table, labels)
        if init is None:
            self.classes_ = _classes(labels if classes is None else np.asarray(classes))
        codes = self._codes(labels)
        if (codes < 0).any():
            unknown = np.unique(labels[codes < 0])
            raise ValueError(f"y has the labels {unknown.tolist()}, which are none of classes_")
        fallback = "class" if table.named else str(table.features + 1)
        table.set_labels(codes, class_names(self.classes_), [label_name(y, fallback)])

    def _label_table(self, table: _core.Table, y: Any, columns: list[str]) -> _Watched:
        labels = _labels(y)
        _check_rows(table, labels)
        codes = self._codes(labels)
        table.set_labels(codes, class_names(self.classes_), columns)
        return _Watched(table, codes, None)

    def _row_losses(self, scores: np.ndarray, truth: np.ndarray) -> dict[str, np.ndarray]:
        losses = {"error": (np.argmax(scores, axis=1) != truth).astype(float)}
        if self.model_.has_proba:
            own = self.model_.scores_to_proba(scores)[np.arange(len(truth)), truth]
            own = np.where(truth < 0, 0, own).astype(float)
            losses["log_loss"] = -np.log(np.clip(own, 1e-15, 1))
        return losses

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
        return self.classes_[self.model_.predict(table, threads=threads(self.n_jobs))]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores of the classes, rows x classes; for two classes, by how much the second leads."""
        return self._decision(self._class_scores(X))

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
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def margins(self, X: Any, y: Any) -> NDArray[np.float32]:
        """By how much the score of each row's class exceeds the best of the others; NaN where
        training did not see the class."""
        table = self._table(X)
        self._label_table(table, y, ["class"])
        return self.model_.predict_margins(table, threads=threads(self.n_jobs))


class SimplexBoostMultiLabelClassifier(SimplexBoostClassifier):
    """Boosting for rows that may have any number of labels: AdaBoost.MH by default.

    `y` is an indicator matrix, rows x labels, of zeros and ones (dense or scipy sparse); `predict`
    gives such a matrix, too. Where `y` has one class a row, this is a `SimplexBoostClassifier`.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "multilabel": True}

    def _set_training_labels(
        self, table: _core.Table, y: Any, init: _core.Model | None, classes: Any
    ) -> None:
        if not _is_indicator(y):
            super()._set_training_labels(table, y, init, classes)
            return
        names = _label_names(y) if init is None else init.classes
        _set_label_sets(table, y, names)
        self.classes_ = classes_from_names(names)

    def _label_table(self, table: _core.Table, y: Any, columns: list[str]) -> _Watched:
        if not _is_indicator(y):
            return super()._label_table(table, y, columns)
        return _Watched(table, _set_label_sets(table, y, columns), None)

    def _row_losses(self, scores: np.ndarray, truth: np.ndarray) -> dict[str, np.ndarray]:
        if not self.model_.multi_label:
            return super()._row_losses(scores, truth)
        return {"error": ((scores > 0) != truth).mean(axis=1)}

    def _decide(self, scores: np.ndarray) -> NDArray[Any]:
        if not self.model_.multi_label:
            return super()._decide(scores)
        return (scores > 0).astype(np.int64)

    def _decision(self, scores: NDArray[np.float32]) -> NDArray[np.float64]:
        return scores.astype(np.float64) if self.model_.multi_label else super()._decision(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """An indicator matrix: 1 where a label's score is above 0."""
        return self._decide(self._class_scores(X))


def load_model(
    path: str | os.PathLike[str],
) -> SimplexBoostClassifier | SimplexBoostMultiLabelClassifier:
    """An estimator of the model in a file, with the settings that it was trained with."""
    model = _core.Model.load(os.fspath(path))
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


def _labels(y: Any) -> np.ndarray:
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if labels.dtype == object and any(label is None or label != label for label in labels):
        raise ValueError("Input y contains missing values; fill them in, or leave out their rows")
    check_classification_targets(labels)
    return np.asarray(labels)


def _require_labels(estimator: Any, y: Any) -> None:
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is "
            "None"
        )


def _classes(labels: np.ndarray) -> np.ndarray:
    """The labels that occur, in order."""
    try:
        classes = np.unique(labels)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(f"labels must be of one type, not of {', '.join(kinds)}") from None
    if len(classes) < 2:
        raise ValueError(
            f"Classifier can't train when only one class is present: {classes[0]!r}; give two classes "
            "or more"
        )
    return classes


def _check_rows(table: _core.Table, labels: np.ndarray) -> None:
    if len(labels) != table.rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[table.rows, len(labels)]}"
        )


def _is_indicator(y: Any) -> bool:
    """Whether y is a matrix of several columns, or a sparse one: rows of several labels."""
    shape = getattr(y, "shape", None)
    if shape is None:
        shape = np.asarray(y).shape
    return len(shape) == 2 and (shape[1] > 1 or hasattr(y, "tocsr"))


def _label_names(y: Any) -> list[str]:
    columns = getattr(y, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    shape = getattr(y, "shape", None) or np.asarray(y).shape
    return [str(k) for k in range(shape[1] if len(shape) == 2 else 1)]


def _set_label_sets(table: _core.Table, y: Any, names: list[str]) -> np.ndarray:
    """Sets the labels by an indicator matrix, and returns it dense."""
    y = check_array(y, accept_sparse="csr", ensure_2d=False, input_name="y")
    dense = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
    dense = dense.reshape(len(dense), -1)
    check_consistent_length(dense, np.empty(table.rows))
    if dense.shape[1] != len(names):
        raise ValueError(f"y has {dense.shape[1]} labels, not {len(names)}")
    if not np.isin(dense, (0, 1)).all():
        raise ValueError(
            "Unknown label type: y must be an indicator matrix of zeros and ones, a column a label"
        )
    rows, codes = np.nonzero(dense)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(dense)))])
    table.set_label_sets(codes.astype(np.int32), offsets.astype(np.int64), names, names)
    return dense


def _describe_parameters() -> str:
    """The constructor's arguments, in the words of the command's --help."""
    table = {row["name"]: row for row in _core.parameter_table()}
    lines = ["Parameters", "----------"]
    for name, option in OPTIONS.items():
        help_text = table[option]["help"]
        lines += [name, *textwrap.wrap(help_text, 92, initial_indent="    ", subsequent_indent="    ")]
    lines += [
        "objective",
        "    A loss of your own by its derivatives: a function (labels, scores) -> (pulls, curvature).",
        "categorical_features",
        "    'from_dtype' (categories and strings of pandas, polars and Arrow), None, or a list of",
        "    positions, names or booleans.",
        "validation_fraction",
        "    Share of the rows set aside for validation, each class in its share, where fit gets no",
        "    eval_set; None: 0.1 if n_iter_no_change is given, else none.",
        "warm_start",
        "    True: fit goes on from the model of the last fit, up to n_estimators rounds in all, with",
        "    its features and classes.",
        "verbose",
        "    1: a progress bar on standard error (tqdm's where it is installed).",
        "",
        "None leaves an option to the algorithm. class_weight may be a dict from class to weight,",
        "costs and codewords matrices, loss an object with gamma and phi. n_jobs None is all cores, or as many as",
        "OMP_NUM_THREADS says.",
    ]
    return "\n".join("    " + line if line else "" for line in lines)


for _estimator in (SimplexBoostClassifier, SimplexBoostMultiLabelClassifier):
    _estimator.__doc__ = f"{_estimator.__doc__}\n{_describe_parameters()}\n"
