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
