"""Forests and cross-fitted ensembles by the command."""

import json
import re

import numpy as np
import pytest


def write(path, rows):
    x, y = rows
    lines = [",".join([*map(repr, map(float, row)), label]) for row, label in zip(x, y)]
    path.write_text("\n".join(["a,b,c,d,class", *lines]) + "\n")
    return path


def test_command(simplexboost, rows, tmp_path):
    data, model = write(tmp_path / "a.csv", rows), tmp_path / "m.sb"
    said = simplexboost.json(
        "train", data, "-m", model, "--quality", "best", "--folds", "3", "--rounds", "30", "--json"
    )
    assert said["estimate"]["method"] == "out-of-fold"
    assert said["estimate"]["error"]["low"] < said["estimate"]["error"]["value"]
    assert set(said["estimate"]["classes"]) == {"left", "middle", "right"}
    for figures in said["estimate"]["classes"].values():
        assert set(figures) == {"error", "log_loss", "calibration"}
        assert all(one["low"] <= one["value"] <= one["high"] for one in figures.values())
    assert sum(one["weight"] for one in said["members"]) == pytest.approx(1)
    shown = simplexboost.succeed("inspect", model)
    assert "Members, whose probabilities are" in shown
    assert "Expected on new rows (out-of-fold, 400 rows; intervals of 95 %)" in shown
    assert "The same of each class" in shown
    assert re.search(r"CLASS +ERROR +FROM +TO +LOG LOSS +FROM +TO +CALIBRATION", shown)
    first = simplexboost.succeed("predict", model, data, "--rounds", "1")
    assert len(first.splitlines()) == 401
    text = simplexboost.succeed(
        "train", data, "-m", model, "--algorithm", "forest", "--rounds", "20"
    )
    assert "out-of-bag error" in text and "nan" not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--quality", "fast", "--budget", "3"], "--budget: it is for --quality default or best"),
        (["--quality", "best", "--folds", "1"], "--folds: '1' is out of range"),
        (["--quality", "good"], "quality"),
        (["--quality", "best", "--budget", "soon"], "--budget: 'soon' is no time; give one like"),
        (["--quality", "best", "--budget", "-3"], "--budget: '-3' is no time"),
    ],
)
def test_command_hints(simplexboost, rows, tmp_path, options, message):
    data = write(tmp_path / "a.csv", rows)
    assert message in simplexboost.fail("train", data, "-m", tmp_path / "m.sb", *options, status=2)


@pytest.mark.parametrize("budget", ["10m", "600s", "600", "0"])
def test_budget_is_a_time(simplexboost, rows, tmp_path, budget):
    data, model = write(tmp_path / "a.csv", rows), tmp_path / "m.sb"
    options = ["--quality", "default", "--folds", "2", "--rounds", "3", "--budget", budget]
    simplexboost.succeed("train", data, "-m", model, *options)
    assert ("600 s" in simplexboost.succeed("inspect", model)) == (budget != "0")


def test_choices_are_explained(simplexboost, rows, tmp_path):
    data, model = write(tmp_path / "a.csv", rows), tmp_path / "m.sb"
    said = simplexboost.json("train", data, "-m", model, "--json")
    assert said["choices"] == simplexboost.json("inspect", model, "--json")["choices"]
    pool, newton, *others = said["choices"]
    assert pool["name"] == "the pool" and newton["name"] == "newton"
    taken = {one["name"]: (one["value"], one["why"]) for one in newton["choices"]}
    assert taken["learning-rate"][0] == "0.3" and "size of the data" in taken["learning-rate"][1]
    assert {"extra trees", "linear"} <= {one["name"] for one in others}
    for one in [newton, *others]:
        assert (one["weight"] == 0) == (one["left_out"] is not None)
    text = simplexboost.succeed("inspect", model)
    assert "What was chosen, and why" in text and "Settings that were asked for" in text
    assert "linear: 1 rounds" not in text
    plain = simplexboost.json("train", data, "-m", model, "--rounds", "3", "--json")
    assert plain["choices"] is None
    assert "What was chosen" not in simplexboost.succeed("inspect", model)


