"""Pages to look at: reports of a model, two models side by side."""

from __future__ import annotations

import html
import os
import pathlib
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from . import _core
from ._parameters import threads

if TYPE_CHECKING:
    from ._estimator import SimplexBoostClassifier


class Page:
    """One HTML file that holds all it needs; shown as it is in notebooks."""

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: str | os.PathLike[str]) -> Page:
        """Writes the file; returns self."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")
        return self

    def _repr_html_(self) -> str:
        return framed(self.html, "80vh")

    def __repr__(self) -> str:
        return f"<page of {len(self.html) // 1024} KB; save(path) writes it, notebooks show it>"


def framed(text: str, height: str) -> str:
    """A page within another, each with its own styles, and without a way out."""
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(text)}" title="simplexboost" '
        f'style="width: 100%; height: {height}; border: 1px solid #8888; border-radius: 6px">'
        "</iframe>"
    )


def compare(
    first: SimplexBoostClassifier,
    second: SimplexBoostClassifier,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    random_state: int = 0,
) -> Page:
    """Two trained estimators on the same rows: which errs less and how sure that is (paired
    bootstrap, McNemar's test), class by class, and the rows of which they say different things."""
    pair = isinstance(names, (tuple, list)) and len(names) == 2
    if not pair or not all(isinstance(name, str) for name in names):
        raise ValueError(f"names: {names!r:.60} is not two texts, one for each estimator")
    tables = []
    for estimator in (first, second):
        check_is_fitted(estimator)
        tables.append(estimator._labelled_table(X, y, sample_weight))
    return Page(
        _core.compare_html(
            first.model_,
            tables[0],
            names[0],
            second.model_,
            tables[1],
            names[1],
            threads=threads(first.n_jobs),
            seed=random_state,
        )
    )
