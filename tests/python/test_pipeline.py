"""Train, predict, evaluate and inspect, from a file of data to a file of predictions."""

import csv
import json

import numpy as np
import pytest
import safetensors
from sklearn.metrics import confusion_matrix, log_loss

TRAIN_KEYS = {
    "algorithm",
    "rounds",
    "train_seconds",
    "load_seconds",
    "peak_memory_mb",
    "data_memory_mb",
    "train_error",
}
VALID_KEYS = {"valid_error", "valid_log_loss"}
SMALLEST_PROBABILITY = 1e-15  # in a log loss; scikit-learn's own is smaller
ALGORITHM = ["--algorithm", "adaboost-mh"]


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def waveform(simplexboost):
    """The command in a folder with train.csv, test.csv (3 classes) and a model of the first."""
    simplexboost.succeed("generate", "waveform", "--rows", 600, "--seed", 1, "-o", "train.csv")
    simplexboost.succeed("generate", "waveform", "--rows", 400, "--seed", 2, "-o", "test.csv")
    simplexboost.succeed("train", "train.csv", "--model", "model.sb", "--rounds", 30, *ALGORITHM)
    return simplexboost


def test_train_json_tells_what_came_of_it(waveform):
    result = waveform.json(
        "train", "train.csv", "--model", "m.sb", "--rounds", 12, "--algorithm", "samme", "--json"
    )
    assert TRAIN_KEYS <= result.keys()
    assert not VALID_KEYS & result.keys()
    assert result["algorithm"] == "samme"
    assert result["rounds"] == 12
    assert 0 <= result["train_error"] < 0.5


def test_train_json_judges_the_validation_set(waveform):
    result = waveform.json(
        "train", "train.csv", "--model", "m.sb", "--rounds", 12, "--valid", "test.csv", "--json"
    )
    assert TRAIN_KEYS | VALID_KEYS <= result.keys()
    judged = waveform.json("evaluate", "m.sb", "test.csv", "--json")
    assert result["valid_error"] == pytest.approx(judged["error"])
    assert result["valid_log_loss"] == pytest.approx(judged["log_loss"])


def test_predictions_are_the_most_probable_classes(waveform):
    waveform.succeed("predict", "model.sb", "test.csv", "-o", "classes.csv")
    waveform.succeed("predict", "model.sb", "test.csv", "--proba", "-o", "proba.csv")
    predicted = [row["prediction"] for row in read_csv(waveform.folder / "classes.csv")]
    rows = read_csv(waveform.folder / "proba.csv")
    assert len(predicted) == len(rows) == 400
    for name, row in zip(predicted, rows):
        values = {key: float(value) for key, value in row.items()}
        assert sum(values.values()) == pytest.approx(1, abs=1e-4)
        assert values[name] == max(values.values())


def test_evaluation_agrees_with_scikit_learn(waveform):
    judged = waveform.json("evaluate", "model.sb", "test.csv", "--json")
    waveform.succeed("predict", "model.sb", "test.csv", "-o", "classes.csv")
    waveform.succeed("predict", "model.sb", "test.csv", "--proba", "-o", "proba.csv")
    truth = [row["class"] for row in read_csv(waveform.folder / "test.csv")]
    predicted = [row["prediction"] for row in read_csv(waveform.folder / "classes.csv")]
    rows = read_csv(waveform.folder / "proba.csv")
    names = list(rows[0])
    proba = np.array([[float(row[name]) for name in names] for row in rows])
    proba = np.maximum(proba / proba.sum(axis=1, keepdims=True), SMALLEST_PROBABILITY)
    assert judged["rows"] == 400
    assert judged["error"] == pytest.approx(np.mean(np.array(truth) != np.array(predicted)))
    assert judged["confusion"] == confusion_matrix(truth, predicted, labels=names).tolist()
    order = np.argsort(names)
    expected = log_loss(truth, proba[:, order], labels=sorted(names))
    assert judged["log_loss"] == pytest.approx(expected, rel=1e-4)


