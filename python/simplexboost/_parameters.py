"""The options of the command under the names that scikit-learn's users know.

`OPTIONS` is checked by a test against the one table of the C++ library: a parameter that is added
there and not here fails it, and so does one that the constructors do not write out.
"""

from __future__ import annotations

import numbers
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from . import _core
from ._labels import class_names

#: Constructor argument -> name on the command line. `None` always means the algorithm's choice.
OPTIONS: dict[str, str] = {
    "algorithm": "algorithm",
    "loss": "loss",
    "codewords": "codewords",
    "dimension": "dimension",
    "posterior": "posterior",
    "n_estimators": "rounds",
    "learning_rate": "learning-rate",
    "n_iter_no_change": "early-stopping",
    "early_stopping_metric": "early-stopping-metric",
    "early_stopping_rule": "early-stopping-rule",
    "early_stopping_start": "early-stopping-start",
    "uninformed_share": "uninformed-share",
    "class_weight": "class-weight",
    "costs": "costs",
    "margin_rows": "margin-rows",
    "relaxation": "relaxation",
    "margin_smoothing": "margin-smoothing",
    "phase_patience": "phase-patience",
    "phases": "phases",
    "tree_search": "tree-search",
    "search_steps": "search-steps",
    "base_candidates": "base-candidates",
    "base_gap": "base-gap",
    "learner": "learner",
    "max_depth": "depth",
    "max_leaf_nodes": "leaves",
    "n_factors": "factors",
    "linear_features": "linear-features",
    "leaf_values": "leaf-values",
    "leaf_precision": "leaf-precision",
    "criterion": "criterion",
    "categorical_splits": "categorical-splits",
    "subset_values": "subset-values",
    "sketch": "sketch",
    "sketch_kind": "sketch-kind",
    "min_samples_leaf": "min-rows",
    "min_weight_leaf": "min-weight",
    "min_gain": "min-gain",
    "l2_regularization": "l2",
    "subsample": "row-fraction",
    "max_features": "feature-fraction",
    "bootstrap": "bootstrap",
    "node_features": "node-features",
    "thresholds": "thresholds",
    "split_noise": "split-noise",
    "image_shape": "image",
    "filters": "filters",
    "monotone_constraints": "monotone",
    "interaction_constraints": "interactions",
    "resample": "resample",
    "weight_floor": "weight-floor",
    "max_bins": "max-bins",
    "histogram_memory": "histogram-memory",
    "n_jobs": "threads",
    "device": "device",
    "random_state": "seed",
}


def threads(n_jobs: int | None) -> int:
    """The library's number of threads, 0 being all cores.

    None respects OMP_NUM_THREADS, by which joblib divides the cores among its processes.
    """
    if n_jobs is None:
        given = os.environ.get("OMP_NUM_THREADS", "")
        return int(given) if given.isdigit() else 0
    if not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs: {n_jobs!r} is not a number of threads; give 1 or more, or -1")
    if n_jobs < 0:
        return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
    return int(n_jobs)


def seconds_of(text: Any) -> float:
    """Of a time like '30s', '10m' or '1h'; 0 where it is none."""
    time = re.fullmatch(r"(\d+(?:\.\d*)?)([smh])", text) if isinstance(text, str) else None
    return float(time[1]) * {"s": 1, "m": 60, "h": 3600}[time[2]] if time else 0.0


def budget_seconds(budget: float | str | None) -> float:
    """Of a number of seconds, or a time like '90s', '10m' or '2h'."""
    if isinstance(budget, numbers.Real) and not isinstance(budget, bool) and budget > 0:
        return float(budget)
    seconds = seconds_of(budget)
    if not seconds:
        raise ValueError(f"budget: {budget!r} is no time; give seconds, or '90s', '10m', '2h'")
    return seconds


def file_name(name: str, path: Any) -> str:
    """A path as text that the library takes."""
    try:
        text = os.fspath(path)
        if "\0" not in text and text.encode():
            return str(text)
    except (TypeError, UnicodeEncodeError):
        pass
    raise ValueError(f"{name}: {path!r:.60} is no path; give text that names a file")


def checkpoint_options(path: Any, every: int | str) -> _core.Checkpoint:
    """Where rounds are kept and how often: a number of rounds, or a time as text."""
    file = "" if path is None else file_name("checkpoint", path)
    if isinstance(every, numbers.Integral) and not isinstance(every, bool) and every > 0:
        return _core.Checkpoint(file, 0.0, int(every))
    seconds = seconds_of(every)
    if not seconds:
        raise ValueError(
            f"checkpoint_every: {every!r} is neither a time, like '30s', nor a number of rounds"
        )
    return _core.Checkpoint(file, seconds, 0)


