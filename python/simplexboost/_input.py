"""Whatever holds rows and columns, as a table of the library, without a copy where none is needed."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import validation

from . import _core
from ._batches import BatchColumns, is_batches
from ._device import device_view, is_on_device
from ._dlpack import as_numpy
from ._parameters import threads
from ._sparse import check_sparse

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data

    _FINITE = "ensure_all_finite"
    _SKIP = {"skip_check_array": True}
except ImportError:  # 1.4 and 1.5
    _FINITE = "force_all_finite"
    _SKIP = {"cast_to_ndarray": False}

    def validate_data(_estimator: Any, X: Any, **options: Any) -> Any:
        return _estimator._validate_data(X, **options)


def _is_pandas(X: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(X, pandas.DataFrame)


def _is_arrow(X: Any) -> bool:
    return hasattr(X, "__arrow_c_stream__") and not _is_pandas(X)


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsc") and hasattr(X, "nnz")


def position_names(count: int) -> list[str]:
    """The names of columns that have none, as the command's --no-header gives them."""
    return [str(j + 1) for j in range(count)]


# Sparse matrices of more columns have no features for those that are zero in all training rows.
MOST_EMPTY_FEATURES = 65_536
MOST_COLUMNS = 2**32 - 1  # of a sparse matrix


def feature_places(names: Sequence[str]) -> np.ndarray | None:
    """The columns that features without names were taken from; None: all columns, in order.

    Of wide sparse data the last column is always a feature, so that the width is known.
    """
    if len(names) == 0 or not (names[0].isdigit() and names[-1].isdigit()):
        return None
    first = 0 if names[0] == "0" else 1
    if int(names[-1]) - first + 1 == len(names) or int(names[-1]) < MOST_EMPTY_FEATURES:
        return None
    return np.array([int(name) for name in names], dtype=np.int64) - first


class Columns:
    """How an estimator's features become columns: which of them are categories.

    `wanted` is the constructor's `categorical_features`: "from_dtype", None, or positions, names or
    a mask. A fitted model (or the training table) overrules it and gives the codes.
    """

    def __init__(
        self,
        wanted: Any,
        model: _core.Model | None = None,
        like: _core.Table | None = None,
        every: bool = False,
    ) -> None:
        self.wanted = wanted
        self.model = model
        self.like = like
        self.every = every  # those too that are zero in all rows here: others may have more rows

    def places(self, X: Any) -> np.ndarray | None:
        """The columns of a matrix that are features; None: all."""
        known = self.like if self.like is not None else self.model
        if known is not None:
            return None if known.named else feature_places(known.feature_names)
        if not _is_sparse(X) or self.every or X.shape[1] < MOST_EMPTY_FEATURES:
            return None
        return np.union1d(X.nonzero()[1], [X.shape[1] - 1]).astype(np.int64)

    def new_table(self, rows: int, named: bool) -> _core.Table:
        if self.like is not None:
            return _core.Table(rows, named, like=self.like)
        return _core.Table(rows, named, model=self.model)

    def categorical(self, names: Sequence[str], by_type: Sequence[bool]) -> list[bool]:
        """For each column, whether it holds categories."""
        if self.like is not None:
            return list(self.like.categorical)
        if self.model is not None:
            return [one is not None for one in self.model.categories]
        if self.wanted is None:
            return [False] * len(names)
        if isinstance(self.wanted, str):
            if self.wanted == "from_dtype":
                return list(by_type)
            raise ValueError(
                f"categorical_features: {self.wanted!r} is unknown; give 'from_dtype', None, or a "
                "list of positions, names or booleans"
            )
        return self._listed(names)

    def _listed(self, names: Sequence[str]) -> list[bool]:
        if not isinstance(self.wanted, Iterable):
            raise ValueError(
                f"categorical_features: {self.wanted!r} is no list of positions, names or booleans"
            )
        wanted = list(self.wanted)
        if all(isinstance(one, (bool, np.bool_)) for one in wanted) and wanted:
            if len(wanted) != len(names):
                raise ValueError(
                    f"categorical_features: {len(wanted)} booleans for {len(names)} features"
                )
            return [bool(one) for one in wanted]
        chosen = [False] * len(names)
        for one in wanted:
            if isinstance(one, str):
                if one not in names:
                    raise ValueError(f"categorical_features: there is no feature {one!r}")
                chosen[list(names).index(one)] = True
            elif isinstance(one, numbers.Integral) and 0 <= int(one) < len(names):
                chosen[int(one)] = True
            else:
                raise ValueError(
                    f"categorical_features: {one!r:.40} is no position; there are {len(names)} features"
                )
        return chosen


