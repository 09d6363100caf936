"""What the command says of itself, and how it answers a wrong command line."""

import re


def test_version_is_the_projects(simplexboost):
    assert re.fullmatch(r"simplexboost \d+\.\d+\.\d+\n", simplexboost.succeed("--version"))


def test_help_names_every_verb_and_gives_examples(simplexboost):
    text = simplexboost.succeed("--help")
    assert "algorithms" in text
    assert "Examples:" in text


def test_no_verb_is_a_wrong_command_line(simplexboost):
    assert simplexboost().returncode == 2


def test_mistyped_verb_is_answered_with_the_nearest(simplexboost):
    assert "algorithms" in simplexboost.fail("algoritms", status=2)


def test_unknown_option_is_a_wrong_command_line(simplexboost):
    simplexboost.fail("algorithms", "--nonsense", status=2)


def test_algorithms_are_listed(simplexboost):
    assert "samme" in simplexboost.succeed("algorithms")
