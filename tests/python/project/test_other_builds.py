"""Whole model files of two builds of the command are compared (scripts/release/arm and wheels do so)."""

import pathlib
import subprocess
import sys

import pytest

FAULTS = pathlib.Path(__file__).resolve().parents[2] / "faults"


@pytest.fixture
def compared(binary, tmp_path):
    """Compares one small work with what another command trains."""
    folder = tmp_path / "binaries"
    folder.mkdir()
    (folder / "simplexboost").symlink_to(binary)

    def call(other):
        return subprocess.run(
            [sys.executable, FAULTS, "programs", "--binaries", folder, "--other", other, "--jobs", "1",
             "--only", "labels.libsvm --rounds"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return call


def test_the_same_build_trains_the_same_models(binary, compared):
    done = compared(binary)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "programs: 1 points, 0 findings" in done.stdout


def test_another_setting_is_found(binary, compared, tmp_path):
    other = tmp_path / "other"
    other.write_text(f'#!/bin/sh\nexec {binary} "$@" --min-rows 9\n')
    other.chmod(0o755)
    done = compared(other)
    assert done.returncode == 1
    assert "FOUND labels.libsvm --rounds 8: " in done.stdout and "1 findings" in done.stdout


def test_a_command_that_fails_is_found(compared):
    done = compared(pathlib.Path("/bin/false"))
    assert done.returncode == 1 and "1 findings" in done.stdout
