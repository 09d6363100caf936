"""The package's types, checked by mypy, and those that its users see."""

import pathlib
import re
import subprocess
import sys

import simplexboost

PACKAGE = pathlib.Path(simplexboost.__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[3]


def mypy(*arguments, path):
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": path, "PATH": ""},
        cwd=ROOT,
    )


def test_types_of_the_package():
    done = mypy("-p", "simplexboost", path=str(PACKAGE.parent))
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_that_users_see(tmp_path):
    (tmp_path / "user.py").write_text(
        "import numpy as np\n"
        "from simplexboost import GDMCBoostClassifier, SimplexBoostClassifier\n"
        "clf = SimplexBoostClassifier(n_estimators=3).fit(np.zeros((2, 2)), [0, 1])\n"
        "reveal_type(clf.predict_proba([[0.0, 1.0]]))\n"
        "reveal_type(GDMCBoostClassifier().best_iteration_)\n"
        "SimplexBoostClassifier(n_estimators='many')\n"
    )
    done = mypy(str(tmp_path / "user.py"), path=str(PACKAGE.parent))
    assert 'Revealed type is "numpy.ndarray' in done.stdout and "64" in done.stdout, done.stdout
    assert re.search(r'Revealed type is "(builtins\.)?int"', done.stdout), done.stdout
    assert done.stdout.count("error:") == 1 and "n_estimators" in done.stdout


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").is_file() and (PACKAGE / "_core.pyi").is_file()
