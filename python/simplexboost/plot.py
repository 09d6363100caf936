"""Pictures of a trained estimator. Needs matplotlib; every function returns the Axes it drew on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._shap_plot import axes, beeswarm, effect, shap_bar, short, stack, waterfall

if TYPE_CHECKING:
    from ._estimator import SimplexBoostClassifier


def _names(estimator: Any) -> list[str]:
    return list(estimator.model_.feature_names)


def learning_curve(
    estimator: SimplexBoostClassifier, metric: str = "error", *, ax: Any = None
) -> Any:
    """A figure of the training log against the rounds: of the training set and of every
    `eval_set` that has it, with the best round marked."""
    check_is_fitted(estimator)
    curves = {
        name: figures[metric]
        for name, figures in estimator.evals_result_.items()
        if figures.get(metric)
    }
    if not curves:
        known = sorted({name for one in estimator.evals_result_.values() for name in one})
        raise ValueError(f"metric: {metric!r} is not in the log; it has {', '.join(known)}")
    ax = axes(ax)
    for name, values in curves.items():
        ax.plot(np.arange(1, len(values) + 1), values, label=name)
    if any(name != "train" for name in curves):
        ax.axvline(estimator.best_iteration_, color="0.6", linestyle=":", label="best")
    ax.set(xlabel="round", ylabel=metric.replace("_", " "), title=estimator.model_.algorithm)
    ax.legend()
    return ax


def importance(
    estimator: SimplexBoostClassifier,
    kind: str = "gain",
    *,
    max_features: int = 20,
    per_class: bool = False,
    ax: Any = None,
) -> Any:
    """The most important features as bars; `per_class` stacks the shares of the classes."""
    values = estimator.importance(kind)
    order = np.argsort(-values, kind="stable")[:max_features][::-1]
    ax = axes(ax)
    names = [_names(estimator)[j] for j in order]
    if per_class:
        parts = estimator.importance(kind, per_class=True)[order]
        stack(ax, np.arange(len(order)), parts, np.asarray(estimator.classes_))
        ax.set_yticks(np.arange(len(order)), names)
    else:
        ax.barh(names, values[order])
        ax.set_title("importance of the features")
    ax.set_xlabel({"gain": "gain", "split": "splits"}[kind])
    return ax


def margin_distribution(
    estimator: SimplexBoostClassifier, X: Any, y: Any, *, ax: Any = None
) -> Any:
    """Which share of the rows has a margin of at most so much; left of 0 are the errors."""
    margins = np.sort(estimator.margins(X, y))
    margins = margins[~np.isnan(margins)]
    ax = axes(ax)
    ax.step(margins, np.arange(1, len(margins) + 1) / max(len(margins), 1), where="post")
    ax.axvline(0, color="0.6", linestyle=":")
    ax.set(xlabel="margin", ylabel="share of the rows", ylim=(0, 1), title="distribution of margins")
    return ax


def _plane(points: np.ndarray, codewords: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and codewords in two dimensions: those in which the codewords differ most."""
    center = codewords.mean(axis=0)
    directions = np.linalg.svd(codewords - center, full_matrices=False)[2][:2]
    if codewords.shape[1] == 2:
        center, directions = np.zeros(2), np.eye(2)
    flat = [(one - center) @ directions.T for one in (points, codewords)]
    return tuple(  # type: ignore[return-value]
        np.column_stack([one, np.zeros(len(one))]) if one.shape[1] == 1 else one for one in flat
    )


def codeword_scatter(
    estimator: SimplexBoostClassifier, X: Any, y: Any = None, *, ax: Any = None
) -> Any:
    """The rows in the space of the predictor (`transform`), coloured by class (`y`, else the
    predicted one), and the directions of the codewords. Two dimensions are drawn as they are,
    more by those in which the codewords differ most."""
    points = np.asarray(estimator.transform(X), dtype=float)
    labels = np.asarray(estimator.predict(X) if y is None else y)
    points, codewords = _plane(points, np.asarray(estimator.codewords_, dtype=float))
    ax = axes(ax)
    reach = np.abs(points).max() / max(np.abs(codewords).max(), 1e-12) if len(points) else 1.0
    for k, label in enumerate(estimator.classes_):
        color = f"C{k % 10}"
        rows = labels == label
        ax.scatter(points[rows, 0], points[rows, 1], s=8, alpha=0.5, color=color)
        end = codewords[k] * reach
        ax.plot([0, end[0]], [0, end[1]], color=color, linewidth=1)
        ax.annotate(str(label), end, color=color, weight="bold")
    ax.set(title="predictor and codewords", aspect="equal")
    return ax


def confusion_order(counts: np.ndarray) -> np.ndarray:
    """An order of the classes in which those that are taken for each other stand together: that of
    reports (docs/report.md)."""
    return np.asarray(_core.class_order(np.ascontiguousarray(counts, dtype=np.float64)), dtype=np.intp)


