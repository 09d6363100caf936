"""Ends what tests leave running, whatever ends them, SIGKILL too.

A process of its own waits for the end of the tests. Then it kills what carries their mark: a variable
of the environment, which children inherit through sessions, namespaces and programs between; and forks
of the tests that run no other program, whose environment does not show it and who report themselves.
"""

import contextlib
import os
import pathlib
import select
import signal
import subprocess
import sys
import time
import uuid

MARK = "SIMPLEXBOOST_TESTS_MARK"
GRACE = 1  # seconds for what is about to end by itself
PATIENCE = 10  # seconds until all that was killed must be gone
BYTES = 4  # of a process's number

watcher = None


def end_with_this_process():
    """All that this process starts from now on ends when it does."""
    global watcher
    assert watcher is None, "there is a watcher already"
    mark = uuid.uuid4().hex
    os.environ.pop(MARK, None)
    watcher = subprocess.Popen(
        [sys.executable, __file__, str(os.getpid()), mark],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,  # who waits for the end of the tests' output need not wait for it
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that what interrupts the tests does not reach it
    )
    os.environ[MARK] = mark
    os.register_at_fork(after_in_child=report_fork)


def marked(**environment):
    """An environment of a child's own, with the mark."""
    return {**environment, MARK: os.environ[MARK]}


def report_fork():
    with contextlib.suppress(OSError):
        os.write(watcher.stdin.fileno(), os.getpid().to_bytes(BYTES, "little"))


def begin_of(number):
    """When a process began, which tells it from a later one of the same number."""
    with contextlib.suppress(OSError):
        figures = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        return None if figures[0] == "Z" else int(figures[19])
    return None


def take_reports(forks):
    """Adds the forks that were reported, and when each began; false where nobody is left to report."""
    told = os.read(0, 1024 * BYTES)
    for i in range(0, len(told), BYTES):
        number = int.from_bytes(told[i : i + BYTES], "little")
        forks[number] = begin_of(number)
    return bool(told)


def await_end(parent, forks):
    with contextlib.suppress(ProcessLookupError):
        end = os.pidfd_open(parent)
        ready = []
        while end not in ready:
            ready, _, _ = select.select([end, 0], [], [])
            if 0 in ready and not take_reports(forks):
                return


def left_over(mark, forks):
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        number = int(folder.name)
        with contextlib.suppress(OSError):
            variables = (folder / "environ").read_bytes().split(b"\0")
            begin = begin_of(number)
            if f"{MARK}={mark}".encode() in variables or (begin and forks.get(number) == begin):
                yield number


def main(parent, mark):
    forks = {}
    await_end(int(parent), forks)
    time.sleep(GRACE)
    until = time.monotonic() + PATIENCE
    # A fork may report later than its parent ends. The pipe ends with the last of them.
    left, reporting = [], True
    while (left or reporting) and time.monotonic() < until:
        if reporting and select.select([0], [], [], 0.05)[0]:
            reporting = take_reports(forks)
        left = list(left_over(mark, forks))
        for number in left:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
