"""Parquet and Arrow IPC files, and readers of record batches, are read batch by batch."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from simplexboost import SimplexBoostClassifier


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


def test_the_table_is_never_held():
    program = """
import numpy as np, pyarrow as pa, resource
from simplexboost._batches import BatchColumns
rows, batches, columns = 20_000, 100, 20
def make():
    rng = np.random.default_rng(0)
    for _ in range(batches):
        yield pa.record_batch({f"c{j}": rng.integers(0, 200, size=rows) for j in range(columns)})
first = next(make())
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
read = BatchColumns(pa.RecordBatchReader.from_batches(first.schema, make()))
assert read.shape == (rows * batches, columns)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024)
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    # 320 MB as a table of 64-bit numbers, 40 MB in bytes.
    assert float(told.stdout) < 120, told.stdout
