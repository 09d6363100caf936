"""What the command says of itself, how it answers mistakes, and how it behaves on a terminal."""

import os
import pty
import re
import signal
import subprocess

import pytest

VERBS = [
    "train",
    "predict",
    "evaluate",
    "explain",
    "report",
    "compare",
    "cv",
    "tune",
    "inspect",
    "calibrate",
    "suspects",
    "export",
    "import",
    "generate",
    "algorithms",
    "codewords",
    "experiment",
    "demo",
]


def test_version_is_the_projects(simplexboost):
    shown = r"simplexboost \d+\.\d+\.\d+\nvector instructions: v[134]\nseveral processes: (MPI|no)\n"
    assert re.fullmatch(shown, simplexboost.succeed("--version"))


def test_help_names_every_verb_and_gives_examples(simplexboost):
    text = simplexboost.succeed("--help")
    listed = text.partition("Verbs:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in listed.splitlines()] == VERBS
    examples = text.partition("Examples:\n")[2]
    assert re.findall(r"^  simplexboost (\w+)", examples, re.MULTILINE)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(simplexboost, verb):
    text = simplexboost.succeed(verb, "--help")
    assert text.startswith(f"simplexboost {verb}: ")
    assert f"\nUsage: simplexboost {verb}" in text
    assert "-h, --help" in text and "--quiet" in text
    examples = text.partition("\nExamples:\n")[2].splitlines()
    assert examples and all("simplexboost " + verb in line for line in examples)
    assert simplexboost.succeed("help", verb) == text


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_refuses_what_it_does_not_know(simplexboost, verb):
    line = simplexboost.fail(verb, "--no-such-option", status=2)
    assert line.startswith("error: unknown option '--no-such-option'")


def test_algorithms_are_listed(simplexboost):
    assert "samme" in simplexboost.succeed("algorithms")


class TestWrongCommandLine:
    """Exit status 2, one line, with the nearest valid word."""

    def test_no_verb(self, simplexboost):
        assert simplexboost().returncode == 2

    def test_mistyped_verb(self, simplexboost):
        assert "train" in simplexboost.fail("trian", status=2)

    def test_mistyped_option(self, simplexboost):
        line = simplexboost.fail("train", "a.csv", "--model", "m.sb", "--ruonds", 5, status=2)
        assert "--rounds" in line

    def test_mistyped_algorithm(self, simplexboost):
        line = simplexboost.fail(
            "train", "a.csv", "--model", "m.sb", "--algorithm", "same", status=2
        )
        assert "samme" in line

    def test_number_out_of_range(self, simplexboost):
        line = simplexboost.fail("train", "a.csv", "--model", "m.sb", "--rounds", -1, status=2)
        assert "rounds" in line

    def test_missing_argument(self, simplexboost):
        simplexboost.fail("train", "a.csv", status=2)


class TestFailure:
    """Exit status 1, one line, nothing written."""

    def test_no_such_file(self, simplexboost):
        line = simplexboost.fail("train", "none.csv", "--model", "m.sb", status=1)
        assert "none.csv" in line
        assert os.listdir(simplexboost.folder) == []

    def test_ragged_row_is_named_by_line(self, simplexboost):
        (simplexboost.folder / "bad.csv").write_text("a,b,class\n1,2,x\n1,y\n", encoding="utf-8")
        line = simplexboost.fail("train", "bad.csv", "--model", "m.sb", status=1)
        assert line.startswith("error: bad.csv:3:")
        assert os.listdir(simplexboost.folder) == ["bad.csv"]

    def test_file_that_is_no_model(self, simplexboost):
        (simplexboost.folder / "m.sb").write_bytes(b"\xff" * 100)
        assert "m.sb" in simplexboost.fail("inspect", "m.sb", status=1)


class TestWhileTraining:
    ENDLESS = ["--rounds", "1000000"]

    @pytest.fixture
    def data(self, simplexboost):
        simplexboost.succeed("generate", "waveform", "--rows", 300, "--seed", 1, "-o", "data.csv")
        return simplexboost

    @staticmethod
    def train(command, *options, stderr=subprocess.PIPE):
        return command.started("train", "data.csv", "--model", "m.sb", *options, stderr=stderr)

    def test_interrupt_saves_a_usable_model(self, data):
        with self.train(data, *self.ENDLESS) as process:
            data.let_work(process, 1)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        assert process.returncode == 130
        assert data.json("evaluate", "m.sb", "data.csv", "--json")["rows"] == 300

    def test_no_progress_where_there_is_no_terminal(self, data):
        with self.train(data, "--rounds", "20") as process:
            _, errors = process.communicate(timeout=60)
        assert process.returncode == 0
        assert errors == ""

    def test_progress_on_a_terminal(self, data):
        try:
            outer, inner = pty.openpty()
        except OSError:
            pytest.skip("this system has no pseudo-terminals")
        with self.train(data, *self.ENDLESS, stderr=inner) as process:
            os.close(inner)
            shown = os.read(outer, 1000)
            data.let_work(process, 0.5)
            process.send_signal(signal.SIGINT)
            shown += self.read_to_end(outer)
            process.communicate(timeout=60)
        assert re.search(rb"round \d+/1000000", shown)

    @staticmethod
    def read_to_end(terminal):
        with os.fdopen(terminal, "rb", buffering=0) as file:
            shown = b""
            try:
                while piece := file.read(1000):
                    shown += piece
            except OSError:  # how Linux tells that the other end was closed
                pass
            return shown
