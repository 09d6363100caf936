"""Images: the shape of the rows as numpy has it, and models that cut by filters."""

import numpy as np
import pytest

from simplexboost import AdaBoostMHClassifier, SimplexBoostClassifier, load_model


def patches(rows, seed):
    """Grey images of 5 lines and 7 columns; the class is the column of a brighter patch."""
    rng = np.random.default_rng(seed)
    images = rng.uniform(0, 10, (rows, 1, 1)) + rng.uniform(0, 0.3, (rows, 5, 7))
    y = rng.integers(0, 3, rows)
    for image, k in zip(images, y):
        image[1:4, 2 * k + 1 : 2 * k + 3] += 0.2
    return images.reshape(rows, -1), y


def test_filters_see_more_than_pixels(tmp_path):
    X, y = patches(400, 1)
    other, truth = patches(400, 2)
    settings = {"n_estimators": 30, "random_state": 3}
    pixels = AdaBoostMHClassifier(**settings).fit(X, y).score(other, truth)
    model = AdaBoostMHClassifier(**settings, image_shape=(5, 7), filters=30).fit(X, y)
    assert model.score(other, truth) > pixels + 0.05
    model.save_model(tmp_path / "m.sb")
    again = load_model(tmp_path / "m.sb")
    np.testing.assert_array_equal(again.predict_proba(other), model.predict_proba(other))


def test_shapes_that_do_not_fit_are_refused():
    X, y = patches(60, 1)
    for wrong in [(5,), (5, 7.5), "five"]:
        with pytest.raises(ValueError, match="image_shape: "):
            SimplexBoostClassifier(n_estimators=2, image_shape=wrong).fit(X, y)
    with pytest.raises(ValueError, match="an image of 5x7x2 has 70 pixels"):
        SimplexBoostClassifier(n_estimators=2, image_shape=(7, 5, 2)).fit(X, y)
