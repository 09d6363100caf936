"""The Python environment that holds the libraries we compare with.

Scripts of this folder call `ensure()` first. It returns at once where the peers can be imported;
else it makes a virtual environment (build/peers) if `--make-env` is among the arguments, and
starts the script anew in it.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "peers"
PEERS = {
    name: {"sklearn": "scikit-learn"}.get(name, name)
    for name in ("catboost", "lightgbm", "numpy", "pandas", "sklearn", "xgboost")
}
FLAG = "--make-env"


def missing():
    return [name for name in PEERS if importlib.util.find_spec(name) is None]


def ensure():
    if not missing():
        return
    python = FOLDER / "bin" / "python"
    if FLAG not in sys.argv and not python.exists():
        sys.exit(
            f"error: this Python lacks {', '.join(missing())}; "
            f"say {FLAG} to install them in {FOLDER.relative_to(ROOT)}"
        )
    if Path(sys.prefix) == FOLDER or FLAG in sys.argv:
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS.values()], check=True)
    arguments = [argument for argument in sys.argv if argument != FLAG]
    os.execv(python, [str(python), *arguments])
