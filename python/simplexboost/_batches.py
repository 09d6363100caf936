"""Parquet and Arrow IPC files, and readers of record batches, read batch by batch.

What is kept are the values alone, each column in the narrowest type that loses nothing. pyarrow reads
them; it is imported when it is needed.
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


class _Values:
    """A column's values so far, in an array of their own: what a batch has goes with it.

    `rows`: how many there will be, or None. Then the array grows in place.
    """

    def __init__(self, rows: int | None) -> None:
        self.rows = rows or 0
        self.used = 0
        self.array: np.ndarray | None = None

    def add(self, part: np.ndarray) -> None:
        if len(part) == 0:
            return
        end = self.used + len(part)
        if self.array is None:
            self.array = np.empty(max(self.rows, end), dtype=part.dtype)
        # Whole numbers of 64 bits beside floats: those beyond 2**53 would be rounded in any case.
        kind = np.result_type(self.array.dtype, part.dtype)
        if kind != self.array.dtype:
            wider = np.empty(len(self.array), dtype=kind)
            wider[: self.used] = self.array[: self.used]
            self.array = wider
        if end > len(self.array):
            self.array.resize(max(end, len(self.array) * 9 // 8), refcheck=False)
        self.array[self.used : end] = part
        self.used = end

    def close(self, kind: type = np.uint8) -> np.ndarray:
        """All of them; `kind`: of none."""
        values = np.empty(0, dtype=kind) if self.array is None else self.array
        self.array = None
        if self.used < len(values):
            values.resize(self.used, refcheck=False)
        return values


class _Numbers:
    """A column of numbers so far; NaN stands for nulls."""

    def __init__(self, rows: int | None) -> None:
        self.values = _Values(rows)

    def add(self, array: Any) -> None:
        values = np.asarray(array.to_numpy(zero_copy_only=False))
        # Nothing but nulls comes as objects.
        self.values.add(_narrow(values.astype(np.float64) if values.dtype == object else values))

    def close(self) -> np.ndarray:
        return self.values.close()


class _Texts:
    """A column of categories so far: codes, and the names in the order in which they came."""

    def __init__(self, rows: int | None) -> None:
        self.values = _Values(rows)
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
        self.values.add(part)

    def close(self) -> np.ndarray:
        return self.values.close(np.int32)

    @property
    def names(self) -> list[str]:
        return list(self.codes)


class BatchColumns:
    """The columns of a file or a reader. Like a table it has a shape and names."""

    def __init__(self, source: Any) -> None:
        self._columns: dict[str, _Numbers | _Texts] = {}
        schema, arrays, rows = _open(source)
        for field in schema:
            if field.name in self._columns:
                raise ValueError(f"two columns are called '{field.name}'; names must differ")
            self._columns[field.name] = _column_for(field, rows)
        for name, array in arrays:
            self._columns[name].add(array)
        self.values = {name: column.close() for name, column in self._columns.items()}
        self.rows = max(map(len, self.values.values()), default=0)

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


def _column_for(field: Any, rows: int | None) -> _Numbers | _Texts:
    import pyarrow as pa

    kind = field.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return _Numbers(rows)
    if pa.types.is_null(kind):
        return _Numbers(rows)
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_dictionary)
    if any(one(kind) for one in texts):
        return _Texts(rows)
    raise ValueError(
        f"column '{field.name}' holds {kind}; give numbers, texts or dictionaries, or leave it out"
    )


def _open(source: Any) -> tuple[Any, Iterator[Any], int | None]:
    """The schema, the columns of batches by name, and how many rows there are, where that is known."""
    if hasattr(source, "read_next_batch"):
        return source.schema, _arrays(source), None
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
            return file.schema_arrow, _parquet_arrays(pa, file), file.metadata.num_rows
        return _open_ipc(pa, path)
    except pa.ArrowInvalid as error:
        raise ValueError(f"X: '{path}' cannot be read: {error}") from error


def _arrays(batches: Any) -> Iterator[tuple[str, Any]]:
    for batch in batches:
        yield from zip(batch.schema.names, batch.columns)


def _parquet_arrays(pa: Any, file: Any) -> Iterator[tuple[str, Any]]:
    """Row group by row group, and column by column: pyarrow keeps what it reads until it is through
    with it, which would be the whole file."""
    for group in range(file.num_row_groups):
        for name in file.schema_arrow.names:
            batches = file.iter_batches(_BATCH_ROWS, row_groups=[group], columns=[name])
            yield from ((name, batch.column(name)) for batch in batches)
        pa.default_memory_pool().release_unused()


def _open_ipc(pa: Any, path: str) -> tuple[Any, Iterator[Any], int | None]:
    mapped = pa.memory_map(path)
    try:
        file = pa.ipc.open_file(mapped)
    except pa.ArrowInvalid:  # the kind that is a stream
        reader = pa.ipc.open_stream(mapped)
        return reader.schema, _arrays(reader), None
    return file.schema, _arrays(map(file.get_batch, range(file.num_record_batches))), None


def read_batches(X: Any, y: Any) -> tuple[Any, Any]:
    """X and y as `fit` takes them, where X may be a path or a reader, and y one of its columns."""
    if not is_batches(X):
        return X, y
    columns = BatchColumns(X)
    return columns, columns.take(y) if isinstance(y, str) else y
