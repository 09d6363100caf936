"""Cross-validation and the search for good settings: what the command's `cv` and `tune` do."""

from __future__ import annotations

import dataclasses
import math
import numbers
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from . import _core
from ._estimator import SimplexBoostClassifier, SimplexBoostMultiLabelClassifier
from ._labels import is_indicator, require_labels
from ._parameters import OPTIONS, budget_seconds, codes_of_groups, file_name, with_python_names

#: Arguments of the constructor that say how to compute, not what: they hold nothing back.
UNSEARCHED = {"n_jobs", "random_state", "verbose", "warm_start"}


@dataclasses.dataclass(frozen=True)
class Trial:
    """One setting that a search has tried."""

    number: int  #: from 0
    params: dict[str, Any]  #: arguments of the estimator, `algorithm` among them
    value: float  #: by the metric, on rows that were held out; NaN where training failed
    n_estimators: int  #: the number of rounds that did best
    seconds: float
    end: str  #: why it ended, in words
    judged_again: bool  #: by other folds; `value` is the mean of both


@dataclasses.dataclass(frozen=True)
class Tuning:
    """What a search has found."""

    best_estimator: Any  #: the winner, trained on all rows, or the ensemble that it is a member of
    best_params: dict[str, Any]  #: its arguments, beyond those of the estimator that was given
    best_value: float  #: by `metric`, where it won; that it won makes it look a little too good
    metric: str
    trials: list[Trial]


@dataclasses.dataclass(frozen=True)
class CrossValidation:
    """What a cross-validation has found."""

    mean: dict[str, float]  #: of each figure, over the folds
    std: dict[str, float]  #: the deviation of the folds' values; NaN for one fold
    folds: list[dict[str, Any]]  #: each fold's figures, rows, rounds and seconds
    classes: NDArray[Any]
    #: With `predictions`, repeats x rows: in which fold a row was held out.
    fold_of_row: NDArray[np.uint16] | None = None
    #: And repeats x rows x classes: what was said of it then.
    scores: NDArray[np.float32] | None = None
    proba: NDArray[np.float32] | None = None


def _prepared(estimator: Any, y: Any, what: str) -> Any:
    """A copy of the estimator, or the one that suits the labels."""
    if estimator is None:
        several = is_indicator(y)
        return (SimplexBoostMultiLabelClassifier if several else SimplexBoostClassifier)()
    if not isinstance(estimator, SimplexBoostClassifier):
        raise TypeError(f"{what}: {type(estimator).__name__} is not an estimator of simplexboost")
    own = [
        name for name in ("loss", "codewords", "learner") if not isinstance(getattr(estimator, name), str)
    ]
    if estimator.objective is not None:
        own.append("objective")
    if own:
        raise ValueError(f"{own[0]}: {what} has no place for one's own")
    if estimator.quality not in ("auto", "fast"):
        raise ValueError(
            f"quality: {what} judges single trainings; leave it at 'auto' (scikit-learn's "
            "cross_val_score judges any estimator)"
        )
    return clone(estimator)


def _group_codes(groups: Any, rows: int) -> list[int]:
    if groups is None:
        return []
    codes = codes_of_groups(groups)
    if len(codes) != rows:
        raise ValueError(f"groups: {len(codes)} labels for {rows} rows")
    return codes


def _checked(
    name: str, value: Any, low: float, high: float, *, whole: bool = False, none: Any = None
) -> Any:
    """The number, or `none` where nothing is given."""
    if value is None and none is not None:
        return none
    kind = numbers.Integral if whole else numbers.Real
    number = isinstance(value, kind) and not isinstance(value, bool)
    if not number or not low <= float(value) <= high:
        words = "a whole number" if whole else "a number"
        raise ValueError(f"{name}: {value!r} is out of range; give {words} from {low} to {high}")
    return int(value) if whole else float(value)


