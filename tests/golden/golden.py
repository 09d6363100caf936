#!/usr/bin/env python3
"""Golden models: all algorithms on three small data sets, as version 0.1 trained them.

usage: golden.py COMMAND           compare what COMMAND trains with what is written here
       golden.py COMMAND --write   write the hashes of what COMMAND trains to models.txt
       golden.py COMMAND --scores  write scores.txt and the rows that are right, from version 0.1

models.txt has a line for each model: the data, the algorithm, the hash of the model of 0.1, that of
today's ("same" where it is the same), how many training rows 0.1 classified right, and, where the
hashes differ, the reason. scores.txt has scores of 0.1 on some rows. docs/determinism.md tells more.
"""

import hashlib
import json
import pathlib
import platform
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE / "models.txt"
SCORES = HERE / "scores.txt"
TOLERANCE = 1e-5  # of scores, relative to max(1, |score|)
ROWS = 24  # of each data set in scores.txt
NEWER = {"forest", "all-pairs", "ecoc"}  # algorithms that version 0.1 did not have
OTHER = {"newton", "dmcboost"}  # algorithms that are meant to do otherwise than in 0.1: scores may differ
LEAST_RIGHT = 0.95  # of the training rows that 0.1 had right, where they are
# Logarithms and exponentials of another C library may differ in the last bit: elsewhere only scores
# are compared.
PLATFORM = ("Linux", "x86_64", ("glibc", "2.36"))

DATA = {  # how each set is generated, and the hash of its file
    "many": (
        ["manyclass", "--classes=12", "--features=10", "--bayes-error=0.05", "--rows=6000", "--seed=3"],
        "f2246ce5d113dea6cefcf0a9b08e9225199a3cbfb429713baec0e919178d2246",
    ),
    "mixed": (None, "a487f19925d5e46c8ea691414a7db12b0982456376f1aff501e015af7c217b3e"),
    "wave": (
        ["waveform", "--rows=5000", "--seed=4"],
        "d05b1763e2c6257d9778432f7b20dd04c4886e1ed2a95733fe21b185b127466b",
    ),
}


def same_platform():
    return (platform.system(), platform.machine(), platform.libc_ver()) == PLATFORM


def rounds_of(algorithm):
    if algorithm == "one-vs-all" or "logit" in algorithm or "mart" in algorithm:
        return 6
    return 8 if algorithm.startswith("cd-mcboost") else 15


def mixed_rows():
    """Numbers, categories, missing values and weights."""
    draw = random.Random(5)
    yield "a,b,colour,shape,w,class"
    for _ in range(5000):
        label = draw.randrange(4)
        a = draw.gauss(label, 1.2)
        b = draw.gauss((label % 2) * 1.5, 1)
        colour = draw.choices("rgbkw", [1 + 3 * (label == j) for j in range(5)])[0]
        likely = [1 + 2 * ((j + label) % 4 == 0) for j in range(12)]
        shape = f"s{draw.choices(range(12), likely)[0]}"
        a = "" if draw.random() < 0.07 else f"{a:.3f}"
        colour = "" if draw.random() < 0.03 else colour
        yield f"{a},{b:.4f},{colour},{shape},{0.25 + draw.random() * 3:.3f},{'ABCD'[label]}"


