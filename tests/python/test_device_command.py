"""`train` and `predict` with `--device`: an emulated one, as every build has it."""

import pytest


@pytest.fixture
def rows(simplexboost):
    simplexboost.succeed("generate", "waveform", "--rows", 400, "--seed", 3, "-o", "w.csv")
    return simplexboost


def test_models_and_predictions_are_those_of_the_processor(rows):
    for device in ("cpu", "emulated"):
        rows.succeed(
            "train", "w.csv", "-m", f"{device}.sb", "--rounds", 4, "--device", device, "--quiet"
        )
    assert (rows.folder / "cpu.sb").read_bytes() == (rows.folder / "emulated.sb").read_bytes()
    for kind in ([], ["--proba"], ["--scores"], ["--outputs"], ["--margins"]):
        told = [
            rows.succeed("predict", "cpu.sb", "w.csv", *kind, "--device", device)
            for device in ("cpu", "emulated")
        ]
        assert told[0] == told[1]


def test_a_device_that_is_none_is_refused_in_one_line(rows):
    rows.succeed("train", "w.csv", "-m", "m.sb", "--rounds", 2, "--quiet")
    for device in ("gpu", "cuda:x"):
        failed = rows("predict", "m.sb", "w.csv", "--device", device)
        assert failed.returncode != 0
        assert len(failed.stderr.splitlines()) == 1
        assert "expected cpu, cuda or cuda:N" in failed.stderr


def test_a_device_that_is_lost_says_so_in_one_line(rows):
    rows.succeed("train", "w.csv", "-m", "m.sb", "--rounds", 2, "--quiet")
    for command in (["train", "w.csv", "-m", "n.sb"], ["predict", "m.sb", "w.csv"]):
        failed = rows(*command, "--device", "failing:0")
        assert failed.returncode != 0
        assert len(failed.stderr.splitlines()) == 1
        assert failed.stderr.endswith("start the program again, or use --device cpu\n")
