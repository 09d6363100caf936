"""Sets of classes, calibration, costs, priors and suspects from the command line."""

import csv
import json
import os
import re

import pytest


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def data(command_in, tmp_path_factory):
    """Folder with train.csv, other.csv, new.csv and a cross-fitted model m.sb."""
    folder = tmp_path_factory.mktemp("certainty")
    simplexboost = command_in(folder).succeed
    for seed, (name, rows) in enumerate([("train", 800), ("other", 800), ("new", 1500)]):
        simplexboost(
            "generate", "waveform", "--rows", rows, "--seed", seed, "-o", folder / f"{name}.csv"
        )
    simplexboost("train", folder / "train.csv", "-m", folder / "m.sb", "--quiet", "--threads", 2)
    return folder


def failure(simplexboost, *arguments):
    """The error of a wrong command line."""
    return simplexboost.fail(*arguments, status=2)


def test_sets_hold_the_class_as_often_as_promised(simplexboost, data):
    out = data / "sets.csv"
    simplexboost.succeed(
        "predict", data / "m.sb", data / "new.csv", "--conformal", "0.9", "-o", out, "--quiet"
    )
    truth = [row["class"] for row in rows_of(data / "new.csv")]
    sets = rows_of(out)
    assert [int(row["size"]) for row in sets] == [
        len(row["set"].split("|")) if row["set"] else 0 for row in sets
    ]
    held = sum(label in row["set"].split("|") for label, row in zip(truth, sets, strict=True))
    assert 0.87 < held / len(truth) < 0.93


def test_per_class_and_never_empty_go_with_conformal(simplexboost, data):
    error = failure(simplexboost, "predict", data / "m.sb", data / "new.csv", "--never-empty")
    assert "--conformal" in error
    out = data / "never.csv"
    simplexboost.succeed("predict", data / "m.sb", data / "new.csv", "--conformal", "0.5", "--per-class",
                 "--never-empty", "-o", out, "--quiet")  # fmt: skip
    assert all(int(row["size"]) >= 1 for row in rows_of(out))


@pytest.mark.parametrize("value", ["0", "1", "1.5", "-1", "nan"])
def test_conformal_wants_a_probability(simplexboost, data, value):
    error = failure(
        simplexboost, "predict", data / "m.sb", data / "new.csv", f"--conformal={value}"
    )
    assert "0.9" in error


def test_top_lists_classes_by_probability(simplexboost, data):
    out, proba = data / "top.csv", data / "proba.csv"
    simplexboost.succeed(
        "predict", data / "m.sb", data / "new.csv", "--top", 2, "-o", out, "--quiet"
    )
    simplexboost.succeed(
        "predict", data / "m.sb", data / "new.csv", "--proba", "-o", proba, "--quiet"
    )
    for top, all_of in zip(rows_of(out), rows_of(proba), strict=True):
        order = sorted(all_of, key=lambda name: -float(all_of[name]))
        assert [top["class_1"], top["class_2"]] == order[:2]
        assert float(top["probability_1"]) == float(all_of[order[0]])
    assert "from 1 to 3" in failure(
        simplexboost, "predict", data / "m.sb", data / "new.csv", "--top", 4
    )


def test_costs_move_decisions_and_may_leave_them_open(simplexboost, data):
    out = data / "costs.csv"
    simplexboost.succeed("predict", data / "m.sb", data / "new.csv", "--costs", "0,1,1;50,0,1;50,1,0",
                 "--abstain-above", "0.3", "-o", out, "--quiet")  # fmt: skip
    said = [row["prediction"] for row in rows_of(out)]
    plain = data / "plain.csv"
    simplexboost.succeed("predict", data / "m.sb", data / "new.csv", "-o", plain, "--quiet")
    usual = [row["prediction"] for row in rows_of(plain)]
    first = usual[0] and sorted(set(usual))[0]
    assert said.count(first) < usual.count(first)
    assert "" in said
    assert all(float(row["cost"]) > 0.3 for row in rows_of(out) if not row["prediction"])


def test_calibrate_writes_a_model_that_is_less_sure_and_can_be_undone(simplexboost, data):
    sure, calm, undone = data / "sure.sb", data / "calm.sb", data / "undone.sb"
    simplexboost.succeed("train", data / "train.csv", "-m", sure, "--rounds", 300, "--quiet")
    said = json.loads(
        simplexboost.succeed("calibrate", sure, data / "other.csv", "-o", calm, "--json")
    )
    assert said["method"] != "none"
    losses = {trial["method"]: trial["log_loss"] for trial in said["trials"]}
    assert losses[said["method"]] < losses["none"]

    def log_loss(model):
        return json.loads(simplexboost.succeed("evaluate", model, data / "new.csv", "--json"))[
            "log_loss"
        ]

    assert log_loss(calm) < 0.97 * log_loss(sure)
    simplexboost.succeed(
        "predict", calm, data / "new.csv", "--conformal", "0.9", "-o", data / "s.csv", "--quiet"
    )
    simplexboost.succeed("calibrate", calm, "--undo", "-o", undone, "--quiet")
    predicted = [simplexboost.succeed("predict", model, data / "new.csv", "--proba", *more)
                 for model, more in [(sure, []), (undone, []), (calm, ["--uncalibrated"])]]  # fmt: skip
    assert predicted[0] == predicted[1] == predicted[2]


