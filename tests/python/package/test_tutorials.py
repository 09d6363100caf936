"""Every block of Python of the tutorials runs, page by page, as a reader would type it."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGES = sorted((ROOT / "docs/tutorials").glob("*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_there_are_tutorials():
    assert len(PAGES) >= 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_code_runs(page, tmp_path):
    blocks = BLOCK.findall(page.read_text())
    assert blocks, "a tutorial without code teaches little"
    script = tmp_path / "tutorial.py"
    script.write_text("\n".join(blocks))
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
