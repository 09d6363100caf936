"""What fit is given as y: one class a row, or an indicator matrix of several labels."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    column_or_1d,
)

from . import _core
from ._dlpack import as_numpy
from ._sparse import check_sparse

# As scikit-learn 1.6 calls it, and as it was called before.
_FINITE = (
    "ensure_all_finite"
    if "ensure_all_finite" in inspect.signature(check_array).parameters
    else "force_all_finite"
)


def read_labels(y: Any) -> np.ndarray:
    labels = column_or_1d(as_numpy(y, "y"), warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if labels.dtype == object and any(label is None or label != label for label in labels):
        raise ValueError("Input y contains missing values; fill them in, or leave out their rows")
    check_classification_targets(labels)
    return np.asarray(labels)


def require_labels(estimator: Any, y: Any) -> None:
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is "
            "None"
        )


def find_classes(labels: np.ndarray) -> np.ndarray:
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


def check_rows(table: _core.Table, labels: np.ndarray) -> None:
    if len(labels) != table.rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[table.rows, len(labels)]}"
        )


def is_indicator(y: Any) -> bool:
    """Whether y is a matrix of several columns, or a sparse one: rows of several labels."""
    shape = getattr(y, "shape", None)
    if shape is None:
        shape = np.asarray(as_numpy(y, "y")).shape
    return len(shape) == 2 and (shape[1] > 1 or hasattr(y, "tocsr"))


def label_names(y: Any) -> list[str]:
    columns = getattr(y, "columns", None)
    if columns is not None:
        return [str(name) for name in columns]
    shape = getattr(y, "shape", None) or np.asarray(as_numpy(y, "y")).shape
    return [str(k) for k in range(shape[1] if len(shape) == 2 else 1)]


def indicator(y: Any) -> np.ndarray:
    """A dense indicator matrix, NaN where a label is unknown."""
    nan = {_FINITE: "allow-nan"}
    y = as_numpy(y, "y")
    if hasattr(y, "tocsr"):
        check_sparse(y)
    y = check_array(y, accept_sparse="csr", ensure_2d=False, input_name="y", **nan)
    dense = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
    dense = dense.reshape(len(dense), -1)
    if not (np.isin(dense, (0, 1)) | np.isnan(dense)).all():
        raise ValueError(
            "Unknown label type: y must be an indicator matrix of zeros and ones, a column a label "
            "(NaN: unknown)"
        )
    return dense


def set_label_sets(table: _core.Table, y: Any, names: list[str]) -> np.ndarray:
    """Sets the labels by an indicator matrix, and returns it dense."""
    dense = indicator(y)
    check_consistent_length(dense, np.empty(table.rows))
    if dense.shape[1] != len(names):
        raise ValueError(f"y has {dense.shape[1]} labels, not {len(names)}")
    unknown = np.isnan(dense)
    if unknown.all():
        raise ValueError("y: no label is known; give zeros and ones for some")
    rows, codes = np.nonzero(dense == 1)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(dense)))])
    table.set_label_sets(codes.astype(np.int32), offsets.astype(np.int64), names, names)
    if unknown.any():
        table.weigh_labels((~unknown).astype(np.float32))
    return dense


def label_name(y: Any, fallback: str) -> str:
    """The name of the label's column, for the model file."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name and _can_be_written(name) else fallback


def _can_be_written(text: str) -> bool:
    """Whether it is UTF-8 in a file: half of a surrogate pair is not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def class_names(classes: Iterable[Any]) -> list[str]:
    """Class labels as text, for the model file."""
    names = [str(one.item() if isinstance(one, np.generic) else one) for one in classes]
    for name in names:
        if not _can_be_written(name):
            raise ValueError(f"the label {name!r} cannot be written as UTF-8; give it another name")
    return names


def classes_from_names(names: Sequence[str]) -> np.ndarray:
    """The labels that a model file's class names stand for: numbers where all are numbers."""
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    for kind in (int, float):
        try:
            values = [kind(name) for name in names]
        except ValueError:
            continue
        if kind is float or [str(value) for value in values] == list(names):
            return np.array(values)
    return np.array(names)
