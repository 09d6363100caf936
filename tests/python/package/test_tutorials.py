"""Every block of code of the tutorials and guides runs, page by page and in order, as a reader would type it:
Python in one session, shell commands in the same folder."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.md"))
GUIDES = sorted((ROOT / "docs/guides").glob("*.md"))
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# An indented block is code, too, but nobody could tell in which language.
INDENTED = re.compile(r"\n\n {4}\S")
SHELL = "import subprocess; subprocess.run(['bash', '-euc', {!r}], check=True)\n"


def script(page):
    """The page's blocks as one program."""
    text = page.read_text()
    assert not INDENTED.search(FENCED.sub("", text)), f"{page.name}: an indented block would not be run"
    blocks = FENCED.findall(text)
    assert {language for language, _ in blocks} <= {"python", "sh"}, f"{page.name}: what is this?"
    return "\n".join(code if language == "python" else SHELL.format(code) for language, code in blocks)


def test_there_are_tutorials():
    assert len(TUTORIALS) >= 10 and len(GUIDES) >= 1
    assert sum("subprocess" in script(page) for page in TUTORIALS) >= 2
    assert all(script(page) for page in TUTORIALS), "a tutorial without code teaches little"


@pytest.mark.parametrize(
    "page", [page for page in TUTORIALS + GUIDES if script(page)], ids=lambda page: page.stem
)
def test_its_code_runs(page, binary, tmp_path):
    program = tmp_path / "tutorial.py"
    program.write_text(script(page))
    done = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{binary.parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
