"""One run of one peer in a process of its own: `python -m comparison.worker '{...}'`.

The task is a JSON object: library, settings, train, test and valid (.npz files), classes,
categorical, threads, clock, time_limit, memory_limit_gb, patience, evaluate, model (a file).
Prints one JSON object.
"""

import gc
import json
import os
import resource
import sys
import time

import numpy

from comparison.libraries import LIBRARIES
from comparison.metrics import error, log_loss_of_scores

RATE_SECONDS = 0.5
RATE_ROWS = 10_000
SINGLE_ROWS = 200
TIMERS = {"wall": time.perf_counter, "cpu": time.process_time}


def status_mb(key):
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(key))
    return int(line.split()[1]) / 1024


def forget_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


class Clock:
    """Seconds since training began, after each round."""

    def __init__(self, limit, timer):
        self.limit = limit
        self.timer = timer
        self.begun = timer()
        self.seconds = []
        self.before_rounds = None
        self.cut = False

    def start_rounds(self):
        self.before_rounds = self.timer() - self.begun

    def round_is_last(self):
        self.seconds.append(self.timer() - self.begun)
        self.cut = self.limit is not None and self.seconds[-1] >= self.limit
        return self.cut


class Validation:
    """Rows to choose the number of rounds by."""

    def __init__(self, x, y, patience):
        self.x, self.y, self.patience = x, y, patience
        self.best_log_loss = self.best_rounds = None

    def log_loss(self, scores):
        return log_loss_of_scores(scores, self.y)


def two_columns(scores):
    """scikit-learn has one column of scores for two classes."""
    if scores.ndim == 2 and scores.shape[1] > 1:
        return scores
    scores = scores.reshape(-1)
    return numpy.stack([numpy.zeros_like(scores), scores], axis=1)


def rate(call, rows):
    """Rows a second, of the median call; a first one warms up."""
    call()
    taken = []
    while sum(taken) < RATE_SECONDS or len(taken) < 3:
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
        if sum(taken) > 10 * RATE_SECONDS:
            break
    return rows / sorted(taken)[len(taken) // 2]


def evaluate(library, x, y, model_file):
    losses, errors = [], []
    for scores in library.staged_scores(x):
        scores = two_columns(numpy.asarray(scores))
        losses.append(log_loss_of_scores(scores, y))
        errors.append(error(scores, y))
    library.save(model_file)
    rows = x[:RATE_ROWS]
    singles = [x[i : i + 1] for i in range(min(SINGLE_ROWS, len(x)))]
    begun = time.perf_counter()
    done = 0
    while time.perf_counter() - begun < RATE_SECONDS:
        library.scores(singles[done % len(singles)])
        done += 1
    return {
        "log_loss": losses,
        "error": errors,
        "single_rate": done / (time.perf_counter() - begun),
        "batch_rate": rate(lambda: library.scores(rows), len(rows)),
        "model_bytes": os.path.getsize(model_file),
    }


def run(task):
    if task.get("memory_limit_gb"):
        most = int(task["memory_limit_gb"] * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    library = LIBRARIES[task["library"]](
        task["settings"], task["classes"], task["categorical"], task["threads"]
    )
    train = numpy.load(task["train"])
    x, y = library.table(train["x"]), train["y"]
    del train
    valid = None
    if task.get("valid"):
        arrays = numpy.load(task["valid"])
        valid = Validation(library.table(arrays["x"]), arrays["y"], task["patience"])
    gc.collect()
    before = status_mb("VmRSS")
    forget_peak()
    clock = Clock(task.get("time_limit"), TIMERS[task["clock"]])
    library.fit(x, y, clock, valid)
    result = {
        "version": library.version,
        "rounds": library.rounds_done(),
        "seconds": clock.seconds,
        "before_rounds": clock.before_rounds,
        "cut": clock.cut and library.rounds_done() < task["settings"]["rounds"],
        "memory_before_mb": before,
        "peak_memory_mb": status_mb("VmHWM"),
    }
    if valid is not None:
        result |= {
            "valid_log_loss": valid.best_log_loss,
            "best_rounds": valid.best_rounds,
            "found_settings": library.found_settings(),
        }
    if task.get("evaluate"):
        test = numpy.load(task["test"])
        result |= evaluate(library, library.table(test["x"]), test["y"], task["model"])
    return result


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))))
