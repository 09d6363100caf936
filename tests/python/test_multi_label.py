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


def forget(fruits, source, target, share, seed=5):
    """Writes a copy of a CSV file in which some labels are empty or `?`; returns which are not."""
    draw = random.Random(seed)
    lines = (fruits.folder / source).read_text().splitlines()
    names = lines[0].split(",")
    kept = [lines[0]]
    known = np.ones((len(lines) - 1, len(LABELS)), dtype=bool)
    for i, line in enumerate(lines[1:]):
        cells = line.split(",")
        for k, label in enumerate(LABELS):
            if draw.random() < share:
                cells[names.index(label)] = draw.choice(["", "?"])
                known[i, k] = False
        kept.append(",".join(cells))
    (fruits.folder / target).write_text("\n".join(kept) + "\n")
    return known


def test_unknown_labels_are_left_out_everywhere(fruits):
    forget(fruits, "train.csv", "part.csv", 0.3)
    known = forget(fruits, "test.csv", "part-test.csv", 0.4, seed=6)
    labels = ["--label", ",".join(LABELS)]
    whole = fruits.json("evaluate", "model.sb", "test.csv", "--json")
    _, scores = table_of(fruits.succeed("predict", "model.sb", "test.csv", "--scores"))
    judged = fruits.json("evaluate", "model.sb", "part-test.csv", "--json")
    wrong = ((scores > 0) != truth_table(fruits)) & known
    assert judged["hamming_loss"] == pytest.approx(wrong.sum() / known.sum())
    assert judged["unknown_labels"] == (~known).sum()
    per_label = [one["error"] for one in judged["per_label"]]
    assert per_label == pytest.approx(wrong.sum(axis=0) / known.sum(axis=0))
    assert [one["known"] for one in judged["per_label"]] == known.sum(axis=0).tolist()
    assert f"({(~known).sum()} of 600 unknown)" in fruits.succeed(
        "evaluate", "model.sb", "part-test.csv"
    )

    arguments = ["train", "part.csv", *labels, "-m", "part.sb", "--rounds", 60, *ALGORITHM]
    trained = fruits.json(*arguments, "--valid", "part-test.csv", "--json")
    again = fruits.json("evaluate", "part.sb", "part-test.csv", "--json")
    assert trained["valid_error"] == pytest.approx(again["hamming_loss"])
    part = fruits.json("evaluate", "part.sb", "test.csv", "--json")
    assert part["hamming_loss"] < whole["hamming_loss"] + 0.04
    names, predicted = table_of(fruits.succeed("predict", "part.sb", "part-test.csv"))
    assert names == LABELS and predicted.shape == (200, 3)
    assert "labels are unknown" in fruits(*arguments).stderr
    assert fruits.json("inspect", "part.sb", "--json")["rounds"] == 60

    crossed = fruits.json("cv", "part.csv", *labels, "--folds", 3, "--rounds", 20, "--json")
    assert crossed["metrics"]["hamming_loss"]["mean"] < 0.15
    searched = fruits.json(
        *["tune", "part.csv", *labels, "--trials", 2, "--rounds", 10, "--algorithm", "one-vs-all"],
        "--json",
    )
    assert len(searched["trials"]) == 2


def test_lists_leave_labels_open(fruits):
    forget(fruits, "train.csv", "part.csv", 0.3)
    lists = []
    for line in (fruits.folder / "part.csv").read_text().splitlines()[1:]:
        x, y, *said = line.split(",")
        words = [f"{'' if one == '1' else '?'}{k}" for k, one in enumerate(said) if one != "0"]
        lists.append(f"{','.join(words)} 1:{x} 2:{y}")
    (fruits.folder / "part.svm").write_text("\n".join(lists) + "\n")
    options = ["-m", "m.sb", "--rounds", 20, *ALGORITHM]
    as_lists = fruits.json("train", "part.svm", *options, "--json")
    as_columns = fruits.json("train", "part.csv", "--label", ",".join(LABELS), *options, "--json")
    assert as_lists["train_error"] == pytest.approx(as_columns["train_error"])


