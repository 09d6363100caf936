"""The comparison with the peers, apart from running them: splits, targets, tables, the journal."""

import csv
import gzip
import json
import pathlib
import re
import sys
import time

import numpy
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench"))

import peers_env
from comparison import (
    compare,
    metrics,
    program_names,
    programs,
    quality,
    quality_runs,
    ranks,
    report,
    search,
    sets,
    time_picture,
    tuned,
)
from comparison.at_once import at_once
from comparison.journal import Journal, OutOfBudget, Runner, RunTable

MACHINE = programs.Machine(pathlib.Path("/bin/echo"), pathlib.Path("none"), 2, 60, 8)


def write_set(folder, name, rows):
    (folder / name).mkdir(parents=True)
    with gzip.open(folder / name / "data.csv.gz", "wt", newline="") as file:
        csv.writer(file).writerows([["x", "kind", "class"], *rows])


def peer_run(log_loss, error, seconds, memory=10):
    return {
        "version": "1.0", "rounds": len(seconds), "seconds": seconds, "cut": False,
        "log_loss": log_loss, "error": error, "memory_before_mb": 100,
        "peak_memory_mb": 100 + memory, "model_bytes": 2**20, "batch_rate": 1e4, "single_rate": 1e2,
        "date": "2000-01-01 00:00",
    }  # fmt: skip


def our_run(rounds, seconds, log_loss=0.2):
    return {
        "rounds": rounds, "train_seconds": seconds, "log_loss": log_loss, "error": 0.1,
        "memory_before_mb": 1, "peak_memory_mb": 5, "model_bytes": 2**20, "batch_rate": 1e6, "single_rate": 1e5,
        "date": "2000-01-01 00:00",
    }  # fmt: skip


@pytest.fixture
def comparison(tmp_path):
    """Two peers and ours on a made-up set: LightGBM has the lowest log loss, in its second round."""
    journal = Journal(tmp_path / "compare.jsonl")
    lightgbm = peer_run([0.5, 0.2, 0.4], [0.3, 0.2, 0.1], [1, 2, 3])
    for run, seconds in enumerate(([1, 2, 3], [1, 4, 5], [1, 3, 9])):
        journal.add(("s", "lightgbm", "fixed", run), lightgbm | {"seconds": seconds})
    journal.add(("s", "sklearn", "fixed", 0), peer_run([0.3], [0.2], [0.5], memory=20))
    journal.add(("s", "catboost", "fixed", 0), programs.failure("no end"))
    for key in programs.OURS:
        curve = {"log_loss": [0.4, 0.3, 0.19, 0.1], "error": [0.3, 0.2, 0.1, 0.1], "rounds": 4}
        journal.add(("s", key, "curve", 0), curve)
        journal.add(("s", key, "fixed", 0), our_run(100, 8.0))
        for run, seconds in enumerate((0.3, 0.2, 0.25)):
            journal.add(("s", key, "log_loss", run), our_run(3, seconds))
    return compare.Comparison(journal, MACHINE, list(programs.PEERS), 3, None)


def test_split_keeps_a_row_of_every_class_for_training():
    labels = ["rare"] + ["common"] * 99
    for seed in range(20):
        first, second = sets.part_rows(labels, 0.2, numpy.random.default_rng(seed))
        assert len(second) == 20
        assert 0 in first
        assert sorted(first + second) == list(range(100))


def test_peers_and_command_get_the_same_rows(tmp_path):
    rows = [[i, "ab"[i % 2], f"c{i % 3}"] for i in range(60)]
    write_set(tmp_path, "small", rows)
    prepared = sets.prepare("small", tmp_path, tmp_path / "work", "unused")
    assert (prepared.rows, prepared.test_rows, prepared.classes) == (48, 12, 3)
    assert prepared.categorical == [1]
    sets.part_training_rows(prepared)
    seen = {}
    for part in "train", "test", "fit", "valid":
        header, written = sets.read_table(prepared.file(part))
        arrays = numpy.load(prepared.file(part, "npz"))
        assert header == ["x", "kind", "class"]
        assert [float(row[0]) for row in written] == arrays["x"][:, 0].tolist()
        assert ["ab".index(row[1]) for row in written] == arrays["x"][:, 1].tolist()
        assert [int(row[2][1]) for row in written] == arrays["y"].tolist()
        seen[part] = [int(row[0]) for row in written]
    assert sorted(seen["train"] + seen["test"]) == list(range(60))
    assert sorted(seen["fit"] + seen["valid"]) == sorted(seen["train"])


