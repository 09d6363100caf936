"""The six pictures of `simplexboost.plot` in one figure: plots.png, or the file that is named."""

import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from simplexboost import GDMCBoostClassifier, plot

X, y = load_wine(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=1, stratify=y)
clf = GDMCBoostClassifier(n_estimators=40, max_depth=2, learning_rate=0.3)
clf.fit(X_train, y_train, eval_set=[(X_test, y_test)])

figure, axes = plt.subplots(2, 3, figsize=(15, 9))
plot.learning_curve(clf, "log_loss", ax=axes[0, 0])
plot.importance(clf, per_class=True, max_features=8, ax=axes[0, 1])
plot.margin_distribution(clf, X_test, y_test, ax=axes[0, 2])
plot.codeword_scatter(clf, X_test, y_test, ax=axes[1, 0])
plot.confusion(clf, X_test, y_test, normalize=False, ax=axes[1, 1])
plot.tree(clf, 0, ax=axes[1, 2])
figure.tight_layout()
path = sys.argv[1] if len(sys.argv) > 1 else "plots.png"
figure.savefig(path, dpi=60)
print(f"saved {path}")
