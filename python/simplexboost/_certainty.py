"""How sure a model is, and what follows from it."""

from __future__ import annotations

import copy
import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_scalar

from . import _core
from ._fitted import Fitted
from ._input import sample_weights
from ._labels import read_labels
from ._parameters import seed, threads


class Suspects(NamedTuple):
    """Rows whose label may be wrong, the most suspect first; all arrays are parallel."""

    row: NDArray[np.int64]
    label: NDArray[Any]
    likelier: NDArray[Any]
    probability: NDArray[np.float64]
    likelier_probability: NDArray[np.float64]
    wrong: NDArray[np.float64]


class Certainty(Fitted):
    """Sets of classes, likeliest classes, costs, calibration and shares of classes."""

    classes_: NDArray[Any]

    def _label_table(self, table: _core.Table, y: Any, columns: list[str]) -> np.ndarray:
        raise NotImplementedError

    def predict_top(self, X: Any, k: int = 5) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """The `k` likeliest classes of each row, most likely first, and their probabilities, rows x
        k each. Memory follows rows x k, not rows x classes."""
        check_scalar(k, "k", numbers.Integral, min_val=1)
        codes, proba = _core.predict_top(self.model_, self._table(X), k, threads(self.n_jobs))
        return self.classes_[codes], proba

    def predict_set(
        self, X: Any, coverage: float = 0.9, *, per_class: bool = False, allow_empty: bool = True
    ) -> list[NDArray[Any]]:
        """For each row an array of classes, most likely first, that holds the true one with the
        probability `coverage`.

        The model knows these sets where it has judged rows that it was not trained on: after
        `quality` 'default' or 'best' (plain `fit`), of a forest, or after `calibrate`. `per_class`:
        the probability holds for the rows of each class. A set may be empty where the model would
        else be right too often; without `allow_empty` the likeliest class stands there.
        """
        check_scalar(coverage, "coverage", numbers.Real)
        table, count = self._table(X), threads(self.n_jobs)
        offsets, codes = _core.predict_sets(
            self.model_, table, coverage, bool(per_class), not allow_empty, count
        )
        return np.split(self.classes_[codes], offsets[1:-1].astype(np.int64))

    def predict_least_cost(
        self, X: Any, costs: Any, abstain_above: float | None = None
    ) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """For each row the class of least expected cost, and that cost. `costs`: classes x classes,
        [true class, taken for], in the order of `classes_`. Where the cost is above
        `abstain_above`, the class is None (and the array one of objects)."""
        matrix = np.ascontiguousarray(costs, dtype=np.float32)
        if matrix.ndim != 2:
            raise ValueError(
                f"costs: a matrix of classes x classes is needed, not {matrix.ndim} dimensions"
            )
        if abstain_above is not None:
            check_scalar(abstain_above, "abstain_above", numbers.Real)
        codes, expected = _core.predict_least_cost(
            self.model_, self._table(X), matrix, abstain_above, threads(self.n_jobs)
        )
        if abstain_above is None:
            return self.classes_[codes], expected
        chosen = np.empty(len(codes), dtype=object)
        chosen[:] = self.classes_[np.maximum(codes, 0)]
        chosen[codes < 0] = None
        return chosen, expected

    def calibrate(
        self, X: Any, y: Any, method: str = "auto", *, sample_weight: Any = None, cv: int = 5
    ) -> Any:
        """Makes probabilities mean what they say, by rows that the model was not trained on;
        returns self.

        `method`: 'temperature', 'vector' (a scale and a shift for each class), 'isotonic' (a curve
        for each class), or 'auto', what cross-validation on these rows finds best, or nothing.
        `calibration_` tells what it was and `calibration_trials_` the log loss of each;
        `predict_set` goes by these rows from now on. `uncalibrate` undoes it.
        """
        table = self._table(X)
        self._label_table(table, y, ["class"])
        weights = sample_weights(sample_weight, table.rows)
        if weights is not None:
            table.set_weights(weights)
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else 0
        model, _, trials = _core.calibrate(
            self.model_, table, method, cv, int(seed), threads(self.n_jobs)
        )
        self.model_ = model
        self.calibration_trials_ = dict(trials)
        return self

    def uncalibrate(self) -> Any:
        """Forgets what `calibrate` did; returns self."""
        self.model_ = _core.uncalibrated(self.model_)
        return self

    @property
    def calibration_(self) -> str | None:
        """How the model is calibrated: 'temperature', 'vector', 'isotonic', or None."""
        return _core.calibration_of(self.model_) or None

    @property
    def class_shares_(self) -> NDArray[np.float64]:
        """The shares of the classes in training, by weight."""
        return np.array(_core.class_shares(self.model_))

    def estimate_priors(self, X: Any) -> NDArray[np.float64]:
        """The shares of the classes among rows without labels, by expectation maximisation."""
        return np.array(_core.estimate_priors(self.model_, self._table(X), threads(self.n_jobs)))

    def with_priors(self, priors: Any) -> Any:
        """A copy of this estimator for rows of other shares of the classes than in training:
        `priors` in the order of `classes_`, or None for those of training."""
        other = copy.copy(self)
        values = [] if priors is None else np.asarray(priors, dtype=np.float64).tolist()
        other.model_ = _core.with_priors(self.model_, values)
        return other


def suspects(X: Any, y: Any, estimator: Any = None, *, groups: Any = None) -> Suspects:
    """Rows whose label is likely wrong, the most suspect first: judged by trainings that had not
    seen the row (`estimator`, by default a `SimplexBoostClassifier` of quality 'default'), in three
    turns, in which labels that look wrong count for less and less.

    `wrong` is the chance that the label is wrong, `likelier` the class that fits better.
    """
    from ._estimator import SimplexBoostClassifier

    labels = read_labels(y)
    kept = {} if groups is None else {"groups": groups}
    if not isinstance(estimator, (SimplexBoostClassifier, type(None))):
        raise ValueError(f"estimator: {estimator!r:.60} is no SimplexBoostClassifier")
    first = SimplexBoostClassifier(quality="default") if estimator is None else copy.copy(estimator)
    if first.quality in ("auto", "default") and first.algorithm == "auto":
        first.algorithm = "newton"  # the rest adds more to the time than to the order
    start = seed(first.random_state)
    judge = copy.copy(first)

    def probabilities(trust: NDArray[np.float64], turn: int) -> NDArray[np.float32]:
        judge.random_state = start + turn
        judge.fit(X, labels, sample_weight=trust if len(trust) else None, **kept)
        proba = getattr(judge, "oof_proba_", None)
        if proba is None:
            raise ValueError(
                "suspects: the estimator must judge rows out of fold (quality 'default' or 'best')"
            )
        return np.ascontiguousarray(proba, dtype=np.float32)

    classes, codes = np.unique(labels, return_inverse=True)
    rows, likelier, own, other, wrong = _core.find_suspects(
        probabilities, codes.astype(np.int32), len(classes), threads(judge.n_jobs)
    )
    return Suspects(rows, labels[rows], judge.classes_[likelier], own, other, wrong)
