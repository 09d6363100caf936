"""--max-memory: what the process takes at its peak, and what is refused before it is taken."""

import gzip
import os
import re
import subprocess
import sys

import numpy as np
import pytest

MEGABYTE = 1 << 20
# Beyond a bound: blocks that threads work on, and the model of a few rounds.
ALLOWANCE = 16 * MEGABYTE
ROWS = 40_000
CLASSES = 50

# A process of its own: what a child has at its peak begins with what its parent had.
MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
sys.stderr.write(done.stderr)
sys.exit(done.returncode)
"""


def measured(command, *arguments, **environment):
    """Exit status, errors, and the bytes that the command had at its peak."""
    words = [sys.executable, "-S", "-c", MEASURE, command.path, *map(str, arguments)]
    done = subprocess.run(
        words,
        cwd=command.folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=dict(os.environ, **environment),
    )
    return done.returncode, done.stderr, int(done.stdout)


def train(command, data, bound, *options, **environment):
    return measured(
        command,
        *("train", data, "-m", "m.sb", "--rounds", 2, "--threads", 2, "--quiet"),
        *("--max-memory", bound, *options),
        **environment,
    )


def estimate(command, data, bound, *options):
    """What training is said to take, and the bins of it, by the error of a bound that is too small."""
    status, errors, peak = train(command, data, bound, *options)
    assert status == 1 and peak < bound + ALLOWANCE
    found = re.search(r"would take about (\d+) MB, .* bins (\d+) (KB|MB), which", errors)
    assert found, errors
    bins = int(found[2]) * (MEGABYTE if found[3] == "MB" else 1024)
    return int(found[1]) * MEGABYTE, bins


@pytest.fixture(scope="module")
def many_classes(command_in, tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    command = command_in(folder)
    words = ["--classes", CLASSES, "--features", 8, "--rows", ROWS, "-o", "many.csv", "--quiet"]
    command.succeed("generate", "manyclass", *words)
    return folder / "many.csv"


@pytest.mark.parametrize(
    "algorithm",
    [
        *("newton", "gd-mcboost", "cd-mcboost", "cd-mcboost-cyclic", "adaboost-mh", "one-vs-all"),
        *("samme", "grploss", "adaboost-m2", "adaboost-ecc", "logitboost", "abc-logitboost"),
        *("aoso-logitboost", "forest"),
    ],
)
def test_a_training_that_fits_by_its_estimate_keeps_to_the_bound(
    simplexboost, many_classes, algorithm
):
    options = ["--algorithm", algorithm, "--valid-fraction", 0.2]
    total, _ = estimate(simplexboost, many_classes, 20 * MEGABYTE, *options)
    bound = total + 2 * MEGABYTE  # it is rounded, and what is taken varies
    status, errors, peak = train(simplexboost, many_classes, bound, *options)
    assert status == 0, errors
    assert peak <= bound + ALLOWANCE
    assert peak >= bound / 2  # the estimate is none that always fits


@pytest.mark.parametrize("classes", [60, 100, 500])
def test_the_estimate_of_newton_is_near_its_peak_whether_pulls_are_kept_or_not(
    simplexboost, classes
):
    words = ["--classes", classes, "--features", 5, "--rows", ROWS, "-o", "five.csv", "--quiet"]
    simplexboost.succeed("generate", "manyclass", *words)
    total, _ = estimate(simplexboost, "five.csv", 20 * MEGABYTE)
    status, errors, peak = train(simplexboost, "five.csv", total + 2 * MEGABYTE)
    assert status == 0, errors
    assert 0.75 * total < peak < 1.15 * total


def test_bins_that_do_not_fit_go_to_a_file(simplexboost):
    generator = np.random.default_rng(1)
    digits = generator.integers(0, 10, size=(ROWS, 200))
    rows = np.column_stack([digits, digits[:, 0] * 10 + digits[:, 1]])  # 100 classes
    lines = "\n".join(",".join(map(str, row)) for row in rows.tolist())
    (simplexboost.folder / "digits.csv").write_text(lines + "\n")
    data = ["digits.csv", "--no-header"]
    nowhere = {"TMPDIR": str(simplexboost.folder / "nowhere")}

    def run(bound, **environment):
        return train(simplexboost, data[0], bound, data[1], **environment)

    total, bins = estimate(simplexboost, data[0], 30 * MEGABYTE, data[1])
    assert bins > 6 * MEGABYTE
    status, errors, _ = run(total + 2 * MEGABYTE, **nowhere)
    assert status == 0, errors
    expected = (simplexboost.folder / "m.sb").read_bytes()

    bound = total - bins // 2
    status, errors, _ = run(bound, **nowhere)
    assert status == 1 and "nowhere" in errors, errors
    status, errors, peak = run(bound)
    assert status == 0, errors
    assert (simplexboost.folder / "m.sb").read_bytes() == expected
    assert peak <= bound + ALLOWANCE


def test_a_table_that_is_too_large_is_refused_before_it_is_there(simplexboost):
    words = ["--classes", 3, "--features", 20, "--rows", 200_000, "-o", "large.csv", "--quiet"]
    simplexboost.succeed("generate", "manyclass", *words)
    size = (simplexboost.folder / "large.csv").stat().st_size
    for bound in (size // 2, size + 20 * MEGABYTE):
        status, errors, peak = train(simplexboost, "large.csv", bound)
        assert status == 1, errors
        assert re.search(r"large.csv: .*\d MB", errors), errors
        assert peak <= bound + ALLOWANCE


def test_a_zipped_text_is_refused_by_the_size_that_its_file_tells(simplexboost):
    rows = 20_000_000
    with gzip.open(simplexboost.folder / "zipped.csv.gz", "wb", compresslevel=1) as file:
        file.write(b"a,class\n" + b"1,x\n2,y\n" * (rows // 2))
    status, errors, peak = train(simplexboost, "zipped.csv.gz", 70 * MEGABYTE)
    assert status == 1
    assert "its text of 76 MB is larger than the memory that is free" in errors
    assert peak < 40 * MEGABYTE
