"""What continuous integration runs ends in time: parts are left out or broken off, the tests never are."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture
def ci(tmp_path):
    """Runs .ci/run with a make of which each target does what a line of shell says."""

    def call(limit, **targets):
        cases = "".join(f"{name}) {line};;\n" for name, line in targets.items())
        scripts = {
            "bin/make": f'case $1 in\n{cases}test) echo "the tests";;\nesac',
            "scripts/setup": ":",
        }
        for name, text in scripts.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        (tmp_path / ".ci").mkdir()
        shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
        path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", tmp_path / ".ci" / "run"], capture_output=True, text=True, check=False,
            env={**os.environ, "PATH": path, "CI_TURN": "3", "CI_LIMIT": str(limit)},
        )  # fmt: skip

    return call


def test_a_part_that_takes_too_long_is_broken_off(ci):
    begin = time.monotonic()
    done = ci(4, asan="sleep 60")
    assert time.monotonic() - begin < 30
    assert done.returncode == 0
    assert "ci: memory: BROKEN OFF after " in done.stdout
    assert "ci: NOT WHOLE, and passes all the same: memory broken off\n" in done.stdout
    assert done.stdout.endswith("the tests\n")


def test_a_part_that_would_begin_too_late_is_left_out(ci):
    done = ci(0, asan="exit 1")
    assert done.returncode == 0
    assert "passes all the same: memory left out\n" in done.stdout
    assert done.stdout.endswith("the tests\n")


@pytest.mark.parametrize("part", ["asan", "test"])
def test_a_part_that_fails_in_time_has_failed(ci, part):
    done = ci(600, **{part: "exit 124"})
    assert done.returncode == 1
    assert done.stdout.endswith(f"ci: failed: {'memory' if part == 'asan' else 'tests'}\n")
    assert "NOT WHOLE" not in done.stdout


def test_a_planted_bug_is_taken_out_where_time_ends(tmp_path):
    for name in ("tests/planted/run", "bin/cmake"):
        (tmp_path / name).parent.mkdir(parents=True)
    shutil.copy(ROOT / "tests/planted/run", tmp_path / "tests/planted")
    (tmp_path / "code").write_text("sound\n")
    (tmp_path / "tests/planted/bug.patch").write_text(
        "Breaks it.\n\nPreset: release\nBuild: all\nRun: true\n\n"
        "--- a/code\n+++ b/code\n@@ -1 +1 @@\n-sound\n+broken\n"
    )
    (tmp_path / "bin/cmake").write_text("#!/bin/sh\ngrep -q sound code || { touch seen; sleep 60; }\n")
    (tmp_path / "bin/cmake").chmod(0o755)
    who = ["-c", "user.name=a", "-c", "user.email=a"]
    for words in (["init", "-q"], ["add", "code"], [*who, "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    planted = subprocess.Popen(
        [tmp_path / "tests/planted/run", "--here"], env={**os.environ, "PATH": path}, start_new_session=True
    )  # fmt: skip
    end = time.monotonic() + 60
    while not (tmp_path / "seen").exists() and time.monotonic() < end:
        time.sleep(0.01)
    for wait in (0, 0.02):  # as timeout does, a little later the second time
        time.sleep(wait)
        os.killpg(planted.pid, signal.SIGTERM)
    assert planted.wait(60) == 1
    assert (tmp_path / "seen").exists()
    assert (tmp_path / "code").read_text() == "sound\n"
