"""Parquet and Arrow IPC files, and readers of record batches, are read batch by batch."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from simplexboost import SimplexBoostClassifier
from simplexboost._batches import BatchColumns


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    rows = 900
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=rows),
            "single": rng.normal(size=rows).astype(np.float32),
            "whole": rng.integers(-5, 300, size=rows),
            "flag": rng.random(rows) < 0.5,
            "colour": rng.choice(["red", "green", "blue"], size=rows),
            "shape": pd.Categorical(rng.choice(["round", "square"], size=rows)),
        }
    )
    frame.loc[::9, ["number", "colour"]] = None
    score = frame["whole"] / 100 + 2 * (frame["colour"] == "red") + frame["flag"]
    frame["class"] = np.where(score > 2.5, "high", np.where(score > 1.5, "middle", "low"))
    return frame


def files(frame, folder):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    parquet.write_table(table, folder / "rows.parquet", row_group_size=100)
    with pa.ipc.new_file(folder / "rows.arrow", table.schema) as sink:
        sink.write_table(table, max_chunksize=70)
    with pa.ipc.new_stream(folder / "rows.arrows", table.schema) as sink:
        sink.write_table(table, max_chunksize=130)
    return [folder / "rows.parquet", str(folder / "rows.arrow"), folder / "rows.arrows"]


def reader(frame, size=64):
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=size))


def test_files_and_readers_give_the_model_of_the_table(frame, tmp_path):
    X, y = frame.drop(columns="class"), frame["class"]
    plain = SimplexBoostClassifier(n_estimators=4).fit(pa.Table.from_pandas(X), y.to_numpy())
    expected = plain.predict_proba(pa.Table.from_pandas(X))
    for source in [*files(frame, tmp_path), reader(frame)]:
        clf = SimplexBoostClassifier(n_estimators=4).fit(source, "class")
        assert clf.feature_names_in_.tolist() == X.columns.tolist()
        assert clf.classes_.tolist() == ["high", "low", "middle"]
        for rows in [tmp_path / "rows.parquet", reader(frame), reader(X), pa.Table.from_pandas(X)]:
            np.testing.assert_array_equal(clf.predict_proba(rows), expected)


def test_labels_may_come_from_elsewhere_and_eval_sets_from_files(frame, tmp_path):
    path = files(frame, tmp_path)[0]
    X, y = frame.drop(columns="class"), frame["class"].to_numpy()
    clf = SimplexBoostClassifier(n_estimators=4).fit(reader(X), y, eval_set=[(path, "class")])
    assert len(clf.evals_result_["valid_0"]["error"]) == 4


def test_what_cannot_be_read_is_told(frame, tmp_path):
    fit = SimplexBoostClassifier(n_estimators=2).fit
    with pytest.raises(ValueError, match="there is no column 'klass'; there are number, single"):
        fit(reader(frame), "klass")
    with pytest.raises(ValueError, match=r"'rows\.csv' is no \.parquet"):
        fit("rows.csv", "class")
    with pytest.raises(FileNotFoundError):
        fit(tmp_path / "none.parquet", "class")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 this is none")
    with pytest.raises(ValueError, match="bad.parquet' cannot be read"):
        fit(tmp_path / "bad.parquet", "class")
    dated = frame.assign(day=pd.Timestamp("2026-01-01"))
    with pytest.raises(ValueError, match="column 'day' holds timestamp"):
        fit(reader(dated), "class")
    holes = frame.assign(**{"class": frame["class"].where(frame["flag"])})
    with pytest.raises(ValueError, match="values are missing in column 'class'"):
        fit(reader(holes), "class")
    clf = fit(reader(frame), "class")
    with pytest.raises(ValueError, match="columns that the model needs are missing: whole"):
        clf.predict(reader(frame.drop(columns="whole")))


# What reading adds to the peak of a process, in MB. The peak is that of this process only if its own is
# looked at: ru_maxrss begins with that of who started it.
PEAK = r"""
import re, sys
import numpy as np, pyarrow as pa, pyarrow.parquet
from simplexboost._batches import BatchColumns
rows, batches, columns = 20_000, 50, 20
def numbers(kind):
    rng = np.random.default_rng(0)
    for _ in range(batches):
        make = lambda: rng.normal(size=rows) if kind == "floats" else rng.integers(0, 200, size=rows)
        yield pa.record_batch({f"c{j}": make() for j in range(columns)})
def peak():
    return int(re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1]) / 1024
source = sys.argv[1]
if source in ("floats", "bytes"):
    first = next(numbers(source))
    source = pa.RecordBatchReader.from_batches(first.schema, numbers(source))
start = peak()
read = BatchColumns(source)
assert read.shape == (rows * batches, columns)
print(peak() - start)
"""


def added_peak(source):
    program = [sys.executable, "-c", PEAK, str(source)]
    return float(subprocess.run(program, capture_output=True, text=True, check=True).stdout)


def test_the_table_is_never_held():
    # 160 MB as a table of 64-bit numbers, 20 MB in bytes.
    assert added_peak("bytes") < 60


@pytest.mark.parametrize("groups", [1, 20])
def test_of_numbers_that_fit_into_no_narrower_type_only_the_columns_are_held(tmp_path, groups):
    rng = np.random.default_rng(0)
    table = pa.table({f"c{j}": rng.normal(size=1_000_000) for j in range(20)})
    path = tmp_path / "floats.parquet"
    parquet.write_table(table, path, row_group_size=1_000_000 // groups, compression="none")
    # 153 MB, and what is read at a time.
    assert added_peak(path) < 200
    assert added_peak("floats") < 200


def test_columns_whose_names_begin_alike_and_batches_of_other_types_are_told_apart(tmp_path):
    table = pa.table(
        {
            "a": pa.array([1, 2, 300, None, 5, 6]),
            "a.b": pa.array([0.5, 1 / 3, None, 1, 2, 3]),
            "none": pa.array([None] * 6, pa.null()),
            "flag": pa.array([True, False, True, True, False, True]),
        }
    )
    path = tmp_path / "names.parquet"
    parquet.write_table(table, path, row_group_size=2)
    for source in (path, table.to_reader(max_chunksize=2)):
        read = BatchColumns(source)
        assert read.shape == (6, 4)
        assert read.values["flag"].dtype == bool
        for name in table.column_names:
            expected = table[name].to_pandas().to_numpy(dtype=float)
            np.testing.assert_array_equal(read.values[name].astype(float), expected)
