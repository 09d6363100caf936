"""The package's types, checked by mypy, and those that its users see."""

import os
import pathlib
import re
import subprocess
import sys

import leftovers
import simplexboost

PACKAGE = pathlib.Path(simplexboost.__file__).parent
ROOT = pathlib.Path(__file__).resolve().parents[3]


def mypy(*arguments, path):
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=leftovers.marked(MYPYPATH=path, PATH=""),
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


def test_named_classes_have_every_option_but_the_algorithm(tmp_path):
    (tmp_path / "user.py").write_text(
        "from simplexboost import *\n"
        "NewtonBoostClassifier(device='cuda', split_noise=1.0)\n"
        "SimplexBoostMultiLabelClassifier('adaboost-mh', posterior='exact')\n"
        "SAMMEClassifier(algorithm='newton')\n"
    )
    done = mypy(str(tmp_path / "user.py"), path=str(PACKAGE.parent))
    assert re.findall(r":(\d+): error: .*", done.stdout) == ["4"], done.stdout
    assert '"algorithm"' in done.stdout


# What the types may leave unsaid, or say otherwise.
UNSAID = r"""
simplexboost\._core\..*                   # functions of nanobind are objects of its own
.*\.set_\w+_request                       # scikit-learn makes them
simplexboost\._named\._Named\.__init__    # of the classes below it alone
simplexboost\.dask\.\w+\.__init__         # as the plain estimators': any argument, for the types
simplexboost\.dask\.error
simplexboost\._fitted\.(Method|where_told)
simplexboost\._input\.validate_data.*
"""


def test_types_are_those_of_the_running_package(tmp_path):
    """Signatures above all: of every class, the arguments and their defaults."""
    allowed = tmp_path / "allowed"
    allowed.write_text(UNSAID)
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "simplexboost", "--concise"]
        + ["--mypy-config-file", str(ROOT / "pyproject.toml")]
        + ["--allowlist", str(allowed), "--ignore-unused-allowlist"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)},
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").is_file() and (PACKAGE / "_core.pyi").is_file()
