"""Generated data, as files and on standard output."""


def test_generate_gives_the_same_rows_for_the_same_seed(simplexboost):
    first = simplexboost.succeed("generate", "led", "--rows", 50, "--seed", 3, "-o", "-")
    again = simplexboost.succeed("generate", "led", "--rows", 50, "--seed", 3, "-o", "-")
    other = simplexboost.succeed("generate", "led", "--rows", 50, "--seed", 4, "-o", "-")
    assert first == again
    assert first != other
    assert len(first.splitlines()) == 51