def test_boosting_is_better_than_one_round(waveform):
    """Of the same algorithm, by far more than chance: errors of 400 rows differ by about 0.02."""
    waveform.succeed("train", "train.csv", "--model", "one.sb", "--rounds", 1, *ALGORITHM)
    one = waveform.json("evaluate", "one.sb", "test.csv", "--json")["error"]
    many = waveform.json("evaluate", "model.sb", "test.csv", "--json")["error"]
    assert many < one - 0.08
    assert waveform.json("inspect", "one.sb", "--json")["rounds"] == 1
    first = waveform.json("evaluate", "model.sb", "test.csv", "--rounds", 1, "--json")["error"]
    assert first == one


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_model_does_not_depend_on_the_number_of_threads(waveform, threads):
    for name, count in [("one.sb", 1), ("many.sb", threads)]:
        waveform.succeed(
            "train", "train.csv", "--model", name, "--rounds", 20, "--threads", count, "--seed", 5
        )
    one, many = ((waveform.folder / name).read_bytes() for name in ["one.sb", "many.sb"])
    assert one == many


def test_model_is_a_safetensors_file(waveform):
    told = waveform.json("inspect", "model.sb", "--json")
    with safetensors.safe_open(waveform.folder / "model.sb", framework="numpy") as file:
        assert file.metadata()["algorithm"] == told["algorithm"] == ALGORITHM[1]
        arrays = {name: file.get_tensor(name) for name in file.keys()}
    trees, nodes = told["trees"], told["leaves"] - told["trees"]
    assert (trees, nodes > 0) == (30, True)
    for name, array in arrays.items():
        if name.startswith(("trees.", "nodes.")):
            assert array.shape == (trees if name.startswith("trees.") else nodes,), name
        if array.dtype.kind == "f":
            assert np.isfinite(array).all(), name
    assert arrays["trees.nodes"].sum() == nodes
    assert arrays["leaf_values"].shape == (told["leaves"] * len(told["classes"]),)
    assert bytes(arrays["schema.classes.bytes"]).decode() == "".join(told["classes"])


def test_inspect_tells_what_a_model_is(waveform):
    text = waveform.succeed("inspect", "model.sb")
    assert ALGORITHM[1] in text
    for name in {row["class"] for row in read_csv(waveform.folder / "train.csv")}:
        assert name in text


def test_columns_are_matched_by_name_in_any_order(waveform):
    rows = read_csv(waveform.folder / "test.csv")
    names = list(reversed([name for name in rows[0] if name != "class"]))
    with open(waveform.folder / "turned.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["extra", *names], extrasaction="ignore", restval="1")
        writer.writeheader()
        writer.writerows(rows)
    result = waveform("predict", "model.sb", "turned.csv")
    assert result.returncode == 0, result.stderr
    assert result.stdout == waveform.succeed("predict", "model.sb", "test.csv")
    assert "note: " in result.stderr and "extra" in result.stderr


def test_missing_column_is_named(waveform):
    rows = read_csv(waveform.folder / "test.csv")
    gone = next(iter(rows[0]))
    with open(waveform.folder / "narrow.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [n for n in rows[0] if n != gone], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    assert gone in waveform.fail("predict", "model.sb", "narrow.csv", status=1)


def test_categories_classes_and_missing_values_keep_their_names(simplexboost):
    lines = ["colour,size,class"]
    for i in range(60):
        colour = ["red", "green", "blåu"][i % 3]
        lines.append(f"{colour},{'' if i % 5 == 0 else i},{colour}-ish")
    (simplexboost.folder / "data.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    simplexboost.succeed("train", "data.csv", "--model", "m.sb", "--rounds", 10)
    predicted = simplexboost.succeed("predict", "m.sb", "data.csv").splitlines()[1:]
    assert predicted == [line.rsplit(",", 1)[1] for line in lines[1:]]


def test_standard_input_is_csv(waveform):
    text = (waveform.folder / "test.csv").read_text(encoding="utf-8")
    piped = waveform.succeed("predict", "model.sb", "-", stdin=text)
    assert piped == waveform.succeed("predict", "model.sb", "test.csv")


def test_json_is_one_object_on_one_line(waveform):
    lines = waveform.succeed("evaluate", "model.sb", "test.csv", "--json").splitlines()
    assert len(lines) == 1
    assert isinstance(json.loads(lines[0]), dict)


def test_demo_shows_error_confusion_and_what_to_type_next(simplexboost):
    text = simplexboost.succeed("demo").lower()
    for word in ["train", "test", "error", "simplexboost train"]:
        assert word in text
