"""Data for the tests of the Python package."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def blobs():
    """Five classes, 600 rows, 12 features."""
    return make_classification(
        600, 12, n_informative=8, n_classes=5, n_clusters_per_class=1, random_state=3
    )


@pytest.fixture(scope="session")
def label_sets(blobs):
    """Rows of several labels: which of four sums of features are positive."""
    X, _ = blobs
    return X, np.stack([X[:, j] + X[:, j + 1] > 0 for j in range(4)], axis=1).astype(int)
