"""An estimator in a file that cannot run code when it is read: skops in the place of pickle.

`save_model` writes the model alone, for the command and other languages; skops keeps the whole
scikit-learn pipeline around it.
"""

import pathlib
import tempfile

import skops.io
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from simplexboost import SimplexBoostClassifier

X, y = load_wine(return_X_y=True)
pipeline = make_pipeline(StandardScaler(), SimplexBoostClassifier(n_estimators=30)).fit(X, y)

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "wine.skops"
    skops.io.dump(pipeline, path)
    # Types that skops does not know are listed, looked at, and only then trusted.
    unknown = skops.io.get_untrusted_types(file=path)
    print(f"{path.stat().st_size} bytes; to be trusted: {', '.join(unknown)}")
    assert all(name.startswith("simplexboost.") for name in unknown)
    again = skops.io.load(path, trusted=unknown)

assert (again.predict_proba(X) == pipeline.predict_proba(X)).all()
print(f"accuracy of what was read: {again.score(X, y):.3f}")
