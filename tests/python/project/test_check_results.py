"""scripts/check-results: whether reports are those of the program as it is."""

import pathlib
import shutil
import stat
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "check-results"

COMMAND = """#!/bin/sh
# simplexboost experiment SPEC --data DATA --quick -o FOLDER
name=$(basename "$2" .toml)
mkdir -p "$7"
echo data,algorithm,split,error,train_seconds > "$7/$name-quick.csv"
echo "wine,SAMME,fold 0,$(cat {figure}),$$" >> "$7/$name-quick.csv"
echo report > "$7/$name-quick.md"
"""


class Tree:
    """A repository of one spec, and a command whose only figure is in a file."""

    def __init__(self, folder):
        self.folder = folder
        self.figure = folder / "figure"
        self.results = folder / "experiments" / "results"
        (self.results / "quick").mkdir(parents=True)
        (folder / "scripts").mkdir()
        shutil.copy(SCRIPT, folder / "scripts")
        self.spec = folder / "experiments" / "one.toml"
        self.spec.write_text("title = 'one'\n", encoding="utf-8")
        self.command = folder / "command"
        self.command.write_text(COMMAND.format(figure=self.figure), encoding="utf-8")
        self.command.chmod(self.command.stat().st_mode | stat.S_IXUSR)
        self.figure.write_text("1.5", encoding="utf-8")

    def check(self, *more):
        script = self.folder / "scripts" / "check-results"
        arguments = [sys.executable, script, self.command, "data", *more]
        return subprocess.run(arguments, capture_output=True, text=True, check=False)


@pytest.fixture
def tree(tmp_path):
    made = Tree(tmp_path)
    assert made.check("--update").returncode == 0
    return made


def test_seconds_do_not_count_and_figures_do(tree):
    again = tree.check()
    assert again.returncode == 0, again.stdout
    tree.figure.write_text("1.6", encoding="utf-8")
    differs = tree.check()
    assert differs.returncode == 1
    assert "one: DIFFERS: wine, SAMME, fold 0: error was 1.5, is 1.6" in differs.stdout
    assert tree.check("--update").returncode == 0
    assert tree.check().returncode == 0


def test_whole_reports_have_keys_of_spec_and_program(tree):
    (tree.results / "one.csv").write_text("data\n", encoding="utf-8")
    assert "has no key" in tree.check().stdout
    assert tree.check("--update", "--renew", "one").returncode == 0
    fresh = tree.check()
    assert fresh.returncode == 0
    assert "its whole report is of this program" in fresh.stdout
    tree.figure.write_text("1.6", encoding="utf-8")
    assert tree.check("--update").returncode == 1
    assert "STALE" in tree.check().stdout
    tree.figure.write_text("1.5", encoding="utf-8")
    assert tree.check("--update").returncode == 0
    tree.spec.write_text("title = 'another'\n", encoding="utf-8")
    stale = tree.check()
    assert stale.returncode == 1
    assert "STALE" in stale.stdout


def test_a_spec_that_cannot_be_run_fails(tree):
    (tree.folder / "experiments" / "broken.toml").write_text("", encoding="utf-8")
    tree.command.write_text("#!/bin/sh\necho no data >&2\nexit 3\n", encoding="utf-8")
    failed = tree.check()
    assert failed.returncode == 1
    assert "broken: FAILED: no data" in failed.stdout
    assert tree.check("no-such-spec").returncode == 1


WHOLE = """#!/bin/sh
# simplexboost experiment SPEC --data DATA -o FOLDER --only SET --only ALGORITHM --threads 1
echo "$8 $(grep -c rounds.=.42 "$2")" >> {folder}/asked
echo data,algorithm,split,rounds_asked,error,train_seconds,chosen > "$6/one.csv"
echo "$8,SAMME,test,42,$(cat {figure}),$$," >> "$6/one.csv"
"""


@pytest.fixture
def whole(tree):
    """A whole report of two data sets, of which one took longer."""
    head = "data,algorithm,split,rounds_asked,error,train_seconds,chosen\n"
    chosen = '"depth = 8, 42 rounds; validation error 1 %"'
    rows = f"letter,SAMME,test,90,1.5,70,{chosen}\nwine,SAMME,test,90,1.5,3,{chosen}\n"
    (tree.results / "one.csv").write_text(head + rows, encoding="utf-8")
    (tree.results / "one.md").write_text("# One\n\n- machine: m\n\nText\n", encoding="utf-8")
    tree.spec.write_text(
        'title = "one"\n[protocol]\nvalidation = "folds"\n\n[[algorithm]]\nname = "SAMME"\n'
        "grid = { depth = [3, 8] }\nparameters = { rounds = 90 }\n",
        encoding="utf-8",
    )
    tree.command.write_text(WHOLE.format(figure=tree.figure, folder=tree.folder), encoding="utf-8")
    return tree


def test_a_sample_trains_what_was_chosen_on_the_cheapest_set(whole):
    done = whole.check("--sample", "1", "--update")
    assert done.returncode == 0, done.stdout
    assert "1 of 2 pairs" in done.stdout
    assert (whole.folder / "asked").read_text(encoding="utf-8") == "wine 1\n"
    assert "- run again: " in (whole.results / "one.md").read_text(encoding="utf-8")
    whole.command.write_text(COMMAND.format(figure=whole.figure), encoding="utf-8")
    again = whole.check()
    assert again.returncode == 0
    assert "1 of 2 pairs of algorithm and data, the same figures" in again.stdout
    whole.spec.write_text("title = 'another'\n", encoding="utf-8")
    stale = whole.check()
    assert stale.returncode == 1
    assert "STALE" in stale.stdout


def test_a_sample_that_differs_fails_and_is_not_written(whole):
    whole.figure.write_text("1.7", encoding="utf-8")
    done = whole.check("--sample", "2", "--update")
    assert done.returncode == 1
    assert "wine, SAMME, test: error was 1.5, is 1.7" in done.stdout
    assert not (whole.results / "SAMPLES").exists()


def test_what_takes_too_long_is_left_out(whole):
    whole.command.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    done = whole.check("--sample", "1", "--seconds", "0.2", "--update")
    assert done.returncode == 0
    assert "left out after 0.2 s" in done.stdout
    assert not (whole.results / "SAMPLES").exists()
