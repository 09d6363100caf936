"""Models stay what version 0.1 made of the same data, or a reason stands beside them."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden"))
import golden


@pytest.fixture(scope="module")
def folder(binary, tmp_path_factory):
    path = tmp_path_factory.mktemp("golden")
    golden.make_data(binary, path)
    return path


@pytest.mark.parametrize(("data", "algorithm"), golden.read_models())
def test_model_is_that_of_the_first_version(binary, folder, data, algorithm):
    assert golden.check(binary, folder, data, algorithm) == ""


def test_every_algorithm_has_golden_models(binary):
    names = [row["name"] for row in json.loads(golden.run(binary, "algorithms", "--json"))]
    assert {name for _, name in golden.read_models()} == set(names) - golden.NEWER
