"""Many classes through a code of few dimensions.

A hundred classes need no hundred scores: with codewords in eight dimensions, placed as far apart as
possible, the predictor has eight components, and everything that is done for each row in each round
costs eight instead of a hundred.
"""

import time

import numpy as np
from sklearn.model_selection import train_test_split

from simplexboost import GDMCBoostClassifier

CLASSES, FEATURES, ROWS = 100, 20, 4000
rng = np.random.default_rng(0)
centers = rng.normal(scale=2.0, size=(CLASSES, FEATURES))
y = rng.integers(CLASSES, size=ROWS)
X = centers[y] + rng.normal(size=(ROWS, FEATURES))
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

for dimension in (8, None):
    clf = GDMCBoostClassifier(
        n_estimators=30, dimension=dimension, max_depth=6, leaf_values="vector", learning_rate=0.5
    )
    begin = time.perf_counter()
    clf.fit(X_train, y_train)
    seconds = time.perf_counter() - begin
    print(
        f"{clf.codewords_.shape[1]:3d} dimensions: {seconds:5.1f} s, "
        f"accuracy {clf.score(X_test, y_test):.3f}"
    )
    if dimension == 8:
        # The rows lie in the space of the codewords: near ones look alike to the model.
        embedding = clf.transform(X_test)
        print(f"embedding of the test rows: {embedding.shape[0]} x {embedding.shape[1]}")
        assert clf.score(X_test, y_test) > 0.5