def confusion(
    estimator: SimplexBoostClassifier,
    X: Any,
    y: Any,
    *,
    normalize: bool = True,
    order: bool = True,
    diagonal: bool = True,
    ax: Any = None,
) -> Any:
    """True classes (lines) against predicted ones (columns), as shares of the line or counts. With
    `order` classes that are taken for each other stand together; without `diagonal` the rows that
    are right are left out, so that the colours tell the confusions apart."""
    labels = np.asarray(estimator.classes_)
    counts = confusion_matrix(y, estimator.predict(X), labels=labels)
    if order:
        places = confusion_order(counts)
        counts, labels = counts[np.ix_(places, places)], labels[places]
    shown = counts.astype(float)
    if normalize:
        shown /= np.maximum(shown.sum(axis=1, keepdims=True), 1)
    if not diagonal:
        np.fill_diagonal(shown, 0)
    side = min(12.0, max(4.8, 0.16 * len(labels) + 1.5))
    ax = axes(ax, side, side * 0.92)
    image = ax.imshow(shown, cmap="Blues", vmin=0, vmax=shown.max(initial=0) or 1)
    ax.figure.colorbar(image, ax=ax, shrink=0.8)
    size = 10 if len(labels) <= 20 else max(4.5, 10 - 0.06 * len(labels))
    room = ax.get_position().height * ax.figure.get_figheight() * 72 / max(len(labels), 1)
    step = int(np.ceil(size / room))  # every so many, lest names lie over each other
    names = [short(label, 16) if i % step == 0 else "" for i, label in enumerate(labels)]
    ax.set_xticks(np.arange(len(labels)), names, rotation=90, fontsize=size)
    ax.set_yticks(np.arange(len(labels)), names, fontsize=size)
    ax.tick_params(length=0 if len(labels) > 40 else 3)
    if len(labels) <= 12:
        dark = shown.max() / 2
        for (i, j), value in np.ndenumerate(shown):
            text = "" if value == 0 else f"{value:.2f}" if normalize else f"{value:.0f}"
            color = "white" if value > dark else "black"
            ax.text(j, i, text, ha="center", va="center", fontsize=8, color=color)
    ax.set(xlabel="predicted", ylabel="true")
    return ax


def _bins(sure: np.ndarray, right: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How sure, how often right, and how many, in bins of as many rows each."""
    order = np.argsort(sure, kind="stable")
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return (
        np.array([sure[part].mean() for part in parts]),
        np.array([right[part].mean() for part in parts]),
        np.array([len(part) for part in parts]),
    )


def calibration(
    estimator: SimplexBoostClassifier, X: Any, y: Any, *, bins: int = 10, worst: int = 3, ax: Any = None
) -> Any:
    """How often the model is right where it is so sure, in bins of as many rows each, with
    intervals of 95 %: of the predicted class, and of the `worst` classes, those whose probabilities
    are furthest from what happens. A model that knows how sure to be lies on the diagonal."""
    proba = estimator.predict_proba(X)
    labels = np.asarray(y)
    classes = np.asarray(estimator.classes_)
    truth = labels[:, None] == classes[None, :]
    best = proba.argmax(axis=1)
    rows = np.arange(len(labels))
    ax = axes(ax)
    ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8, zorder=0)
    sure, right, count = _bins(proba[rows, best], truth[rows, best], bins)
    spread = 1.96 * np.sqrt((right * (1 - right) + 1 / count) / count)
    ax.errorbar(sure, right, yerr=spread, marker="o", color="black", capsize=2, label="predicted class")
    off = []
    for k in range(len(classes)):
        said, came, many = _bins(proba[:, k], truth[:, k], bins)
        off.append((np.abs(said - came) @ many) / max(many.sum(), 1))
    for place, k in enumerate(np.argsort(-np.array(off), kind="stable")[:worst]):
        said, came, _ = _bins(proba[:, k], truth[:, k], bins)
        ax.plot(said, came, marker=".", color=f"C{place}", label=f"class {short(classes[k], 16)}")
    gap = float((np.abs(sure - right) @ count) / max(count.sum(), 1))
    ax.legend(title=f"mean gap {gap:.3f}", fontsize=8, title_fontsize=8, loc="best")
    ax.set(xlabel="probability", ylabel="share of the rows", xlim=(0, 1), ylim=(0, 1.02), aspect="equal")
    return ax


def _leaf_text(estimator: Any, tree: dict[str, Any], leaf: int) -> str:
    """What a leaf says: the class that it speaks for most, and by how much."""
    outputs = np.zeros(estimator.model_.outputs)
    values = tree["values"][leaf]
    outputs[tree["output"] : tree["output"] + len(values)] = values
    scores = estimator.codewords_ @ outputs
    best = int(np.argmax(scores))
    return f"{estimator.classes_[best]}\n{scores[best]:+.3g}"


def tree(estimator: SimplexBoostClassifier, number: int = 0, *, ax: Any = None) -> Any:
    """One tree: its tests (left where they hold), and the class that each leaf speaks for most."""
    check_is_fitted(estimator)
    nodes = estimator.model_.tree(number)
    ax = axes(ax)
    ax.axis("off")
    box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "0.5"}
    next_leaf = 0

    def draw(child: int, depth: int) -> float:
        nonlocal next_leaf
        if child < 0:
            x = float(next_leaf)
            next_leaf += 1
            text = _leaf_text(estimator, nodes, ~child)
            face = {**box, "facecolor": "#e8f0e8"}
            ax.text(x, -depth, text, ha="center", va="center", fontsize=7, bbox=face)
            return x
        places = [draw(int(nodes[side][child]), depth + 1) for side in ("left", "right")]
        x = (places[0] + places[1]) / 2
        for place in places:
            ax.plot([x, place], [-depth, -depth - 1], color="0.6", zorder=0)
        ax.text(
            x, -depth, nodes["test"][child], ha="center", va="center", fontsize=7, bbox=box
        )
        return x

    draw(0 if len(nodes["left"]) else -1, 0)
    ax.set_title(f"tree {number}")
    return ax


__all__ = [
    "beeswarm", "calibration", "codeword_scatter", "confusion", "confusion_order", "effect",
    "importance", "learning_curve", "margin_distribution", "shap_bar", "tree", "waterfall",
]  # fmt: skip
