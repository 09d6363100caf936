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
# simplexboost experiment SPEC --data DATA -o FOLDER --only SET --only ALGORITHM --threads 1
name=$(basename "$2" .toml)
if [ "$5" = --quick ]; then folder=$7; name=$name-quick; figure={folder}/figure; set=wine
else folder=$6; figure={folder}/whole; set=$8; fi
mkdir -p "$folder"
echo data,algorithm,split,error,train_seconds,chosen > "$folder/$name.csv"
echo "$set,SAMME,fold 0,$(cat $figure),$$," >> "$folder/$name.csv"
echo "- date: 2026-11-18, simplexboost 0.2.0, commit $(git -C {folder} rev-parse HEAD)" \\
  > "$folder/$name.md"
"""
REPORT = """# One

- date: 2026-11-18, simplexboost 0.2.0, commit {commit}
- machine: m
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
        self.command.write_text(COMMAND.format(folder=folder), encoding="utf-8")
        self.command.chmod(self.command.stat().st_mode | stat.S_IXUSR)
        self.figure.write_text("1.5", encoding="utf-8")
        (folder / "whole").write_text("2.5", encoding="utf-8")
        self.git("init", "--quiet")
        self.change_sources("first")

    def git(self, *arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        result = subprocess.run(
            ["git", "-C", self.folder, *who, *arguments], capture_output=True, text=True, check=True
        )
        return result.stdout.strip()

    def change_sources(self, text):
        source = self.folder / "src" / "trees.cpp"
        source.parent.mkdir(exist_ok=True)
        source.write_text(text, encoding="utf-8")
        self.git("add", "src")
        self.git("commit", "--quiet", "-m", text)

    def write_whole(self, figure="2.5", more=""):
        """A whole report of two data sets, made by the program as it is."""
        head = "data,algorithm,split,error,train_seconds,chosen\n"
        rows = f"wine,SAMME,fold 0,{figure},3,\nletter,SAMME,fold 0,{figure},70,\n"
        (self.results / "one.csv").write_text(head + rows, encoding="utf-8")
        text = REPORT.format(commit=self.git("rev-parse", "HEAD")) + more
        (self.results / "one.md").write_text(text, encoding="utf-8")

    def key(self):
        return (self.results / "KEYS").read_text(encoding="utf-8")

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
    tree.write_whole()
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


def test_a_report_of_the_program_as_it_is_gets_its_key_at_once(tree):
    tree.write_whole("not run again")
    done = tree.check("--update", "--renew", "one")
    assert done.returncode == 0, done.stdout
    assert tree.key().endswith(f" made by commit {tree.git('rev-parse', 'HEAD')}\n")


def test_a_report_of_older_sources_is_sampled_before_it_gets_a_key(tree):
    tree.write_whole()
    tree.change_sources("second")
    done = tree.check("--update", "--renew", "one", "--sample", "1")
    assert done.returncode == 0, done.stdout
    assert "1 of 2 pairs of algorithm and data, the same figures" in tree.key()
    assert "its whole report is of this program" in tree.check().stdout


def test_a_report_of_other_figures_gets_no_key(tree):
    tree.write_whole("2.4")
    tree.change_sources("second")
    refused = tree.check("--update", "--renew", "one")
    assert refused.returncode == 1
    assert "one: DIFFERS: wine, SAMME, fold 0: error was 2.4, is 2.5" in refused.stdout
    assert "one: NOT RENEWED: the sources have changed since commit" in refused.stdout
    assert tree.key() == ""


def test_sources_that_were_changed_and_not_committed_are_seen(tree):
    tree.write_whole("2.4")
    (tree.folder / "src" / "trees.cpp").write_text("not committed", encoding="utf-8")
    assert "NOT RENEWED" in tree.check("--update", "--renew", "one").stdout


@pytest.mark.parametrize("more", ["- of another program: 3 of 9 trainings, unknown\n", None])
def test_a_report_of_several_programs_or_none_gets_no_key(tree, more):
    tree.write_whole(more=more or "")
    if more is None:
        (tree.results / "one.md").write_text("# One\n", encoding="utf-8")
    refused = tree.check("--update", "--renew", "one")
    assert refused.returncode == 1
    assert "its head does not say that one program made all of it" in refused.stdout


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
    whole.command.write_text(COMMAND.format(folder=whole.folder), encoding="utf-8")
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
