"""Explanations of a trained estimator: Shapley values, effects, and what shuffling costs."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._fitted import Fitted
from ._parameters import threads
from .explain import Effect, Explanation, PermutationImportance

BLOCK_BYTES = 256 << 20  # of values at a time


class Explaining(Fitted):
    """What `explain` and its like do."""

    classes_: np.ndarray

    def _label_table(self, table: _core.Table, y: Any, columns: list[str]) -> np.ndarray:
        raise NotImplementedError

    def _code(self, label: Any, what: str) -> int:
        """The place of a class among `classes_`."""
        found = np.flatnonzero(np.asarray(self.classes_) == label)
        if len(found) == 0:
            raise ValueError(f"{what}: {label!r} is none of the classes")
        return int(found[0])

    def _feature(self, feature: Any) -> int:
        """The number of a feature that is given by its number or name."""
        names = list(self.model_.feature_names)
        if isinstance(feature, numbers.Integral) and not isinstance(feature, bool):
            number = int(feature)
            if not -len(names) <= number < len(names):
                raise ValueError(f"feature: {number} is out of range; there are {len(names)}")
            return number % len(names)
        if feature not in names:
            raise ValueError(f"feature: {feature!r} is none of the features")
        return names.index(feature)

    def _explainer(self, background: Any, rounds: int | None) -> _core.Explainer:
        check_is_fitted(self)
        table = None if background is None else self._table(background)
        return _core.Explainer(
            self.model_, table, rounds=rounds or 0, threads=threads(self.n_jobs)
        )

    def _asked(
        self,
        X: Any,
        classes: Sequence[Any] | None = None,
        top: int | None = None,
        contrast: Any = None,
        background: Any = None,
        rounds: int | None = None,
    ) -> tuple[_core.Explainer, _core.Table, tuple[list[int], int, tuple[int, int] | None]]:
        """Who explains, which rows, and what of them, by the options of `explain`."""
        request = self._request(classes, top, contrast)
        explainer = self._explainer(background, rounds)
        return explainer, self._table(X), request

    def _request(
        self, classes: Any, top: int | None, contrast: Any
    ) -> tuple[list[int], int, tuple[int, int] | None]:
        check_is_fitted(self)
        given = [name for name, one in
                 (("classes", classes), ("top", top), ("contrast", contrast)) if one is not None]  # fmt: skip
        if len(given) > 1:
            raise ValueError(f"{given[0]}: give it or {given[1]}, not both")
        codes = [] if classes is None else [self._code(one, "classes") for one in classes]
        if classes is not None and not codes:
            raise ValueError("classes: it is empty; leave it out for all of them")
        if top is not None and top < 1:
            raise ValueError(f"top: {top} is not a number of classes; give 1 or more")
        pair = None
        if contrast is not None and not isinstance(contrast, bool):
            try:
                first, second = contrast
            except (TypeError, ValueError):
                raise ValueError(
                    f"contrast: {contrast!r:.60} is no pair of labels; give two, or True"
                ) from None
            pair = (
                -1 if first is None else self._code(first, "contrast"),
                -1 if second is None else self._code(second, "contrast"),
            )
        elif contrast:
            pair = (-1, -1)
        return codes, top or 0, pair

    def _explanation(
        self, found: Any, own: bool, contrast: bool, explained: str, data: Any
    ) -> Explanation:
        values, base, codes = found
        labels = np.asarray(self.classes_)[codes]
        if contrast:
            values, base = values[..., 0], base[:, 0]
        elif not own:
            labels = labels[0] if len(labels) else labels.reshape(-1)
        return Explanation(values, base, labels, list(self.model_.feature_names), explained, data)

    def explain(
        self,
        X: Any,
        *,
        classes: Sequence[Any] | None = None,
        top: int | None = None,
        contrast: Any = None,
        background: Any = None,
        rounds: int | None = None,
    ) -> Explanation:
        """Shapley values of the features for each row, exact, of all classes or of some.

        `classes`: only these. `top`: of each row the so many classes of highest score. `contrast`:
        why one class and not another: a pair of labels, of which None stands for the best of each
        row, or of the others; True for both. `background`: rows to compare with, a feature that is
        not known having their values whatever the others are (interventional); without it what
        training rows have in each node (path-dependent). `rounds`: only the first so many.
        """
        explainer, table, (codes, best, pair) = self._asked(
            X, classes, top, contrast, background, rounds
        )
        found = explainer.values(table, 0, table.rows, codes, best, pair)
        if table.rows == 0 and pair is None and best == 0:
            codes = codes or list(range(len(self.classes_)))
            found = (found[0], found[1], np.array([codes]))
        return self._explanation(found, best > 0, pair is not None, explainer.explained, X)

    def explain_blocks(
        self, X: Any, *, rows: int | None = None, **options: Any
    ) -> Iterator[Explanation]:
        """`explain`, with its options, `rows` rows at a time (without it, as many as take about 256
        MB): the memory does not grow with X."""
        explainer, table, (codes, best, pair) = self._asked(X, **options)
        step = rows or explainer.rows_for(codes, best, pair, BLOCK_BYTES)
        if step < 1:
            raise ValueError(f"rows: {rows} is not a number of rows; give 1 or more")
        for begin in range(0, table.rows, step):
            found = explainer.values(table, begin, min(begin + step, table.rows), codes, best, pair)
            yield self._explanation(found, best > 0, pair is not None, explainer.explained, None)

    def shap_values(self, X: Any, **options: Any) -> NDArray[np.float64]:
        """The values of `explain` alone: rows x features x classes."""
        return self.explain(X, **options).values

    def shap_interaction_values(self, X: Any, **options: Any) -> NDArray[np.float64]:
        """What pairs of features do together, with the options of `explain`: rows x features x
        features x columns, half of it at each of the two places; a line sums to the value of its
        feature."""
        explainer, table, (codes, best, pair) = self._asked(X, **options)
        values = explainer.values(table, 0, table.rows, codes, best, pair, pairs=True)[0]
        return np.asarray(values[..., 0] if pair is not None else values)

    def expected_values(self, background: Any = None) -> NDArray[np.float64]:
        """What the explanations of each class begin with: the mean over the rows to compare with."""
        return np.asarray(self._explainer(background, None).expected)

    def explained_scores(self, X: Any, background: Any = None) -> NDArray[np.float64]:
        """What values and base sum to, rows x classes, in double precision."""
        return np.asarray(self._explainer(background, None).sums(self._table(X)))

    def shap_importance(
        self,
        X: Any,
        *,
        per_class: bool = False,
        pair: tuple[Any, Any] | None = None,
        background: Any = None,
    ) -> NDArray[np.float64]:
        """The mean magnitude of the Shapley values of each feature over the rows, summed over the
        classes; `per_class`: features x classes. `pair`: of the difference of two classes, so
        that it tells what tells these apart. Takes memory for a block of rows only."""
        codes, _, contrast = self._request(None, None, pair)
        if per_class and pair is not None:
            raise ValueError("per_class: a pair of classes has one figure a feature; leave one out")
        explainer = self._explainer(background, None)
        means = np.asarray(explainer.mean_magnitudes(self._table(X), codes, contrast))
        return means if per_class else means.sum(axis=1)

    def effect(
        self,
        X: Any,
        feature: Any,
        *,
        kind: str = "average",
        classes: Sequence[Any] | None = None,
        of: str | None = None,
        points: int = 20,
        rows: int | None = 1000,
        seed: int = 0,
    ) -> Effect:
        """What a feature (its number or name) does to what the model says of the classes.

        `kind`: "average", partial dependence: the mean over rows of X that all have the same value
        of the feature; "individual": and each row's own curve; "accumulated": local effects, summed
        up, which ask nothing about rows that could not be (numbers only). `of`: "proba" or
        "scores"; without it probabilities where the model has them. `rows`: how many of X are
        drawn (None: all), `points`: of a numeric feature's quantiles.
        """
        check_is_fitted(self)
        if kind not in ("average", "individual", "accumulated"):
            raise ValueError(
                f"kind: {kind!r} is unknown; give 'average', 'individual' or 'accumulated'"
            )
        if of not in (None, "proba", "scores"):
            raise ValueError(f"of: {of!r} is unknown; give 'proba' or 'scores'")
        if of is None:
            of = "proba" if self.model_.has_proba else "scores"
        codes = self._request(classes, None, None)[0]
        number = self._feature(feature)
        grid, values, curves, taken, at_grid = _core.effect(
            self.model_,
            self._table(X),
            number,
            accumulated=kind == "accumulated",
            individual=kind == "individual",
            points=points,
            rows=rows or 0,
            seed=seed,
            scores=of == "scores",
            classes=codes,
            threads=threads(self.n_jobs),
        )
        categories = self.model_.categories[number]
        if categories is not None:
            names = [None if np.isnan(code) else categories[int(code)] for code in grid]
            grid = np.array(names, dtype=object)
        labels = np.asarray(self.classes_)
        return Effect(
            self.model_.feature_names[number], kind, grid, labels[codes] if codes else labels,
            values, of, curves, taken, at_grid,
        )  # fmt: skip

    def permutation_importance(
        self,
        X: Any,
        y: Any,
        *,
        metric: str | None = None,
        repeats: int = 10,
        rows: int | None = None,
        features: Sequence[Any] | None = None,
        seed: int = 0,
    ) -> PermutationImportance:
        """How much worse a metric is where a feature's values are shuffled among the rows, with
        intervals of 95 %. `metric`: any that the command's `evaluate` has (log-loss; error where
        there are no probabilities). In every repeat `rows` rows are drawn anew, so that the intervals tell
        of new rows too."""
        table = self._table(X)
        self._label_table(table, y, ["class"])
        chosen = [] if features is None else [self._feature(one) for one in features]
        if features is not None and not chosen:
            raise ValueError("features: it is empty; leave it out for all of them")
        name, value, figures, drops = _core.permutation_importance(
            self.model_, table, metric or "", repeats, rows or 0, seed, chosen,
            threads=threads(self.n_jobs),
        )  # fmt: skip
        names = list(self.model_.feature_names)
        return PermutationImportance(
            name, value, [names[j] for j in chosen] if chosen else names,
            figures[:, 0], figures[:, 1], figures[:, 2], drops,
        )  # fmt: skip