def test_weights_of_labels(fruits):
    """Zero is unknown, and columns go by name."""
    known = forget(fruits, "train.csv", "part.csv", 0.3)
    lines = [",".join(reversed(LABELS))]
    lines += [",".join(str(int(k)) for k in reversed(row)) for row in known.tolist()]
    (fruits.folder / "w.csv").write_text("\n".join(lines) + "\n")
    options = ["--label", ",".join(LABELS), "--rounds", 20, *ALGORITHM]
    fruits.succeed("train", "part.csv", *options, "-m", "unknown.sb")
    fruits.succeed("train", "train.csv", *options, "-m", "zero.sb", "--label-weights", "w.csv")
    assert (fruits.folder / "unknown.sb").read_bytes() == (fruits.folder / "zero.sb").read_bytes()
    judged = fruits.json("evaluate", "zero.sb", "train.csv", "--label-weights", "w.csv", "--json")
    assert judged["unknown_labels"] == (~known).sum()
    assert judged["hamming_loss"] == pytest.approx(
        fruits.json("evaluate", "zero.sb", "part.csv", "--json")["hamming_loss"]
    )
    (fruits.folder / "w.csv").write_text("\n".join(lines[:-1]) + "\n")
    arguments = ["train", "train.csv", *options, "-m", "m.sb", "--label-weights", "w.csv"]
    error = fruits.fail(*arguments, status=1)
    assert "w.csv: 399 rows of weights, but train.csv has 400 rows" in error
    assert not (fruits.folder / "m.sb").exists()


def test_weights_of_labels_of_validation_rows(fruits):
    """They are in the log, in the summary, and decide when to stop."""
    rng = np.random.default_rng(4)
    weights = rng.integers(0, 4, (200, 3)) * 0.5
    lines = [",".join(reversed(LABELS))]
    lines += [",".join(str(w) for w in reversed(row)) for row in weights.tolist()]
    (fruits.folder / "w.csv").write_text("\n".join(lines) + "\n")
    options = ["--label", ",".join(LABELS), "--rounds", 20, "-m", "m.sb", *ALGORITHM]
    watched = ["--valid", "test.csv", "--valid-label-weights", "w.csv"]
    plain = fruits.json("train", "train.csv", *options, *watched[:2], "--json")
    trained = fruits.json("train", "train.csv", *options, *watched, "--json")
    _, scores = table_of(fruits.succeed("predict", "m.sb", "test.csv", "--scores"))
    wrong = (scores > 0) != truth_table(fruits)
    assert trained["valid_error"] == pytest.approx((wrong * weights).sum() / weights.sum())
    assert plain["valid_error"] == pytest.approx(wrong.mean())
    log = fruits.json("inspect", "m.sb", "--json")["log"]
    assert log["valid_error"][-1] == pytest.approx(trained["valid_error"])

    error = fruits.fail("train", "train.csv", *options, *watched[2:], status=2)
    assert "--valid-label-weights" in error and "give --valid" in error
    (fruits.folder / "w.csv").write_text("\n".join(lines[:-1]) + "\n")
    error = fruits.fail("train", "train.csv", *options, *watched, status=1)
    assert "w.csv: 199 rows of weights, but test.csv has 200 rows" in error


def test_weights_of_labels_have_no_place_in_figures_of_one_label(simplexboost):
    simplexboost.succeed("generate", "waveform", "--rows", 100, "-o", "a.csv")
    simplexboost.succeed("train", "a.csv", "-m", "m.sb", "--rounds", 3, *ALGORITHM)
    error = simplexboost.fail("evaluate", "m.sb", "a.csv", "--label-weights", "a.csv", status=2)
    assert "--label-weights" in error
    watched = ["--valid", "a.csv", "--valid-label-weights", "a.csv"]
    error = simplexboost.fail("train", "a.csv", "-m", "m.sb", *watched, *ALGORITHM, status=2)
    assert "--valid-label-weights: figures of one label a row" in error


def test_shares_of_labels_are_given_and_not_estimated(fruits):
    predict = ("predict", "model.sb", "test.csv", "--proba", "--priors")
    assert "one label a row" in fruits.fail(*predict, "estimate", status=2)
    assert "2 is no share" in fruits.fail(*predict, "sweet=1,sour=2,round=0.1", status=2)
    fruits.succeed(*predict, "sweet=1,sour=0.2,round=0.1")
