"""Data sets of the comparison, each split once and kept as files that every program reads.

    work/NAME/train.csv, test.csv     for the command
    work/NAME/train.npz, test.npz     the same rows as arrays, for the peers
    work/NAME/fit.*, valid.*          parts of the training rows, for tuning
    work/NAME/set.json                shape and kind of columns
"""

import csv
import gzip
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy

SEED = 1
TEST_SHARE = 0.2
MANYCLASS_FEATURES = 20


@dataclass(frozen=True)
class Group:
    """Sets of like numbers of classes, and the largest ratio of times that is wanted there."""

    title: str
    sets: tuple
    wanted: float


GROUPS = [
    Group(
        "K <= 10",
        (
            "satimage", "pendigits", "optdigits", "usps", "covtype-sub", "shuttle", "mnist",
            "manyclass-10",
        ),
        1 / 3,
    ),
    Group("K = 18 to 34", ("letter", "isolet", "krkopt", "chars74k-fnt", "manyclass-30"), 1 / 8),
    Group(
        "K >= 100",
        (
            "coil100", "leaves100", "omniglot242", "ujiindoorloc",
            "manyclass-100", "manyclass-300", "manyclass-1000", "manyclass-3000",
        ),
        1 / 40,
    ),
]  # fmt: skip
ALL_SETS = [name for group in GROUPS for name in group.sets]


def group_of(name):
    return next((group for group in GROUPS if name in group.sets), None)


@dataclass
class PreparedSet:
    name: str
    folder: Path
    rows: int
    test_rows: int
    features: int
    classes: int
    categorical: list  # positions

    def file(self, part, kind="csv"):
        return self.folder / f"{part}.{kind}"


def read_table(path):
    opened = gzip.open(path, "rt", newline="") if path.suffix == ".gz" else open(path, newline="")
    with opened as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def part_rows(labels, share, generator):
    """Two lists of positions, at random; the last row of a class never goes to the second."""
    order = generator.permutation(len(labels))
    left = dict.fromkeys(labels, 0)
    for label in labels:
        left[label] += 1
    first, second = [], []
    for position in order:
        label = labels[position]
        if len(second) < share * len(labels) and left[label] > 1:
            second.append(position)
            left[label] -= 1
        else:
            first.append(position)
    return sorted(first), sorted(second)


def manyclass_rows(classes):
    """Ten training rows a class, and at least 10,000 in all."""
    return int(max(10_000, 10 * classes) / (1 - TEST_SHARE))


def source(name, data, command, folder):
    """The header, training rows and test rows."""
    if name.startswith("manyclass-"):
        classes = int(name.split("-")[1])
        path = folder / "all.csv"
        subprocess.run(
            [command, "generate", "manyclass", "--classes", str(classes), "--features",
             str(MANYCLASS_FEATURES), "--rows", str(manyclass_rows(classes)), "-o", path],
            check=True, capture_output=True,
        )  # fmt: skip
        header, rows = read_table(path)
        path.unlink()
    elif (data / name / "train.csv.gz").exists() and (data / name / "test.csv.gz").exists():
        header, train = read_table(data / name / "train.csv.gz")
        return header, train, read_table(data / name / "test.csv.gz")[1]
    else:
        whole = data / name / "data.csv.gz"
        header, rows = read_table(whole if whole.exists() else data / name / "train.csv.gz")
    train, test = part_rows([row[-1] for row in rows], TEST_SHARE, numpy.random.default_rng(SEED))
    return header, [rows[i] for i in train], [rows[i] for i in test]


def is_number(text):
    try:
        float(text)
    except ValueError:
        return text == ""
    return True


def encode_column(words):
    """Numbers, and whether they are codes of words that are not numbers."""
    known = sorted(set(words))
    if all(is_number(word) for word in known):
        code, categorical = {word: float(word) if word else numpy.nan for word in known}, False
    else:
        code, categorical = {word: number for number, word in enumerate(known)}, True
    return numpy.fromiter(map(code.__getitem__, words), numpy.float32, len(words)), categorical


def encode(rows):
    """All rows as numbers, class codes, and which columns hold codes."""
    *columns, labels = zip(*rows)
    encoded = [encode_column(words) for words in columns]
    code = {label: number for number, label in enumerate(sorted(set(labels)))}
    arrays = {
        "x": numpy.stack([values for values, _ in encoded], axis=1),
        "y": numpy.array([code[label] for label in labels], numpy.int32),
    }
    return arrays, [i for i, (_, categorical) in enumerate(encoded) if categorical]


def write_part(folder, part, header, rows, arrays, positions):
    with open(folder / f"{part}.csv", "w", newline="") as file:
        csv.writer(file).writerows([header, *(rows[i] for i in positions)])
    numpy.savez(folder / f"{part}.npz", **{key: array[positions] for key, array in arrays.items()})


def prepare(name, data, work, command):
    """The set's files under `work`, made once."""
    folder = work / name
    described = folder / "set.json"
    if not described.exists():
        folder.mkdir(parents=True, exist_ok=True)
        header, train, test = source(name, data, command, folder)
        known = {row[-1] for row in train}
        rows = [*train, *(row for row in test if row[-1] in known)]
        arrays, categorical = encode(rows)
        write_part(folder, "train", header, rows, arrays, range(len(train)))
        write_part(folder, "test", header, rows, arrays, range(len(train), len(rows)))
        shape = {
            "rows": len(train), "test_rows": len(rows) - len(train), "features": len(header) - 1,
            "classes": len(known), "categorical": categorical,
        }  # fmt: skip
        described.write_text(json.dumps(shape))
    return PreparedSet(name, folder, **json.loads(described.read_text()))


def part_training_rows(prepared):
    """Files of `fit` and `valid` too, three quarters and a quarter of the training rows."""
    if prepared.file("valid").exists():
        return
    header, rows = read_table(prepared.file("train"))
    arrays = dict(numpy.load(prepared.file("train", "npz")))
    fit, valid = part_rows([row[-1] for row in rows], 0.25, numpy.random.default_rng(SEED + 1))
    write_part(prepared.folder, "fit", header, rows, arrays, fit)
    write_part(prepared.folder, "valid", header, rows, arrays, valid)


def files(data):
    """A file of each set in the folder."""
    return [*data.glob("*/train.csv.gz"), *data.glob("*/data.csv.gz")]


def available(names, data):
    """Those of the names that can be had, and those that cannot."""
    found = [
        name
        for name in names
        if name.startswith("manyclass-") or any((data / name).glob("*.csv.gz"))
    ]
    return found, [name for name in names if name not in found]
