"""Why a model says what it says: what `estimator.explain` and its like return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Explanation:
    """Shapley values of some rows. Values and base sum to what is explained.

    With columns of classes `values` is rows x features x columns, and `base_values` rows x columns;
    a contrast has one column, and these are rows x features and rows.
    """

    values: NDArray[np.float64]
    base_values: NDArray[np.float64]
    #: Labels of the columns; where each row has its own (`top`), rows x columns; of a contrast, rows
    #: x 2: the class that is explained and the one that it is compared with.
    classes: NDArray[Any]
    feature_names: list[str]
    #: "score", "own score", "member scores" or "shares": docs/explain.md says what each is.
    explained: str
    data: Any = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.values)

    def sums(self) -> NDArray[np.float64]:
        """What is explained: rows x columns, or rows."""
        return np.asarray(self.values.sum(axis=1) + self.base_values)

    def of_class(self, label: Any) -> Explanation:
        """The column of one class, in the shape of a contrast."""
        if self.values.ndim == 2 or self.classes.ndim == 2:
            raise ValueError("of_class: the columns of this explanation are not those of classes")
        found = np.flatnonzero(self.classes == label)
        if len(found) == 0:
            raise ValueError(f"of_class: {label!r} is none of {self.classes.tolist()}")
        k = int(found[0])
        return Explanation(
            self.values[:, :, k], self.base_values[:, k], self.classes[[k]], self.feature_names,
            self.explained, self.data,
        )  # fmt: skip

    def to_shap(self) -> Any:
        """The same as a `shap.Explanation`, for shap's own plots."""
        try:
            import shap
        except ImportError:
            raise ImportError("to_shap needs shap: pip install shap") from None
        names = None
        if self.values.ndim == 3 and self.classes.ndim == 1:
            names = [str(label) for label in self.classes]
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=None if self.data is None else np.asarray(self.data),
            feature_names=self.feature_names,
            output_names=names,
        )


@dataclass(frozen=True)
class Effect:
    """What a feature does to what the model says of the classes."""

    feature: str
    kind: str  # "average", "individual" or "accumulated"
    #: Values of the feature, ascending, or categories; None or NaN, the last: missing.
    grid: NDArray[Any]
    classes: NDArray[Any]
    values: NDArray[np.float64]  # grid x classes
    of: str  # "proba" or "scores"
    #: Individual curves, rows x grid x classes, and the rows of X that they are of.
    curves: NDArray[np.float64] | None = field(default=None, repr=False)
    rows: NDArray[np.uint32] | None = field(default=None, repr=False)
    rows_at_grid: NDArray[np.float64] | None = field(default=None, repr=False)


@dataclass(frozen=True)
class PermutationImportance:
    """How much worse a metric is where a feature is shuffled, with intervals of 95 %."""

    metric: str
    value: float  # of the rows as they are
    feature_names: list[str]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    repeats: NDArray[np.float64] = field(repr=False)  # features x repeats