def test_log_loss_is_that_of_the_softmax():
    scores = numpy.array([[0.0, 1.0, 2.0], [1000.0, 0.0, -1000.0]])
    shares = numpy.exp(scores[0]) / numpy.exp(scores[0]).sum()
    wanted = -(numpy.log(shares[1]) + numpy.log(1e-15)) / 2
    assert metrics.log_loss_of_scores(scores, numpy.array([1, 2])) == pytest.approx(wanted)
    assert metrics.error(scores, numpy.array([1, 0])) == 0.5


def test_target_is_the_best_of_any_round_of_any_peer(comparison):
    assert comparison.target("s", "log_loss") == compare.Target(0.2, "lightgbm", 2)
    assert comparison.target("s", "error") == compare.Target(0.1, "lightgbm", 3)
    assert comparison.target("unknown", "error") is None


def test_seconds_to_the_target_are_medians_of_the_runs(comparison):
    assert comparison.seconds_to("s", "lightgbm", "log_loss") == (3, 2)
    assert comparison.seconds_to("s", "sklearn", "log_loss") is None
    assert comparison.seconds_to("s", "ours", "log_loss") == (0.25, 3)


def test_report_names_ratio_memory_and_failures(comparison, tmp_path):
    prepared = sets.PreparedSet("s", tmp_path, 1000, 100, 9, 30, [])
    report.write(comparison, [prepared], tmp_path, "bench/peers")
    text = (tmp_path / "compare.md").read_text()
    row = next(line for line in text.splitlines() if "| s | 30 |" in line)
    cells = [cell.strip() for cell in row.split("|")]
    assert cells[4:9] == ["LightGBM", "0.2000", "3.000", "0.250", "1/12.0"]
    assert "4 / 10 = 0.40" in row
    assert "| CatBoost | no end |" in text
    lines = list(csv.DictReader(open(tmp_path / "compare.csv")))
    assert {line["program"] for line in lines} >= {"lightgbm", "sklearn", "catboost", "ours"}
    assert "](compare.svg)" in text
    assert (tmp_path / "compare.svg").read_text() == time_picture.picture(lines)


def test_picture_has_a_point_for_each_time_on_a_logarithmic_scale():
    def one(name, program, seconds):
        return {"set": name, "classes": "5", "program": program, "seconds_to_log_loss": seconds}

    records = [one("a", "ours", "0.1"), one("a", "lightgbm", "10"), one("a", "xgboost", "20")]
    records += [one("b", "ours", ""), one("b", "sklearn", "1"), one("c", "ours", "2")]
    shown = time_picture.picture(records)
    points = re.findall(r'cx="(\d+)" cy="(\d+)"', shown)[2:]  # the first two explain the colours
    (slow, _), (fast, _), (middle, _) = points
    assert int(slow) - int(middle) == int(middle) - int(fast) > 0
    assert "LightGBM" in shown and "XGBoost" not in shown and "ours: never" in shown
    assert "c (5)" not in shown and time_picture.picture(records[-1:]) == ""


def test_table_of_runs_goes_on_and_forgets(tmp_path):
    path = tmp_path / "quality.csv"
    table = RunTable(path)
    run = {"error": 0.25, "log_loss": 0.5, "seconds": 2.0, "date": "2026-01-01 00:00", "members": 3}
    estimate = {"error": {"value": 0.2, "low": 0.1}, "log_loss": {"value": 0.4}}
    table.add(("iris", "ours", 1), run | {"estimate": estimate})
    table.add(("iris", "catboost", 1), {"failed": "more than 3 s, alas"})
    again = RunTable(path)
    assert again.results == table.results
    assert again.get(("iris", "ours", 1))["estimate_error"] == 0.2
    assert "error" not in again.get(("iris", "catboost", 1))
    again.forget(lambda key: key[1] == "catboost")
    assert list(RunTable(path).results) == [("iris", "ours", 1)]


