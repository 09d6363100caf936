"""The model file through other eyes: Python's safetensors opens it, and docs/model-format.md says
enough to predict from it."""

import csv
import io
import math

import numpy
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

DATA = "data.csv"
MODEL = "model.safetensors"


@pytest.fixture
def trained(simplexboost):
    """A command beside a small data set (numbers, categories, missing values) and its model."""
    random = numpy.random.default_rng(1)
    lines = ["length,colour,width,class"]
    for _ in range(300):
        length, width = random.integers(0, 20, size=2)
        colour = random.choice(["red", "green", "blue"])
        name = "tall" if length > 12 else "wide" if width > 9 or colour == "red" else "small"
        lines.append(f"{length if random.random() > 0.1 else '?'},{colour},{width},{name}")
    (simplexboost.folder / DATA).write_text("\n".join(lines) + "\n")
    simplexboost.succeed("train", DATA, "--model", MODEL, "--rounds", 12, "--algorithm", "samme")
    return simplexboost


def strings(arrays, name):
    """A list of strings as the file holds it: all bytes, and where each string ends."""
    ends = [0, *arrays[f"{name}.ends"].tolist()]
    data = arrays[f"{name}.bytes"].tobytes()
    return [data[begin:end].decode() for begin, end in zip(ends, ends[1:])]


def features_of(arrays, path):
    """Rows of the data as numbers: category codes for categories, NaN for missing values."""
    names = strings(arrays, "schema.features")
    categories = iter(strings(arrays, "schema.categories"))
    codes = {
        name: {next(categories): code for code in range(count)}
        for name, count in zip(names, arrays["schema.category_counts"].tolist())
    }
    types = dict(zip(names, arrays["schema.feature_types"].tolist()))
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            yield [
                math.nan if row[name] == "?" else codes[name][row[name]] if types[name] == 1
                else float(row[name])
                for name in names
            ]


def goes_left(arrays, node, value):
    flags = arrays["nodes.flags"][node]
    if math.isnan(value):
        return bool(flags & 2)
    if not flags & 1:
        return value <= arrays["nodes.threshold"][node]
    word, bit = divmod(int(value), 32)
    if word >= arrays["nodes.set_words"][node]:
        return False
    return bool(arrays["sets"][arrays["nodes.set_begin"][node] + word] >> bit & 1)


def scores_of(arrays, row):
    """Class scores, as docs/model-format.md describes them."""
    f = arrays["bias"].copy()
    leaf_values = arrays["leaf_values"]
    if leaf_values.dtype == numpy.uint16:
        leaf_values = (leaf_values.astype(numpy.uint32) << 16).view(numpy.float32)
    first_node = first_value = first_linear = first_slope = 0
    none = numpy.full(len(arrays["trees.nodes"]), 2**32 - 1)
    for count, output, width, counter, linear in zip(
        arrays["trees.nodes"].tolist(),
        arrays["trees.output"],
        arrays["trees.width"].tolist(),
        arrays.get("trees.counter", none).tolist(),
        arrays["trees.linear"].tolist(),
    ):
        at = 0 if count else -1
        while at >= 0:
            node = first_node + at
            left = goes_left(arrays, node, row[arrays["nodes.feature"][node]])
            at = int(arrays["nodes.left" if left else "nodes.right"][node])
        leaf = first_value + (-at - 1) * width
        f[output : output + width] += leaf_values[leaf : leaf + width]
        if counter < len(f):
            f[counter : counter + width] -= leaf_values[leaf : leaf + width]
        first_node += count
        first_value += (count + 1) * width
        for k in range(first_linear, first_linear + linear):
            low, high = arrays["linear.low"][k], arrays["linear.high"][k]
            value, center = row[arrays["linear.feature"][k]], arrays["linear.center"][k]
            kept = center if math.isnan(value) else min(max(value, low), high)
            slopes = arrays["linear.slopes"][first_slope : first_slope + width]
            f[output : output + width] += slopes * ((kept - center) / (high - low))
            first_slope += width
        first_linear += linear
    codewords = arrays["codewords"]
    return codewords @ f / 2 if len(codewords) else f


def test_safetensors_opens_the_model(trained):
    with safe_open(trained.folder / MODEL, "np") as file:
        metadata = file.metadata()
        assert metadata["format"] == "simplexboost"
        assert metadata["format_version"] == "5"
        assert metadata["algorithm"] == "samme"
        arrays = {name: file.get_tensor(name) for name in file.keys()}
    assert sorted(strings(arrays, "schema.classes")) == ["small", "tall", "wide"]
    assert strings(arrays, "schema.features") == ["length", "colour", "width"]
    assert "train_error" in strings(arrays, "log.columns")


@pytest.mark.parametrize("options", [(), ("--leaf-precision", "bfloat16")])
def test_documented_format_is_enough_to_predict(trained, options):
    if options:
        trained.succeed("train", DATA, "--model", MODEL, "--rounds", 12, *options)
    arrays = load_file(trained.folder / MODEL)
    expected = [scores_of(arrays, row) for row in features_of(arrays, trained.folder / DATA)]
    table = list(csv.reader(io.StringIO(trained.succeed("predict", MODEL, DATA, "--scores"))))
    assert table[0] == strings(arrays, "schema.classes")
    numpy.testing.assert_allclose(numpy.array(table[1:], float), expected, rtol=1e-4, atol=1e-5)


def test_arrays_written_by_others_are_read_back(trained):
    arrays = load_file(trained.folder / MODEL)
    with safe_open(trained.folder / MODEL, "np") as file:
        metadata = file.metadata()
    metadata.pop("file_crc32")
    metadata["format_version"] = "4"
    save_file(arrays, trained.folder / "copy.safetensors", metadata)
    before = trained.succeed("predict", MODEL, DATA, "--proba")
    assert trained.succeed("predict", "copy.safetensors", DATA, "--proba") == before


def test_damaged_model_is_refused_by_name(trained):
    model = trained.folder / MODEL
    data = bytearray(model.read_bytes())
    data[-1] ^= 1
    model.write_bytes(data)
    assert trained.fail("predict", MODEL, DATA, status=1).startswith(f"error: {MODEL}: ")


def test_training_again_gives_the_same_bytes(trained):
    before = (trained.folder / MODEL).read_bytes()
    trained.succeed("train", DATA, "--model", "again", "--rounds", 12, "--algorithm", "samme")
    assert (trained.folder / "again").read_bytes() == before


def test_newer_format_asks_for_an_upgrade(trained):
    model = trained.folder / MODEL
    with safe_open(model, "np") as file:
        metadata = file.metadata()
    metadata.pop("file_crc32")
    save_file(load_file(model), model, metadata | {"format_version": "9"})
    assert "upgrade simplexboost" in trained.fail("predict", MODEL, DATA, status=1)
