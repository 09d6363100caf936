"""Margins of rows and of training sets."""

import csv
import io

import pytest


@pytest.fixture
def model(simplexboost):
    """The command in a folder with train.csv and a model of it."""
    simplexboost.succeed("generate", "gaussian3", "--rows", 500, "--seed", 1, "-o", "train.csv")
    trained = ["train", "train.csv", "--model", "m.sb", "--rounds", 20]
    simplexboost.succeed(*trained, "--algorithm", "gd-mcboost")
    return simplexboost


def numbers(text):
    return [[float(x) for x in row] for row in list(csv.reader(io.StringIO(text)))[1:]]


def test_margins_are_differences_of_scores(model):
    scores = numbers(model.succeed("predict", "m.sb", "train.csv", "--scores"))
    margins = [row[0] for row in numbers(model.succeed("predict", "m.sb", "train.csv", "--margins"))]
    lines = (model.folder / "train.csv").read_text(encoding="utf-8").splitlines()[1:]
    names = model.json("inspect", "m.sb", "--json")["classes"]
    for margin, row, line in zip(margins, scores, lines, strict=True):
        own = names.index(line.rsplit(",", 1)[1])
        rival = max(score for k, score in enumerate(row) if k != own)
        assert margin == pytest.approx(row[own] - rival, abs=1e-5)


def test_outputs_times_codewords_are_the_scores(simplexboost):
    simplexboost.succeed("generate", "manyclass", "--rows", 200, "--classes", 5, "-o", "train.csv")
    trained = ["train", "train.csv", "--model", "m.sb", "--rounds", 5]
    simplexboost.succeed(*trained, "--algorithm", "gd-mcboost", "--dimension", 2)
    text = simplexboost.succeed("predict", "m.sb", "train.csv", "--outputs")
    assert text.startswith("f1,f2\n")
    scores = numbers(simplexboost.succeed("predict", "m.sb", "train.csv", "--scores"))
    words = simplexboost.json("codewords", "--classes", 5, "--dimension", 2, "--json")["codewords"]
    for place, row in zip(numbers(text), scores, strict=True):
        products = [sum(a * b for a, b in zip(place, word, strict=True)) / 2 for word in words]
        assert products == pytest.approx(row, abs=1e-4)
    simplexboost.fail("predict", "m.sb", "train.csv", "--outputs", "--scores", status=2)


def test_inspect_and_train_tell_the_margins_of_the_training_rows(model):
    margins = [row[0] for row in numbers(model.succeed("predict", "m.sb", "train.csv", "--margins"))]
    found = model.json("inspect", "m.sb", "--json")["margins"]
    assert found["least"] == pytest.approx(min(margins), abs=1e-4)
    assert found["largest"] == pytest.approx(max(margins), abs=1e-4)
    assert found["mean"] == pytest.approx(sum(margins) / len(margins), abs=1e-4)
    assert sum(found["histogram"]) == 500
    assert "Margins of the training rows" in model.succeed("inspect", "m.sb")
    again = ["train", "train.csv", "--model", "n.sb", "--rounds", 20, "--json"]
    assert model.json(*again, "--algorithm", "gd-mcboost")["margins"] == found


def test_margins_need_labels(model):
    lines = (model.folder / "train.csv").read_text(encoding="utf-8").splitlines()
    bare = "".join(line.rsplit(",", 1)[0] + "\n" for line in lines)
    (model.folder / "bare.csv").write_text(bare, encoding="utf-8")
    message = model.fail("predict", "m.sb", "bare.csv", "--margins", status=1)
    assert "class" in message
    message = model.fail("predict", "m.sb", "train.csv", "--margins", "--proba", status=2)
    assert "--margins" in message
