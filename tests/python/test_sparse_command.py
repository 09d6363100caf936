"""Sparse data by the command."""

import json

import pytest


def wide_file(folder, rows=1000, step=998):
    path = folder / "wide.libsvm"
    lines = [f"{i % 3} {1 + i * step}:1\n" for i in range(rows - 1)]
    path.write_text("".join(lines) + f"{(rows - 1) % 3} 998002:1\n")
    return path.name


def test_a_small_file_of_998002_features_trains_within_64_mb(simplexboost):
    data = wide_file(simplexboost.folder)
    assert (simplexboost.folder / data).stat().st_size < 20_000
    told = simplexboost.succeed(
        *("train", data, "--model", "wide.sb", "--rounds", 20, "--threads", 2, "--json")
    )
    summary = json.loads(told)
    assert summary["features"] == 1000
    assert summary["peak_memory_mb"] < 64
    predicted = simplexboost.succeed("predict", "wide.sb", data, "-o", "-")
    assert len(predicted.splitlines()) == 1001


def test_generated_text_is_sparse_and_the_same_for_any_threads(simplexboost):
    make = ["generate", "text", "--rows", 300, "--topics", 3, "--features", 2000, "--words", 30]
    simplexboost.succeed(*make, "--threads", 1, "-o", "a.libsvm")
    simplexboost.succeed(*make, "--threads", 3, "-o", "b.libsvm")
    rows = (simplexboost.folder / "a.libsvm").read_text()
    assert rows == (simplexboost.folder / "b.libsvm").read_text()
    entries = [pair.split(":") for line in rows.splitlines() for pair in line.split()[1:]]
    assert 300 * 10 < len(entries) < 300 * 45
    assert max(int(index) for index, _ in entries) <= 2000
    # A file of all values holds the same.
    simplexboost.succeed(*make, "-o", "dense.csv")
    lines = (simplexboost.folder / "dense.csv").read_text().splitlines()
    assert lines[0].startswith("w1,w2,")
    row = {i + 1: v for i, v in enumerate(lines[1].split(",")[:-1]) if v != "0"}
    assert row == {int(i): v for i, v in (p.split(":") for p in rows.splitlines()[0].split()[1:])}


def test_text_refuses_what_it_does_not_know(simplexboost):
    told = simplexboost("generate", "text", "--classes", 5)
    assert told.returncode != 0
    assert "has no parameter 'classes'; manyclass has it" in told.stderr
    told = simplexboost("generate", "text", "--topics", 1)
    assert "text: topics must be from 2 to 100000, not 1" in told.stderr
    told = simplexboost("generate", "led", "--features", 1)
    assert "has no parameter 'features'; manyclass has it" in told.stderr


def test_memory_has_a_bound_and_bins_may_be_in_a_file(simplexboost):
    make = ["generate", "text", "--rows", 400, "--topics", 3, "--features", 2000, "--words", 30]
    simplexboost.succeed(*make, "-o", "a.libsvm")
    train = [
        "train",
        "a.libsvm",
        "--rounds",
        5,
        "--quality",
        "fast",
        "--quiet",
        "--valid",
        "a.libsvm",
    ]
    simplexboost.succeed(*train, "-m", "plain.sb")
    folder = simplexboost.folder / "bins"
    folder.mkdir()
    simplexboost.succeed(*train, "-m", "disk.sb", "--bins-folder", "bins", "--max-memory", "4G")
    simplexboost.succeed(*train, "-m", "temporary.sb", "--bins-on-disk")
    expected = (simplexboost.folder / "plain.sb").read_bytes()
    for name in ["disk.sb", "temporary.sb"]:
        assert (simplexboost.folder / name).read_bytes() == expected
    assert list(folder.iterdir()) == []
    told = simplexboost.fail(*train, "-m", "none.sb", "--max-memory", "1M", status=1)
    assert "max-memory allows 1 MB" in told
    told = simplexboost.fail(*train, "-m", "none.sb", "--max-memory", "much", status=2)
    assert "--max-memory: 'much' is no size; give one like 800M or 2.5G" in told
    told = simplexboost.fail(*train, "-m", "none.sb", "--bins-folder", "none", status=1)
    assert "none: a file of" in told


# Each verb that trains, and the file that it leaves.
VERBS = {
    "cv": (["--folds", 3, "-o", "out"], "out"),
    "tune": (["--trials", 2, "--algorithm", "newton", "-m", "out"], "out"),
    "suspects": (["--top", 20, "-o", "out"], "out"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_that_train_obey_the_rules_of_memory(simplexboost, verb):
    simplexboost.succeed("generate", "waveform", "--rows", 300, "-o", "a.csv")
    words, out = VERBS[verb]
    run = [verb, "a.csv", "--rounds", 5, "--quiet", *words]
    results = []
    for more in ([], ["--bins-on-disk"], ["--bins-folder", ".", "--max-memory", "4G"]):
        simplexboost.succeed(*run, *more)
        results.append((simplexboost.folder / out).read_bytes())
        for path in simplexboost.folder.glob("out*"):
            path.unlink()
    assert results[0] == results[1] == results[2]
    told = simplexboost(*run, "--bins-folder", "none")
    assert told.returncode != 0
    assert "none: a file of" in told.stderr
    told = simplexboost.fail(*run, "--max-memory", "much", status=2)
    assert "--max-memory: 'much' is no size" in told
