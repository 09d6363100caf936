"""Work that is killed at any time goes on from its checkpoint to the bytes of an unbroken run."""

import contextlib
import json
import random
import resource
import subprocess
import time

import pytest

ALGORITHMS = [
    "newton",
    "gd-mcboost",
    "cd-mcboost",
    "adaboost-mh",
    "samme",
    "adaboost-m2",
    "boostma",
    "one-vs-all",
    "adaboost-ecc",
    "dmcboost",
    "abc-logitboost",
    "aoso-logitboost",
    "forest",
]


def kill_and_go_on(command, arguments):
    """Kills the command again and again, a little later each time, until it has come to its end."""
    dice = random.Random(str(arguments))
    limit = 0.02
    for _ in range(100):
        with command.started(*arguments, stdout=subprocess.DEVNULL) as process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(dice.uniform(0.5, 1.5) * limit)
                assert process.returncode == 0, process.stderr.read()
                return
        limit *= 1.15
    pytest.fail("it never ends")


@pytest.fixture
def data(simplexboost):
    simplexboost.succeed("generate", "waveform", "--rows", 600, "--seed", 7, "-o", "w.csv")
    return simplexboost


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_killed_training_goes_on_to_the_same_bytes(data, algorithm):
    train = [
        *("train", "w.csv", "--algorithm", algorithm, "--rounds", 120, "--threads", 2, "--quiet"),
        *("--valid-fraction", 0.2, "--early-stopping", 100, "--row-fraction", 0.7, "--depth", 3),
    ]
    data.succeed(*train, "-m", "whole.sb")
    broken = [*train, "-m", "parts.sb", "--checkpoint", "cp", "--checkpoint-every", 1]
    kill_and_go_on(data, broken)
    folder = data.folder
    assert (folder / "parts.sb").read_bytes() == (folder / "whole.sb").read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["parts.sb", "w.csv", "whole.sb"]


@pytest.mark.parametrize("quality", ["default", "best"])
def test_killed_ensembles_go_on_to_the_same_bytes(data, quality):
    train = ["train", "w.csv", "--quality", quality, "--rounds", 20, "--threads", 2, "--quiet"]
    data.succeed(*train, "-m", "whole.sb")
    broken = [*train, "-m", "parts.sb", "--checkpoint", "cp", "--checkpoint-every", 10]
    kill_and_go_on(data, broken)
    folder = data.folder
    assert (folder / "parts.sb").read_bytes() == (folder / "whole.sb").read_bytes()
    assert not (folder / "cp").exists()


def test_killed_search_goes_on_within_a_trial(data):
    tune = [
        *("tune", "w.csv", "--trials", 4, "--rounds", 150, "--algorithms", "newton,samme"),
        *("--threads", 2, "--quiet"),
    ]
    data.succeed(*tune, "-m", "whole.sb")
    broken = [*tune, "-m", "parts.sb", "--checkpoint", "cp", "--checkpoint-every", 10]
    kill_and_go_on(data, broken)
    folder = data.folder
    assert (folder / "parts.sb").read_bytes() == (folder / "whole.sb").read_bytes()
    assert not (folder / "cp").exists()


