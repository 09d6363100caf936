"""The wheel: built from the objects that are there already, installed elsewhere, and used."""

import pathlib
import subprocess
import sys
import zipfile

import pytest

import leftovers

ROOT = pathlib.Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def wheel(binary, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = binary.parent
    if not (build / "CMakeCache.txt").is_file():
        pytest.skip("the command does not stand in a build folder")
    cache = build / "CMakeCache.txt"
    settings = cache.read_bytes()
    try:
        subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--no-isolation", f"-Cbuild-dir={build}"]
            + ["-Ccmake.define.SIMPLEXBOOST_MPI=AUTO", "-o", str(folder), str(ROOT)],
            check=True,
            capture_output=True,
        )
    finally:
        cache.write_bytes(settings)  # the build folder is as it was for whoever comes next
    return next(folder.glob("simplexboost-*.whl"))


def test_wheel_holds_the_package_the_command_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "simplexboost/py.typed" in names and "simplexboost/_core.pyi" in names
    assert any(name.startswith("simplexboost/_core.") and name.endswith(".so") for name in names)
    assert any(name.endswith(".data/scripts/simplexboost") for name in names)
    assert all(name.startswith("simplexboost") for name in names)
    licences = {name.rpartition("/")[2] for name in names if "/licenses/" in name}
    assert licences == {"LICENSE", "THIRD-PARTY"}


def test_wheel_works_on_another_path(wheel, tmp_path):
    """Its files, unpacked as pip would, beside the dependencies that are installed here."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
        version = wheel.name.split("-")[1]
    command = next(tmp_path.glob("*.data/scripts/simplexboost"))
    command.chmod(0o755)
    shown = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert version in shown.stdout
    code = (
        "import simplexboost, numpy as np; "
        f"assert simplexboost.__version__ == {version!r}; "
        "X = np.arange(40.0)[:, None]; y = X[:, 0] > 20; "
        "print(simplexboost.SimplexBoostClassifier().fit(X, y).score(X, y), simplexboost.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=leftovers.marked(PYTHONPATH=str(tmp_path)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"1.0 {tmp_path}")
