"""The examples run as they stand."""

import os
import pathlib
import subprocess
import sys

import pytest

import simplexboost

EXAMPLES = sorted((pathlib.Path(__file__).resolve().parents[3] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(path, tmp_path):
    package = pathlib.Path(simplexboost.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, str(path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
