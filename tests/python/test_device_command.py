"""`train` and `predict` with `--device`: an emulated one, as every build has it."""

import json
import subprocess
import time

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


def test_plain_training_and_search_are_those_of_the_processor(rows):
    for device in ("cpu", "emulated"):
        rows.succeed("train", "w.csv", "-m", f"{device}.sb", "--device", device, "--quiet")
        searched = ("--trials", 3, "--rounds", 4, "--device", device, "--quiet")
        rows.succeed("tune", "w.csv", "-m", f"tuned-{device}.sb", *searched)
    for name in ("", "tuned-"):
        cpu, emulated = (rows.folder / f"{name}{device}.sb" for device in ("cpu", "emulated"))
        assert cpu.read_bytes() == emulated.read_bytes()


def test_cross_validation_is_that_of_the_processor(rows):
    folds = [
        json.loads(rows.succeed("cv", "w.csv", "--rounds", 5, "--device", device, "--json"))
        for device in ("cpu", "emulated")
    ]
    assert folds[0]["metrics"] == folds[1]["metrics"]


def test_work_killed_on_a_device_goes_on_without_it(rows):
    train = ["train", "w.csv", "--rounds", 400, "--quiet"]
    rows.succeed(*train, "-m", "whole.sb")
    broken = [*train, "-m", "parts.sb", "--checkpoint", "cp", "--checkpoint-every", 1]
    checkpoint = rows.folder / "cp"
    with rows.started(*broken, "--device", "emulated", stdout=subprocess.DEVNULL) as process:
        while not checkpoint.exists() and process.poll() is None:
            time.sleep(0.01)
        process.kill()
    assert checkpoint.exists()
    rows.succeed(*broken)
    assert (rows.folder / "parts.sb").read_bytes() == (rows.folder / "whole.sb").read_bytes()


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