def cv(
    X: Any,
    y: Any,
    estimator: Any = None,
    *,
    folds: int = 5,
    repeats: int = 1,
    metrics: str | Sequence[str] | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    label_weight: Any = None,
    valid_fraction: float = 0.0,
    valid_fold: bool = False,
    label_noise: float = 0.0,
    exact_bins: bool = False,
    predictions: bool = False,
) -> CrossValidation:
    """Trains with each fold held out in turn and judges by the rows held out: the command's `cv`,
    with its folds. It bins once, and trains folds side by side where that is faster.

    `estimator`: whose settings to judge; by default a `SimplexBoostClassifier`, or for an indicator
    matrix `y` a `SimplexBoostMultiLabelClassifier`. Each class is in all folds in its share.
    `repeats`: do it so often, each time with other folds. `metrics`: names, as `simplexboost evaluate
    --help` lists them; None: the usual ones. `groups`: a label a row (a patient, a writer); rows of
    the same one stay in the same fold. `valid_fraction` of each fold's training rows, or the next fold
    (`valid_fold`), decide when to stop early (`n_iter_no_change`). `label_noise`: the share of the
    training labels that are made wrong; those held out stay. `exact_bins`: choose bins from each fold's
    training rows alone, not once from the features of all rows. `predictions`: keep what was said of each
    row while it was held out.
    """
    require_labels(estimator or SimplexBoostClassifier(), y)
    judged = _prepared(estimator, y, "cv")
    texts = {**judged._option_texts(), "rounds": str(judged._rounds())}
    table = judged._rows(X, y, (sample_weight, label_weight))
    asked = {
        "folds": _checked("folds", folds, 2, 1000, whole=True),
        "repeats": _checked("repeats", repeats, 1, 10_000, whole=True),
        "groups": _group_codes(groups, table.rows),
        "metrics": [metrics] if isinstance(metrics, str) else list(metrics or []),
        "valid_fraction": _checked("valid_fraction", valid_fraction, 0, 0.9),
        "valid_fold": bool(valid_fold),
        "label_noise": _checked("label_noise", label_noise, 0, 1),
        "exact_bins": bool(exact_bins),
        "predictions": bool(predictions),
    }
    results, figures, kept = with_python_names(_core.cross_validate, table, texts, asked)
    proba = [one for _, _, one in kept]
    return CrossValidation(
        mean={name: mean for name, (mean, _) in figures.items()},
        std={name: deviation for name, (_, deviation) in figures.items()},
        folds=results,
        classes=judged.classes_,
        fold_of_row=np.stack([one for one, _, _ in kept]) if kept else None,
        scores=np.stack([one for _, one, _ in kept]) if kept else None,
        proba=np.stack(proba) if kept and all(one is not None for one in proba) else None,
    )


def _seconds(budget: float | str | None) -> float:
    return math.inf if budget is None else budget_seconds(budget)


def _range_text(name: str, values: Any) -> str:
    """A range in the command's words: (low, high), (low, high, 'log') or a list of choices."""
    option = OPTIONS.get(name)
    if option is None:
        raise ValueError(f"ranges: {name!r} is no argument of the estimator")
    given = [values] if isinstance(values, str) else list(values)
    if isinstance(values, tuple):
        if len(given) not in (2, 3) or (len(given) == 3 and given[2] != "log"):
            raise ValueError(
                f"ranges: {name}: give (low, high), (low, high, 'log') or a list of values"
            )
        return f"{option}={':'.join(str(one) for one in given)}"
    return f"{option}={','.join(str(one) for one in given)}"


def _given_options(estimator: Any) -> list[str]:
    """What the estimator says otherwise than by default: that holds for all trials."""
    defaults = type(estimator)().get_params(deep=False)
    return [
        OPTIONS[name]
        for name, value in estimator.get_params(deep=False).items()
        if name in OPTIONS and name not in UNSEARCHED and value is not defaults[name]
        and not (isinstance(value, (str, int, float)) and value == defaults[name])
    ]  # fmt: skip


def _python_value(kind: str, text: str) -> Any:
    return {"int": int, "float": float}.get(kind, str)(text)


def _trial(found: Mapping[str, Any]) -> Trial:
    kinds = {row["name"]: row["type"] for row in _core.parameter_table()}
    names = {option: name for name, option in OPTIONS.items()}
    params = {"algorithm": found["algorithm"]}
    for option, text in found["settings"].items():
        params[names[option]] = _python_value(kinds[option], text)
    return Trial(
        number=found["number"],
        params=params,
        value=found["value"],
        n_estimators=found["rounds"],
        seconds=found["seconds"],
        end=found["end"],
        judged_again=found["judged_again"],
    )


def _check_judges(**given: Any) -> None:
    several = [name for name, value in given.items() if value is not None]
    if len(several) > 1:
        raise ValueError(f"{several[0]} and {several[1]} both say what to judge by; give one")


def _eval_table(estimator: Any, table: _core.Table, eval_set: Any) -> _core.Table | None:
    if eval_set is None:
        return None
    pairs = [eval_set] if isinstance(eval_set, tuple) else list(eval_set)
    if len(pairs) != 1:
        raise ValueError("eval_set: give one pair (X, y) to judge by")
    return estimator._eval_table(pairs[0], table)


