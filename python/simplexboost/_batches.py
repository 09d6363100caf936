"""Parquet and Arrow IPC files, and readers of record batches, batch by batch: never the whole table.

What is kept are the columns, each in the narrowest type that loses nothing. pyarrow reads them; it
is imported when it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

_PARQUET = (".parquet", ".pq")
_IPC = (".arrow", ".ipc", ".feather", ".arrows")
_BATCH_ROWS = 65_536


def is_batches(X: Any) -> bool:
    """Whether X is the path of a file, or hands out record batches."""
    return isinstance(X, (str, os.PathLike)) or hasattr(X, "read_next_batch")


def _narrow(values: np.ndarray) -> np.ndarray:
    """In a type of fewer bytes that holds the same numbers."""
    if values.dtype.kind == "b" or values.dtype.itemsize == 1 or len(values) == 0:
        return values
    if values.dtype.kind in "iu":
        kind = np.result_type(np.min_scalar_type(values.min()), np.min_scalar_type(values.max()))
        return values.astype(kind) if kind.itemsize < values.dtype.itemsize else values
    if values.dtype == np.float64:
        with np.errstate(over="ignore"):
            single = values.astype(np.float32)
        same = (single == values) | np.isnan(values)
        return single if same.all() else values
    return values


class _Numbers:
    """A column of numbers so far; NaN stands for nulls."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []

    def add(self, array: Any) -> None:
        self.parts.append(_narrow(np.asarray(array.to_numpy(zero_copy_only=False))))

    def close(self) -> np.ndarray:
        kinds = [part.dtype for part in self.parts if len(part)]
        kind = np.result_type(*kinds) if kinds else np.dtype(np.uint8)
        if kind == object or kind.kind not in "biuf":
            kind = np.dtype(np.float64)
        # Whole numbers of 64 bits beside floats: those beyond 2**53 would be rounded in any case.
        joined = np.empty(sum(len(part) for part in self.parts), dtype=kind)
        at = 0
        while self.parts:
            part = self.parts.pop(0)
            joined[at : at + len(part)] = part
            at += len(part)
        return joined


class _Texts:
    """A column of categories so far: codes, and the names in the order in which they came."""

    def __init__(self) -> None:
        self.parts: list[np.ndarray] = []
        self.codes: dict[str, int] = {}

    def add(self, array: Any) -> None:
        import pyarrow as pa

        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        names = [str(name) for name in array.dictionary.to_pylist()]
        codes = np.array([self.codes.setdefault(name, len(self.codes)) for name in names], np.int32)
        own = np.asarray(array.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)
        part = np.full(len(own), -1, dtype=np.int32)
        part[own >= 0] = codes[own[own >= 0]]
        self.parts.append(part)

    def close(self) -> np.ndarray:
        joined = np.concatenate(self.parts) if self.parts else np.empty(0, np.int32)
        self.parts = []
        return joined

    @property
    def names(self) -> list[str]:
        return list(self.codes)


class BatchColumns:
    """The columns of a file or a reader. Like a table it has a shape and names."""

    def __init__(self, source: Any) -> None:
        self._columns: dict[str, _Numbers | _Texts] = {}
        self.rows = 0
        schema, batches = _open(source)
        for field in schema:
            if field.name in self._columns:
                raise ValueError(f"two columns are called '{field.name}'; names must differ")
            self._columns[field.name] = _column_for(field)
        for batch in batches:
            self.rows += batch.num_rows
            for name, array in zip(batch.schema.names, batch.columns):
                self._columns[name].add(array)
        self.values = {name: column.close() for name, column in self._columns.items()}

    @property
    def columns(self) -> list[str]:
        return list(self.values)

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, len(self.values)

    def __len__(self) -> int:
        return self.rows

    def categories(self, name: str) -> list[str] | None:
        """The names of a column's codes; None: it holds numbers."""
        column = self._columns[name]
        return column.names if isinstance(column, _Texts) else None

    def take(self, name: str) -> np.ndarray:
        """A column's values as labels are given, which is no feature any more."""
        if name not in self.values:
            raise ValueError(f"y: there is no column '{name}'; there are {', '.join(self.columns)}")
        values, names = self.values.pop(name), self.categories(name)
        if names is None:
            if values.dtype.kind == "f" and np.isnan(values).any():
                raise ValueError(f"y: values are missing in column '{name}'; leave out their rows")
            return values
        if (values < 0).any():
            raise ValueError(f"y: values are missing in column '{name}'; leave out their rows")
        return np.array(names, dtype=object)[values]


def _column_for(field: Any) -> _Numbers | _Texts:
    import pyarrow as pa

    kind = field.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return _Numbers()
    if pa.types.is_null(kind):
        return _Numbers()
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_dictionary)
    if any(one(kind) for one in texts):
        return _Texts()
    raise ValueError(
        f"column '{field.name}' holds {kind}; give numbers, texts or dictionaries, or leave it out"
    )


def _open(source: Any) -> tuple[Any, Iterator[Any]]:
    """The schema, and the batches one by one."""
    if hasattr(source, "read_next_batch"):
        return source.schema, iter(source)
    path = os.fspath(source)
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in _PARQUET + _IPC:
        raise ValueError(
            f"X: '{path}' is no {', '.join(_PARQUET + _IPC)}; other files are read by the command, or by "
            "pandas and polars"
        )
    try:
        import pyarrow as pa
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(f"reading '{path}' needs pyarrow: pip install pyarrow") from error
    try:
        if suffix in _PARQUET:
            file = pyarrow.parquet.ParquetFile(path)
            return file.schema_arrow, file.iter_batches(batch_size=_BATCH_ROWS)
        return _open_ipc(pa, path)
    except pa.ArrowInvalid as error:
        raise ValueError(f"X: '{path}' cannot be read: {error}") from error


def _open_ipc(pa: Any, path: str) -> tuple[Any, Iterator[Any]]:
    mapped = pa.memory_map(path)
    try:
        file = pa.ipc.open_file(mapped)
    except pa.ArrowInvalid:  # the kind that is a stream
        reader = pa.ipc.open_stream(mapped)
        return reader.schema, iter(reader)
    return file.schema, (file.get_batch(i) for i in range(file.num_record_batches))


def read_batches(X: Any, y: Any) -> tuple[Any, Any]:
    """X and y as `fit` takes them, where X may be a path or a reader, and y one of its columns."""
    if not is_batches(X):
        return X, y
    columns = BatchColumns(X)
    return columns, columns.take(y) if isinstance(y, str) else y