def test_calibrate_names_each_figure_of_its_estimate_once(simplexboost, data):
    simplexboost.succeed("train", data / "train.csv", "-m", data / "r.sb", "--rounds", 20, "--quiet")
    said = simplexboost.succeed("calibrate", data / "r.sb", data / "other.csv", "-o", data / "n.sb")
    (line,) = [one for one in said.splitlines() if "log loss " in one]
    assert re.match(r"held-out error [\d.]+ \(.*\), log loss .*, calibration error ", line)
    assert line.count("calibration error") == 1


def test_reliability_tells_what_came_true_before_and_after(simplexboost, data):
    sure, calm = data / "sure2.sb", data / "calm2.sb"
    simplexboost.succeed("train", data / "train.csv", "-m", sure, "--rounds", 300, "--quiet")
    simplexboost.succeed("calibrate", sure, data / "other.csv", "-o", calm, "--quiet")
    said = json.loads(
        simplexboost.succeed("evaluate", calm, data / "new.csv", "--reliability", "--json")
    )
    before, now = said["reliability_before_calibration"], said["reliability"]
    assert now["top"]["value"] < before["top"]["value"]
    assert now["top"]["low"] <= now["top"]["value"] <= now["top"]["high"]
    assert sum(one["rows"] for one in now["bins"]) == 1500
    assert all(one["low"] <= one["share"] <= one["high"] for one in now["bins"])
    text = simplexboost.succeed("evaluate", calm, data / "new.csv", "--reliability")
    assert "before calibration" in text and "CAME TRUE" in text


def test_priors_are_estimated_from_rows_of_other_shares(simplexboost, data, tmp_path):
    with open(data / "new.csv") as file:
        header, *lines = file.read().splitlines()
    name = header.split(",").index("class")
    first = sorted({line.split(",")[name] for line in lines})[0]
    kept = [line for i, line in enumerate(lines) if line.split(",")[name] == first or i % 8 == 0]
    shifted = tmp_path / "shifted.csv"
    shifted.write_text("\n".join([header, *kept]) + "\n")
    true = sum(line.split(",")[name] == first for line in kept) / len(kept)

    def wrong(*more):
        out = tmp_path / "p.csv"
        simplexboost.succeed("predict", data / "m.sb", shifted, "-o", out, "--quiet", *more)
        said = [row["prediction"] for row in rows_of(out)]
        return sum(a != b.split(",")[name] for a, b in zip(said, kept, strict=True))

    shares = f"{first}={true}," + ",".join(
        f"{other}={(1 - true) / 2}"
        for other in sorted({line.split(",")[name] for line in lines})
        if other != first
    )
    assert wrong("--priors", "estimate") < wrong()
    assert wrong("--priors", shares) < wrong()
    error = failure(simplexboost, "predict", data / "m.sb", shifted, "--priors", f"{first}=1")
    assert "missing" in error


def test_priors_are_not_estimated_from_a_pipe(simplexboost, data):
    pipe = data / "pipe.csv"
    os.mkfifo(pipe)
    predict = ("predict", data / "m.sb", pipe, "--priors", "estimate")
    assert "twice" in failure(simplexboost, *predict)


def test_calibrating_by_unknown_classes_is_refused(simplexboost, data):
    text = (data / "other.csv").read_text().splitlines()
    foreign = data / "foreign.csv"
    foreign.write_text("\n".join([text[0], *(line + "9" for line in text[1:])]) + "\n")
    before = (data / "m.sb").read_bytes()
    said = simplexboost.fail("calibrate", data / "m.sb", foreign, "--quiet", status=1)
    assert "0 rows of known labels" in said
    assert (data / "m.sb").read_bytes() == before


@pytest.mark.parametrize("weight", ["1e308", "1e-165"])
def test_weights_of_any_size(simplexboost, data, tmp_path, weight):
    lines = (data / "train.csv").read_text().splitlines()[:121]
    rows = tmp_path / "weighted.csv"
    rows.write_text("\n".join([lines[0] + ",w", *(f"{line},{weight}" for line in lines[1:])]))
    model = tmp_path / "m.sb"
    weighted = ("--weight", "w", "--quiet")
    short = ("--rounds", 5, "--quality", "default", "--threads", 2)
    simplexboost.succeed("train", rows, "-m", model, *weighted, *short)
    simplexboost.succeed("calibrate", model, rows, *weighted)
    simplexboost.succeed("suspects", rows, "--rounds", 5, "--threads", 2, *weighted)
    said = json.loads(simplexboost.succeed("evaluate", model, rows, "--weight", "w", "--json"))
    assert 0 <= said["error"] < 0.5


def test_suspects_lists_planted_labels_first(simplexboost, data, tmp_path):
    with open(data / "train.csv") as file:
        header, *lines = file.read().splitlines()
    name = header.split(",").index("class")
    classes = sorted({line.split(",")[name] for line in lines})
    planted = set(range(0, len(lines), 20))
    for i in planted:
        cells = lines[i].split(",")
        cells[name] = classes[(classes.index(cells[name]) + 1) % 3]
        lines[i] = ",".join(cells)
    path = tmp_path / "planted.csv"
    path.write_text("\n".join([header, *lines]) + "\n")
    out = tmp_path / "suspects.csv"
    simplexboost.succeed("suspects", path, "--top", len(planted), "-o", out, "--quiet")
    rows = rows_of(out)
    assert len(rows) == len(planted)
    found = sum(int(row["row"]) - 1 in planted for row in rows)
    assert found > 0.4 * len(planted)
    assert all(row["label"] != row["likelier"] for row in rows)


def test_suspects_of_two_rows_says_that_they_are_too_few(simplexboost, tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("x,class\n1,a\n2,b\n")
    error = simplexboost.fail("suspects", path, "--quiet", status=1)
    assert "too few rows" in error
