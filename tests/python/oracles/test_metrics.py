"""Every metric of `evaluate` against scikit-learn, from the predictions of the same model."""

import csv
import io
import random

import numpy as np
import pytest
from sklearn import metrics

ALGORITHMS = ["newton", "adaboost-mh", "boostma"]
LABELS = ["a", "b", "c"]


def table_of(text):
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], np.array(rows[1:])


@pytest.fixture(params=ALGORITHMS)
def judged(request, simplexboost):
    """A model of ten classes, weighted test rows, and what it says of them."""
    run = simplexboost.succeed
    run("generate", "led", "--rows", 800, "--seed", 1, "-o", "train.csv")
    run("generate", "led", "--rows", 500, "--seed", 2, "-o", "plain.csv")
    draw = random.Random(5)
    lines = (simplexboost.folder / "plain.csv").read_text().splitlines()
    weighted = [lines[0] + ",w"] + [f"{line},{draw.randint(1, 5) / 2}" for line in lines[1:]]
    (simplexboost.folder / "test.csv").write_text("\n".join(weighted) + "\n")
    run("train", "train.csv", "-m", "m.sb", "--rounds", 30, "--algorithm", request.param)
    return simplexboost


def predictions(judged):
    names, test = table_of((judged.folder / "test.csv").read_text())
    truth = test[:, names.index("class")]
    weight = test[:, names.index("w")].astype(float)
    classes, proba = table_of(judged.succeed("predict", "m.sb", "test.csv", "--proba"))
    _, scores = table_of(judged.succeed("predict", "m.sb", "test.csv", "--scores"))
    codes = np.array([classes.index(name) for name in truth])
    return codes, weight, classes, proba.astype(float), scores.astype(float)


def calibration_error(confidence, right, weight):
    bins = np.clip(np.ceil(confidence * 15) - 1, 0, 14)
    gap = weight * (right - confidence)
    return sum(abs(gap[bins == b].sum()) for b in range(15)) / weight.sum()


def expected_figures(truth, weight, proba, scores):
    classes = proba.shape[1]
    rows = np.arange(len(truth))
    predicted = scores.argmax(axis=1)
    one_hot = np.eye(classes)[truth]
    own = scores[rows, truth]
    rivals = np.where(one_hot == 1, -np.inf, scores).max(axis=1)
    mean = {"weights": weight}
    options = {"sample_weight": weight}
    areas = {"multi_class": "ovr", "labels": range(classes), **options}
    normal = proba / proba.sum(axis=1, keepdims=True)
    return {
        "error": 1 - metrics.accuracy_score(truth, predicted, **options),
        "balanced_error": 1 - metrics.balanced_accuracy_score(truth, predicted, **options),
        "micro_f1": metrics.f1_score(truth, predicted, average="micro", **options),
        "macro_f1": metrics.f1_score(truth, predicted, average="macro", **options),
        "log_loss": metrics.log_loss(truth, np.maximum(normal, 1e-15), **options),
        "brier": np.average(((proba - one_hot) ** 2).sum(axis=1), **mean),
        "kappa": metrics.cohen_kappa_score(truth, predicted, **options),
        "auc": metrics.roc_auc_score(truth, normal, average="macro", **areas),
        "auc_weighted": metrics.roc_auc_score(truth, normal, average="weighted", **areas),
        "top_5_error": 1 - metrics.top_k_accuracy_score(truth, scores, k=5, **options),
        "top_2_error": 1 - metrics.top_k_accuracy_score(truth, scores, k=2, **options),
        "calibration_error": calibration_error(proba.max(axis=1), predicted == truth, weight),
        "pseudo_loss_error": np.average(own < (scores.sum(axis=1) - own) / (classes - 1), **mean),
        "margin_min": (own - rivals).min(),
        "margin_mean": np.average(own - rivals, **mean),
    }


