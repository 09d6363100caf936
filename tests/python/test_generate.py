"""Generated data, as files and on standard output."""

import signal
import time


def test_generate_gives_the_same_rows_for_the_same_seed(simplexboost):
    first = simplexboost.succeed("generate", "led", "--rows", 50, "--seed", 3, "-o", "-")
    again = simplexboost.succeed("generate", "led", "--rows", 50, "--seed", 3, "-o", "-")
    other = simplexboost.succeed("generate", "led", "--rows", 50, "--seed", 4, "-o", "-")
    assert first == again
    assert first != other
    assert len(first.splitlines()) == 51


def test_generate_tells_the_bayes_error_unless_it_shall_be_quiet(simplexboost):
    told = simplexboost("generate", "waveform", "--rows", 20)
    quiet = simplexboost("generate", "waveform", "--rows", 20, "--quiet")
    assert "note: the Bayes error" in told.stderr
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert quiet.stdout == told.stdout
    assert simplexboost.succeed("generate", "led", "--quiet", "-o", "led.csv") == ""


def test_interrupt_leaves_nothing_beside_the_file(simplexboost):
    target = simplexboost.folder / "big.csv"
    target.write_text("old")
    endless = ["generate", "waveform", "--rows", "1000000000", "-o", "big.csv"]
    with simplexboost.started(*endless) as process:
        deadline = time.time() + 60
        while len(list(simplexboost.folder.iterdir())) < 2 and time.time() < deadline:
            time.sleep(0.05)  # until the temporary file is there
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "'big.csv' is as it was" in errors
    assert target.read_text() == "old"
    assert [path.name for path in simplexboost.folder.iterdir()] == ["big.csv"]
