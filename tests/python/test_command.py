"""What the command says of itself, and how it answers mistakes."""

import os
import re

import pytest

VERBS = ["predict", "evaluate", "inspect", "generate", "algorithms"]


def test_version_is_the_projects(simplexboost):
    assert re.fullmatch(r"simplexboost \d+\.\d+\.\d+\n", simplexboost.succeed("--version"))


def test_help_names_every_verb_and_gives_examples(simplexboost):
    text = simplexboost.succeed("--help")
    assert all(verb in text for verb in VERBS)
    assert "Examples:" in text


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(simplexboost, verb):
    assert f"simplexboost {verb}" in simplexboost.succeed(verb, "--help")


def test_algorithms_are_listed(simplexboost):
    assert "samme" in simplexboost.succeed("algorithms")


class TestWrongCommandLine:
    """Exit status 2, one line, with the nearest valid word."""

    def test_no_verb(self, simplexboost):
        assert simplexboost().returncode == 2

    def test_mistyped_verb(self, simplexboost):
        assert "predict" in simplexboost.fail("pedict", status=2)

    def test_mistyped_option(self, simplexboost):
        line = simplexboost.fail("generate", "led", "--rosw", 5, "-o", "a.csv", status=2)
        assert "--rows" in line

    def test_missing_argument(self, simplexboost):
        simplexboost.fail("predict", "m.sb", status=2)


class TestFailure:
    """Exit status 1, one line, nothing written."""

    def test_no_such_file(self, simplexboost):
        assert "none.sb" in simplexboost.fail("inspect", "none.sb", status=1)
        assert os.listdir(simplexboost.folder) == []

    def test_file_that_is_no_model(self, simplexboost):
        (simplexboost.folder / "m.sb").write_bytes(b"\xff" * 100)
        assert "m.sb" in simplexboost.fail("inspect", "m.sb", status=1)
