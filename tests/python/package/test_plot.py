"""Plots: drawn without a screen, looked at through their Axes."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from simplexboost import GDMCBoostClassifier, SAMMEClassifier, SimplexBoostClassifier, plot


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted(blobs):
    X, y = blobs
    return SimplexBoostClassifier(n_estimators=8).fit(X, y, eval_set=[(X[:200], y[:200])])


def test_learning_curve_shows_the_log(fitted):
    ax = plot.learning_curve(fitted)
    lines = {line.get_label(): line for line in ax.lines}
    assert list(lines["train"].get_ydata()) == fitted.evals_result_["train"]["error"]
    assert set(lines) == {"train", "valid_0", "best"}
    assert [line.get_label() for line in plot.learning_curve(fitted, "step").lines] == ["train"]
    with pytest.raises(ValueError, match="error"):
        plot.learning_curve(fitted, "nothing")


def test_importance_bars_are_sorted(fitted):
    ax = plot.importance(fitted, max_features=5)
    widths = [bar.get_width() for bar in ax.patches]
    assert len(widths) == 5 and widths == sorted(widths)
    assert widths[-1] == fitted.importance().max()
    stacked = plot.importance(fitted, "split", max_features=3, per_class=True)
    total = sum(bar.get_width() for bar in stacked.patches)
    assert total == pytest.approx(np.sort(fitted.importance("split"))[-3:].sum())


def test_margins(fitted, blobs):
    X, y = blobs
    ax = plot.margin_distribution(fitted, X, y)
    x, share = ax.lines[0].get_data()
    wrong = (fitted.predict(X) != y).mean()
    assert share[-1] == 1 and (np.asarray(x) < 0).mean() == pytest.approx(wrong, abs=0.01)


@pytest.mark.parametrize("dimension", [2, 3, None])
def test_codewords(blobs, dimension):
    X, y = blobs
    estimator = GDMCBoostClassifier(n_estimators=5, dimension=dimension).fit(X, y)
    ax = plot.codeword_scatter(estimator, X, y)
    assert len(ax.collections) == 5 and len(ax.texts) == 5
    points = np.concatenate([one.get_offsets() for one in ax.collections])
    assert len(points) == 600
    if dimension == 2:
        own = ax.collections[1].get_offsets()
        assert np.allclose(own, estimator.transform(X)[y == 1])
    plot.codeword_scatter(estimator, X)


def test_codewords_of_two_classes(iris):
    X, y = iris
    estimator = GDMCBoostClassifier(n_estimators=3).fit(X[:100], y[:100])
    assert estimator.codewords_.shape == (2, 1)
    plot.codeword_scatter(estimator, X[:100], y[:100])


def test_confusion(fitted, blobs):
    ax = plot.confusion(fitted, *blobs, normalize=False)
    counts = np.asarray(ax.images[0].get_array())
    assert counts.sum() == 600
    assert np.trace(counts) == round(fitted.score(*blobs) * 600)


@pytest.mark.parametrize("kind", [SimplexBoostClassifier, GDMCBoostClassifier, SAMMEClassifier])
def test_tree(iris, kind):
    estimator = kind(n_estimators=2, max_depth=2).fit(*iris)
    nodes = estimator.model_.tree(1)
    ax = plot.tree(estimator, 1)
    assert len(ax.texts) == len(nodes["left"]) + len(nodes["values"])
    _, figure = plt.subplots()
    assert plot.tree(estimator, ax=figure) is figure


def test_confused_classes_stand_together(blobs):
    counts = np.eye(6, dtype=int) * 50
    for a, b in ((0, 5), (1, 3), (2, 4)):
        counts[a, b] = counts[b, a] = 20
    order = plot.confusion_order(counts).tolist()
    assert sorted(order) == list(range(6))
    for a, b in ((0, 5), (1, 3), (2, 4)):
        assert abs(order.index(a) - order.index(b)) == 1
    assert plot.confusion_order(np.eye(2)).tolist() == [0, 1]


def test_diagonal_can_be_left_out(fitted, blobs):
    shown = np.asarray(plot.confusion(fitted, *blobs, diagonal=False).images[0].get_array())
    assert np.trace(shown) == 0


def test_calibration_has_a_point_a_bin(fitted, blobs):
    ax = plot.calibration(fitted, *blobs, bins=5, worst=2)
    assert [len(line.get_xdata()) for line in ax.lines[1:2]] == [5]
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[0].startswith("class") or "predicted class" in labels
    assert len(labels) == 3


@pytest.fixture(scope="module")
def explained(fitted, blobs):
    return fitted.explain(blobs[0][:80])


def test_shap_bars_are_mean_magnitudes(explained):
    ax = plot.shap_bar(explained, max_features=4)
    magnitudes = np.abs(explained.values).mean(axis=0).sum(axis=1)
    total = sum(bar.get_width() for bar in ax.patches)
    assert total == pytest.approx(np.sort(magnitudes)[-4:].sum())
    one = plot.shap_bar(explained.of_class(2), max_features=4)
    assert len(one.patches) == 4


def test_beeswarm_has_a_point_for_each_row_and_feature(explained):
    ax = plot.beeswarm(explained, 1, max_features=3)
    points = np.concatenate([one.get_offsets() for one in ax.collections])
    assert len(points) == 3 * 80
    best = np.abs(explained.values[:, :, 1]).mean(axis=0).argmax()
    top = points[np.round(points[:, 1]) == 2][:, 0]
    assert np.allclose(np.sort(top), np.sort(explained.values[:, best, 1]))
    with pytest.raises(ValueError, match="label"):
        plot.beeswarm(explained)


def test_waterfall_leads_to_the_score(explained, fitted, blobs):
    ax = plot.waterfall(explained, 3, 2, max_features=5)
    assert len(ax.get_yticklabels()) == 5
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(
        explained.values[3, :, 2].sum()
    )
    why = plot.waterfall(fitted.explain(blobs[0][:5], contrast=True), 0)
    first, second = fitted.explain(blobs[0][:1], contrast=True).classes[0]
    assert f"why {first} and not {second}" in why.get_title()
    with pytest.raises(ValueError, match="row"):
        plot.waterfall(explained, 99, 2)


def test_waterfall_is_of_the_class_that_is_predicted(fitted, blobs):
    rows = blobs[0][:5]
    told = fitted.predict(rows)
    for explanation in [fitted.explain(rows), fitted.explain(rows, top=2)]:
        for row in (0, 4):
            ax = plot.waterfall(explanation, row)
            assert ax.get_title() == f"row {row}: class {told[row]}"
    second = fitted.explain(rows, top=2).classes[1, 1]
    ax = plot.waterfall(fitted.explain(rows, top=2), 1, second)
    assert ax.get_title() == f"row 1: class {second}"



def test_effects_are_lines_of_classes(fitted, blobs):
    X, _ = blobs
    found = fitted.effect(X, 2, points=6)
    ax = plot.effect(found, max_classes=3)
    assert len(ax.get_legend().get_texts()) == 3
    assert len(ax.lines) == 5
    plot.effect(fitted.effect(X, 2, kind="individual", rows=9))
    plot.effect(fitted.effect(X, 2, kind="accumulated"))
