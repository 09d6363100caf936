"""Bounds on memory, and bins in a file."""

import os

import numpy as np
import pytest
from scipy import sparse

import simplexboost
from simplexboost import SimplexBoostClassifier


@pytest.fixture(autouse=True)
def no_rules_afterwards():
    yield
    simplexboost.set_memory()


def problem(rows=2000, features=40):
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, features)).astype(np.float32)
    X[:, features // 2 :] *= random.random((rows, features - features // 2)) < 0.05
    return X, (X[:, 0] > 0).astype(int) + (X[:, 1] + X[:, -1] > 0)


def model_bytes(X, y, folder, **settings):
    fitted = SimplexBoostClassifier(n_estimators=5, quality="fast", **settings).fit(X, y)
    fitted.save_model(folder / "model.sb")
    return (folder / "model.sb").read_bytes()


def test_bins_on_disk_give_the_same_model_and_leave_nothing(tmp_path):
    X, y = problem()
    expected = model_bytes(X, y, tmp_path)
    folder = tmp_path / "bins"
    folder.mkdir()
    for where in (True, folder):
        simplexboost.set_memory(bins_on_disk=where)
        assert model_bytes(X, y, tmp_path) == expected
        assert model_bytes(sparse.csr_matrix(X), y, tmp_path) == expected
    assert os.listdir(folder) == []


def test_a_bound_moves_bins_to_disk_or_refuses_with_the_sizes(tmp_path):
    X, y = problem()
    expected = model_bytes(X, y, tmp_path)
    simplexboost.set_memory(max_memory="8G")
    assert model_bytes(X, y, tmp_path) == expected
    simplexboost.set_memory(max_memory="1M")
    with pytest.raises(ValueError, match="max-memory allows 1 MB.*2000 rows of 3 outputs"):
        model_bytes(X, y, tmp_path)


@pytest.mark.parametrize("size", ["much", "-1G", "2X", 0])
def test_what_is_no_size_is_refused(size):
    with pytest.raises(ValueError, match="max_memory: .* is no size"):
        simplexboost.set_memory(max_memory=size)


def test_a_folder_that_is_not_there_is_an_error_that_names_it(tmp_path):
    X, y = problem(200)
    simplexboost.set_memory(bins_on_disk=tmp_path / "none")
    with pytest.raises(OSError, match="none: a file of"):
        model_bytes(X, y, tmp_path)


def own_memory():
    """Bytes that are the process's own: not those of mapped files."""
    status = dict(line.split(":") for line in open("/proc/self/status"))
    return 1024 * int(status["RssAnon"].split()[0])


def test_values_and_bins_may_both_be_in_files(tmp_path):
    rows, features = 100_000, 200
    random = np.random.default_rng(1)
    mapped = np.memmap(tmp_path / "x", dtype="float32", mode="w+", shape=(rows, features))
    for begin in range(0, rows, 10_000):
        mapped[begin : begin + 10_000] = random.normal(size=(10_000, features))
    mapped.flush()
    y = (mapped[:, 0] > 0).astype(int)
    X = np.memmap(tmp_path / "x", dtype="float32", mode="r", shape=(rows, features))
    simplexboost.set_memory(bins_on_disk=tmp_path)
    taken = []
    before = own_memory()

    def look(_):
        taken.append(own_memory() - before)

    model = SimplexBoostClassifier(n_estimators=2, quality="fast").fit(X, y, callbacks=[look])
    assert len(taken) == 2
    assert max(taken) < 0.9 * X.size  # neither a copy of the values nor their bins
    simplexboost.set_memory()
    in_memory = SimplexBoostClassifier(n_estimators=2, quality="fast").fit(np.array(X), y)
    model.save_model(tmp_path / "a.sb")
    in_memory.save_model(tmp_path / "b.sb")
    assert (tmp_path / "a.sb").read_bytes() == (tmp_path / "b.sb").read_bytes()
