"""Pictures of a trained estimator. Needs matplotlib; every function returns the Axes it drew on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import confusion_matrix
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from ._estimator import SimplexBoostClassifier


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return plt.subplots()[1]


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
    ax = _axes(ax)
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
    ax = _axes(ax)
    names = [_names(estimator)[j] for j in order]
    if per_class:
        parts = estimator.importance(kind, per_class=True)[order]
        left = np.zeros(len(order))
        for label, part in zip(estimator.classes_, parts.T):
            ax.barh(names, part, left=left, label=str(label))
            left += part
        ax.legend(title="class")
    else:
        ax.barh(names, values[order])
    ax.set(xlabel={"gain": "gain", "split": "splits"}[kind], title="importance of the features")
    return ax


def margin_distribution(
    estimator: SimplexBoostClassifier, X: Any, y: Any, *, ax: Any = None
) -> Any:
    """Which share of the rows has a margin of at most so much; left of 0 are the errors."""
    margins = np.sort(estimator.margins(X, y))
    margins = margins[~np.isnan(margins)]
    ax = _axes(ax)
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
    ax = _axes(ax)
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


def confusion(
    estimator: SimplexBoostClassifier, X: Any, y: Any, *, normalize: bool = True, ax: Any = None
) -> Any:
    """True classes (lines) against predicted ones (columns), as shares of the line or counts."""
    counts = confusion_matrix(
        y, estimator.predict(X), labels=estimator.classes_, normalize="true" if normalize else None
    )
    ax = _axes(ax)
    image = ax.imshow(counts, cmap="Blues", vmin=0)
    ax.figure.colorbar(image, ax=ax)
    places = np.arange(len(estimator.classes_))
    ax.set_xticks(places, [str(label) for label in estimator.classes_], rotation=90)
    ax.set_yticks(places, [str(label) for label in estimator.classes_])
    if len(places) <= 12:
        for (i, j), value in np.ndenumerate(counts):
            text = f"{value:.2f}" if normalize else f"{value:d}"
            ax.text(j, i, text, ha="center", va="center", fontsize=7)
    ax.set(xlabel="predicted", ylabel="true")
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
    ax = _axes(ax)
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
