"""Why a model of a hundred classes says what it says, in six pictures: explain.png, or the file that is named."""

import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from simplexboost import SimplexBoostClassifier, plot

rng = np.random.default_rng(1)
centers = rng.normal(size=(100, 12)) * 1.6
y = rng.integers(100, size=6000)
X = centers[y] + rng.normal(size=(6000, 12))
clf = SimplexBoostClassifier(n_estimators=40, random_state=1).fit(X[:5000], y[:5000])
X, y = X[5000:], y[5000:]

everything = clf.explain(X[:300])
why = clf.explain(X[:300], contrast=True)
row = int(np.argmin(why.sums()))  # the row of which the model is least sure
label = why.classes[row, 0]

figure, axes = plt.subplots(2, 3, figsize=(18, 11), layout="constrained")
plot.shap_bar(everything, ax=axes[0, 0])
plot.beeswarm(everything, label, ax=axes[0, 1])
plot.waterfall(why, row, ax=axes[0, 2])
plot.effect(clf.effect(X, int(np.abs(everything.of_class(label).values).mean(axis=0).argmax())), ax=axes[1, 0])
plot.calibration(clf, X, y, ax=axes[1, 1])
plot.confusion(clf, X, y, diagonal=False, ax=axes[1, 2])
path = sys.argv[1] if len(sys.argv) > 1 else "explain.png"
figure.savefig(path, dpi=60)
print(f"saved {path}")
