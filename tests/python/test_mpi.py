"""Processes that mpirun starts train one model: that of one process, to the last byte; and where one
of them dies, all end, and the same command goes on from the checkpoint."""

import contextlib
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest

KILLS = int(os.environ.get("SIMPLEXBOOST_KILLS", "2"))
ALGORITHMS = ["newton", "gd-mcboost", "adaboost-mh", "samme", "logitboost"]
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    # What containers may not allow.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PMIX_MCA_gds": "hash",  # else mpirun itself may hang where a rank is killed early
}


class Job:
    """Runs the command in several processes."""

    def __init__(self, path, folder):
        self.path = path
        self.folder = folder

    def words(self, processes, *arguments):
        return ["mpirun", "-n", str(processes), str(self.path), *map(str, arguments)]

    def __call__(self, processes, *arguments):
        return subprocess.run(
            self.words(processes, *arguments),
            cwd=self.folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def succeed(self, processes, *arguments):
        result = self(processes, *arguments)
        assert result.returncode == 0, f"{arguments}: {result.stderr}"
        return result.stdout

    @contextlib.contextmanager
    def started(self, processes, *arguments, **variables):
        with subprocess.Popen(
            self.words(processes, *arguments),
            cwd=self.folder,
            env={**ENVIRONMENT, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                for one in self.ranks(process).values():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(one, signal.SIGKILL)

    @staticmethod
    def ranks(process):
        """The processes of a job by their ranks."""
        found = {}
        for folder in os.listdir("/proc"):
            with contextlib.suppress(OSError, IndexError):
                parent = open(f"/proc/{folder}/stat").read().rsplit(")", 1)[1].split()[1]
                if parent != str(process.pid):
                    continue
                for entry in open(f"/proc/{folder}/environ").read().split("\0"):
                    if entry.startswith("OMPI_COMM_WORLD_RANK="):
                        found[int(entry.split("=")[1])] = int(folder)
        return found

    def await_ranks(self, process, count):
        for _ in range(600):
            if len(self.ranks(process)) == count:
                return self.ranks(process)
            time.sleep(0.05)
        raise AssertionError("the processes were not started")


@pytest.fixture
def job(simplexboost):
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun; scripts/setup test installs it")
    if "several processes: MPI" not in simplexboost.succeed("--version"):
        pytest.skip("the command was built without MPI")
    return Job(simplexboost.path, simplexboost.folder)


@pytest.fixture
def data(tmp_path):
    """3,000 rows with numbers, categories and gaps, whole and in uneven parts."""
    dice = np.random.default_rng(5)
    lines = []
    for i in range(3000):
        x = dice.normal(size=3)
        place = dice.integers(12)
        label = int(np.digitize(x[0] + 0.3 * (place % 4) + 0.3 * dice.normal(), [-0.5, 0.3, 1.0]))
        gap = "" if dice.random() < 0.1 else f"{x[1]:.4f}"
        lines.append(f'{x[0]:.5f},{gap},{x[2]:.3f},"p{place}",{1 + i % 3},c{label}\n')
    head = "a,b,c,place,w,class\n"
    (tmp_path / "all.csv").write_text(head + "".join(lines))
    for i, (begin, end) in enumerate([(0, 1), (1, 1400), (1400, 1410), (1410, 3000)]):
        (tmp_path / f"part-{i}.csv").write_text(head + "".join(lines[begin:end]))
    return tmp_path


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


WEIGHTED = ["--weight", "w", "--seed", "3", "--quiet"]
SETTINGS = [*WEIGHTED, "--rounds", "4"]


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "forest"])
def test_model_is_that_of_one_process(job, simplexboost, data, algorithm):
    settings = [*SETTINGS, "--algorithm", algorithm, "--row-fraction", "0.8"]
    simplexboost.succeed("train", "all.csv", "-m", "one.sb", *settings)
    for processes in (2, 5, 8) if algorithm == "newton" else (3,):
        job.succeed(processes, "train", "all.csv", "-m", "several.sb", *settings)
        assert digest(data / "several.sb") == digest(data / "one.sb"), processes
    job.succeed(2, "train", "part-*.csv", "-m", "parts.sb", *settings)
    assert digest(data / "parts.sb") == digest(data / "one.sb")


# Few bins for so many rows: histograms are less to send than the statistics of all rows.
MANY_ROWS = ["--leaves", "4", "--max-bins", "64"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_model_of_many_rows_is_that_of_one_process(job, simplexboost, data, algorithm):
    settings = [*SETTINGS, "--algorithm", algorithm, "--row-fraction", "0.8", *MANY_ROWS]
    simplexboost.succeed("train", "all.csv", "-m", "one.sb", *settings)
    for processes, source in ((2, "all.csv"), (3, "part-*.csv")):
        job.succeed(processes, "train", source, "-m", "several.sb", *settings)
        assert digest(data / "several.sb") == digest(data / "one.sb"), processes


def test_many_rows_send_histograms(job, data):
    """The statistics of 3,000 rows are 8 numbers a row, of which two processes send half each."""
    sent = []
    for more in ([], MANY_ROWS):
        few, many = (
            json.loads(
                job.succeed(2, "train", "all.csv", "-m", "m.sb", *WEIGHTED, *more, "--rounds", rounds,
                            "--json")
            )["sent_bytes"]
            for rounds in (2, 6)
        )  # fmt: skip
        sent.append((many - few) / 4)
    assert sent[0] > 3000 * 8 * 4 / 2 > 2 * sent[1] > 0


def test_bins_on_disk_and_bounds_of_memory(job, simplexboost, data):
    simplexboost.succeed("train", "all.csv", "-m", "one.sb", *SETTINGS)
    for more in (["--bins-on-disk", "--bins-folder", "."], ["--max-memory", "8G"]):
        job.succeed(3, "train", "all.csv", "-m", "several.sb", *SETTINGS, *more)
        assert digest(data / "several.sb") == digest(data / "one.sb")
    result = job(2, "train", "all.csv", "-m", "m.sb", *SETTINGS, "--max-memory", "1M")
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and "max-memory" in errors[0] and result.returncode != 0


def test_validation_and_its_rows_set_aside(job, simplexboost, data):
    settings = [*SETTINGS, "--early-stopping", "2", "--class-weight", "balanced", "--json"]
    for valid in (["--valid", "part-1.csv"], ["--valid-fraction", "0.3"]):
        one = simplexboost.json("train", "all.csv", "-m", "one.sb", *valid, *settings)
        job.succeed(3, "train", "all.csv", "-m", "several.sb", *valid, *settings)
        several = simplexboost.json("inspect", "several.sb", "--json")
        assert digest(data / "several.sb") == digest(data / "one.sb")
        assert one["rounds"] == several["rounds"]


def test_rank_0_alone_speaks(job, data):
    result = job(3, "train", "all.csv", "-m", "m.sb", "--rounds", "2")
    assert result.returncode == 0
    assert result.stdout.count("saved m.sb") == 1 and "3000 rows" in result.stdout


@pytest.mark.parametrize("more", [[], ["--quality", "default", "--group", "place"]])
def test_cross_fitted_model_is_that_of_one_process(job, simplexboost, data, more):
    settings = [*WEIGHTED, *more, "--threads", "1"]
    simplexboost.succeed("train", "all.csv", "-m", "one.sb", *settings)
    for processes, source in ((2, "all.csv"), (5, "part-*.csv")):
        job.succeed(processes, "train", source, "-m", "several.sb", *settings)
        assert digest(data / "several.sb") == digest(data / "one.sb")


def test_cross_fitting_tells_of_all_rows(job, data):
    told = json.loads(job.succeed(2, "train", "part-*.csv", "-m", "m.sb", "--json"))
    assert told["rows"] == 3000 and told["estimate"]["rows"] == 3000


def test_says_what_is_too_much_to_cross_fit(job, data):
    """The probabilities of as many classes as rows."""
    (data / "many.csv").write_text("x,class\n" + "".join(f"{i % 7},c{i}\n" for i in range(12_000)))
    for asked in (["--quality", "default"], ["--folds", "3"]):
        result = job(2, "train", "many.csv", "-m", "m.sb", *asked)
        assert result.returncode == 2 and not (data / "m.sb").exists()
        assert (
            "144012000 values of features and classes are more than the 100000000" in result.stderr
        )


@pytest.mark.parametrize("most", [24_000, 23_999])
def test_plain_training_around_the_limit_is_that_of_one_process(job, simplexboost, data, most):
    """3,000 rows of four features, a weight that is none, and four classes: 24,000 values."""
    settings = ["--weight", "w", "--seed", "3", "--threads", "1"]
    variables = {**ENVIRONMENT, "SIMPLEXBOOST_CROSS_FIT_VALUES": str(most)}
    told = []
    for processes, source in ((1, "all.csv"), (2, "all.csv"), (3, "part-*.csv")):
        words = job.words(processes, "train", source, "-m", f"{processes}.sb", *settings)
        done = subprocess.run(
            words[3:] if processes == 1 else words,
            cwd=data,
            env=variables,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        told.append("24000 values of features and classes are more than the" in done.stderr)
    assert told == [most < 24_000] * 3
    assert digest(data / "1.sb") == digest(data / "2.sb") == digest(data / "3.sb")
    figures = simplexboost.json("inspect", "1.sb", "--json")
    assert ("estimate" in figures and figures["estimate"] is not None) == (most >= 24_000)


def test_evaluate_and_predict_share_the_rows(job, simplexboost, data):
    simplexboost.succeed("train", "all.csv", "-m", "m.sb", *SETTINGS)
    for arguments in (
        ["evaluate", "m.sb", "all.csv", "--all", "--confusion", "--reliability"],
        ["predict", "m.sb", "all.csv"],
        ["predict", "m.sb", "part-*.csv", "--proba"],
        ["predict", "m.sb", "all.csv", "--proba", "--priors", "estimate"],
    ):
        assert job.succeed(3, *arguments) == simplexboost.succeed(*arguments)


def test_weights_of_labels(job, simplexboost, data):
    lines = [f"{i % 3},{1 + i % 2},1,{i % 5}\n" for i in range(3000)]
    (data / "weights.csv").write_text("c0,c1,c2,c3\n" + "".join(lines))
    settings = [*SETTINGS, "--algorithm", "adaboost-mh", "--label-weights", "weights.csv"]
    simplexboost.succeed("train", "all.csv", "-m", "one.sb", *settings)
    job.succeed(3, "train", "part-*.csv", "-m", "several.sb", *settings)
    assert digest(data / "several.sb") == digest(data / "one.sb")
    (data / "weights.csv").write_text("c0,c1,c2,c3\n" + "".join(lines[1:]))
    result = job(3, "train", "all.csv", "-m", "m.sb", *settings)
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and "2999 rows of weights, but all.csv has 3000" in errors[0]


def test_an_error_of_one_process_is_told_once(job, data):
    text = (data / "part-3.csv").read_text().splitlines(keepends=True)
    text[700] = "1,2,3\n"
    (data / "part-3.csv").write_text("".join(text))
    result = job(3, "train", "part-*.csv", "-m", "m.sb", *SETTINGS)
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and "part-3.csv:701:6: the row ends after 3 cells" in errors[0]
    assert result.returncode == 1 and not (data / "m.sb").exists()
    assert "interrupted" not in result.stderr  # mpirun ends the others by SIGTERM


def test_a_header_alone_is_a_share_without_rows(job, simplexboost, data):
    head, *rows = (data / "all.csv").read_text().splitlines(keepends=True)
    for rank, lines in enumerate([[], rows[:900], [], rows[900:]]):
        (data / f"own-{rank}.csv").write_text(head + "".join(lines))
    simplexboost.succeed("train", "all.csv", "-m", "one.sb", *SETTINGS, "--valid", "all.csv")
    for pattern in ("own-{rank}.csv", "own-*.csv"):
        job.succeed(4, "train", pattern, "-m", "four.sb", *SETTINGS, "--valid", pattern)
        assert digest(data / "four.sb") == digest(data / "one.sb")
        table = job.succeed(4, "evaluate", "one.sb", pattern).splitlines()
        assert table[1:] == simplexboost.succeed("evaluate", "one.sb", "all.csv").splitlines()[1:]
        job.succeed(4, "predict", "one.sb", pattern, "-o", "four.csv")
        simplexboost.succeed("predict", "one.sb", "all.csv", "-o", "one.csv")
        assert (data / "four.csv").read_bytes() == (data / "one.csv").read_bytes()


def test_types_of_columns_are_those_of_all_rows(job, simplexboost, data):
    """Of whole numbers first, and text behind them; and of text too rare for a share alone."""
    grades = [str(i % 9) if i < 450 else "ABCDE"[i % 5] for i in range(1000)]
    doors = sorted("2 3 4 5 5more".split()[i % 5] for i in range(1000))
    lines = [f"{i % 7},{grades[i]},{doors[i]},c{(i + (grades[i] > '4')) % 3}\n" for i in range(1000)]
    (data / "mixed.csv").write_text("a,grade,doors,class\n" + "".join(lines))
    settings = ["--rounds", "3", "--quiet"]
    simplexboost.succeed("train", "mixed.csv", "-m", "one.sb", *settings)
    for processes in (2, 3, 5):
        job.succeed(processes, "train", "mixed.csv", "-m", "several.sb", *settings)
        assert digest(data / "several.sb") == digest(data / "one.sb"), processes
    lines[-1] = "six" + lines[-1][1:]
    (data / "slip.csv").write_text("a,grade,doors,class\n" + "".join(lines))
    for processes in (2, 5):
        result = job(processes, "train", "slip.csv", "-m", "several.sb", *settings)
        errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1 and "slip.csv:1001:1: 'six' is text; expected a number" in errors[0]
        assert "interrupted" not in result.stderr


def test_verbs_of_one_process_say_so(job, data):
    result = job(2, "cv", "all.csv")
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1 and "cv runs in one process" in errors[0] and result.returncode == 2
    result = job(2, "train", "all.csv", "-m", "m.sb", "--algorithm", "dmcboost")
    assert "dmcboost sorts all rows in one process" in result.stderr


KEPT = ["--depth", "3", "--checkpoint", "rounds", "--checkpoint-every", "5"]
LONG = [*WEIGHTED, *KEPT, "--rounds", "3000"]
SHORT = [*WEIGHTED, *KEPT, "--rounds", "60"]


def await_file(path, seconds=60):
    for _ in range(seconds * 20):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} did not appear")


def end_of(process, seconds=30):
    """What a job says that must end within this time."""
    begin = time.monotonic()
    _, errors = process.communicate(timeout=seconds)
    assert process.returncode != 0
    return errors, time.monotonic() - begin


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_killed_process_ends_all_and_they_go_on(job, simplexboost, data, kill):
    dice = random.Random(kill)
    victim = dice.randrange(3)
    with job.started(3, "train", "all.csv", "-m", "m.sb", *LONG) as process:
        ranks = job.await_ranks(process, 3)
        if kill % 2 == 0:
            await_file(data / "rounds")
        time.sleep(dice.uniform(0, 1))
        os.kill(ranks[victim], signal.SIGKILL)
        errors, _ = end_of(process)
    assert f"rank {victim} on " in errors or f"rank {victim} " in errors, errors
    assert not (data / "m.sb").exists()
    (data / "rounds").unlink(missing_ok=True)
    # With fewer rounds, to an end: broken off and gone on with by others.
    simplexboost.succeed("train", "all.csv", "-m", "one.sb", *SHORT)
    with job.started(3, "train", "all.csv", "-m", "m.sb", *SHORT) as process:
        ranks = job.await_ranks(process, 3)
        await_file(data / "rounds")
        with contextlib.suppress(ProcessLookupError):
            os.kill(ranks[victim], signal.SIGKILL)
        process.communicate(timeout=30)
    job.succeed(2, "train", "all.csv", "-m", "m.sb", *SHORT)
    assert digest(data / "m.sb") == digest(data / "one.sb")


@pytest.mark.parametrize("victim", [0, 1])
def test_a_stopped_process_is_named(job, data, victim):
    with job.started(
        2, "train", "all.csv", "-m", "m.sb", *LONG, SIMPLEXBOOST_RANK_SILENCE="4"
    ) as process:
        ranks = job.await_ranks(process, 2)
        await_file(data / "rounds")
        os.kill(ranks[victim], signal.SIGSTOP)
        errors, seconds = end_of(process)
    told = [line for line in errors.splitlines() if line.startswith("error: ")]
    # One line: mpirun wakes the stopped one up to end it, and it has nothing to add.
    assert len(told) == 1 and f"rank {victim} on " in told[0], errors
    assert "no sign of life for 4 s" in told[0] and "goes on from rounds" in told[0]
    assert seconds < 20 and (data / "rounds").exists()


def test_a_process_that_is_stopped_at_the_start_is_named(job, data):
    """Before MPI has started nobody hears of anybody."""
    with job.started(
        2, "train", "all.csv", "-m", "m.sb", *LONG,
        SIMPLEXBOOST_RANK_START="4", SIMPLEXBOOST_RANK_SILENCE="4",
    ) as process:  # fmt: skip
        while 1 not in (ranks := job.ranks(process)):
            assert process.poll() is None
        os.kill(ranks[1], signal.SIGSTOP)
        errors, seconds = end_of(process)
    told = [line for line in errors.splitlines() if line.startswith("error: ")]
    assert len(told) == 1 and "rank 1 " in told[0] and seconds < 20, errors


def test_a_process_that_lives_but_comes_too_late_is_named(job, data):
    """It waits for its rows: nobody writes to the pipe."""
    shutil.copy(data / "part-1.csv", data / "of-0.csv")
    os.mkfifo(data / "of-1.csv")
    with job.started(
        2, "train", "of-{rank}.csv", "-m", "m.sb", *SHORT, SIMPLEXBOOST_RANK_PATIENCE="3"
    ) as process:
        errors, seconds = end_of(process)
    told = [line for line in errors.splitlines() if line.startswith("error: ")]
    assert len(told) == 1 and seconds < 20, errors
    assert "rank 1 on " in told[0] and "has kept rank 0 on " in told[0]
    assert " waiting for 3 s; " in told[0] or told[0].endswith(" waiting for 3 s")


def test_the_end_is_not_waited_for_without_end(job, simplexboost, data):
    """All but the first process are done, which writes to a pipe that nobody reads."""
    simplexboost.succeed("train", "all.csv", "-m", "m.sb", *SETTINGS)
    os.mkfifo(data / "predictions")
    with job.started(
        3, "predict", "m.sb", "part-0.csv", "-o", "predictions", SIMPLEXBOOST_RANK_PATIENCE="3"
    ) as process:
        errors, seconds = end_of(process)
    told = [line for line in errors.splitlines() if line.startswith("error: ")]
    assert len(told) == 1 and seconds < 20, errors
    assert "rank 0 on " in told[0] and " waiting for 3 s" in told[0]


def test_a_busy_process_is_not_taken_for_dead(job, data):
    """It is told of by a thread that does nothing else: here one that runs at a tenth of its pace."""
    with job.started(
        2, "train", "all.csv", "-m", "m.sb", *SHORT, SIMPLEXBOOST_RANK_SILENCE="2"
    ) as process:
        ranks = job.await_ranks(process, 2)
        await_file(data / "rounds")
        for _ in range(4):
            with contextlib.suppress(ProcessLookupError):
                os.kill(ranks[1], signal.SIGSTOP)
                time.sleep(0.9)
                os.kill(ranks[1], signal.SIGCONT)
                time.sleep(0.1)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors


def test_an_interrupt_ends_all_after_the_same_round(job, simplexboost, data):
    with job.started(
        2, "train", "all.csv", "-m", "m.sb", *LONG, OMPI_MCA_odls_base_sigkill_timeout="30"
    ) as process:
        await_file(data / "rounds")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    rounds = simplexboost.json("inspect", "m.sb", "--json")["rounds"]
    simplexboost.succeed(
        "train", "all.csv", "-m", "one.sb", *WEIGHTED, "--depth", "3", "--rounds", rounds
    )
    margins = "--metrics", "log-loss"
    assert simplexboost.succeed("evaluate", "m.sb", "all.csv", *margins) == simplexboost.succeed(
        "evaluate", "one.sb", "all.csv", *margins
    )


def test_one_process_does_not_load_mpi(job):
    """It is megabytes, and tenths of a second."""
    needed = subprocess.run(["ldd", job.path], capture_output=True, text=True, check=True).stdout
    assert "libstdc++" in needed and "libmpi" not in needed


@pytest.fixture
def moved(job, tmp_path):
    """The command in another folder, where the part that speaks MPI is not, and that part."""
    (tmp_path / "bin").mkdir()
    shutil.copy(job.path, tmp_path / "bin")
    part = next(job.path.parent.glob("libsimplexboost_mpi-*.so"))
    return Job(tmp_path / "bin" / job.path.name, tmp_path), part


def test_the_part_that_speaks_mpi_is_found_where_it_is_installed(moved, data):
    command, part = moved
    (data / "lib" / "simplexboost").mkdir(parents=True)
    shutil.copy(part, data / "lib" / "simplexboost")
    said = command.succeed(2, "train", "all.csv", "-m", "m.sb", "--rounds", "2", "--json")
    assert json.loads(said)["processes"] == 2


def test_says_where_the_part_that_speaks_mpi_is_missing_or_broken(moved, tmp_path):
    command, part = moved
    alone = {name: value for name, value in os.environ.items() if not name.startswith("OMPI_")}

    def run(**variables):
        return subprocess.run(
            [command.path, "--version"],
            env={**alone, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    assert "several processes: no" in run().stdout
    assert run(OMPI_COMM_WORLD_SIZE="1").returncode == 0
    for launcher in ({"OMPI_COMM_WORLD_SIZE": "2"}, {"PMI_SIZE": "2"}, {"PMIX_RANK": "0"}):
        missing = run(**launcher)
        assert missing.returncode == 2 and missing.stderr.count("\n") == 1, missing.stderr
        assert missing.stderr.startswith("error: several processes were started, but ")
        assert part.name in missing.stderr
    assert run(PMIX_RANK="0", SLURM_STEP_NUM_TASKS="1").returncode == 0
    (command.path.parent / part.name).write_text("no shared object")
    broken = run(PMI_SIZE="2")
    assert broken.returncode == 2 and broken.stderr.count("\n") == 1, broken.stderr
    assert "MPI cannot be loaded" in broken.stderr and part.name in broken.stderr


def test_build_without_mpi_says_how_to_get_it(simplexboost):
    if "several processes: MPI" in simplexboost.succeed("--version"):
        pytest.skip("the command was built with MPI")
    result = subprocess.run(
        [str(simplexboost.path), "--version"],
        env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "libopenmpi-dev" in result.stderr and result.returncode == 2