def test_journal_goes_on_and_forgets(tmp_path):
    journal = Journal(tmp_path / "runs.jsonl")
    journal.add(("a", "ours", "fixed", 0), {"rounds": 1})
    journal.add(("a", "sklearn", "fixed", 0), {"rounds": 2})
    again = Journal(tmp_path / "runs.jsonl")
    assert again[("a", "ours", "fixed", 0)] == {"rounds": 1}
    again.forget(lambda key: key[1] == "ours")
    assert list(Journal(tmp_path / "runs.jsonl").results) == [("a", "sklearn", "fixed", 0)]


def test_budget_ends_before_the_next_run(tmp_path):
    journal = Journal(tmp_path / "runs.jsonl")
    once = Runner(journal, None, print)
    assert once(("a", "ours", "trial", 0), lambda: {"rounds": 3})["rounds"] == 3
    spent = Runner(journal, 1e-9, print)
    assert spent(("a", "ours", "trial", 0), dict)["rounds"] == 3
    with pytest.raises(OutOfBudget):
        spent(("a", "ours", "trial", 1), dict)


@pytest.mark.parametrize("program", tuned.SPACES)
def test_trials_are_repeatable_and_within_their_ranges(program):
    rounds = 50 * tuned.ROUNDS_OF_OURS if program == "ours" else 50
    assert tuned.settings_of(program, 0, 50, 2000, 4) == {"rounds": rounds}
    for trial in range(1, 20):
        settings = tuned.settings_of(program, trial, 50, 2000, 4)
        assert settings == tuned.settings_of(program, trial, 50, 2000, 4)
        for name, span in tuned.SPACES[program].items():
            value = settings[name]
            if (program, name) == ("ours", "leaves"):  # the range is one of shares of the default
                value /= tuned.default_leaves(2000, 4)
            assert span.low * 0.9 <= value <= span.high * 1.1


def test_default_leaves_are_those_of_the_command(simplexboost):
    for rows, classes in (100, 3), (300, 8), (2500, 4), (20000, 3):
        simplexboost.succeed(
            "generate", "manyclass", "--rows", rows, "--classes", classes, "-o", "data.csv"
        )
        simplexboost.succeed("train", "data.csv", "--model", "model", "--rounds", 1)
        inspected = json.loads(simplexboost.succeed("inspect", "model", "--json"))
        assert int(inspected["settings"]["leaves"]) == tuned.default_leaves(rows, classes)


def test_command_trains_evaluates_and_tells_its_curve(binary, tmp_path):
    rows = [[i, "ab"[i % 2], f"c{i % 3}"] for i in range(90)]
    write_set(tmp_path, "small", rows)
    prepared = sets.prepare("small", tmp_path, tmp_path / "work", binary)
    machine = programs.Machine(binary, pathlib.Path("none"), 1, 60, 8)
    model = tmp_path / "model"
    ballast = numpy.ones(2**24)  # 128 MB
    result = programs.run_ours(prepared, machine, model, {"rounds": 7, "leaves": 4}, valid="test")
    assert result["rounds"] == 7
    assert result["peak_memory_mb"] < ballast.nbytes / 2**20, "it counts who started it"
    curves = programs.curves_of_ours(machine, model)
    figures = programs.evaluate_ours(prepared, machine, model)
    assert len(curves["log_loss"]) == 7
    assert curves["log_loss"][-1] == pytest.approx(figures["log_loss"], rel=1e-4)
    assert curves["error"][-1] == pytest.approx(figures["error"])


def double(number):
    return {"value": 2 * number}


def too_slow():
    time.sleep(60)


def test_training_with_no_setting_is_plain(monkeypatch):
    calls = []
    monkeypatch.setattr(programs, "command_json", lambda call, limit=None: calls.append(call) or {})
    monkeypatch.setattr(programs, "base_mb", lambda command: 0)
    prepared = sets.PreparedSet("some", pathlib.Path("some"), 3, 2, 2, 2, [])
    programs.run_ours(prepared, MACHINE, "m.sb", {})
    programs.run_ours(prepared, MACHINE, "m.sb", {"rounds": 5}, valid="valid", patience=7)
    plain, watched = ([str(word) for word in call] for call in calls)
    assert {word for word in plain if word.startswith("--")} == {
        *("--model", "--json", "--quiet", "--threads"),
    }
    assert watched[-2:] == ["--early-stopping", "7"]


