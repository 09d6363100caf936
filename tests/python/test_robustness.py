"""What the command promises where standard streams fail it; tests/faults has memory and files."""

import os
import subprocess

import pytest


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
