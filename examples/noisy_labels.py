"""Wrong labels: DMCBoost against AdaBoost.

AdaBoost gives ever more weight to the rows that it gets wrong, and where their labels are wrong it learns
these by heart. DMCBoost minimises the error itself and then maximises the average of the smallest
margins, here of two thirds of the rows, so that no few rows can take over. A fifth of the training
labels is wrong; those of the test rows are right.
"""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from simplexboost import AdaBoostMHClassifier, DMCBoostClassifier, SAMMEClassifier

X, y = make_classification(
    2400, 10, n_informative=6, n_classes=3, n_clusters_per_class=1, class_sep=1.2, random_state=4
)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
rng = np.random.default_rng(0)
wrong = rng.random(len(y_train)) < 0.2
y_noisy = np.where(wrong, (y_train + rng.integers(1, 3, len(y_train))) % 3, y_train)

scores = {}
for clf in (
    SAMMEClassifier(n_estimators=100, max_depth=5),
    AdaBoostMHClassifier(n_estimators=100, max_depth=5),
    DMCBoostClassifier(n_estimators=60, max_depth=5, margin_rows=0.67),
):
    clf.fit(X_train, y_noisy)
    scores[clf.algorithm] = clf.score(X_test, y_test)
    learnt = clf.score(X_train[wrong], y_noisy[wrong])
    print(
        f"{clf.algorithm:12} accuracy on new rows {scores[clf.algorithm]:.3f}; "
        f"{100 * learnt:.0f} % of the wrong labels learnt by heart"
    )
assert scores["dmcboost"] > max(scores["samme"], scores["adaboost-mh"])
