"""Cross-validation and early stopping by the command."""

import collections
import csv
import io
import random

import numpy as np
import pytest
from sklearn import metrics


@pytest.fixture
def led(simplexboost):
    simplexboost.succeed("generate", "led", "--rows", 400, "-o", "led.csv")
    return simplexboost


FAST = ["--rounds", 10]


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_held_out_predictions_have_the_errors_of_the_folds(led):
    result = led.json(
        *["cv", "led.csv", "--folds", 4, "--repeats", 2, "--metrics", "error,log-loss,auc"],
        *["-o", "out.csv", "--proba", "--json", *FAST],
    )
    rows = rows_of(led.folder / "out.csv")
    assert len(rows) == 800
    assert len(result["results"]) == 8
    classes = sorted({row["class"] for row in rows})
    for one in result["results"]:
        part = [
            row
            for row in rows
            if int(row["repeat"]) == one["repeat"] + 1 and int(row["fold"]) == one["fold"] + 1
        ]
        assert len(part) == one["test_rows"] == 100
        truth = [row["class"] for row in part]
        predicted = [row["prediction"] for row in part]
        proba = np.array([[float(row[f"p({name})"]) for name in classes] for row in part])
        proba /= proba.sum(axis=1, keepdims=True)
        assert one["error"] == pytest.approx(1 - metrics.accuracy_score(truth, predicted))
        expected = metrics.log_loss(truth, np.maximum(proba, 1e-15), labels=classes)
        assert one["log_loss"] == pytest.approx(expected, rel=1e-4)
    errors = [one["error"] for one in result["results"]]
    assert result["metrics"]["error"]["mean"] == pytest.approx(np.mean(errors))
    assert result["metrics"]["error"]["standard_deviation"] == pytest.approx(np.std(errors, ddof=1))


def test_folds_hold_every_class_in_its_share(led):
    led.succeed("cv", "led.csv", "--folds", 4, "-o", "out.csv", *FAST)
    rows = rows_of(led.folder / "out.csv")
    counts = collections.Counter((row["class"], row["fold"]) for row in rows)
    totals = collections.Counter(row["class"] for row in rows)
    for (name, _), count in counts.items():
        assert totals[name] // 4 <= count <= totals[name] // 4 + 1


def test_a_seed_names_the_result_and_threads_do_not_matter(led):
    def run(*arguments):
        result = led.json("cv", "led.csv", "--folds", 3, "--json", *FAST, *arguments)
        return [one["log_loss"] for one in result["results"]]

    assert run("--threads", 1) == run("--threads", 3)
    assert run("--seed", 1) != run("--seed", 2)
    assert run("--seed", 1, "--exact-bins") == pytest.approx(run("--seed", 1), rel=0.5)


def test_groups_stay_together_and_are_no_feature(led):
    draw = random.Random(4)
    lines = (led.folder / "led.csv").read_text().splitlines()
    grouped = ["patient," + lines[0]] + [f"p{draw.randrange(60)},{line}" for line in lines[1:]]
    (led.folder / "grouped.csv").write_text("\n".join(grouped) + "\n")
    led.succeed(
        *["cv", "grouped.csv", "--folds", 3, "--group", "patient", "-o", "out.csv", *FAST],
        *["--valid-fraction", 0.25, "--early-stopping", 3],
    )
    folds = collections.defaultdict(set)
    for line, row in zip(grouped[1:], rows_of(led.folder / "out.csv")):
        folds[line.split(",")[0]].add(row["fold"])
    assert all(len(fold) == 1 for fold in folds.values())
    assert "patient" in led.fail("cv", "grouped.csv", "--group", "patent", status=2)


def test_label_noise_leaves_the_test_rows_clean(led):
    clean = led.json("cv", "led.csv", "--json", "--rounds", 30)
    noisy = led.json("cv", "led.csv", "--json", "--rounds", 30, "--label-noise", 0.5)
    error = noisy["metrics"]["error"]["mean"]
    # Half of the training labels are wrong; were the test labels too, the error would be above 0.6.
    assert clean["metrics"]["error"]["mean"] < error < 0.6


def test_sets_of_labels(simplexboost):
    draw = random.Random(3)
    lines = ["x,y,a,b"]
    for _ in range(200):
        x, y = draw.random(), draw.random()
        lines.append(f"{x},{y},{int(x > 0.5)},{int(y > 0.3)}")
    (simplexboost.folder / "sets.csv").write_text("\n".join(lines) + "\n")
    result = simplexboost.json(
        *["cv", "sets.csv", "--label", "a,b", "--folds", 4, "--json", "-o", "out.csv", *FAST],
        *["--label-noise", 0.1, "--all"],
    )
    assert result["metrics"]["hamming_loss"]["mean"] < 0.3
    assert set(rows_of(simplexboost.folder / "out.csv")[0]) == {"row", "repeat", "fold", "a", "b"}


def test_text_has_a_line_for_each_fold_and_the_mean(led):
    text = led.succeed("cv", "led.csv", "--folds", 3, "--valid-fold", "--early-stopping", 3, *FAST)
    assert "FOLD" in text and "Mean and standard deviation" in text and "+-" in text


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["--folds", 1], "--folds"),
        (["--repeats", 0], "--repeats"),
        (["--label-noise", 2], "probability"),
        (["--metrics", "eror"], "error"),
        (["--valid-fraction", 0.95], "0.9"),
        (["--folds", 2, "--valid-fold"], "3 folds"),
        (["--proba"], "-o"),
    ],
)
def test_wrong_options_are_named(led, arguments, word):
    assert word in led.fail("cv", "led.csv", *arguments, status=2)


def test_more_folds_than_rows_is_an_error(led):
    assert "too few" in led.fail("cv", "led.csv", "--folds", 900, status=1)


def test_early_stopping_by_any_metric_and_the_smoothed_rule(led):
    result = led.json(
        *["train", "led.csv", "-m", "m.sb", "--valid-fraction", 0.3, "--rounds", 60, "--json"],
        *["--early-stopping", 60, "--early-stopping-metric", "macro-f1"],
    )
    judged = led.json("inspect", "m.sb", "--json")
    assert 0 < result["valid_macro_f1"] <= 1
    assert result["rounds"] == judged["rounds"] <= 60
    smoothed = led.json(
        *["train", "led.csv", "-m", "m.sb", "--valid-fraction", 0.3, "--rounds", 60, "--json"],
        *["--early-stopping", 60, "--early-stopping-rule", "smoothed"],
    )
    assert smoothed["rounds"] > 50
    message = led.fail(
        *["train", "led.csv", "-m", "m.sb", "--early-stopping-metric", "macro"], status=2
    )
    assert "macro-f1" in message
    assert "smoothed" in led.fail(
        *["train", "led.csv", "-m", "m.sb", "--early-stopping-rule", "smooth"], status=2
    )


def test_output_to_standard_output_is_only_the_predictions(led):
    text = led.succeed("cv", "led.csv", "--folds", 3, "-o", "-", *FAST)
    assert len(list(csv.DictReader(io.StringIO(text)))) == 400