def codes_of_groups(groups: Any) -> list[int]:
    """A number for each row, the same for those of the same group."""
    try:
        codes = np.unique(np.asarray(groups), return_inverse=True)[1]
    except (TypeError, ValueError):
        raise ValueError(
            "groups: they cannot be sorted; give a label a row, all numbers or all texts"
        ) from None
    return [int(code) for code in codes.ravel()]


def seed(random_state: Any) -> int:
    """The library's seed; None and generators draw one, as everywhere in scikit-learn."""
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _weight_of_class(label: Any, weight: Any) -> float:
    try:
        return float(weight)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"class_weight: the weight of {label!r} must be a number, 0 or more, not {weight!r:.40}"
        ) from None


def _class_weight_text(weights: Mapping[Any, float]) -> str:
    if not weights:
        return "none"  # no class has a weight of its own
    names = class_names(weights)
    if any("," in name for name in names):
        raise ValueError("class_weight: a class has a comma in its name; give sample_weight instead")
    numbers_of = [_weight_of_class(label, weight) for label, weight in weights.items()]
    return ",".join(f"{name}={weight!r}" for name, weight in zip(names, numbers_of))


def _costs_text(costs: Any) -> str:
    matrix = np.asarray(costs, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError("costs: give a matrix, classes x classes")
    return ";".join(",".join(repr(float(one)) for one in row) for row in matrix)


def _image_text(shape: Any) -> str:
    """(height, width) or (height, width, channels), as numpy has it, as the command has it."""
    sizes = list(shape)
    if len(sizes) not in (2, 3) or not all(isinstance(one, numbers.Integral) for one in sizes):
        raise ValueError(f"image_shape: {shape!r} is not (height, width) or (height, width, channels)")
    return "x".join(str(int(one)) for one in [sizes[1], sizes[0], *sizes[2:]])


def _feature_text(name: str, feature: Any) -> str:
    """A name, or a position from 0 as the library's number from 1."""
    if isinstance(feature, numbers.Integral) and not isinstance(feature, bool):
        return f"#{int(feature) + 1}"
    if not isinstance(feature, str) or any(c in feature for c in ",;:#"):
        raise ValueError(f"{name}: {feature!r} is not the name or the position of a feature")
    return feature


def _monotone_text(given: Any) -> str:
    """{feature: sign} or {feature: (sign, class)}, or a sign for each feature; two classes."""
    name = "monotone_constraints"
    items = given.items() if isinstance(given, Mapping) else enumerate(given)
    entries = []
    for feature, one in items:
        sign, label = one if isinstance(one, tuple) and len(one) == 2 else (one, None)
        if not isinstance(sign, (int, np.integer)) or sign not in (-1, 0, 1):
            raise ValueError(f"{name}: {one!r} is not -1, 0, 1 or (sign, class)")
        if sign == 0:
            continue
        text = "" if label is None else class_names([label])[0]
        if any(c in text for c in ",;:#"):
            raise ValueError(f"{name}: the class {label!r} has one of ',;:#' in its name")
        entries.append(f"{_feature_text(name, feature)}:{'+' if sign > 0 else '-'}{text}")
    return ",".join(entries) or "none"


def _interactions_text(given: Any) -> str:
    name = "interaction_constraints"
    return ";".join(",".join(_feature_text(name, one) for one in group) for group in given) or "none"


def _text(name: str, value: Any) -> str:
    if name == "monotone_constraints" and not isinstance(value, str):
        return _monotone_text(value)
    if name == "interaction_constraints" and not isinstance(value, str):
        return _interactions_text(value)
    if name == "image_shape" and not isinstance(value, str):
        return _image_text(value)
    if name == "class_weight" and isinstance(value, Mapping):
        return _class_weight_text(value)
    if name == "costs" and not isinstance(value, str):
        return _costs_text(value)
    if isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}: {value!r} is not a number or a name")
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, str):
        return value
    raise ValueError(f"{name}: {value!r} is not a number or a name")


def option_texts(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Constructor arguments as the library's parameters; raises ValueError where one is wrong."""
    texts: dict[str, str] = {}
    for name, option in OPTIONS.items():
        value = parameters[name]
        if name == "n_jobs":
            texts[option] = str(threads(value))
        elif name == "random_state":
            texts[option] = str(seed(value))
        elif value is not None:
            texts[option] = _text(name, value)
    with_python_names(_core.check_parameters, texts)
    return texts


def with_python_names(function: Any, *arguments: Any, **named: Any) -> Any:
    """Calls; a message about an option then speaks of the constructor's argument."""
    try:
        return function(*arguments, **named)
    except ValueError as error:
        found = re.match(r"([a-z0-9-]+): ", str(error))
        names = {option: name for name, option in OPTIONS.items()}
        names.update(figures="eval_metric", metrics="eval_metric")
        if found is None or found.group(1) not in names:
            raise
        name = names[found.group(1)]
        raise ValueError(f"{name}: {str(error)[found.end():]}") from None