def test_a_search_without_a_journal_keeps_its_trials_in_the_checkpoint(data):
    tune = ["tune", "w.csv", "--trials", 3, "--rounds", 30, "--threads", 1, "--json", "--quiet"]
    whole = data.json(*tune)
    kept = ["--checkpoint", "cp", "--checkpoint-every", 1]
    with data.started(*tune, *kept, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and b"ended " not in read(data.folder / "cp"):
            time.sleep(0.002)
    again = data.json(*tune, *kept)
    for trial in [*again["trials"], *whole["trials"], again["winner"], whole["winner"]]:
        del trial["seconds"]
        trial.get("again", {}).pop("seconds", None)
    assert again["trials"] == whole["trials"]


def read(path):
    return path.read_bytes() if path.exists() else b""


SPEC = """
title = "Small"
paper = "A paper, Table 1"

[protocol]
folds = 4
validation = "next-fold"

[[data]]
name = "plane"
generator = { name = "gaussian3", rows = 300, seed = 1 }

[[algorithm]]
name = "GD"
parameters = { algorithm = "gd-mcboost", rounds = 150 }

[[algorithm]]
name = "MM"
parameters = { algorithm = "adaboost-mm", rounds = 100 }
"""


def test_killed_experiment_goes_on_within_a_cell(data):
    (data.folder / "small.toml").write_text(SPEC)
    data.succeed("experiment", "small.toml", "-o", "whole", "--threads", 1)
    run = ["experiment", "small.toml", "-o", "parts", "--threads", 1]
    broken = [*run, "--checkpoint", "cp", "--checkpoint-every", 5]
    kill_and_go_on(data, broken)

    def cells(folder):
        lines = (data.folder / folder / "small.cells.jsonl").read_text().splitlines()
        records = [json.loads(line) for line in lines]
        return [{k: v for k, v in record.items() if k != "seconds"} for record in records]

    assert cells("parts") == cells("whole")
    assert not (data.folder / "cp").exists()


def test_a_signal_leaves_the_model_so_far_and_the_checkpoint(data):
    train = ["train", "w.csv", "--rounds", 100000, "--early-stopping", 0, "-m", "m.sb"]
    with data.started(*train, "--quiet", "--checkpoint", "cp") as process:
        data.let_work(process, 1)
        process.terminate()
        assert process.wait(30) == 130
    assert (data.folder / "cp").exists()
    data.succeed("inspect", "m.sb")


def test_a_checkpoint_of_other_work_is_refused_with_what_differs(data):
    train = ["train", "w.csv", "-m", "m.sb", "--quiet", "--checkpoint", "cp"]
    data.succeed("train", "w.csv", "-m", "other.sb", "--quiet", "--rounds", 2)
    (data.folder / "cp").write_bytes((data.folder / "other.sb").read_bytes())
    assert "it is no checkpoint" in data.fail(*train, status=1)
    (data.folder / "cp").unlink()
    with data.started(*train, "--rounds", 100000, "--early-stopping", 0) as process:
        data.let_work(process, 0.5)
        process.terminate()
        process.wait(30)
    said = data.fail(*train, "--rounds", 7, "--early-stopping", 0, status=1)
    assert "'rounds: 100000' there, 'rounds: 7' here" in said
    assert not (data.folder / "m.sb.tmp").exists()


@pytest.mark.parametrize("every", ["0", "-3", "30x", "1.5", "nan", ""])
def test_refuses_times_that_are_none(data, every):
    train = ["train", "w.csv", "-m", "m.sb", "--checkpoint", "cp", f"--checkpoint-every={every}"]
    assert "--checkpoint-every" in data.fail(*train, status=2)


def test_refuses_the_name_of_the_model(data):
    train = ["train", "w.csv", "-m", "m.sb", "--checkpoint", "./m.sb"]
    assert "--checkpoint" in data.fail(*train, status=2)


def test_refuses_a_time_without_a_file_and_a_file_that_keeps_nothing(data):
    train = ("train", "w.csv", "-m", "m.sb")
    assert "--checkpoint FILE" in data.fail(*train, "--checkpoint-every", 5, status=2)
    assert "keeps nothing" in data.fail(*train, "--checkpoint", "/dev/null", status=1)


def test_a_full_disk_leaves_the_rounds_before(data):
    train = [
        *("train", "w.csv", "-m", "m.sb", "--rounds", 400, "--threads", 2, "--quiet"),
        *("--algorithm", "newton", "--quality", "fast", "--checkpoint", "cp"),
        *("--checkpoint-every", 10),
    ]
    done = subprocess.run(
        [str(data.path), *map(str, train)],
        cwd=data.folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000)),
    )
    assert done.returncode == 1, done.stderr
    assert "the checkpoint has the rounds before" in done.stderr
    data.succeed(*train)
