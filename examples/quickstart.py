"""The first five minutes with simplexboost in Python: train, predict, look, save."""

import pathlib
import tempfile

from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score, train_test_split

from simplexboost import SimplexBoostClassifier, load_model

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# One tree a round for all ten classes; the rounds that do best on the validation rows are kept.
clf = SimplexBoostClassifier(n_estimators=300, n_iter_no_change=20, validation_fraction=0.15)
clf.fit(X_train, y_train)
print(f"{clf.n_estimators_} rounds, {clf.stop_reason_}")
print(f"accuracy on new rows: {clf.score(X_test, y_test):.4f}")

probabilities = clf.predict_proba(X_test)
print(f"the first row is a {clf.predict(X_test[:1])[0]} with probability {probabilities[0].max():.3f}")
best = clf.feature_importances_.argsort()[::-1][:5]
print(f"the pixels that matter most: {best.tolist()}")

# The estimator is one of scikit-learn's: cross-validation, grids and pipelines take it.
scores = cross_val_score(SimplexBoostClassifier(n_estimators=60), X_train, y_train, cv=3)
print(f"cross-validated accuracy: {scores.mean():.4f}")

# The file is the command's, too: `simplexboost inspect digits.sb`.
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "digits.sb"
    clf.save_model(path)
    again = load_model(path)
assert (again.predict(X_test) == clf.predict(X_test)).all()
assert clf.score(X_test, y_test) > 0.95