def test_runs_at_once_give_up_what_takes_too_long():
    kept = {}

    def keep(key, result, _):
        kept[key] = result

    at_once([("slow", too_slow, ())], 2, 1, 1, None, keep)
    assert kept.pop("slow") == {"failed": "more than 1 s"}
    # On a busy machine it takes seconds to begin.
    tasks = [*((i, double, (i,)) for i in range(5)), ("bad", sys.exit, (1,))]
    at_once(tasks, 2, 1, 60, None, keep)
    assert kept.pop("bad") == {"failed": "it died"}
    assert kept == {i: {"value": 2 * i} for i in range(5)}
    with pytest.raises(OutOfBudget):
        at_once(tasks, 2, 1, 3, time.monotonic() - 1, None)


def test_first_trial_is_the_library_as_it_comes():
    for name in search.SPACES:
        drawn = search.draw(name, 1)
        assert set(search.draw(name, 0)) == {
            search.rounds_name(name),
            *search.WATCHED.get(name, {}),
        }
        assert set(search.FIXED[name]) <= set(drawn)
        assert drawn == search.draw(name, 1) != search.draw(name, 2)
        assert set(search.SPACES[name].values()) < set(drawn)


def test_splits_of_a_set_are_made_once(tmp_path):
    rows = [[i, "ab"[i % 2], "yz"[i % 2]] for i in range(20)]
    write_set(tmp_path, "toy", rows)
    quality_runs.make_splits("toy", tmp_path / "rows", tmp_path, 5, 2, 0)
    assert sorted(path.name for path in (tmp_path / "rows").iterdir()) == ["0", "1"]
    split = quality_runs.Split(tmp_path / "rows" / "1")
    assert split.classes == ["y", "z"] and split.categorical == [1]
    assert [len(split.arrays(part)[1]) for part in ("train", "test")] == [16, 4]


def test_an_error_of_nothing_counts_as_the_least_that_does():
    figures = {("a", "ours"): {"error": 0.002}, ("a", "xgboost"): {"error": 0.0}}
    both = ["ours", "xgboost"]
    assert ranks.against_best(figures, ["a"], both, "error", "ours") == pytest.approx(20)
    assert ranks.against_best(figures, ["a"], both, "error", "ours", 1e-3) == pytest.approx(2)
    figures["a", "ours"]["log_loss"] = figures["a", "xgboost"]["log_loss"] = 1
    lines = ranks.floors(figures, ["a"], both)
    assert "| ours, error | 20.000 | 4.000 | 2.000 | 1.000 | - |" in lines
    assert ranks.floors(figures, ["a"], ["xgboost"]) == []


def test_the_set_that_moves_a_ratio_most_is_named():
    figures = {(name, "lightgbm"): {"error": 0.1} for name in "abc"}
    figures |= {(name, "ours"): {"error": error} for name, error in zip("abc", [0.1, 0.8, 0.05])}
    both = ["ours", "lightgbm"]
    assert ranks.against_best(figures, "abc", both, "error", "ours") == pytest.approx(4 ** (1 / 3))
    assert ranks.without_one(figures, "abc", both, "error", "ours") == "0.707 (b)"


def run_of(error, seconds=1.0):
    return {"error": error, "log_loss": 2 * error, "seconds": seconds, "date": "2026-01-01 00:00"}


def write_tables(folder, runs, *words):
    """The page that `--tables` makes of the runs: (set, program) -> run."""
    journal = RunTable(folder / "all.csv")
    for (name, program), run in runs.items():
        journal.add((name, program, 0), run)
    common = ["--data", folder, "--name", "all", "--output", folder, "--tables", "--most-folds", 1]
    sets_there = ",".join(sorted({name for name, _ in runs}))
    assert quality.main([*map(str, [*common, "--sets", sets_there, *words])]) == 0
    return (folder / "all.md").read_text()


