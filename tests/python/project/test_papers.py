"""docs/papers.md: every test, spec, file, command and option that it names is there."""

import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "check-papers"


def check(binary, *more):
    return subprocess.run(
        [sys.executable, SCRIPT, binary, *more], capture_output=True, text=True, check=False
    )


def test_all_that_the_page_names_is_there(binary):
    done = check(binary)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("shown", "complaint"),
    [
        ("`Margin.IsTheLeadOverNobody`", "no such test"),
        ("`NoSuchSuite.*`", "no such test"),
        ("`experiments/no-such-table`", "no such spec"),
        ("`experiments/icml2014-table1`, `-no-such-row`", "no such spec"),
        ("`--no-such-option`", "unknown option"),
        ("`--algorithm no-such-algorithm`", "unknown algorithm"),
        ("`predict --no-such-option`", "unknown option"),
        ("`no_such_column`", "neither an algorithm"),
        ("[a picture](../experiments/results/no-such.svg)", "no such file"),
        ("a proof", "nothing shows it"),
    ],
)
def test_what_is_not_there_is_named(binary, tmp_path, shown, complaint):
    page = tmp_path / "page.md"
    row = f"| Theorem 1 | what | {shown} |\n"
    page.write_text("| item | what | shown by |\n| --- | --- | --- |\n" + row, encoding="utf-8")
    done = check(binary, "--page", page)
    assert done.returncode == 1
    assert "line 3" in done.stdout
    assert complaint in done.stdout
