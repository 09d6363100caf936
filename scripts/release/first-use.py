"""What a wheel must do where there are numpy and scikit-learn, and nothing else."""

import importlib.metadata
import importlib.util
import pathlib
import subprocess
import tempfile

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import simplexboost

for name in ("pandas", "polars", "pyarrow", "matplotlib", "tqdm"):
    assert importlib.util.find_spec(name) is None, f"{name} is here, so this shows nothing"
version = importlib.metadata.version("simplexboost")
assert simplexboost.__version__ == version
told = subprocess.run(["simplexboost", "--version"], capture_output=True, text=True, check=True)
assert version in told.stdout, told.stdout

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
clf = simplexboost.SimplexBoostClassifier().fit(X_train, y_train)
accuracy = clf.score(X_test, y_test)
assert accuracy > 0.96, accuracy
with tempfile.TemporaryDirectory() as folder:
    model = pathlib.Path(folder) / "digits.sb"
    clf.save_model(model)
    subprocess.run(["simplexboost", "inspect", model], stdout=subprocess.DEVNULL, check=True)
print(f"simplexboost {version}: accuracy {accuracy:.3f} on digits, out of fold {clf.oof_score_:.3f}")