def test_defaults_tuned_and_autogluon_are_summaries_of_their_own(tmp_path):
    runs = {("a", program): run_of(0.2) for program in program_names.ALL}
    runs["a", "ours"] = run_of(0.3)
    runs["a", "ours-best"] = run_of(0.1, seconds=3.0)
    runs["a", "autogluon"] = run_of(0.4, seconds=30.0)
    runs["b", "ours-best"], runs["b", "autogluon"] = run_of(0.1, 3.0), run_of(0.2, 30.0)
    page = write_tables(tmp_path, runs, "--all")
    parts = dict(re.findall(r"## ([A-Z][\w ]+)\n\n(Over.*?)(?=\n## |\Z)", page, re.DOTALL))
    plain, tuned_part, long = (
        parts[title]
        for title in (
            "Defaults against defaults", "Best against tuned peers", "Best against AutoGluon",
        )
    )  # fmt: skip
    # Nobody is measured by programs of another kind.
    assert "Over the 1 sets" in plain and re.search(
        r"\| ours \| .* \| 1.500 \| 1.500 \| 1.00 \|", plain
    )
    assert "ours-best" not in plain and "tuned" not in plain and "autogluon" not in plain
    assert re.search(r"\| ours-best \| 1.00 \| 1.00 \| 0.500 \| 0.500 \| 1.00 \|", tuned_part)
    assert (
        re.search(r"\| ours-tuned \| .* \| 0.33 \|", tuned_part)
        and "| lightgbm |" not in tuned_part
    )
    # A set that the others lack counts where both have it: 1/4 and 1/2.
    assert "Over the 2 sets" in long
    assert "| ours-best | 1.00 | 1.00 | 0.354 | 0.354 | 0.10 |" in long
    for key in ("defaults", "tuned", "autogluon"):
        for measure in ("error", "log-loss"):
            assert f"(all-{key}-{measure}.svg)" in page
            assert (tmp_path / f"all-{key}-{measure}.svg").read_text().startswith("<svg")


def test_other_summaries_are_asked_for(tmp_path):
    runs = {
        ("a", "ours"): run_of(0.1),
        ("a", "ours-best"): run_of(0.1),
        ("a", "catboost"): run_of(0.2),
    }
    three = ["--programs", "ours,ours-best,catboost"]
    page = write_tables(tmp_path / "1", runs, *three)
    assert "In none of these summaries: ours-best." in page
    page = write_tables(tmp_path / "2", runs, *three, "--summary", "noise=ours,ours-best,catboost")
    assert (
        "## Noise" in page
        and "In none" not in page
        and (tmp_path / "2/all-noise-error.svg").exists()
    )
    only = {("a", "ours"): run_of(0.1), ("a", "ours-best"): run_of(0.1)}
    assert "## All together" in write_tables(tmp_path / "3", only, "--programs", "ours,ours-best")
    with pytest.raises(SystemExit):
        quality.parse(["--data", "d", "--sets", "a", "--summary", "ours,catboost"])


def test_one_word_asks_for_all_programs():
    every = program_names.asked_for(["--data", "d", "--all", "--make-env"])
    assert set(every) >= {"ours", "ours-best", "ours-tuned", "autogluon", *program_names.PLAIN}
    assert {f"{name}-tuned" for name in search.SPACES} <= set(every)
    assert quality.parse(["--data", "d", "--sets", "a", "--all"]).programs == every
    with pytest.raises(SystemExit):
        quality.parse(["--data", "d", "--sets", "a", "--all", "--programs", "ours"])


@pytest.mark.parametrize("separator", ["=", " "])
def test_peers_are_sought_where_one_is_named(separator):
    def asked(programs):
        return program_names.asked_for(f"--data d --programs{separator}{programs} --jobs 2".split())

    assert asked("ours,lightgbm") == ["ours", "lightgbm"]
    assert asked("ours") == ["ours"]


def test_ours_alone_needs_no_peers(monkeypatch):
    monkeypatch.setattr(peers_env, "found", lambda name: (2, 0) if name == "numpy" else ())
    monkeypatch.setattr(sys, "argv", ["quality", "--programs", "ours", "--make-env"])
    peers_env.ensure(["numpy"])
    assert sys.argv == ["quality", "--programs", "ours"]
    assert "lightgbm" in peers_env.missing()


def test_versions_of_the_peers():
    assert peers_env.version("3.4.1") == (3, 4, 1) and peers_env.version("3.12\n") == (3, 12)
    assert peers_env.found("no-such-package") == ()
    assert peers_env.python_version(sys.executable) == sys.version_info[:2]
    assert peers_env.python_version("/no/such/python") == ()
