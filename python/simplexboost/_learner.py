"""Weak learners of one's own: trees that Python grows, in models that the library predicts with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone


@dataclass
class Tree:
    """One weak hypothesis: n nodes, of which 0 is the root, and n + 1 leaves.

    A row goes left where its feature is at most the threshold. A child c of 0 or more is node c,
    after its parent; one below 0 is leaf ~c, that is -1 - c. No nodes: one leaf for all rows.
    """

    feature: Any  # n: which column of X
    threshold: Any  # n
    left: Any  # n: child
    right: Any  # n: child
    values: Any  # n + 1 x outputs: what each leaf adds
    missing_left: Any = False  # n booleans, or one: where missing values go
    gain: Any = 0.0  # n numbers, or one: what each cut gained, for the importance of features

    def arrays(self, outputs: int, features: int) -> tuple[np.ndarray, ...]:
        """As the library reads them; `features` are the columns of X."""
        nodes = len(np.atleast_1d(self.feature))
        one_each = [
            _one_each(name, getattr(self, name), kind, nodes)
            for name, kind in (
                ("feature", np.int64),
                ("threshold", np.float64),
                ("left", np.int64),
                ("right", np.int64),
                ("missing_left", np.int64),
            )
        ]
        for name, whole, least, end in (
            ("feature", one_each[0], 0, features),
            ("left", one_each[2], -nodes - 1, nodes),
            ("right", one_each[3], -nodes - 1, nodes),
        ):
            if ((whole < least) | (whole >= end)).any():
                raise ValueError(
                    f"learner: a tree's {name} must be from {least} to {end - 1}, not "
                    f"{whole.tolist()!r:.60}"
                )
        values = _real("values", self.values, np.float32)
        if values.shape != (nodes + 1, outputs):
            raise ValueError(
                f"learner: a tree of {nodes} nodes needs values of {nodes + 1} x {outputs}, not of "
                f"{' x '.join(map(str, values.shape))}"
            )
        return (*one_each, values, _one_each("gain", self.gain, np.float32, nodes))


def _real(name: str, given: Any, kind: type) -> np.ndarray:
    """Numbers in a kind that the library reads; whole ones are not rounded."""
    try:
        found = np.asarray(given)
    except ValueError:  # lists of several lengths
        found = np.empty(0, dtype=object)
    if found.dtype.kind in "biuf":
        with np.errstate(over="ignore", invalid="ignore"):
            values: np.ndarray = found.astype(kind)
        if kind is not np.int64 or np.array_equal(found, values):
            return np.ascontiguousarray(values)
    what = "whole numbers" if kind is np.int64 else "numbers"
    raise ValueError(f"learner: a tree's {name} must be {what}, not {given!r:.60}")


def _one_each(name: str, given: Any, kind: type, nodes: int) -> np.ndarray:
    values = _real(name, given, kind)
    if values.shape not in ((), (1,), (nodes,)):
        raise ValueError(
            f"learner: a tree's {name} must be one or {nodes}, as there are nodes, not "
            f"{' x '.join(map(str, values.shape))}"
        )
    return np.ascontiguousarray(np.broadcast_to(values, nodes))


def tree_of(regressor: Any) -> Tree:
    """The tree of a fitted scikit-learn regressor (`tree_`)."""
    grown = regressor.tree_
    inner = grown.children_left >= 0
    place = np.where(inner, np.cumsum(inner) - 1, -np.cumsum(~inner))  # leaf k is -1 - k
    left, right = grown.children_left[inner], grown.children_right[inner]
    missing = getattr(grown, "missing_go_to_left", None)
    weighted = grown.impurity * grown.weighted_n_node_samples
    gain = np.maximum(weighted[inner] - weighted[left] - weighted[right], 0)
    return Tree(
        feature=grown.feature[inner],
        # Infinity parts what is known from what is missing.
        threshold=np.minimum(grown.threshold[inner], np.finfo(np.float64).max),
        left=place[left],
        right=place[right],
        values=grown.value[~inner, :, 0],
        missing_left=False if missing is None else np.asarray(missing)[inner],
        gain=np.where(np.isfinite(gain), gain, 0),  # old releases know none of missing values
    )


class Learner:
    """What the library calls: the rows once, then in every round what they want.

    `given` is a scikit-learn regressor that grows one tree, fitted to pulls / weights, or has
    `grow(X, pulls, weights)`, which gives a `Tree` or several.
    """

    def __init__(self, given: Any) -> None:
        if not hasattr(given, "grow") and not (hasattr(given, "fit") and hasattr(given, "get_params")):
            raise ValueError(
                "learner: give the name of one, a scikit-learn regressor that grows one tree, or an "
                "object with grow(X, pulls, weights)"
            )
        self.given = given

    def start(self, X: np.ndarray) -> None:
        self.X = X

    def grow(
        self, pulls: np.ndarray, weights: np.ndarray, rows: Any, features: Any
    ) -> list[tuple[np.ndarray, ...]]:
        X, outputs = self.X, pulls.shape[1]
        if rows is not None:
            X, pulls, weights = X[rows], pulls[rows], weights[rows]
        if features is not None:
            X = X[:, features]
        trees = [tree.arrays(outputs, X.shape[1]) for tree in self._trees(X, pulls, weights)]
        if features is not None:
            trees = [(features[tree[0]].astype(np.int64), *tree[1:]) for tree in trees]
        return trees

    def _trees(self, X: np.ndarray, pulls: np.ndarray, weights: np.ndarray) -> Iterable[Tree]:
        if hasattr(self.given, "grow"):
            grown = self.given.grow(X, pulls, weights)
            trees = list(grown) if isinstance(grown, Iterable) else [grown]
            if not trees or not all(isinstance(tree, Tree) for tree in trees):
                raise ValueError(f"learner: grow gave {grown!r:.60}; it must give a Tree or several")
            return trees
        wanted = pulls / np.maximum(weights, np.finfo(np.float32).tiny)[:, None]
        fitted = clone(self.given).fit(X, wanted, sample_weight=weights)
        if not hasattr(fitted, "tree_"):
            raise ValueError(f"learner: {type(fitted).__name__} grows no tree (it has no tree_)")
        return [tree_of(fitted)]
