"""Pictures of explanations; `simplexboost.plot` shows them under its name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .explain import Effect, Explanation

UP, DOWN = "#c1440e", "#2c6fb0"  # told apart by the colour-blind
OTHERS = "0.78"
MOST_NAMED = 9  # classes in a legend; the rest are "others"


def axes(ax: Any, width: float = 6.4, height: float = 4.8) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def short(text: Any, most: int = 24) -> str:
    text = str(text)
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def height_of(bars: int) -> float:
    return max(2.4, 0.32 * bars + 1.2)


def one_column(explanation: Explanation, label: Any) -> Explanation:
    """Of one class, or what has one column anyway."""
    if explanation.values.ndim == 2:
        if label is not None:
            raise ValueError("label: this explanation has one column; leave it out")
        return explanation
    if label is None:
        raise ValueError("label: say which class; this explanation has several")
    return explanation.of_class(label)


def of_row(explanation: Explanation, row: int, label: Any) -> Explanation:
    """One row and one column of it: of the class asked for, else of the highest sum."""
    own = explanation.classes.ndim == 2
    one = replace(
        explanation, values=explanation.values[[row]], base_values=explanation.base_values[[row]],
        classes=explanation.classes[[row]] if own else explanation.classes, data=None,
    )  # fmt: skip
    if one.values.ndim == 2:
        return one_column(one, label)
    if own:
        one = replace(one, classes=one.classes[0])
    if label is None:
        label = one.classes[int(np.argmax(one.sums()[0]))]
    return one.of_class(label)


def title_of(explanation: Explanation, row: int | None = None) -> str:
    if explanation.classes.ndim == 1 and len(explanation.classes) == 1:
        return f"class {short(explanation.classes[0])}"
    pairs = explanation.classes if row is None else explanation.classes[[row]]
    if len({(str(a), str(b)) for a, b in pairs}) == 1:
        return f"why {short(pairs[0][0])} and not {short(pairs[0][1])}"
    return "why the predicted class and not the next"


def shap_bar(explanation: Explanation, *, max_features: int = 15, ax: Any = None) -> Any:
    """The features of largest mean magnitude, as bars. Of several classes the bars are parted among
    them; of many the names of those that have most stand behind."""
    magnitudes = np.abs(explanation.values).mean(axis=0)
    total = magnitudes if magnitudes.ndim == 1 else magnitudes.sum(axis=1)
    order = np.argsort(-total, kind="stable")[:max_features][::-1]
    ax = axes(ax, height=height_of(len(order)))
    places = np.arange(len(order))
    if magnitudes.ndim == 1 or explanation.classes.ndim == 2:
        ax.barh(places, total[order], color=DOWN)
        named = explanation.values.ndim == 2
        ax.set_title(title_of(explanation) if named else "classes of highest score together")
    else:
        stack(ax, places, magnitudes[order], explanation.classes)
    ax.set_yticks(places, [short(explanation.feature_names[j]) for j in order])
    ax.set_xlabel("mean |Shapley value|")
    ax.margins(y=0.01)
    return ax


def stack(ax: Any, places: np.ndarray, parts: np.ndarray, classes: np.ndarray) -> None:
    """Bars parted among the classes, bars x classes; of many, the three that have most of a bar are
    written behind it."""
    many = len(classes) > MOST_NAMED + 1
    ax.set_title("importance of the features" + (", and classes of each" if many else ", by class"))
    left = np.zeros(len(places))
    if many:
        total = parts.sum(axis=1)
        ax.barh(places, total, color=DOWN)
        for place, part, end in zip(places, parts, total):
            best = np.argsort(-part, kind="stable")[:3]
            text = "  " + ", ".join(short(classes[k], 12) for k in best if part[k] > 0)
            ax.text(end, place, text, va="center", fontsize=8, color="0.3")
        ax.set_xlim(0, 1.45 * (total.max(initial=0) or 1.0))
        return
    for k in range(len(classes)):
        ax.barh(places, parts[:, k], left=left, color=f"C{k % 10}", label=short(classes[k], 16))
        left += parts[:, k]
    ax.legend(title="class", loc="lower right", fontsize=8, title_fontsize=8)


def _numbers(data: Any, feature: int) -> np.ndarray | None:
    """The values of a feature as numbers, or None where they are none."""
    if data is None:
        return None
    column = data.iloc[:, feature] if hasattr(data, "iloc") else None
    if column is None and hasattr(data, "toarray"):
        column = data[:, [feature]].toarray().ravel()
    if column is None:
        column = np.asarray(data)[:, feature]
    try:
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError):
        return None


def _spread(values: np.ndarray, most: float = 0.38) -> np.ndarray:
    """Heights that put rows of like values beside each other, dense places wide."""
    if len(values) < 2 or np.ptp(values) == 0:
        return np.linspace(-most, most, len(values)) if len(values) > 1 else np.zeros(len(values))
    bins = np.digitize(values, np.linspace(values.min(), values.max(), 80))
    heights = np.zeros(len(values))
    counts = np.bincount(bins)
    for one in np.flatnonzero(counts > 1):
        rows = np.flatnonzero(bins == one)
        reach = most * counts[one] / counts.max()
        heights[rows] = np.linspace(-reach, reach, len(rows))
    return heights


def beeswarm(
    explanation: Explanation,
    label: Any = None,
    *,
    max_features: int = 12,
    max_rows: int = 2000,
    ax: Any = None,
) -> Any:
    """A point for each row and feature, of one class (or of a contrast): where it lies is the
    Shapley value, its colour the feature's own value, from low to high; grey where that is missing
    or no number."""
    one = one_column(explanation, label)
    step = max(1, len(one.values) // max_rows)
    values = one.values[::step]
    order = np.argsort(-np.abs(values).mean(axis=0), kind="stable")[:max_features][::-1]
    ax = axes(ax, height=height_of(len(order)))
    ax.axvline(0, color="0.6", linewidth=0.8, zorder=0)
    image = None
    for place, j in enumerate(order):
        own = _numbers(one.data, int(j))
        own = np.full(len(values), np.nan) if own is None else own[::step]
        heights = place + _spread(values[:, j])
        ranks = np.full(len(own), np.nan)
        known = np.isfinite(own)
        if known.any():
            low, high = np.nanpercentile(own[known], [5, 95])
            ranks[known] = np.clip((own[known] - low) / max(high - low, 1e-300), 0, 1)
        ax.scatter(values[~known, j], heights[~known], s=6, color="0.7", linewidths=0)
        image = ax.scatter(
            values[known, j], heights[known], c=ranks[known], cmap="viridis", vmin=0, vmax=1, s=6,
            linewidths=0,
        )  # fmt: skip
    ax.set_yticks(np.arange(len(order)), [short(one.feature_names[j]) for j in order])
    ax.set_ylim(-0.6, len(order) - 0.4)
    ax.set(xlabel="Shapley value", title=title_of(one))
    if image is not None:
        bar = ax.figure.colorbar(image, ax=ax, ticks=[0, 1], aspect=40, pad=0.02)
        bar.ax.set_yticklabels(["low", "high"])
        bar.set_label("the feature's value", labelpad=-14)
    return ax


def _value_text(data: Any, row: int, feature: int) -> str:
    if data is None:
        return ""
    if hasattr(data, "iloc"):
        value = data.iloc[row, feature]
    elif hasattr(data, "toarray"):
        value = data[[row]].toarray()[0, feature]
    else:
        value = np.asarray(data)[row, feature]
    number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    return f" = {value:.4g}" if number else f" = {short(value, 14)}"


def waterfall(
    explanation: Explanation,
    row: int = 0,
    label: Any = None,
    *,
    max_features: int = 10,
    ax: Any = None,
) -> Any:
    """From what is said of any row to what is said of this one, feature by feature: of one class, of
    several that of the highest score unless `label` names another, or of a contrast, where what
    speaks for the first class goes to the right."""
    rows = len(explanation.values)
    if not -rows <= row < rows:
        raise ValueError(f"row: {row} is out of range; there are {rows}")
    row %= rows
    one = of_row(explanation, row, label)
    values = one.values[0]
    order = np.argsort(-np.abs(values), kind="stable")
    shown = order[: max_features if len(order) <= max_features else max_features - 1]
    bars = [(short(one.feature_names[j]) + _value_text(explanation.data, row, int(j)), values[j]) for j in shown]
    if len(order) > len(shown):
        bars.append((f"{len(order) - len(shown)} other features", values[order[len(shown) :]].sum()))
    bars.reverse()
    ax = axes(ax, height=height_of(len(bars)))
    base = float(one.base_values[0])
    reach = np.ptp([base, *(base + np.cumsum([value for _, value in bars]))]) or 1.0
    start = base
    for place, (_, value) in enumerate(bars):
        ax.barh(place, value, left=start, color=UP if value > 0 else DOWN, height=0.7)
        end = start + value
        away = 0.01 * reach * (1 if value >= 0 else -1)
        ax.text(
            end + away, place, f"{value:+.3g}", va="center", fontsize=8,
            ha="left" if value >= 0 else "right",
        )  # fmt: skip
        if place + 1 < len(bars):
            ax.plot([end, end], [place - 0.35, place + 1.35], color="0.6", linewidth=0.6)
        start = end
    ax.axvline(base, color="0.6", linestyle=":", linewidth=0.8)
    ax.set_yticks(np.arange(len(bars)), [name for name, _ in bars])
    ax.use_sticky_edges = False
    ax.margins(x=0.2, y=0.02)
    ax.set(
        xlabel=f"from {base:.3g}, as of any row, to {start:.3g}",
        title=f"row {row}: {title_of(one, 0)}",
    )
    return ax


def effect(
    found: Effect, *, max_classes: int = MOST_NAMED, max_curves: int = 50, ax: Any = None
) -> Any:
    """What a feature does to the classes: of many the ones that it moves most, by name, and the
    rest in grey. Individual curves are drawn for the class that is moved most."""
    moves = np.ptp(found.values, axis=0)
    named = np.argsort(-moves, kind="stable")[:max_classes]
    ax = axes(ax)
    grid = found.grid
    numeric = grid.dtype != object
    missing = numeric and len(grid) > 0 and np.isnan(grid[-1].astype(float))
    known = len(grid) - (1 if missing or (not numeric and grid[-1] is None) else 0)
    places = grid[:known].astype(float) if numeric else np.arange(known)
    for k in np.setdiff1d(np.arange(found.values.shape[1]), named):
        ax.plot(places, found.values[:known, k], color=OTHERS, linewidth=0.7, zorder=1)
    if found.curves is not None and len(named):
        for curve in found.curves[:max_curves, :known, named[0]]:
            ax.plot(places, curve, color="C0", alpha=0.15, linewidth=0.7, zorder=2)
    for place, k in enumerate(named):
        ax.plot(places, found.values[:known, k], color=f"C{place % 10}", zorder=3,
                marker="" if numeric else "o", label=short(found.classes[k], 16))  # fmt: skip
        if known < len(grid):
            edge = places[-1] + 0.06 * (np.ptp(places) or 1.0)
            ax.plot([edge], [found.values[-1, k]], "x", color=f"C{place % 10}", zorder=3)
    if not numeric:
        ax.set_xticks(places, [short(name, 14) for name in grid[:known]], rotation=45, ha="right")
    rest = found.values.shape[1] - len(named)
    title = "class" if rest == 0 else f"class ({rest} others in grey)"
    ax.legend(title=title, fontsize=8, title_fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    said = {"proba": "probability", "scores": "score"}[found.of]
    if found.kind == "accumulated":
        said = f"change of the {said}"
    label = short(found.feature, 40) + (" (x: missing)" if known < len(grid) else "")
    ax.set(xlabel=label, ylabel=f"mean {said}" if found.kind != "accumulated" else said)
    return ax
