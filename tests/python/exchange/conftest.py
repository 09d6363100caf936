"""Models of every kind for the tests of exported models, and rows to ask them about."""

import copy
import functools
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from simplexboost import SimplexBoostClassifier, load_model

COLOURS = [f"colour-{c}" for c in range(70)]  # more than two words of a set
SIZES = ["small", "middle", "large"]

KINDS = {
    "newton": {"rounds": 25},
    "newton bfloat16": {"rounds": 10, "leaf_precision": "bfloat16"},
    "gd-mcboost": {"rounds": 15},
    "gd-mcboost savage": {"algorithm": "gd-mcboost", "rounds": 15, "loss": "savage"},
    "gd-mcboost codewords": {
        "algorithm": "gd-mcboost",
        "rounds": 15,
        "dimension": 2,
        "posterior": "approximate",
    },
    "gd-mcboost no posterior": {"algorithm": "gd-mcboost", "rounds": 15, "dimension": 2},
    "cd-mcboost": {"rounds": 15},
    "adaboost-mh": {"rounds": 15},
    "one-vs-all": {"rounds": 10},
    "all-pairs": {"rounds": 10},
    "ecoc": {"rounds": 10},
    "samme": {"rounds": 15},
    "dmcboost": {"rounds": 8},
    "logitboost": {"rounds": 8},
    "abc-logitboost": {"rounds": 6},
    "aoso-logitboost": {"rounds": 15},
    "forest": {"rounds": 12},
    "linear": {"algorithm": "logitboost", "rounds": 6, "learner": "linear"},
    # Trees that take from outputs what they add to others, with linear terms.
    "linear pairs": {"algorithm": "all-pairs", "rounds": 6, "learner": "linear"},
    "cross-fitted": {"quality": "default", "rounds": 12},
    "ensemble": {"quality": "best", "rounds": 12},
    # With costs there are only newton's members.
    "newtons": {"quality": "best", "rounds": 12, "costs": 1 - np.eye(5)},
}


class Case(NamedTuple):
    name: str
    model: SimplexBoostClassifier
    table: pd.DataFrame  # rows for the model
    matrix: np.ndarray  # the same as numbers: codes of categories, NaN where missing

    def has_linear_terms(self):
        names = [name for name, _ in self.model.model_.members]
        return self.name.startswith("linear") or any(name.startswith("linear") for name in names)


def make_table(rows, seed, strange=False):
    """Numbers and categories, some missing; `strange` has values that training did not see."""
    generator = np.random.default_rng(seed)
    numbers = generator.normal(size=(rows, 4)).round(2)
    if strange:
        numbers *= generator.choice([1, 1, 1, 1e3, 1e-9, 0], size=numbers.shape)
    numbers[generator.random(numbers.shape) < 0.08] = np.nan
    table = pd.DataFrame(numbers, columns=["a", "b", "c", "d"])
    for name, categories in [("colour", COLOURS), ("size", SIZES)]:
        codes = generator.integers(len(categories), size=rows)
        codes[generator.random(rows) < 0.1] = -1
        table[name] = pd.Categorical.from_codes(codes, categories)
    return table


def labels_of(table):
    colour = table["colour"].cat.codes.to_numpy()
    value = np.nan_to_num(table["a"].to_numpy()) + 0.5 * np.nan_to_num(table["b"].to_numpy())
    noise = np.random.default_rng(1).integers(5, size=len(table))
    y = (np.digitize(value, [-0.7, 0, 0.7]) + (colour % 3 == 1)) % 5
    return np.where(np.arange(len(table)) % 9 == 0, noise, y)


def matrix_of(model, table):
    """As an exported model takes it."""
    columns = []
    for name, known in zip(model.model_.feature_names, model.model_.categories, strict=True):
        if known is None:
            columns.append(table[name].to_numpy(dtype=float))
            continue
        codes = pd.Categorical(table[name], categories=known).codes.astype(float)
        columns.append(np.where(codes < 0, np.nan, codes))
    return np.ascontiguousarray(np.stack(columns, axis=1))


@functools.cache
def make_case(name):
    settings = dict(KINDS[name])
    if name.startswith("linear"):
        columns = ["a", "b", "c", "d"]
    else:
        columns = ["a", "b", "c", "d", "colour", "size"]
    table = make_table(400, 5)[columns]
    rounds = settings.pop("rounds")
    settings.setdefault("quality", "fast")
    if settings["quality"] == "fast":
        settings["n_estimators"] = rounds
        settings.setdefault("algorithm", name.split()[0])
    elif settings["quality"] == "best":
        settings.update(n_estimators=rounds, n_folds=2)
    algorithm = settings.pop("algorithm", "auto")
    model = SimplexBoostClassifier(algorithm=algorithm, random_state=0, n_jobs=1, **settings)
    model.fit(table, labels_of(make_table(400, 5)))
    fresh = pd.concat([make_table(700, 6), make_table(300, 7, strange=True)])[columns]
    return Case(name, model, fresh, matrix_of(model, fresh))


@pytest.fixture(params=KINDS)
def case(request):
    return make_case(request.param)


@pytest.fixture(params=KINDS)
def random_case(request, tmp_path):
    """The trees of a trained model with other numbers: cuts that tie with rows, sides for missing
    values, sets of categories, leaves and slopes by chance."""
    case = make_case(request.param)
    generator = np.random.default_rng(len(request.param))
    path = tmp_path / "m.safetensors"
    case.model.save_model(path)
    with safe_open(path, "np") as file:
        metadata = file.metadata()
    arrays = load_file(path)
    del metadata["file_crc32"]
    metadata["format_version"] = "4"
    cuts = arrays["nodes.threshold"]
    arrays["nodes.threshold"] = generator.normal(size=cuts.shape).round(1)
    flags = arrays["nodes.flags"]
    arrays["nodes.flags"] = (flags & 1) | 2 * generator.integers(2, size=flags.shape, dtype=np.uint8)
    sets = arrays["sets"]
    arrays["sets"] = generator.integers(2**32, size=sets.shape, dtype=np.uint32)
    for name in ["leaf_values", "linear.slopes", "entries.value"]:
        if name in arrays and arrays[name].dtype == np.float32:
            drawn = generator.normal(size=arrays[name].shape).astype(np.float32)
            # Leaves of forests are shares, which are not below 0.
            arrays[name] = drawn if (arrays[name] < 0).any() else np.abs(drawn)
    save_file(arrays, path, metadata)
    matrix = case.matrix.round(1)
    table = case.table.copy()
    numbers = table.select_dtypes("number").columns
    table[numbers] = matrix[:, : len(numbers)]
    return Case(request.param, load_model(path), table, matrix)


@pytest.fixture(scope="session")
def newton_case():
    return make_case("newton")


@pytest.fixture(scope="session")
def newtons_case():
    return make_case("newtons")


@pytest.fixture(params=["temperature", "vector", "isotonic", "priors", "vector and priors"])
def adjusted_case(request, newton_case, labelled_rows):
    """Calibrated, or for other shares of the classes than those of training."""
    model = newton_case.model
    method = request.param.split()[0]
    if method != "priors":
        model = copy.copy(model).calibrate(*labelled_rows, method=method)
    if request.param.endswith("priors"):
        model = model.with_priors([0.5, 0.2, 0.1, 0.1, 0.1])
    return Case(request.param, model, newton_case.table, newton_case.matrix)


@pytest.fixture(scope="session")
def labelled_rows():
    """Rows that no model was trained on, and their labels."""
    table = make_table(300, 8)
    return table, labels_of(table)
