"""What the command promises where memory, files or standard streams fail it."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def trained(simplexboost):
    simplexboost.succeed("generate", "gaussian3", "--rows", 200, "-o", "data.csv")
    simplexboost.succeed("train", "data.csv", "-m", "m.sb", "--rounds", 3, "--quiet")
    return simplexboost


def shell(command, line):
    """Runs a line of sh in which $S is the command."""
    return subprocess.run(
        ["sh", "-c", line],
        cwd=command.folder,
        env=dict(os.environ, S=str(command.path)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


# ---- standard streams ----


@pytest.mark.parametrize("errors", ["2>&-", "2>/dev/full", "2>&1 >&- | true"])
def test_errors_that_cannot_be_told_end_with_their_status(simplexboost, errors):
    if not errors.startswith("2>&1"):
        assert shell(simplexboost, f"$S nothing {errors}").returncode == 2
        assert shell(simplexboost, f"$S inspect none.sb {errors}").returncode == 1
    ran = shell(simplexboost, f"{{ $S inspect none.sb; echo $? >status; }} {errors}")
    assert ran.returncode == 0
    assert (simplexboost.folder / "status").read_text() == "1\n"


@pytest.mark.parametrize("errors", ["2>&-", "2>/dev/full"])
def test_notes_that_cannot_be_told_cost_no_result(trained, errors):
    lines = (trained.folder / "data.csv").read_text().splitlines()
    more = [f"{lines[0]},more", *(f"{line},7" for line in lines[1:])]
    (trained.folder / "more.csv").write_text("\n".join(more) + "\n")
    assert shell(trained, f"$S predict m.sb more.csv -o p.csv {errors}").returncode == 0
    predictions = (trained.folder / "p.csv").read_text()
    assert len(predictions.splitlines()) == 201
    assert "note" not in predictions


def test_closed_standard_output_is_an_error(trained):
    ran = shell(trained, "$S predict m.sb data.csv >&-")
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: ") and len(ran.stderr.splitlines()) == 1


# ---- memory ----


@pytest.fixture(scope="session")
def fail_allocation(tmp_path_factory):
    library = tmp_path_factory.mktemp("faults") / "fail_allocation.so"
    source = ROOT / "tests/faults/fail_allocation.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


VERBS = {
    "train": ["train", "data.csv", "-m", "new.sb", "--rounds", "2", "--quiet", "--threads", "1"],
    "predict": ["predict", "m.sb", "data.csv", "-o", "p.csv"],
    "evaluate": ["evaluate", "m.sb", "data.csv", "--json"],
    "inspect": ["inspect", "m.sb", "--json"],
    "generate": ["generate", "led", "--rows", "20", "-o", "led.csv.gz"],
}


# Every allocation is for the fault harness; here some of them, first and last ones included.
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("count", [1, 10**9])
def test_running_out_of_memory_is_one_line_and_leaves_nothing(
    trained, fail_allocation, verb, count
):
    def run(number, **more):
        env = dict(os.environ, LD_PRELOAD=str(fail_allocation), FAIL_COUNT=str(count), **more)
        return subprocess.run(
            [trained.path, *VERBS[verb]],
            cwd=trained.folder,
            env=env | {"FAIL_AT": str(number)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    whole = run(0, FAIL_REPORT="1")
    assert whole.returncode == 0
    total = int(whole.stderr.split()[-1])
    before = sorted(os.listdir(trained.folder))
    numbers = {*range(1, 20), *range(20, total, max(1, total // 40)), *range(total - 10, total + 1)}
    for number in numbers:
        ran = run(number)
        lines = [line for line in ran.stderr.splitlines() if not line.startswith("note: ")]
        # libraries get along without some of theirs
        if ran.returncode != 0:
            assert ran.returncode == 1, (number, ran)
            assert len(lines) == 1 and lines[0].startswith("error: "), (number, ran)
        assert [name for name in os.listdir(trained.folder) if name not in before] == [], number
