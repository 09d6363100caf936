"""SIGINT, SIGTERM and SIGXFSZ: work ends soon, with what is worth keeping or a word."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import time

import pytest


def interrupt(command, process, after, sent=signal.SIGINT):
    command.let_work(process, after)
    process.send_signal(sent)
    begin = time.monotonic()
    _, errors = process.communicate(timeout=30)
    return time.monotonic() - begin, errors


@pytest.mark.parametrize("quality", ["default", "best"])
@pytest.mark.parametrize("checkpoint", [False, True])
def test_interrupted_ensembles_leave_what_is_finished(simplexboost, quality, checkpoint):
    simplexboost.succeed("generate", "waveform", "--rows", 1500, "--seed", 1, "-o", "w.csv")
    train = ["train", "w.csv", "-m", "m.sb", "--quality", quality, "--rounds", 4000, "--threads", 2]
    if checkpoint:
        train += ["--checkpoint", "cp"]
    with simplexboost.started(*train, "--early-stopping", 4000) as process:
        seconds, errors = interrupt(simplexboost, process, 3)
    assert process.returncode == 130, errors
    assert seconds < 10
    assert json.loads(simplexboost.succeed("inspect", "m.sb", "--json"))["rounds"] > 0
    assert (simplexboost.folder / "cp").exists() == checkpoint


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_forests_leave_the_trees_so_far(simplexboost, sent):
    simplexboost.succeed("generate", "waveform", "--rows", 1000, "--seed", 1, "-o", "w.csv")
    train = ["train", "w.csv", "-m", "m.sb", "--algorithm", "forest", "--rounds", 100_000]
    with simplexboost.started(*train) as process:
        _, errors = interrupt(simplexboost, process, 1.5, sent)
    assert process.returncode == 130, errors
    assert "the model so far" in errors
    assert json.loads(simplexboost.succeed("inspect", "m.sb", "--json"))["rounds"] > 0


def catches(process, sent):
    """Whether the command has a handler of its own for a signal now."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    caught = next(line.split()[1] for line in status if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (sent - 1) & 1)


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def full_pipe():
    """A pipe that takes nothing more: who writes into it waits."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for size in (65536, 1):
        while True:
            try:
                os.write(writing, b"x" * size)
            except BlockingIOError:
                break
    os.set_blocking(writing, True)
    return reading, writing


BOTH = [signal.SIGINT, signal.SIGTERM]


@pytest.mark.parametrize("first", BOTH)
@pytest.mark.parametrize("second", BOTH)
def test_a_second_signal_of_either_kind_ends_at_once(simplexboost, first, second):
    # The word about the first one finds no place, so that its end takes as long as one likes.
    reading, writing = full_pipe()
    with simplexboost.started(
        "train", "-", "-m", "m.sb", stdin=subprocess.PIPE, stderr=writing
    ) as process:
        wait_until(lambda: catches(process, signal.SIGTERM))
        process.send_signal(first)
        wait_until(lambda: not catches(process, first))
        time.sleep(0.1)
        assert process.poll() is None
        process.send_signal(second)
        assert process.wait(timeout=10) == -second
    os.close(reading)
    os.close(writing)


def test_a_signal_that_is_ignored_stays_so_after_another(simplexboost):
    reading, writing = full_pipe()
    with subprocess.Popen(
        [simplexboost.path, "train", "-", "-m", "m.sb"],
        cwd=simplexboost.folder,
        stdin=subprocess.PIPE,
        stderr=writing,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    ) as process:
        wait_until(lambda: catches(process, signal.SIGTERM))
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: not catches(process, signal.SIGTERM))
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        assert process.poll() is None
        process.kill()
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("sent", BOTH)
@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "pipe", "-m", "m.sb"],
        ["train", "w.csv", "--valid", "pipe", "-m", "m.sb"],
        ["generate", "waveform", "-o", "pipe"],
    ],
)
def test_a_signal_ends_the_wait_for_a_named_pipe(simplexboost, arguments, sent):
    simplexboost.succeed("generate", "waveform", "--rows", 50, "--seed", 1, "-o", "w.csv")
    os.mkfifo(simplexboost.folder / "pipe")
    with simplexboost.started(*arguments) as process:
        wait_until(lambda: catches(process, sent))
        time.sleep(0.5)
        process.send_signal(sent)
        _, errors = process.communicate(timeout=10)
    assert process.returncode == 130, errors
    assert not (simplexboost.folder / "m.sb").exists()


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "w.csv", "-m", "out"],
        ["train", "w.csv", "-m", "other.sb", "--checkpoint", "out", "--checkpoint-every", "1"],
        ["predict", "m.sb", "w.csv", "-o", "out"],
        ["generate", "waveform", "--rows", "1000", "-o", "out"],
    ],
)
def test_a_limit_on_the_size_of_files_is_an_error_like_a_full_disk(simplexboost, arguments):
    simplexboost.succeed("generate", "waveform", "--rows", 200, "--seed", 1, "-o", "w.csv")
    simplexboost.succeed("train", "w.csv", "-m", "m.sb", "--rounds", 2, "--quiet")
    done = subprocess.run(
        [simplexboost.path, *arguments, "--quiet"],
        cwd=simplexboost.folder,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=limited,
        check=False,
    )
    assert done.returncode == 1
    assert "error: " in done.stderr and "File too large" in done.stderr
    assert not [path.name for path in simplexboost.folder.iterdir() if path.name.startswith("out")]


def test_a_journal_with_numbers_that_cannot_be_is_run_again(simplexboost):
    simplexboost.succeed("generate", "waveform", "--rows", 200, "--seed", 1, "-o", "w.csv")
    tune = ["tune", "w.csv", "--trials", 2, "--rounds", 20, "--journal", "j", "--quiet", "--json"]
    whole = simplexboost.json(*tune)
    journal = simplexboost.folder / "j"
    lines = journal.read_text().splitlines()
    for number in ("-5", "1e300", "null", '"many"'):
        records = []
        for line in lines:
            record = json.loads(line)
            text = json.dumps(record).replace(
                f'"rounds": {record["rounds"]}', f'"rounds": {number}'
            )
            records.append(text)
        journal.write_text("\n".join(records) + "\n")
        again = simplexboost.json(*tune)
        assert [t["rounds"] for t in again["trials"]] == [t["rounds"] for t in whole["trials"]]
        assert json.loads(journal.read_text().splitlines()[0])["rounds"] > 0
