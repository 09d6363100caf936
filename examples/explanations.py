"""Pictures that explain a model, of 3 and of 100 classes: explanations-3.png and -100.png in the folder
that is named, or here."""

import pathlib
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from simplexboost import SimplexBoostClassifier, plot


def hundred_classes():
    """Clouds of points around a hundred centres, some of which are close to each other."""
    dice = np.random.default_rng(4)
    centers = np.repeat(dice.normal(size=(20, 8)) * 2, 5, axis=0) + 0.5 * dice.normal(size=(100, 8))
    y = np.arange(4000) % 100
    return centers[y] + 0.45 * dice.normal(size=(4000, 8)), np.array([f"k{k:02}" for k in y])


def draw(X, y, rounds, path):
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=1, stratify=y)
    clf = SimplexBoostClassifier(n_estimators=rounds, max_depth=4).fit(X_train, y_train)
    label = clf.classes_[1]
    found = clf.explain(X_test[:150])
    figure, axes = plt.subplots(2, 4, figsize=(22, 10))
    plot.shap_bar(found, ax=axes[0, 0])
    plot.beeswarm(found, label, ax=axes[0, 1])
    plot.waterfall(found, 0, label, ax=axes[0, 2])
    plot.waterfall(clf.explain(X_test[:1], contrast=True), 0, ax=axes[0, 3])
    plot.calibration(clf, X_test, y_test, ax=axes[1, 0])
    plot.confusion(clf, X_test, y_test, diagonal=False, ax=axes[1, 1])
    plot.effect(clf.effect(X_test, int(clf.importance().argmax())), ax=axes[1, 2])
    plot.importance(clf, per_class=True, max_features=8, ax=axes[1, 3])
    figure.tight_layout()
    figure.savefig(path, dpi=60)
    plt.close(figure)
    print(f"saved {path}")


folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
draw(*load_wine(return_X_y=True), 30, folder / "explanations-3.png")
draw(*hundred_classes(), 15, folder / "explanations-100.png")