def _ensemble_with(winner: Any, tuned: Any, seconds: float) -> Any:
    """One of quality "best" that has the winner for its first member, which is trained to its end."""
    model = clone(tuned).set_params(
        quality="best",
        validation_fraction=0.0,  # its folds judge by all rows
        budget=None if math.isinf(seconds) else max(1.0, seconds),
    )
    model._members = [
        {**winner._option_texts(), "rounds": str(winner.n_estimators), "early-stopping": "0"}
    ]
    return model


def tune(
    X: Any,
    y: Any,
    estimator: Any = None,
    *,
    budget: float | str | None = None,
    trials: int | None = None,
    algorithms: Sequence[str] | None = None,
    ranges: Mapping[str, Any] | None = None,
    search: str = "halving",
    metric: str = "error",
    folds: int | None = None,
    valid_fraction: float | None = None,
    eval_set: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    label_weight: Any = None,
    finalists: int = 5,
    ensemble: bool = False,
    journal: str | os.PathLike[str] | None = None,
    on_trial: Callable[[Trial], Any] | None = None,
) -> Tuning:
    """Searches for the best algorithm and settings, and trains with them on all rows: the command's
    `tune`. Poor trials end early; the best are judged again by other folds before one wins.

    `estimator`: what it says otherwise than by default holds for all trials, and the rest is searched.
    `budget`: time for all of it, in seconds or as '90s', '10m', '2h'; `trials`: at most so many (50
    where neither is given). `algorithms`: those to search; None: the usual ones. `ranges`: in the place
    of the usual ones, by arguments of the estimator: (low, high), (low, high, 'log') or a list of
    values. `search`: 'halving', 'random' (no trial ends early), or 'grid' (all combinations of lists).
    `metric`: what is best, a name of `simplexboost evaluate --help`. Trials are judged by `eval_set`, a
    pair (X, y), by cross-validation (`folds`), or else by a share of the rows (`valid_fraction`, 0.2).
    `groups`: rows of the same label are never parted. `finalists`: how many are judged again. `ensemble`:
    train an ensemble at last, as quality "best" does, of which the winner is a member, in place of the
    winner alone and within what is left of `budget`; fitted anew, it is one without the winner. `journal`:
    a file that keeps the trials; the same call goes on where it was interrupted. `on_trial` is called
    with every `Trial`, and ends the search by returning False.
    """
    began = time.monotonic()
    require_labels(estimator or SimplexBoostClassifier(), y)
    tuned = _prepared(estimator, y, "tune")
    texts = tuned._option_texts()
    table = tuned._rows(X, y, (sample_weight, label_weight))
    _check_judges(eval_set=eval_set, folds=folds, valid_fraction=valid_fraction)
    if algorithms is not None and tuned.algorithm != "auto":
        raise ValueError("algorithms: the estimator names one already; leave it at 'auto'")
    asked = {
        "search": search,
        "metric": metric,
        "algorithms": [algorithms] if isinstance(algorithms, str) else list(algorithms or []),
        "ranges": [_range_text(name, one) for name, one in (ranges or {}).items()],
        "given": _given_options(tuned),
        "seconds": _seconds(budget),
        "trials": _checked("trials", trials, 1, 10**9, whole=True, none=0),
        "valid_fraction": _checked("valid_fraction", valid_fraction, 0.001, 0.9, none=0.0),
        "folds": _checked("folds", folds, 2, 1000, whole=True, none=0),
        "finalists": _checked("finalists", finalists, 0, 1000, whole=True),
        "groups": _group_codes(groups, table.rows),
        "journal": "" if journal is None else file_name("journal", journal),
    }
    found, best = with_python_names(
        _core.search,
        table,
        texts,
        asked,
        valid=_eval_table(tuned, table, eval_set),
        on_trial=None if on_trial is None else lambda one: on_trial(_trial(one)),
    )
    tried = [_trial(one) for one in found]
    if best is None:
        why = f"; the first: {tried[0].end}" if tried else ""
        raise ValueError(f"tune: no trial came to an end that could be judged{why}")
    winner = tried[best]
    params = {**winner.params, "n_estimators": winner.n_estimators, "quality": "fast"}
    # The rounds are known now; nothing is to be set aside that could end them sooner.
    params.update(n_iter_no_change=None, validation_fraction=None)
    model = clone(tuned).set_params(**params)
    if ensemble:
        left = asked["seconds"] - (time.monotonic() - began)
        model = _ensemble_with(model, tuned, left)
    model.fit(X, y, sample_weight, label_weight=label_weight, groups=groups if ensemble else None)
    return Tuning(model, params, winner.value, metric, tried)