def _native(values: np.ndarray) -> np.ndarray:
    """In a kind of number that the library reads: float16, long double and the like are converted."""
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "f" and size not in (4, 8):
        with np.errstate(over="ignore"):
            converted = values.astype(np.float32 if size < 4 else np.float64)
        if (np.isinf(converted) & ~np.isinf(values)).any():
            raise ValueError("Input X contains a value too large for dtype('float64').")
        return converted
    if not values.dtype.isnative:
        return values.astype(values.dtype.newbyteorder("="))
    return values


def _numeric(X: np.ndarray) -> np.ndarray:
    """Numbers. scikit-learn lets dates through, and objects where they come in lists."""
    if X.dtype.kind == "O":
        try:
            return X.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"X holds what is no number of double precision: {error}") from None
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X holds {X.dtype}; give numbers")
    return X


def _names_of_numbers(values: np.ndarray) -> list[str]:
    """Numbers as text, whole ones without a point, as a file would have them."""
    return [
        str(int(value)) if float(value).is_integer() else repr(float(value)) for value in values
    ]


def _dense_table(X: np.ndarray, columns: Columns) -> _core.Table:
    X = _native(X)
    places = columns.places(X)
    names = position_names(X.shape[1])
    if places is not None:
        X, names = X[:, places], [names[j] for j in places]
    categorical = columns.categorical(names, [False] * len(names))
    table = columns.new_table(X.shape[0], named=False)
    if not any(categorical):
        table.add_dense(X, names)
        return table
    for j, is_category in enumerate(categorical):
        if is_category:
            table.add_number_categories(X[:, j], names[j])
        else:
            table.add_numbers(X[:, j], names[j])
    return table


