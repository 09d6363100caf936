"""Whatever ends the tests, no process that they started stays behind."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TESTS = """
import multiprocessing, os, pathlib, subprocess, time

ALL = {
    "child": ["sleep", "600"],
    "grandchild": ["sh", "-c", "sleep 600 & wait"],
    "detached": ["setsid", "--fork", "sh", "-c", "trap '' TERM HUP; sleep 600"],
}


def test_that_starts_processes():
    for words in ALL.values():
        subprocess.Popen(words, start_new_session=True)
    fork = multiprocessing.get_context("fork").Process
    fork(target=time.sleep, args=(600,), daemon=True).start()
    pathlib.Path("started").touch()
    END
"""


def in_folder(folder):
    """The processes that work there, but for those that have ended and are not waited for."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(process / "cwd") == str(folder):
                found.append(int(process.name))
    return found


def wait_until(is_so, seconds=60):
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, f"not within {seconds} seconds"
        time.sleep(0.02)


@pytest.mark.parametrize("end", ["time.sleep(600)", "raise KeyboardInterrupt", "os._exit(1)"])
def test_no_process_outlives_the_tests(tmp_path, end):
    folder = tmp_path.resolve()
    (folder / "test_inner.py").write_text(TESTS.replace("END", end))
    words = ["-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "test_inner.py"]
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        stdout=subprocess.DEVNULL,
    ) as tests:
        try:
            wait_until((folder / "started").exists)
            if "sleep" in end:
                assert len(in_folder(folder)) >= 7  # these tests, and what they started
                os.kill(tests.pid, signal.SIGKILL)
            tests.wait(60)
        finally:
            tests.kill()
    wait_until(lambda: in_folder(folder) == [])
