"""`predict` reads and writes as rows come, in memory that does not grow with them."""

import contextlib
import gzip
import os
import pty
import select
import subprocess
import time

import pytest


@pytest.fixture
def model(simplexboost):
    simplexboost.succeed("generate", "waveform", "--rows", 300, "--seed", 7, "-o", "w.csv")
    simplexboost.succeed("train", "w.csv", "-m", "m.sb", "--rounds", 5, "--quiet")
    return simplexboost


def rows_of(command):
    lines = (command.folder / "w.csv").read_text().splitlines(keepends=True)
    return lines[0], lines[1:]


def test_a_slow_producer_gets_its_predictions_at_once(model):
    header, rows = rows_of(model)
    expected = model.succeed("predict", "m.sb", "w.csv").splitlines()
    with model.started("predict", "m.sb", "-", stdin=subprocess.PIPE, stderr=None) as process:
        process.stdin.write(header + rows[0])
        process.stdin.flush()
        got = [process.stdout.readline().strip() for _ in range(2)]
        for row in rows[1:5]:
            process.stdin.write(row[:7])
            process.stdin.flush()
            time.sleep(0.05)
            process.stdin.write(row[7:])
            process.stdin.flush()
            got.append(process.stdout.readline().strip())
        process.stdin.close()
        assert process.stdout.read() == ""
        assert process.wait() == 0
    assert got == expected[:6]


@pytest.mark.parametrize("zipped", [False, True])
def test_memory_does_not_grow_with_the_rows(model, zipped):
    header, rows = rows_of(model)
    block = "".join(rows * 200).encode()
    megabytes = 250

    def peak(size):
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [model.path, "predict", "m.sb", "-", "--threads", "2", "-o", "p.csv"],
            cwd=model.folder,
            stdin=reader,
        )
        os.close(reader)
        with os.fdopen(writer, "wb") as raw:
            out = gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1) if zipped else raw
            out.write(header.encode())
            for _ in range(size * 1_000_000 // len(block)):
                out.write(block)
            if zipped:
                out.close()
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0
        lines = (model.folder / "p.csv").read_text().count("\n")
        assert lines == 1 + size * 1_000_000 // len(block) * len(rows) * 200
        return usage.ru_maxrss / 1024

    assert peak(100 if zipped else megabytes) < peak(20) + 20


def test_rows_before_an_error_are_written_and_the_place_is_told(model):
    header, rows = rows_of(model)
    text = header + "".join(rows * 700) + "1,2\n"
    line = 2 + 700 * len(rows)
    ran = model("predict", "m.sb", "-", stdin=text)
    assert ran.returncode == 1
    assert f"<stdin>:{line}:4: the row ends after 2 cells" in ran.stderr
    # A file appears whole, or not at all.
    (model.folder / "bad.csv").write_text(text)
    assert f"bad.csv:{line}:4" in model.fail("predict", "m.sb", "bad.csv", "-o", "p.csv", status=1)
    assert not (model.folder / "p.csv").exists()


def test_notes_of_many_blocks_are_told_once(model):
    header, rows = rows_of(model)
    more = "more," + header + "".join("1," + row for row in rows * 300)
    ran = model("predict", "m.sb", "-", "-o", "p.csv", stdin=more)
    assert ran.returncode == 0
    assert ran.stderr.count("ignored a column that the model does not use: more") == 1


def test_a_terminal_shows_what_is_read_and_since_when(model, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    header, rows = rows_of(model)
    watched, terminal = pty.openpty()
    command = ["train", "-", "-m", "slow.sb", "--rounds", 2]
    with model.started(*command, stdin=subprocess.PIPE, stderr=terminal) as process:
        os.close(terminal)
        process.stdin.write(header + "".join(rows[:150]))
        process.stdin.flush()
        shown = b""
        while b"reading standard input  0:01" not in shown:
            assert select.select([watched], [], [], 60)[0], "nothing is shown"
            shown += os.read(watched, 1000)
        process.stdin.write("".join(rows[150:]))
        process.stdin.close()
        process.stdout.read()
        assert process.wait() == 0
    with contextlib.suppress(OSError):  # the end of what a terminal was told
        while more := os.read(watched, 1000):
            shown += more
    os.close(watched)
    last = shown.rindex(b"reading standard input")
    assert b"\r\x1b[K" in shown[last:]  # it is taken away