def _canonical(X: Any) -> Any:
    """With sorted indices and without duplicates; the caller's matrix is left as it is."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def _sparse_table(X: Any, columns: Columns) -> _core.Table:
    check_sparse(X)
    if X.shape[1] > MOST_COLUMNS:
        raise ValueError(f"X has {X.shape[1]} columns; give {MOST_COLUMNS} at most")
    by_columns = X.format == "csc"
    X = _canonical(X if by_columns else X.tocsr())
    places = columns.places(X)
    if places is None:
        places = np.arange(X.shape[1], dtype=np.int64)
    names = [str(j + 1) for j in places]
    if any(columns.categorical(names, [False] * len(names))):
        raise ValueError("a sparse matrix holds numbers only; give its categories as dense columns")
    table = columns.new_table(X.shape[0], named=False)
    if by_columns:
        if len(places) < X.shape[1]:
            X = X[:, places]
        table.add_sparse(_native(X.data), X.indices, X.indptr.astype(np.int64, copy=False), names)
    else:
        starts = X.indptr.astype(np.int64, copy=False)
        table.add_sparse_rows(_native(X.data), X.indices, starts, places, names)
    return table


def _is_real(dtype: Any) -> bool:
    """Whether pandas has real numbers there: of complex ones it would drop a part."""
    import pandas as pd

    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)


def _category_texts(categories: Any, name: str) -> list[str]:
    if _is_real(categories.dtype):
        return _names_of_numbers(categories.to_numpy())
    texts = [str(one) for one in categories]
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise ValueError(
                f"column '{name}': two categories are called {text!r}, as 1 and '1' are; make them one"
            )
        seen.add(text)
    return texts


def _add_pandas_column(table: _core.Table, column: Any, is_category: bool, name: str) -> None:
    import pandas as pd

    dtype = column.dtype
    if is_category:
        if _is_real(dtype) and not isinstance(dtype, pd.CategoricalDtype):
            table.add_number_categories(column.to_numpy(np.float64, na_value=np.nan), name)
            return
        if not isinstance(dtype, pd.CategoricalDtype):
            column = column.astype("category")
        texts = _category_texts(column.cat.categories, name)
        table.add_categories(column.cat.codes.to_numpy().astype(np.int64), texts, name)
    elif isinstance(dtype, np.dtype) and dtype.kind in "fiub":
        table.add_numbers(_native(column.to_numpy()), name)
    elif _is_real(dtype):  # nullable, Arrow-backed or sparse
        table.add_numbers(column.to_numpy(np.float64, na_value=np.nan), name)
    elif dtype == object:
        table.add_numbers(_numbers_of_objects(column, name), name)
    else:
        raise ValueError(
            f"column '{name}' holds {dtype}; give numbers or categories, or name it in "
            "categorical_features"
        )


def _numbers_of_objects(column: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(column.to_numpy(np.float64, na_value=np.nan))
    except (TypeError, ValueError):
        raise ValueError(
            f"could not convert column '{name}' to numbers: it holds text; make it a category, or "
            "name it in categorical_features"
        ) from None


def _pandas_is_category(dtype: Any) -> bool:
    import pandas as pd

    return isinstance(dtype, pd.CategoricalDtype) or isinstance(dtype, pd.StringDtype)


def _pandas_table(X: Any, columns: Columns) -> _core.Table:
    named = all(isinstance(name, str) for name in X.columns)
    names = [str(name) for name in X.columns] if named else position_names(X.shape[1])
    by_type = [
        _pandas_is_category(dtype) or (dtype == object and _holds_text(X.iloc[:, j]))
        for j, dtype in enumerate(X.dtypes)
    ]
    table = columns.new_table(X.shape[0], named=named)
    for j, is_category in enumerate(columns.categorical(names, by_type)):
        _add_pandas_column(table, X.iloc[:, j], is_category, names[j])
    return table


def _holds_text(column: Any) -> bool:
    return any(isinstance(value, str) for value in column.to_numpy())


def _arrow_table(X: Any, columns: Columns) -> _core.Table:
    if not (columns.wanted is None or columns.wanted == "from_dtype"):
        raise ValueError(
            "categorical_features: Arrow tables tell categories by their types; leave it at "
            "'from_dtype', and cast the columns"
        )
    return _core.read_arrow(X.__arrow_c_stream__(), model=columns.model, like=columns.like)


def _batch_table(
    estimator: Any, X: BatchColumns, columns: Columns, reset: bool
) -> _core.Table:
    """Of a model's data the columns are found by name; others are left out."""
    if reset:
        estimator.n_features_in_ = X.shape[1]
        estimator.feature_names_in_ = np.array(X.columns, dtype=object)
    names = list(getattr(estimator, "feature_names_in_", X.columns))
    missing = [name for name in names if name not in X.values]
    if missing:
        raise ValueError(f"columns that the model needs are missing: {', '.join(missing[:8])}")
    if len(names) != estimator.n_features_in_:
        raise ValueError(f"{len(names)} columns where the model has {estimator.n_features_in_}")
    by_type = [X.categories(name) is not None for name in names]
    table = columns.new_table(X.rows, named=True)
    for name, is_category in zip(names, columns.categorical(names, by_type)):
        categories = X.categories(name)
        if not is_category and categories is not None:
            raise ValueError(f"column '{name}' holds text, but training took it for numbers")
        if not is_category:
            table.add_numbers(_native(X.values[name]), name)
        elif categories is not None:
            table.add_categories(X.values[name].astype(np.int64), categories, name)
        else:
            table.add_number_categories(X.values[name].astype(np.float64), name)
    return table


def _check_frame(table: _core.Table) -> None:
    if table.rows == 0:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    if table.features == 0:
        raise ValueError("Found array with 0 feature(s) while a minimum of 1 is required.")
    infinite = table.first_infinite()
    if infinite is not None:
        raise ValueError(f"Input X contains infinity: column '{infinite}'.")


def _check_finite(estimator: Any, X: np.ndarray) -> None:
    """Raises scikit-learn's error where X has an infinity; faster than its own look at X."""
    if X.dtype.kind != "f" or get_config()["assume_finite"]:
        return
    if X.dtype in (np.float32, np.float64) and (X.flags.c_contiguous or X.flags.f_contiguous):
        run = X if X.flags.c_contiguous else X.T
        if not _core.holds_infinity(run, threads=threads(estimator.n_jobs)):
            return
    name = type(estimator).__name__
    validation.assert_all_finite(X, allow_nan=True, estimator_name=name, input_name="X")