def run(command, *arguments):
    result = subprocess.run(
        [str(command), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        raise RuntimeError(f"{arguments}: {result.stderr.strip()}")
    return result.stdout


def make_data(command, folder):
    """The three data sets as files NAME.csv, and some rows of each as NAME-some.csv."""
    for name, (arguments, wanted) in DATA.items():
        path = folder / f"{name}.csv"
        if arguments:
            run(command, "generate", *arguments, "-o", path)
        else:
            path.write_text("\n".join(mixed_rows()) + "\n")
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != wanted:
            raise RuntimeError(f"{name}.csv is not the data that the golden models were trained on")
        lines = path.read_text().splitlines()
        rows = [lines[1 + i * (len(lines) - 1) // ROWS] for i in range(ROWS)]
        (folder / f"{name}-some.csv").write_text("\n".join([lines[0], *rows]) + "\n")


def train(command, folder, data, algorithm):
    model = folder / f"{data}-{algorithm}.sb"
    weight = ["--weight", "w"] if data == "mixed" else []
    run(command, "train", folder / f"{data}.csv", "--algorithm", algorithm, "--seed", 7, *weight,
        "--rounds", rounds_of(algorithm), "--quiet", "-m", model)  # fmt: skip
    return model


def model_hash(path):
    """Of all tensors but those of the training log, of the parameters, which may get company, and of the
    classes' shares and the covers of leaves, which 0.1 did not tell; the metadata does not count."""
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    digest = hashlib.sha256()
    for name, entry in sorted(json.loads(content[8 : 8 + size]).items()):
        if name == "__metadata__" or name.startswith(("log", "parameters", "class_shares", "leaves.cover")):
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        digest.update(f"{name} {entry['dtype']} {entry['shape']}\n".encode())
        digest.update(content[begin:end])
    return digest.hexdigest()


def scores_of(command, folder, model, data):
    """Scores of some rows, one list a row."""
    lines = run(command, "predict", model, folder / f"{data}-some.csv", "--scores", "--quiet").splitlines()
    return [[float(cell) for cell in line.split(",")] for line in lines[1:]]


def rows_right(command, folder, model, data):
    path = folder / f"{data}.csv"
    header, *rows = path.read_text().splitlines()
    label = header.split(",").index("class")
    said = run(command, "predict", model, path, "--quiet").splitlines()[1:]
    return sum(row.split(",")[label] == answer for row, answer in zip(rows, said, strict=True))


def read_models():
    """By data and algorithm: hash of 0.1, hash of today, rows right, reason."""
    models = {}
    for line in MODELS.read_text().splitlines():
        if line and not line.startswith("#"):
            data, algorithm, old, new, right, *reason = line.split(maxsplit=5)
            models[data, algorithm] = (old, old if new == "same" else new, int(right), *reason)
    return models


def read_scores():
    scores = {}
    for line in SCORES.read_text().splitlines():
        if line.startswith("#"):
            rows = scores.setdefault(tuple(line[1:].split()), [])
        else:
            rows.append([float(cell) for cell in line.split()])
    return scores


def largest_difference(found, wanted):
    return max(
        abs(x - y) / max(1, abs(y))
        for row, other in zip(found, wanted, strict=True)
        for x, y in zip(row, other, strict=True)
    )


def check(command, folder, data, algorithm):
    """What is wrong with a model, in one line; empty where it is what it shall be."""
    old, new, right, *reason = read_models()[data, algorithm]
    model = train(command, folder, data, algorithm)
    found = model_hash(model)
    if same_platform() and found != new:
        return f"its hash is {found}, not {new}: is it meant to be another model now?"
    if new != old and not reason:
        return "it differs from that of 0.1 and no reason is given"
    now = rows_right(command, folder, model, data)
    if algorithm in OTHER:
        return "" if now >= LEAST_RIGHT * right else f"{now} rows are right, and with 0.1 {right}"
    difference = largest_difference(
        scores_of(command, folder, model, data), read_scores()[data, algorithm]
    )
    if difference > TOLERANCE:
        return f"its scores differ from those of 0.1 by {difference:.2g}"
    return "" if now == right else f"{now} rows are right, and with 0.1 {right}"


def write_hashes(command, folder):
    lines = []
    for line in MODELS.read_text().splitlines():
        if line and not line.startswith("#"):
            data, algorithm, old, _, right, *reason = line.split(maxsplit=5)
            new = model_hash(train(command, folder, data, algorithm))
            shown, reason = ("same", []) if new == old else (new, reason)
            line = " ".join([data, algorithm, old, shown, right, *reason])
        lines.append(line)
    MODELS.write_text("\n".join(lines) + "\n")


def write_scores(command, folder):
    """From version 0.1 alone: everything starts anew."""
    names = [row["name"] for row in json.loads(run(command, "algorithms", "--json"))]
    models, scores = [], []
    for data in DATA:
        for algorithm in names:
            model = train(command, folder, data, algorithm)
            right = rows_right(command, folder, model, data)
            models.append(f"{data} {algorithm} {model_hash(model)} same {right}")
            scores.append(f"# {data} {algorithm}")
            for row in scores_of(command, folder, model, data):
                scores.append(" ".join(f"{score:.7g}" for score in row))
    MODELS.write_text("\n".join(models) + "\n")
    SCORES.write_text("\n".join(scores) + "\n")


def main():
    command = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_data(command, folder)
        if "--scores" in sys.argv:
            return write_scores(command, folder)
        if "--write" in sys.argv:
            return write_hashes(command, folder)
        wrong = 0
        for data, algorithm in read_models():
            what = check(command, folder, data, algorithm)
            wrong += bool(what)
            print(data, algorithm, what or "ok")
        return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
