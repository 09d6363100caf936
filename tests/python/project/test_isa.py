"""Every algorithm gives the same bytes at every level of vector instructions of this machine."""

import pytest

LOWER_LEVELS = ["v1", "v3"]
FEW_ROUNDS = ["--rounds", 6, "--seed", 3, "--quiet"]


@pytest.fixture
def at_level(simplexboost, monkeypatch):
    """Sets the level of the commands that follow; skips the test where the machine has no higher
    one, so that nothing would be compared."""

    def set_level(level):
        monkeypatch.setenv("SIMPLEXBOOST_ISA", level)
        shown = simplexboost.succeed("--version").splitlines()[1].split()[-1]
        if level and shown != level:
            pytest.skip(f"this machine has {shown}, not {level}")
        return shown

    return set_level


@pytest.fixture
def data(simplexboost):
    """Numbers, missing values and a category, seven classes, uneven weights: every kernel works."""
    simplexboost.succeed(
        *["generate", "manyclass", "--rows", 700, "--features", 9, "--classes", 7, "--seed", 5],
        *["-o", "plain.csv"],
    )
    lines = (simplexboost.folder / "plain.csv").read_text().splitlines()
    rows = [lines[0] + ",kind,w"]
    for number, line in enumerate(lines[1:]):
        cells = line.split(",")
        if number % 11 == 0:
            cells[number % 9] = ""
        rows.append(",".join([*cells, f"k{number * 7 % 13}", str(1 + number % 5)]))
    (simplexboost.folder / "data.csv").write_text("\n".join(rows) + "\n")
    return [*FEW_ROUNDS, "--label", lines[0].split(",")[-1], "--weight", "w"]


def all_models(simplexboost, options):
    names = [row["name"] for row in simplexboost.json("algorithms", "--json")]
    assert len(names) > 20
    models = {}
    for name in names:
        simplexboost.succeed("train", "data.csv", "-m", "m.sb", "--algorithm", name, *options)
        models[name] = (simplexboost.folder / "m.sb").read_bytes()
    return models


@pytest.mark.parametrize("level", LOWER_LEVELS)
def test_model_bytes_are_those_of_the_highest_level(simplexboost, at_level, data, level):
    if at_level("") == level:
        pytest.skip(f"{level} is the highest level of this machine")
    expected = all_models(simplexboost, data)
    at_level(level)
    lowered = all_models(simplexboost, data)
    assert [name for name in expected if lowered[name] != expected[name]] == []
