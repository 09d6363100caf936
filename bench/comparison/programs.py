"""Who is compared: the peers and ours, at which settings, and one run of each."""

import functools
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
ROUNDS = 100
COMMON = {"rounds": ROUNDS, "leaves": 31, "rate": 0.1}
GRACE = 60  # seconds beyond the limit, for loading and for evaluating, before a run is killed


@dataclass(frozen=True)
class Program:
    key: str
    title: str
    library: str = ""  # empty: ours
    settings: dict = field(default_factory=dict)

    @property
    def ours(self):
        return not self.library


PEERS = {
    program.key: program
    for program in [
        Program("xgboost", "XGBoost", "xgboost", COMMON),
        Program("xgboost-vector", "XGBoost, vector leaves", "xgboost-vector", COMMON),
        Program("lightgbm", "LightGBM", "lightgbm", COMMON),
        Program("catboost", "CatBoost", "catboost", {"rounds": ROUNDS, "depth": 5, "rate": 0.1}),
        Program("sklearn", "scikit-learn", "sklearn", COMMON),
    ]
}
OURS = {
    program.key: program
    for program in [
        Program("ours-common", "simplexboost, 31 leaves, 0.1", settings=COMMON),
        Program("ours", "simplexboost, fast", settings={"rounds": ROUNDS}),
    ]
}
PROGRAMS = PEERS | OURS

OPTIONS = {
    "rounds": "--rounds", "leaves": "--leaves", "rate": "--learning-rate", "l2": "--l2",
    "min_rows": "--min-rows", "row_share": "--row-fraction", "feature_share": "--feature-fraction",
    "sketch": "--sketch",
}  # fmt: skip


@dataclass(frozen=True)
class Machine:
    """What all runs share."""

    command: Path
    predictor: Path
    threads: int
    time_limit: float
    memory_limit_gb: float
    clock: str = "wall"  # or cpu: the time of the processor, for one thread among other programs

    def environment(self):
        return {
            **os.environ,
            "OMP_NUM_THREADS": str(self.threads),
            "PYTHONPATH": str(FOLDER),
            "PYTHONWARNINGS": "ignore",
        }


def failure(reason):
    return {"failed": reason, "rounds": 0}


def run_peer(program, prepared, machine, model, *, evaluate, settings=None, tuning=0):
    """One run in a process of its own; what it printed, or why it failed. With `tuning` it stops
    after so many rounds that are no better on the validation part."""
    task = {
        "library": program.library, "settings": settings or program.settings,
        "train": str(prepared.file("fit" if tuning else "train", "npz")),
        "test": str(prepared.file("test", "npz")), "classes": prepared.classes,
        "categorical": prepared.categorical, "threads": machine.threads, "clock": machine.clock,
        "time_limit": machine.time_limit, "memory_limit_gb": machine.memory_limit_gb,
        "evaluate": evaluate, "model": str(model),
    }  # fmt: skip
    if tuning:
        task |= {"valid": str(prepared.file("valid", "npz")), "patience": tuning}
    most = (3 if machine.clock == "wall" else 60) * machine.time_limit + GRACE
    try:
        done = subprocess.run(
            [sys.executable, "-m", "comparison.worker", json.dumps(task)],
            capture_output=True, text=True, timeout=most, check=False, env=machine.environment(),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return failure(f"no end after {most:.0f} s")
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        # A traceback may follow the line that says what went wrong.
        said = [line for line in lines if "Error" in line] or lines[-1:] or [""]
        return failure(f"exit status {done.returncode}: {said[-1][:120]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def option_list(settings):
    return [str(part) for key, value in settings.items() for part in (OPTIONS[key], value)]


def command_json(call, limit=None):
    """What the command printed; it is told to end after `limit` seconds, and keeps its rounds."""
    process = subprocess.Popen(
        [str(part) for part in call], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
    if not output.strip():
        return failure(f"exit status {process.returncode}: {errors.strip()[-200:]}")
    return json.loads(output.strip().splitlines()[-1])


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_ours(prepared, machine, model, settings, *, valid=None, part="train", patience=0):
    call = [
        machine.command, "train", prepared.file(part), "--model", model, "--json", "--quiet",
        "--threads", machine.threads, *option_list(settings),
    ]  # fmt: skip
    if valid:
        call += ["--valid", prepared.file(valid), "--early-stopping", patience]
    before = children_seconds()
    result = command_json(call, machine.time_limit + GRACE)
    result["memory_before_mb"] = base_mb(machine.command) + result.get("data_memory_mb", 0)
    if machine.clock == "cpu" and "failed" not in result:
        result["train_seconds"] = children_seconds() - before  # with reading and writing
    return result


def evaluate_ours(prepared, machine, model):
    result = command_json([machine.command, "evaluate", model, prepared.file("test"), "--json"])
    return {"error": result["error"], "log_loss": result["log_loss"]}


def curves_of_ours(machine, model):
    """Test error and log loss after each round of a model trained with the test rows beside it."""
    log = command_json([machine.command, "inspect", model, "--json"])["log"]
    return {"error": log["valid_error"], "log_loss": log["valid_log_loss"]}


def rates_of_ours(prepared, machine, model):
    least_rows = 1  # the test rows as they are, as for the peers
    result = command_json(
        [machine.predictor, model, prepared.file("test"), machine.threads, 9, least_rows]
    )
    return {
        "batch_rate": result["rows_per_second"],
        "single_rate": result["single_rows_per_second"],
        "model_bytes": Path(model).stat().st_size,
    }


def version_of_ours(machine):
    call = [machine.command, "--version"]
    said = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    return said.splitlines()[0]  # the others are of the build


@functools.cache
def base_mb(command):
    """What the command itself needs, as the interpreter and the libraries of a peer: the peak of a
    training on next to nothing."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.csv"
        data.write_text("x,class\n1,a\n2,b\n1,a\n2,b\n")
        call = [command, "train", data, "--model", f"{data}.sb", "--json", "--quiet", "--rounds", 1]
        return command_json(call)["peak_memory_mb"]
