"""docs/architecture.md, "Size": its figures are those of the sources, a few lines more or less. What files
of 0.1 have gained is compared where git has that version."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def counted():
    told = subprocess.run(
        [sys.executable, ROOT / "scripts" / "size"], capture_output=True, text=True, check=True
    ).stdout
    return {name: int(lines.replace(",", "")) for lines, name in map(str.split, told.splitlines())}


@pytest.fixture(scope="module")
def stated():
    return (ROOT / "docs" / "architecture.md").read_text().partition("## Size")[2]


def number(pattern, text):
    return int(re.search(pattern, text, re.DOTALL)[1].replace(",", ""))


def test_lines_of_all_sources(counted, stated):
    assert number(r"([\d,]+) lines of C\+\+", stated) == pytest.approx(counted["src"], rel=0.02)


def test_lines_of_the_new_folders(counted, stated):
    names = re.search(r"in folders that 0\.1 had not: (.*?)\.", stated, re.DOTALL)[1]
    lines = sum(counted["src/" + name] for name in re.findall(r"`(\w+)`", names))
    assert number(r"([\d,]+) of them are in folders", stated) == pytest.approx(lines, rel=0.05)


def test_longest_file(counted, stated):
    name, lines = re.search(r"longest file is `([^`]+)` \((\d+) lines\)", stated).groups()
    longest = max(lines for name, lines in counted.items() if "." in name)
    assert counted["src/" + name] == pytest.approx(longest, rel=0.05)
    assert int(lines) == pytest.approx(longest, rel=0.05)


def test_what_files_of_the_first_version_have_gained(stated):
    commit = re.search(r"scripts/size --since (\w+)", stated)[1]
    if subprocess.run(["git", "cat-file", "-e", commit], cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("no history of git")
    told = subprocess.run(
        [sys.executable, ROOT / "scripts" / "size", "--since", commit], capture_output=True, text=True, check=True
    ).stdout  # fmt: skip
    gained = number(r"removed: \+([\d,]+)$", told)
    assert number(r"had, .* have ([\d,]+) lines\s+more", stated) == pytest.approx(gained, abs=500)
    assert number(r"([\d,]+) were added", stated) == pytest.approx(number(r"([\d,]+) lines added", told), rel=0.05)
    assert number(r"added and ([\d,]+) removed", stated) == pytest.approx(number(r"([\d,]+) removed:", told), rel=0.05)
