"""The Python environment that holds the libraries we compare with.

Scripts of this folder call `ensure()` first. It returns at once where the peers can be imported in
the versions that are wanted; else it makes a virtual environment (build/peers) if `--make-env` is among
the arguments, and starts the script anew in it. XGBoost's trees with vector leaves are those of 3.4,
which needs Python 3.12: the newest Python that is there is taken, or that of PEERS_PYTHON.
"""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "peers"
AUTOGLUON = ROOT / "build" / "autogluon"
# The least versions.
PEERS = {
    "catboost": (1, 2), "lightgbm": (4, 6), "numpy": (2,), "pandas": (2,), "scikit-learn": (1, 7),
    "xgboost": (3, 4),
}  # fmt: skip
# AutoGluon wants older versions of the peers: it has an environment of its own.
AUTOGLUON_PACKAGE = "autogluon.tabular[lightgbm,catboost,xgboost]"
LEAST_PYTHON = (3, 12)
FLAG = "--make-env"


def version(text):
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def found(name):
    """The version of a package, () where it is not there; XGBoost without CUDA will do."""
    for other in [name, f"{name}-cpu"]:
        try:
            return version(importlib.metadata.version(other))
        except importlib.metadata.PackageNotFoundError:
            continue
    return ()


def missing(names=None):
    """Of these, or of all peers."""
    return [name for name in names or PEERS if found(name) < PEERS[name]]


def python_version(command):
    """(3, 12) or the like; () where it does not run."""
    code = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run([command, "-c", code], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ()
    return version(done.stdout)


def find_python():
    """The newest that is there of 3.12 and above."""
    if os.environ.get("PEERS_PYTHON"):
        return os.environ["PEERS_PYTHON"]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [
        sys.executable, *(shutil.which(f"python3.{minor}") for minor in (12, 13, 14)),
        *sorted(map(str, pyenv.glob("3.1[2-4].*/bin/python"))),
    ]  # fmt: skip
    for command in candidates:
        if command and python_version(command) >= LEAST_PYTHON:
            return command
    least = ".".join(map(str, LEAST_PYTHON))
    sys.exit(f"error: XGBoost 3.4 needs Python {least}; install it, or name it by PEERS_PYTHON")


def make(folder, packages):
    print(f"installing {', '.join(packages)} in {folder.relative_to(ROOT)}", file=sys.stderr)
    subprocess.run([find_python(), "-m", "venv", "--clear", folder], check=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)


def usable(python):
    """Whether the environment that is there has all of it."""
    if not python.exists():
        return False
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import peers_env; "
    code += "sys.exit(bool(peers_env.missing()))"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def ensure_autogluon():
    if (AUTOGLUON / "bin" / "python").exists():
        return
    if FLAG not in sys.argv:
        sys.exit(f"error: no AutoGluon in {AUTOGLUON.relative_to(ROOT)}; say {FLAG} to install it")
    make(AUTOGLUON, [AUTOGLUON_PACKAGE])


def ensure(names=None, autogluon=False):
    """`names`: of the packages that are needed here; all peers by default."""
    if autogluon:
        ensure_autogluon()
    if not missing(names):
        sys.argv = [word for word in sys.argv if word != FLAG]
        return
    python = FOLDER / "bin" / "python"
    if not usable(python):
        if FLAG not in sys.argv:
            sys.exit(
                f"error: this Python ({sys.version_info.major}.{sys.version_info.minor}) lacks "
                f"{', '.join(missing(names))}, or has old ones; say {FLAG} to install them in "
                f"{FOLDER.relative_to(ROOT)}"
            )
        make(FOLDER, [f"{name}>={'.'.join(map(str, least))}" for name, least in PEERS.items()])
    os.execv(python, [str(python), *(word for word in sys.argv if word != FLAG)])
