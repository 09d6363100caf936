"""Data with several labels a row, from training to evaluation."""

import csv
import io
import random

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score, hamming_loss

LABELS = ["sweet", "sour", "round"]
ALGORITHM = ["--algorithm", "adaboost-mh"]
SMALLEST_PROBABILITY = 1e-15  # in a log loss


def truth_of(x, y):
    return [int(x > 0.3), int(y > 0.5), int(x + y > 1.0)]


@pytest.fixture
def fruits(simplexboost):
    """The command in a folder with train and test data, as CSV and as LIBSVM, and a CSV model."""
    draw = random.Random(3)
    for name, rows in [("train", 400), ("test", 200)]:
        table = [",".join(["x", "y", *LABELS])]
        lists = []
        for _ in range(rows):
            x, y = draw.random(), draw.random()
            labels = truth_of(x, y)
            table.append(",".join(map(str, [x, y, *labels])))
            present = ",".join(str(k) for k, is_there in enumerate(labels) if is_there)
            lists.append(f"{present} 1:{x} 2:{y}")
        (simplexboost.folder / f"{name}.csv").write_text("\n".join(table) + "\n")
        (simplexboost.folder / f"{name}.svm").write_text("\n".join(lists) + "\n")
    simplexboost.succeed(
        *["train", "train.csv", "--label", ",".join(LABELS), "-m", "model.sb", "--rounds", 60],
        *ALGORITHM,
    )
    return simplexboost


def table_of(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return list(rows[0]), np.array([[float(v) for v in row.values()] for row in rows])


def truth_table(fruits):
    names, values = table_of((fruits.folder / "test.csv").read_text())
    return values[:, [names.index(label) for label in LABELS]].astype(int)


def test_predict_gives_a_column_for_each_label(fruits):
    names, predicted = table_of(fruits.succeed("predict", "model.sb", "test.csv"))
    assert names == LABELS
    assert set(predicted.ravel()) == {0, 1}
    assert hamming_loss(truth_table(fruits), predicted.astype(int)) < 0.1
    names, scores = table_of(fruits.succeed("predict", "model.sb", "test.csv", "--scores"))
    assert (predicted == (scores > 0)).all()
    _, proba = table_of(fruits.succeed("predict", "model.sb", "test.csv", "--proba"))
    assert ((proba > 0.5) == (scores > 0)).all()


def test_evaluation_agrees_with_scikit_learn(fruits):
    truth = truth_table(fruits)
    _, predicted = table_of(fruits.succeed("predict", "model.sb", "test.csv"))
    _, scores = table_of(fruits.succeed("predict", "model.sb", "test.csv", "--scores"))
    predicted = predicted.astype(int)
    judged = fruits.json("evaluate", "model.sb", "test.csv", "--json")
    assert judged["labels"] == LABELS
    assert judged["rows"] == 200
    assert judged["hamming_loss"] == pytest.approx(hamming_loss(truth, predicted))
    assert judged["exact_match_error"] == pytest.approx(1 - accuracy_score(truth, predicted))
    assert judged["micro_f1"] == pytest.approx(f1_score(truth, predicted, average="micro"))
    assert judged["macro_f1"] == pytest.approx(f1_score(truth, predicted, average="macro"))
    per_label = [one["f1"] for one in judged["per_label"]]
    assert per_label == pytest.approx(f1_score(truth, predicted, average=None))
    # AdaBoost.MH: p = 1 / (1 + exp(-2 score)); from scores, since 1 - p would be rounded.
    pairs = np.log1p(np.exp(-2 * scores * (2 * truth - 1)))
    pairs = np.minimum(pairs, -np.log(SMALLEST_PROBABILITY))
    assert judged["log_loss"] == pytest.approx(pairs.mean(), rel=1e-4)


def test_evaluation_is_a_table_for_people(fruits):
    text = fruits.succeed("evaluate", "model.sb", "test.csv", "--per-class")
    for word in ["Hamming loss", "exact-match error", "micro F1", "macro F1", *LABELS]:
        assert word in text


def test_lists_of_labels_are_the_same_data(fruits):
    fruits.succeed("train", "train.svm", "-m", "lists.sb", "--rounds", 60, *ALGORITHM)
    lists = fruits.json("evaluate", "lists.sb", "test.svm", "--json")
    columns = fruits.json("evaluate", "model.sb", "test.csv", "--json")
    assert lists["labels"] == ["0", "1", "2"]
    assert lists["hamming_loss"] == pytest.approx(columns["hamming_loss"])


def test_training_reports_the_hamming_loss(fruits):
    arguments = ["train", "train.svm", "-m", "m.sb", "--valid", "test.svm", *ALGORITHM]
    result = fruits.json(*arguments, "--json")
    judged = fruits.json("evaluate", "m.sb", "test.svm", "--json")
    assert result["valid_error"] == pytest.approx(judged["hamming_loss"])
    assert result["valid_log_loss"] == pytest.approx(judged["log_loss"])
    assert "Hamming loss" in fruits.succeed(*arguments)


def test_validation_share_and_early_stopping(fruits):
    result = fruits.json(
        *["train", "train.svm", "-m", "m.sb", "--valid-fraction", 0.25, "--rounds", 50],
        *["--early-stopping", 5, "--json"],
        *ALGORITHM,
    )
    assert result["valid_rows"] == 100
    assert result["valid_error"] < 0.15


def test_algorithms_of_one_label_a_row_say_so(fruits):
    error = fruits.fail("train", "train.svm", "-m", "m.sb", "--algorithm", "samme", status=1)
    assert "adaboost-mh" in error


def test_rows_may_have_no_label(simplexboost):
    lines = [f"{'1,2' if i % 2 else ''} 1:{i}" for i in range(20)]
    (simplexboost.folder / "data.svm").write_text("\n".join(lines) + "\n")
    simplexboost.succeed("train", "data.svm", "-m", "m.sb", *ALGORITHM)
    names, _ = table_of(simplexboost.succeed("predict", "m.sb", "data.svm"))
    assert names == ["1", "2"]
