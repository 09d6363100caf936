"""How long a prediction of one row takes when many threads ask at once: by HTTP and by plain calls.

    python examples/serving/measure.py m.sb --threads 8 --rows 2000

Each thread asks again as soon as it has an answer, so with more threads than cores the times are those
of waiting in line. `serve.c` is the same through the interface in C.
"""

from __future__ import annotations

import argparse
import os
import threading
import time

import numpy as np


def ask_by_threads(ask, threads, rows):
    """Microseconds of each call of ask(i), and calls a second."""
    times = [[] for _ in range(threads)]

    def work(own):
        for i in range(rows):
            start = time.perf_counter()
            ask(i)
            own.append((time.perf_counter() - start) * 1e6)

    workers = [threading.Thread(target=work, args=[own]) for own in times]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return np.concatenate(times), threads * rows / (time.perf_counter() - start)


def report(what, threads, times, rate):
    p50, p99 = np.percentile(times, [50, 99])
    print(f"{what}: {threads} threads, p50 {p50:.0f} us, p99 {p99:.0f} us, {rate:.0f} rows a second")


def measure(path, threads, rows):
    os.environ["SIMPLEXBOOST_MODEL"] = path
    import server  # the model that it loads
    from fastapi.testclient import TestClient

    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(rows, len(server.names)))
    model = server.model
    call = lambda i: model.predict_proba(matrix[i : i + 1])  # noqa: E731
    report("predict_proba of one row", threads, *ask_by_threads(call, threads, rows))
    client = TestClient(server.app)
    bodies = [dict(zip(server.names, row)) for row in matrix.tolist()]

    def post(i):
        answer = client.post("/predict", json=bodies[i])
        assert answer.status_code == 200, answer.text

    report("FastAPI, without a network", threads, *ask_by_threads(post, threads, rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--rows", type=int, default=500, help="of each thread")
    given = parser.parse_args()
    measure(given.model, given.threads, given.rows)
