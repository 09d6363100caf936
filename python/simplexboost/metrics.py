"""Figures of validation rows for `fit(X, y, eval_set=..., eval_metric=...)`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._shared_rows import gathered_rows, share_out

NEEDS = ("proba", "scores", "labels")


@dataclass(frozen=True)
class EvalMetric:
    """A figure of one's own: `function(y_true, y_pred)`, or with a third argument `sample_weight`
    where `weighted`.

    `y_pred` is what it `needs`: "proba" or "scores", rows x classes, or "labels". `y_true` are labels
    (for several a row, an indicator matrix). scikit-learn's metrics fit:
    `EvalMetric(f1_score, needs="labels", greater_is_better=True)` with `average="macro"` bound by
    `functools.partial`, and a name.
    """

    function: Callable[..., Any]
    name: str = ""
    greater_is_better: bool = False
    needs: str = "proba"
    weighted: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"eval_metric: {self.function!r} cannot be called")
        if self.needs not in NEEDS:
            raise ValueError(f"eval_metric: it needs {self.needs!r}; give one of {', '.join(NEEDS)}")
        if not self.name:
            name = getattr(self.function, "__name__", "")
            if not name or name == "<lambda>":
                raise ValueError("eval_metric: a function without a name needs one: EvalMetric(f, name=...)")
            object.__setattr__(self, "name", name)


class EvalMetrics:
    """What `eval_metric` asks for: names of ours, and the user's own."""

    def __init__(self, given: Any = None, peers: Any = None) -> None:
        """`peers`: other processes that have rows of the same sets (bindings/peers.h)."""
        self.peers = peers
        items = given if isinstance(given, (list, tuple)) else [] if given is None else [given]
        self.given: list[str | EvalMetric] = []
        for item in items:
            if isinstance(item, (str, EvalMetric)):
                self.given.append(item)
            elif callable(item):
                self.given.append(EvalMetric(item))
            else:
                raise ValueError(
                    f"eval_metric: {item!r} is neither the name of a metric nor a function"
                )
        self.watched: EvalMetric | None = None

    def choose(self, texts: dict[str, str]) -> None:
        """Decides which one says what the best round is: the one that early_stopping_metric names;
        where it names none, the first."""
        wanted = texts.get("early-stopping-metric", "auto")
        for one in self.given:
            if wanted == "auto" and isinstance(one, str):
                texts["early-stopping-metric"] = wanted = one
            elif isinstance(one, EvalMetric) and wanted in ("auto", one.name):
                self.watched = one
                texts["early-stopping-metric"] = "auto"
                return

    def options(self, classes: np.ndarray, sets: int) -> dict[str, Any]:
        """For the library's train."""
        if not self.given:
            return {}
        if sets == 0:
            raise ValueError("eval_metric: it is of validation rows; give eval_set as well")
        own = [one for one in self.given if isinstance(one, EvalMetric)]
        own.sort(key=lambda one: one is not self.watched)  # the watched one first
        return {
            "metrics": [one for one in self.given if isinstance(one, str)],
            "figures": [RoundMetric(one, classes, self.peers).figure() for one in own],
            "watch_figure": self.watched is not None,
        }


class RoundMetric:
    """An `EvalMetric` as the library calls it: with codes and scores of one validation set."""

    def __init__(self, metric: EvalMetric, classes: np.ndarray, peers: Any = None) -> None:
        self.metric = metric
        self.classes = classes
        self.peers = peers
        self.truth: dict[int, tuple[np.ndarray, np.ndarray | None]] = {}

    def _truth(self, number: int, codes: np.ndarray, offsets: Any) -> tuple[np.ndarray, Any]:
        """Labels as fit was given them, and which rows have known ones (None: all)."""
        if number not in self.truth:
            if offsets is not None:
                matrix = np.zeros((len(offsets) - 1, len(self.classes)), dtype=np.int64)
                matrix[np.repeat(np.arange(len(matrix)), np.diff(offsets)), codes] = 1
                self.truth[number] = (matrix, None)
            elif (codes < 0).any():
                self.truth[number] = (self.classes[codes[codes >= 0]], codes >= 0)
            else:
                self.truth[number] = (self.classes[codes], None)
        return self.truth[number]

    def __call__(
        self, number: int, codes: np.ndarray, offsets: Any, weights: Any, values: np.ndarray
    ) -> float:
        if self.peers is None:
            return self._value(number, codes, offsets, weights, values)
        rows = gathered_rows(self.peers, (codes, offsets, weights, values))
        value = np.zeros(1)
        if rows is not None:
            value[0] = self._value(number, *rows)
        share_out(self.peers, value)
        return float(value[0])

    def _value(
        self, number: int, codes: np.ndarray, offsets: Any, weights: Any, values: np.ndarray
    ) -> float:
        truth, known = self._truth(number, codes, offsets)
        if known is not None:
            values, weights = values[known], None if weights is None else weights[known]
        if self.metric.needs == "labels":
            several = offsets is not None
            values = (values > 0).astype(np.int64) if several else self.classes[values.argmax(axis=1)]
        extra = {"sample_weight": weights} if self.metric.weighted else {}
        result = self.metric.function(truth, values, **extra)
        try:
            return float(result)
        except (TypeError, ValueError):
            raise ValueError(
                f"eval_metric: {self.metric.name} returned {result!r}, which is not a number"
            ) from None

    def figure(self) -> tuple[str, bool, bool, RoundMetric]:
        proba = self.metric.needs == "proba"
        return (self.metric.name, self.metric.greater_is_better, proba, self)


__all__ = ["EvalMetric", "metric_names"]


def metric_names(multi_label: bool = False) -> list[str]:
    """The metrics that go by name, as `simplexboost evaluate --metrics` has them."""
    return list(_core.metric_names(multi_label))
