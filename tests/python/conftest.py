"""Fixtures for tests that run the command `simplexboost` as a person or a script would."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import numpy as np
import pytest

import leftovers

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = 120  # seconds; a command that takes longer is taken to hang

leftovers.end_with_this_process()


def in_the_foreground():
    """Runs in the child before the command: interrupts reach it, even where the tests were started
    with them ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Command:
    """Runs the command in a folder of its own and keeps its exit status, output and errors."""

    def __init__(self, path, folder):
        self.path = path
        self.folder = folder

    def __call__(self, *arguments, stdin=""):
        return subprocess.run(
            [str(self.path), *map(str, arguments)],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    @contextlib.contextmanager
    def started(
        self, *arguments, stdin=None, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ):
        """The running command, for a test to interrupt; killed where the test does not end it."""
        with subprocess.Popen(
            [str(self.path), *map(str, arguments)],
            cwd=self.folder,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            text=text,
            preexec_fn=in_the_foreground,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    @staticmethod
    def let_work(process, seconds):
        """Waits until a command has had so much time of a processor, however busy the machine is."""
        ticks = seconds * os.sysconf("SC_CLK_TCK")
        while process.poll() is None:
            figures = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2]
            if sum(map(int, figures.split()[11:13])) >= ticks:  # of the user and of the system
                break
            time.sleep(0.01)

    def succeed(self, *arguments, stdin=""):
        """The output of a command that must exit with 0."""
        result = self(*arguments, stdin=stdin)
        assert result.returncode == 0, f"{arguments}: {result.stderr}"
        return result.stdout

    def json(self, *arguments):
        """The object on the last line of the output."""
        return json.loads(self.succeed(*arguments).strip().splitlines()[-1])

    def fail(self, *arguments, status, stdin=""):
        """The one line of error of a command that must exit with `status`."""
        result = self(*arguments, stdin=stdin)
        assert result.returncode == status, f"{arguments}: {result.returncode} {result.stderr}"
        lines = result.stderr.strip().splitlines()
        assert len(lines) == 1 and lines[0].startswith("error: "), result.stderr
        return lines[0]


@pytest.fixture(scope="session")
def binary():
    path = pathlib.Path(os.environ.get("SIMPLEXBOOST_BIN", ROOT / "build/release/simplexboost"))
    assert path.is_file(), f"{path} is missing; build it with `make`, or set SIMPLEXBOOST_BIN"
    return path.resolve()


@pytest.fixture(scope="session")
def command_in(binary):
    """The command, run in a folder that is given."""
    return lambda folder: Command(binary, folder)


@pytest.fixture
def simplexboost(binary, tmp_path):
    """The command, run in the test's own temporary folder."""
    return Command(binary, tmp_path)


@pytest.fixture
def interrupts():
    """Python's own handler, which is not there where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def rows():
    """400 rows of three classes that lie side by side: features and labels."""
    generator = np.random.default_rng(3)
    x = generator.normal(size=(400, 4))
    y = np.array(["left", "middle", "right"])[
        np.digitize(x[:, 0] + 0.5 * x[:, 1] + 0.3 * generator.normal(size=400), [-0.5, 0.5])
    ]
    return x, y