def _device_table(estimator: Any, X: Any, columns: Columns, reset: bool) -> _core.Table:
    """Of a matrix in the memory of a GPU, which stays there."""
    view, shape, _ = device_view(X, "X", str(estimator.device))
    if len(shape) != 2:
        raise ValueError(f"Expected 2D array, got {len(shape)}D array instead")
    rows, features = (int(size) for size in shape)
    if rows == 0 or features == 0:
        what = "sample" if rows == 0 else "feature"
        raise ValueError(f"Found array with 0 {what}(s) while a minimum of 1 is required.")
    if reset:
        estimator.n_features_in_ = features
        if hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
    elif features != estimator.n_features_in_:
        raise ValueError(
            f"X has {features} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    names = position_names(features)
    if any(columns.categorical(names, [False] * features)):
        raise ValueError(
            "an array on a device holds numbers only; bring its categories to the host, as by .get() "
            "or .cpu()"
        )
    if view.holds_infinity():
        raise ValueError("Input X contains infinity.")
    table = columns.new_table(rows, named=False)
    view.add_to(table, names)
    return table


def make_table(estimator: Any, X: Any, columns: Columns, reset: bool) -> _core.Table:
    """Checks X as scikit-learn does and makes a table of it.

    `reset` sets `n_features_in_` and `feature_names_in_`, else X is compared with them.
    """
    if is_batches(X):
        X = BatchColumns(X)
    if isinstance(X, BatchColumns):
        table = _batch_table(estimator, X, columns, reset)
        _check_frame(table)
        return table
    if _is_pandas(X) or _is_arrow(X):
        validate_data(estimator, X, reset=reset, **_SKIP)
        table = _arrow_table(X, columns) if _is_arrow(X) else _pandas_table(X, columns)
        _check_frame(table)
        return table
    if is_on_device(X):
        return _device_table(estimator, X, columns, reset)
    X = as_numpy(X, "X")
    sparse = _is_sparse(X)
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse=True,
        dtype="numeric",
        **{_FINITE: "allow-nan" if sparse else False},
    )
    if sparse:
        return _sparse_table(X, columns)
    X = _numeric(X)
    _check_finite(estimator, X)
    return _dense_table(X, columns)


def sample_weights(sample_weight: Any, rows: int) -> np.ndarray | None:
    if sample_weight is None:
        return None
    given = as_numpy(sample_weight, "sample_weight")
    weights = validation._check_sample_weight(given, _Length(rows), dtype=np.float64)
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`: give 0 or more")
    return np.ascontiguousarray(weights)


def summable(weights: Any) -> Any:
    """Times a power of two, so that they have a finite sum: of their ratios nothing is lost."""
    if weights is None:
        return None
    values = np.asarray(weights, dtype=np.float64)
    largest = values.max(initial=0)
    return np.ldexp(values, -np.frexp(largest)[1]) if np.isfinite(largest) else values


def label_weights(label_weight: Any, rows: int, classes: Sequence[str]) -> np.ndarray:
    """Weights rows x classes; the columns of a table are matched with the classes by name."""
    columns = getattr(label_weight, "columns", None)
    if columns is not None:
        names = [str(name) for name in columns]
        if sorted(names) != sorted(classes):
            raise ValueError(
                f"label_weight: the columns are {names}, but the classes are {list(classes)}"
            )
        label_weight = np.asarray(label_weight)[:, [names.index(name) for name in classes]]
    weights = np.asarray(as_numpy(label_weight, "label_weight"), dtype=np.float64)
    if weights.shape != (rows, len(classes)):
        raise ValueError(
            f"label_weight: expected a matrix of {rows} rows and {len(classes)} columns, one a "
            f"class, not {weights.shape}"
        )
    if not (weights >= 0).all() or not np.isfinite(weights).all():
        raise ValueError("label_weight: give finite numbers of 0 or more, not NaN or below 0")
    if not weights.any():
        raise ValueError("label_weight: all weights are zero; give one above zero at least")
    # Their unit is of no account where single precision cannot hold it.
    limits = np.finfo(np.float32)
    if weights.max() > limits.max or weights[weights > 0].min() < limits.tiny:
        positive = weights > 0
        weights = np.ldexp(weights, -np.frexp(weights.max())[1])
        if (weights[positive] < limits.tiny).any():
            raise ValueError(
                "label_weight: a weight is less than 1e-37 of the largest; give 0 or more than that"
            )
    return np.ascontiguousarray(weights, dtype=np.float32)


class _Length:
    """All that scikit-learn's check of weights wants to know of X."""

    def __init__(self, rows: int) -> None:
        self.shape = (rows, 1)

    def __len__(self) -> int:
        return self.shape[0]
