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

    def arrays(self, outputs: int) -> tuple[np.ndarray, ...]:
        """As the library reads them."""
        nodes = len(np.atleast_1d(self.feature))
        one_each = [
            np.ascontiguousarray(np.broadcast_to(np.asarray(given, dtype=kind), nodes))
            for given, kind in (
                (self.feature, np.int64),
                (self.threshold, np.float64),
                (self.left, np.int64),
                (self.right, np.int64),
                (self.missing_left, np.int64),
            )
        ]
        values = np.ascontiguousarray(self.values, dtype=np.float32)
        if values.shape != (nodes + 1, outputs):
            raise ValueError(
                f"learner: a tree of {nodes} nodes needs values of {nodes + 1} x {outputs}, not of "
                f"{' x '.join(map(str, values.shape))}"
            )
        gain = np.ascontiguousarray(np.broadcast_to(np.asarray(self.gain, np.float32), nodes))
        return (*one_each, values, gain)


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
        trees = [tree.arrays(outputs) for tree in self._trees(X, pulls, weights)]
        if features is not None:
            trees = [(features[tree[0]].astype(np.int64), *tree[1:]) for tree in trees]
        return trees

    def _trees(self, X: np.ndarray, pulls: np.ndarray, weights: np.ndarray) -> Iterable[Tree]:
        if hasattr(self.given, "grow"):
            grown = self.given.grow(X, pulls, weights)
            return [grown] if isinstance(grown, Tree) else list(grown)
        wanted = pulls / np.maximum(weights, np.finfo(np.float32).tiny)[:, None]
        fitted = clone(self.given).fit(X, wanted, sample_weight=weights)
        if not hasattr(fitted, "tree_"):
            raise ValueError(f"learner: {type(fitted).__name__} grows no tree (it has no tree_)")
        return [tree_of(fitted)]
