"""Sets of codewords: made, judged, written and read again."""

import os

import pytest


def test_simplex_reaches_the_bound(simplexboost):
    found = simplexboost.json("codewords", "--classes", 5, "--json")
    assert found["kind"] == "simplex"
    assert found["dimension"] == 4
    assert found["unit"] and found["centred"]
    assert found["capacity"] == pytest.approx(5 / 8)
    assert found["capacity_bound"] == pytest.approx(5 / 8)
    assert len(found["codewords"]) == 5


def test_ten_thousand_classes_need_no_matrix(simplexboost):
    found = simplexboost.json("codewords", "--classes", 10000, "--json")
    assert found["capacity"] == pytest.approx(10000 / 19998)
    assert found["codewords"] is None


def test_written_codewords_are_read_again(simplexboost):
    text = simplexboost.succeed("codewords", "--classes", 9, "--dimension", 3, "-o", "c.csv")
    assert text.startswith("maxmin: 9 codewords of dimension 3")
    again = simplexboost.json("codewords", "--kind", "c.csv", "--json")
    assert again["classes"] == 9
    assert again["dimension"] == 3
    assert again["minimum_distance"] == pytest.approx(1.1547, abs=1e-3)
    on_output = simplexboost.succeed("codewords", "--kind", "c.csv", "-o", "-")
    assert on_output == (simplexboost.folder / "c.csv").read_text(encoding="utf-8")


def test_codeword_between_others_is_pointed_out(simplexboost):
    (simplexboost.folder / "c.csv").write_text("-1,0\n0,0\n1,0\n", encoding="utf-8")
    assert "codeword 2 lies between" in simplexboost.succeed("codewords", "--kind", "c.csv")


def test_mistakes_are_answered_in_one_line(simplexboost):
    assert "--classes" in simplexboost.fail("codewords", status=2)
    wrong = simplexboost.fail("codewords", "--classes", 4, "--kind", "simplx", status=2)
    assert "did you mean 'simplex'?" in wrong
    small = simplexboost.fail("codewords", "--classes", 1, status=2)
    assert "2 to" in small
    (simplexboost.folder / "c.csv").write_text("1,2\n3,x\n", encoding="utf-8")
    place = simplexboost.fail("codewords", "--kind", "c.csv", "-o", "out.csv", status=1)
    assert place.startswith("error: c.csv:2:3: ")
    same = simplexboost.fail("codewords", "--kind", "c.csv", "-o", "c.csv", status=1)
    assert "c.csv" in same
    assert os.listdir(simplexboost.folder) == ["c.csv"]


def test_pictures_of_codewords_and_of_losses(simplexboost):
    for classes in (2, 3, 4):
        simplexboost.succeed("codewords", "--classes", classes, "--picture", "p.svg")
        text = (simplexboost.folder / "p.svg").read_text(encoding="utf-8")
        assert text.startswith("<svg") and text.count("<path") == classes
    contours = ["codewords", "--classes", 3, "--picture", "c.svg", "--contours"]
    for loss in ("votes", "exponential", "tangent"):
        simplexboost.succeed(*contours, loss)
        assert loss in (simplexboost.folder / "c.svg").read_text(encoding="utf-8")
    (simplexboost.folder / "c.svg").unlink()
    assert "did you mean 'votes'?" in simplexboost.fail(*contours, "vote", status=2)
    simplexboost.fail("codewords", "--classes", 5, "--picture", "c.svg", status=2)
    simplexboost.fail("codewords", "--classes", 3, "--picture", "-", status=2)
    simplexboost.fail("codewords", "--classes", 3, "--contours", "votes", status=2)
    assert not (simplexboost.folder / "c.svg").exists()


def test_inspect_judges_the_codewords_of_a_model(simplexboost):
    simplexboost.succeed("generate", "manyclass", "--rows", 300, "--classes", 6, "-o", "d.csv")
    trained = ["train", "d.csv", "--model", "m.sb", "--rounds", 3]
    for codewords in ("simplex", "canonical", "one-vs-all", "all-pairs", "random"):
        simplexboost.succeed(*trained, "--algorithm", "gd-mcboost", "--codewords", codewords)
        found = simplexboost.json("inspect", "m.sb", "--json")["codewords"]
        made = simplexboost.json("codewords", "--classes", 6, "--kind", codewords, "--json")
        del made["codewords"]
        assert found.keys() == made.keys()
        for key in ("kind", "classes", "dimension", "unit", "centred"):
            assert found[key] == made[key]
        for key in ("minimum_distance", "capacity", "capacity_bound"):
            assert found[key] == pytest.approx(made[key], rel=1e-4)
        assert "margin capacity" in simplexboost.succeed("inspect", "m.sb")
    simplexboost.succeed(*trained, "--algorithm", "gd-mcboost", "--dimension", 3)
    found = simplexboost.json("inspect", "m.sb", "--json")["codewords"]
    assert (found["kind"], found["dimension"]) == ("maxmin", 3)
    simplexboost.succeed(*trained, "--algorithm", "samme")
    assert simplexboost.json("inspect", "m.sb", "--json")["codewords"] is None


def test_codewords_of_low_rank_tell_no_probabilities(simplexboost):
    """Lemma 3 of jmlr2019: unless they are asked for by name, as an approximation."""
    simplexboost.succeed("generate", "waveform", "--rows", 200, "-o", "w.csv", "--quiet")
    simplexboost.succeed("generate", "led", "--rows", 300, "-o", "d.csv", "--quiet")
    train = ["train", "d.csv", "--algorithm", "gd-mcboost", "--dimension", 4, "--rounds", 5, "--quiet"]
    simplexboost.succeed(*train, "-m", "m.sb", "--valid-fraction", 0.2)
    simplexboost.succeed("predict", "m.sb", "d.csv", "--quiet")
    assert "valid_risk" in simplexboost.succeed("inspect", "m.sb")
    message = simplexboost.fail("predict", "m.sb", "d.csv", "--proba", status=1)
    assert "tell no probabilities (jmlr2019, Lemma 3)" in message
    assert "--posterior approximate" in message
    assert simplexboost.json("evaluate", "m.sb", "d.csv", "--json").get("log_loss") is None
    message = simplexboost.fail(*train, "-m", "n.sb", "--early-stopping-metric", "log-loss", status=2)
    assert "there is no log-loss" in message
    simplexboost.succeed(*train, "-m", "a.sb", "--posterior", "approximate")
    assert simplexboost.succeed("predict", "a.sb", "d.csv", "--proba", "--quiet").count("\n") == 301
    simplex = ["train", "w.csv", "--algorithm", "gd-mcboost", "-m", "b.sb"]
    message = simplexboost.fail(*simplex, "--posterior", "approximate", status=2)
    assert "posterior: approximate is for codewords that tell no probabilities" in message