def test_every_metric_agrees_with_scikit_learn(judged):
    truth, weight, classes, proba, scores = predictions(judged)
    said = judged.json(
        "evaluate", "m.sb", "test.csv", "--weight", "w", "--json", "--metrics", "top-2-error"
    )
    assert said["classes"] == classes
    # Ties between classes are broken by scikit-learn in another way than in prediction.
    ties = len(np.unique(scores)) < scores.size
    for name, value in expected_figures(truth, weight, proba, scores).items():
        if not (ties and name.startswith("top_")):
            assert said[name] == pytest.approx(value, rel=2e-4, abs=1e-9), name
    shares = np.array([weight[truth == k].sum() for k in range(len(classes))]) / weight.sum()
    if (scores >= 0).all():  # shares of votes: jmlr2005, Definition 1
        confidence = scores[np.arange(len(truth)), truth] / scores.sum(axis=1)
        expected = np.average(confidence < (shares**2).sum(), weights=weight)
        assert said["maxlabel_error"] == pytest.approx(expected)
    area = metrics.roc_auc_score(truth == 3, proba[:, 3], sample_weight=weight)
    assert said["per_class"][3]["auc"] == pytest.approx(area, rel=1e-6)


def test_hamming_loss_of_signed_votes(judged):
    truth, weight, classes, proba, scores = predictions(judged)
    said = judged.json("evaluate", "m.sb", "test.csv", "--weight", "w", "--json")
    votes = judged.json("inspect", "m.sb", "--json")["algorithm"] == "adaboost-mh"
    yes = scores > 0 if votes else proba > 0.5
    one_hot = np.eye(len(classes))[truth]
    expected = metrics.hamming_loss(one_hot, yes.astype(int), sample_weight=weight)
    assert said["hamming_loss"] == pytest.approx(expected, rel=1e-6)


def test_sets_of_labels_agree_with_scikit_learn(simplexboost):
    draw = random.Random(3)
    for name, rows in [("train", 300), ("test", 200)]:
        lines = ["x,y," + ",".join(LABELS)]
        for _ in range(rows):
            x, y = draw.random(), draw.random()
            noisy = [draw.random() < 0.1 for _ in LABELS]
            truth = [x > 0.3, y > 0.5, x + y > 1]
            lines.append(",".join(map(str, [x, y, *(int(t != n) for t, n in zip(truth, noisy))])))
        (simplexboost.folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    simplexboost.succeed("train", "train.csv", "--label", ",".join(LABELS), "-m", "m.sb")
    names, test = table_of((simplexboost.folder / "test.csv").read_text())
    truth = test[:, [names.index(label) for label in LABELS]].astype(int)
    _, proba = table_of(simplexboost.succeed("predict", "m.sb", "test.csv", "--proba"))
    proba = proba.astype(float)
    said = simplexboost.json("evaluate", "m.sb", "test.csv", "--json")
    expected = {
        "hamming_loss": metrics.hamming_loss(truth, proba > 0.5),
        "brier": np.mean((proba - truth) ** 2),
        "auc": metrics.roc_auc_score(truth, proba, average="macro"),
        "auc_weighted": metrics.roc_auc_score(truth, proba, average="weighted"),
        "calibration_error": calibration_error(proba.ravel(), truth.ravel(), np.ones(truth.size)),
    }
    for name, value in expected.items():
        assert said[name] == pytest.approx(value, rel=1e-3), name
    assert "kappa" not in said


def test_evaluate_prints_what_is_asked_for(judged):
    short = judged.succeed("evaluate", "m.sb", "test.csv")
    assert "log loss" in short and "Cohen's kappa" not in short and "Confusion" not in short
    some = judged.succeed("evaluate", "m.sb", "test.csv", "--metrics", "kappa,top-3", "--per-class")
    assert "top-3 error" in some and "log loss" not in some and "RECALL" in some
    everything = judged.succeed("evaluate", "m.sb", "test.csv", "--all", "--confusion")
    for word in ["weighted AUC", "Brier score", "lowest 25 % of margins", "Confusion"]:
        assert word in everything
    message = judged.fail("evaluate", "m.sb", "test.csv", "--metrics", "logloss", status=2)
    assert "log-loss" in message
    message = judged.fail("evaluate", "m.sb", "test.csv", "--metrics", "top-0", status=2)
    assert "1 to" in message


def test_evaluate_draws_the_confusions(judged):
    """As many numbers in the picture as cells of the table that hold something."""
    judged.succeed("evaluate", "m.sb", "plain.csv", "--plot", "c.svg")
    table = judged.json("evaluate", "m.sb", "plain.csv", "--json")["confusion"]
    picture = (judged.folder / "c.svg").read_text()
    assert picture.count("<rect") == sum(cell > 0 for line in table for cell in line) + 2
