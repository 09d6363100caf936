"""The verb explain: lines that sum to scores, and what it refuses."""

import csv
import io

import pytest


@pytest.fixture
def trained(simplexboost):
    done = simplexboost("generate", "waveform", "--rows=200", "--seed=3", "-o", "d.csv")
    assert done.returncode == 0, done.stderr
    done = simplexboost("train", "d.csv", "--rounds", "4", "-m", "m.sb", "--quiet")
    assert done.returncode == 0, done.stderr
    return simplexboost


def table(done):
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_lines_sum_to_scores(trained):
    lines = table(trained("explain", "m.sb", "d.csv", "--quiet"))
    scores = table(trained("predict", "m.sb", "d.csv", "--scores", "--quiet"))
    assert len(lines) == 600
    for line in lines:
        features = [float(value) for name, value in line.items() if name.startswith("x")]
        wanted = float(scores[int(line["row"]) - 1][line["class"]])
        assert float(line["base"]) + sum(features) == pytest.approx(wanted, abs=2e-6)


def test_contrasts_have_a_line_a_row(trained):
    all_lines = table(trained("explain", "m.sb", "d.csv", "--quiet"))
    value = {(line["row"], line["class"]): float(line["x8"]) for line in all_lines}
    why = table(trained("explain", "m.sb", "d.csv", "--why", "--quiet"))
    said = table(trained("predict", "m.sb", "d.csv", "--quiet"))
    assert [line["class"] for line in why] == [line["prediction"] for line in said]
    for line in [*why, *table(trained("explain", "m.sb", "d.csv", "--contrast", "2,0"))]:
        wanted = value[line["row"], line["class"]] - value[line["row"], line["against"]]
        assert float(line["x8"]) == pytest.approx(wanted, abs=1e-9)
    assert table(trained("explain", "m.sb", "d.csv", "--top", "1", "-o", "top.csv")) == []
    assert (trained.folder / "top.csv").read_text().count("\n") == 201


def test_background_rows_change_the_base(trained):
    some = table(trained("explain", "m.sb", "d.csv", "--classes", "1", "--background", "d.csv",
                         "--background-rows", "10"))  # fmt: skip
    assert len(some) == 200 and {line["class"] for line in some} == {"1"}
    scores = table(trained("predict", "m.sb", "d.csv", "--scores", "--quiet"))
    mean = sum(float(scores[20 * i]["1"]) for i in range(10)) / 10
    assert float(some[0]["base"]) == pytest.approx(mean, abs=1e-6)


def test_features_of_all_rows_together(trained):
    importance = table(trained("explain", "m.sb", "d.csv", "--importance", "--quiet"))
    assert len(importance) == 21 and set(importance[0]) == {"feature", "0", "1", "2"}
    effect = table(trained("explain", "m.sb", "d.csv", "--effect", "x8", "--quiet"))
    assert sum(float(effect[0][k]) for k in "012") == pytest.approx(1, abs=1e-5)
    assert table(trained("explain", "m.sb", "d.csv", "--effect", "x8", "--accumulated"))
    lost = table(trained("explain", "m.sb", "d.csv", "--permutation", "--metric", "error"))
    assert set(lost[0]) == {"feature", "error", "low", "high"}


@pytest.mark.parametrize(
    "arguments", [[], ["--why"], ["--importance"], ["--effect", "x8"], ["--background", "bare.csv"]]
)
def test_rows_without_labels_are_explained(trained, arguments):
    lines = (trained.folder / "d.csv").read_text().splitlines()
    bare, other = trained.folder / "bare.csv", trained.folder / "other.csv"
    bare.write_text("\n".join(line.rsplit(",", 1)[0] for line in lines) + "\n")
    other.write_text("\n".join([lines[0], *(line[:-1] + "new" for line in lines[1:])]) + "\n")
    assert lines[0].endswith(",class")
    wanted = trained("explain", "m.sb", "d.csv", *arguments).stdout
    for file in ("bare.csv", "other.csv"):
        done = trained("explain", "m.sb", file, *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (0, wanted, "")
    if "--effect" not in arguments:
        done = trained("explain", "m.sb", "-", *arguments, stdin=bare.read_text())
        assert (done.returncode, done.stdout, done.stderr) == (0, wanted, "")
    done = trained("explain", "m.sb", "bare.csv", "--permutation")
    assert done.returncode == 1 and "class" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--classes", "9"], "unknown class '9'"),
        (["--contrast", "1"], "give two classes"),
        (["--contrast", "1,1"], "compared with itself"),
        (["--top", "1", "--why"], "--why"),
        (["--effect", "nothing"], "unknown feature"),
        (["--accumulated"], "--effect"),
        (["--metric", "error"], "--permutation"),
        (["--permutation", "--metric", "errr"], "error"),
    ],
)
def test_what_makes_no_sense_is_refused(trained, arguments, words):
    done = trained("explain", "m.sb", "d.csv", *arguments)
    assert done.returncode == 2 and words in done.stderr and done.stdout == ""
