"""The verb `experiment`, and pictures."""

import xml.etree.ElementTree as ElementTree

SPEC = """
title = "Small"
paper = "A paper, Table 1"
stages = [0, 5]

[[data]]
name = "plane"
generator = { name = "gaussian3", rows = 300, seed = 1 }
test_generator = { name = "gaussian3", rows = 200, seed = 2 }

[[data]]
name = "on-disk"

[[algorithm]]
name = "CD"
quick_rounds = 5
parameters = { algorithm = "cd-mcboost", rounds = 20 }

[figures.CD]
plane = 88.7
"""


def test_experiment_writes_report_and_resumes(simplexboost):
    folder = simplexboost.folder
    (folder / "small.toml").write_text(SPEC)
    (folder / "data" / "on-disk").mkdir(parents=True)
    rows = simplexboost.succeed("generate", "waveform", "--rows", 100)
    (folder / "data" / "on-disk" / "data.csv").write_text(rows)
    command = ("experiment", "small.toml", "--data", "data", "-o", "out")
    first = simplexboost.succeed(*command)
    assert "paper  88.7" in first and "on-disk" in first
    report = (folder / "out" / "small.md").read_text()
    assert "| plane | CD | 20 |" in report and "A paper, Table 1" in report
    assert len((folder / "out" / "small.csv").read_text().splitlines()) == 3
    cells = (folder / "out" / "small.cells.jsonl").read_text()
    assert len(cells.splitlines()) == 2
    # Rows are told as they end, and cells may run at the same time.
    assert sorted(simplexboost.succeed(*command).splitlines()) == sorted(first.splitlines())
    assert (folder / "out" / "small.cells.jsonl").read_text() == cells
    for picture in (folder / "out").glob("*.svg"):
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_missing_data_is_named_and_skipped(simplexboost):
    (simplexboost.folder / "small.toml").write_text(SPEC)
    result = simplexboost("experiment", "small.toml", "--quick", "-o", "out")
    assert result.returncode == 0
    assert "note: on-disk: skipped" in result.stderr
    quiet = simplexboost("experiment", "small.toml", "--quick", "-o", "out", "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, result.stdout, "")
    assert "Not here: on-disk" in (simplexboost.folder / "out" / "small-quick.md").read_text()


def test_data_that_cannot_be_looked_at_are_not_taken_to_be_missing(simplexboost):
    folder = simplexboost.folder
    (folder / "small.toml").write_text(SPEC)
    (folder / "data" / "on-disk").mkdir(parents=True)
    loop = folder / "data" / "on-disk" / "data.csv"
    loop.symlink_to(loop)
    line = simplexboost.fail("experiment", "small.toml", "--quick", "--data", "data", status=1)
    assert "data.csv: cannot read it: " in line


def test_wrong_spec_is_one_line_with_its_place(simplexboost):
    (simplexboost.folder / "bad.toml").write_text(SPEC.replace("rounds = 20", "rounds = -1"))
    line = simplexboost.fail("experiment", "bad.toml", status=1)
    assert "bad.toml:17:" in line and "rounds" in line


def test_inspect_draws_the_learning_curve(simplexboost):
    simplexboost.succeed("generate", "gaussian3", "--rows", 200, "-o", "a.csv")
    simplexboost.succeed(
        "train", "a.csv", "-m", "m.sb", "--rounds", 5, "--valid-fraction", 0.2, "--quiet"
    )
    simplexboost.succeed("inspect", "m.sb", "--plot", "curve.svg")
    root = ElementTree.parse(simplexboost.folder / "curve.svg").getroot()
    assert len([e for e in root.iter() if e.tag.endswith("path")]) == 2


def paths_and_text(file):
    root = ElementTree.parse(file).getroot()
    paths = [e for e in root.iter() if e.tag.endswith("path")]
    return len(paths), " ".join(e.text or "" for e in root.iter() if e.tag.endswith("text"))


def test_inspect_draws_bounds_beside_their_errors(simplexboost):
    simplexboost.succeed("generate", "gaussian3", "--rows", 200, "-o", "a.csv")
    train = ["train", "a.csv", "-m", "m.sb", "--rounds", 5, "--quiet", "--algorithm"]
    for algorithm, lines, bounds in [
        ("grploss", 6, ["(24)", "(13)", "(9)"]),
        ("grploss-general", 5, ["(24)", "(9)"]),
        ("boostma", 5, ["(24)", "(20)"]),
        ("adaboost-m2", 2, ["(23)"]),
    ]:
        simplexboost.succeed(*train, algorithm)
        simplexboost.succeed("inspect", "m.sb", "--plot", "b.svg", "--figure", "bounds")
        paths, text = paths_and_text(simplexboost.folder / "b.svg")
        assert paths == lines
        assert all(bound in text for bound in bounds)
        log = simplexboost.json("inspect", "m.sb", "--json")["log"]
        assert all("bound_" + bound.strip("()") in log for bound in bounds)
    simplexboost.succeed(*train, "samme")
    assert "samme logs no bounds" in simplexboost.fail(
        "inspect", "m.sb", "--plot", "b.svg", "--figure", "bounds", status=1
    )


def test_inspect_draws_margins(simplexboost):
    simplexboost.succeed("generate", "gaussian3", "--rows", 200, "-o", "a.csv")
    simplexboost.succeed("train", "a.csv", "-m", "m.sb", "--rounds", 5, "--quiet")
    simplexboost.succeed("inspect", "m.sb", "--plot", "h.svg", "--figure", "margins")
    assert "margin" in paths_and_text(simplexboost.folder / "h.svg")[1]
    wrong = simplexboost.fail("inspect", "m.sb", "--plot", "h.svg", "--figure", "margin", status=2)
    assert "did you mean 'margins'" in wrong
    alone = simplexboost.fail("inspect", "m.sb", "--figure", "margins", status=2)
    assert "--plot" in alone