def test_plain_training_is_cross_fitted(simplexboost, rows, tmp_path):
    data, model = write(tmp_path / "a.csv", rows), tmp_path / "m.sb"
    said = simplexboost.json("train", data, "-m", model, "--json")
    assert said["estimate"]["method"] == "out-of-fold" and said["algorithm"] in (
        "newton",
        "ensemble",
    )
    weighted = simplexboost.json(
        "train",
        data,
        "-m",
        model,
        "--class-weight",
        "balanced",
        "--costs",
        "0,1,1;5,0,1;1,1,0",
        "--json",
    )
    assert weighted["estimate"]["method"] == "out-of-fold"


@pytest.mark.parametrize(
    "options", [["--rounds", 7], ["--rounds", 7, "--valid-fraction", 0.2], ["--rounds", 100]]
)
def test_rounds_that_are_given_are_done(simplexboost, rows, tmp_path, options):
    data = write(tmp_path / "a.csv", rows)
    said = simplexboost.json("train", data, "-m", tmp_path / "m.sb", *options, "--json")
    assert said["rounds"] == options[1] and said["estimate"] is None


def test_distil(simplexboost, rows, tmp_path):
    x, y = rows
    y = np.where(x[:, 2] * x[:, 3] > 0.3, "left", y)  # else the linear member would be alone
    data, model = write(tmp_path / "a.csv", (x, y)), tmp_path / "m.sb"
    train = [
        "train",
        data,
        "-m",
        model,
        "--quality",
        "best",
        "--folds",
        "3",
        "--rounds",
        "20",
        "--distil",
    ]
    said = simplexboost.json(*train, "--json")
    assert said["algorithm"] == "newton" and said["members"] is None
    assert said["distilled"]["model"]["bytes"] < said["distilled"]["ensemble"]["bytes"] / 5
    estimated = said["estimate"]["log_loss"]["value"]
    assert said["distilled"]["model"]["log_loss"] == pytest.approx(estimated)
    assert "distilled: the ensemble's error" in simplexboost.succeed(*train)
    assert "distilled from" in simplexboost.succeed("inspect", model)
    assert len(simplexboost.succeed("predict", model, data, "--rounds", "3").splitlines()) == 401
    text = simplexboost.fail("train", data, "-m", model, "--rounds", "3", "--distil", status=2)
    assert "--distil: it is for --quality default or best" in text


def test_a_dimension_alone_is_trained_once(simplexboost, rows, tmp_path):
    data, model = write(tmp_path / "a.csv", rows), tmp_path / "m.sb"
    simplexboost.succeed("train", data, "-m", model, "--dimension", "2")
    assert "out-of-fold" not in simplexboost.succeed("inspect", model)
    text = simplexboost.fail(
        "train", data, "-m", model, "--dimension", "2", "--quality", "default", status=2
    )
    assert "dimension: of the algorithms of an ensemble some have no codewords" in text


def test_rows_without_a_first_cut_have_an_estimate(simplexboost, tmp_path):
    data, model = tmp_path / "a.csv", tmp_path / "m.sb"
    data.write_text("x,y,class\n" + "0,0,a\n0,1,b\n1,0,b\n1,1,a\n" * 20)
    for seed in range(3):
        said = simplexboost.json("train", data, "-m", model, "--seed", seed, "--distil", "--json")
        assert said["estimate"]["method"] == "out-of-fold"
        assert said["distilled"]["model"]["bytes"] > 0


def test_repeated_rows_are_told(simplexboost, rows, tmp_path):
    x, y = rows
    data, model = tmp_path / "a.csv", tmp_path / "m.sb"
    lines = [f"{i},{','.join(map(repr, map(float, x[i])))},{y[i]}\n" * 2 for i in range(50)]
    data.write_text("case,a,b,c,d,class\n" + "".join(lines))
    note = (
        "note: 100 % of the rows equal another in every feature; if those are the same case, the "
        "estimate is too good: give --group COLUMN\n"
    )
    plain = simplexboost("train", data, "-m", model, "--json")
    assert plain.returncode == 0 and plain.stderr == note
    pool = json.loads(plain.stdout)["choices"][0]["choices"]
    assert ("repeated rows", "100.0 %") in [(one["name"], one["value"]) for one in pool]
    assert simplexboost("train", data, "-m", model, "--quiet").stderr == ""
    assert simplexboost("train", data, "-m", model, "--group", "case").stderr == ""
