"""Several runs at the same time, each in a process with cores of its own, ended when it takes too
long."""

import multiprocessing
import os
import time
from multiprocessing.connection import wait

from comparison.journal import OutOfBudget


def serve(pipe, cores, threads):
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if cores:
        os.sched_setaffinity(0, cores)
    while True:
        function, arguments = pipe.recv()
        pipe.send(function(*arguments))


class Worker:
    def __init__(self, cores, threads):
        self.cores = cores
        self.threads = threads
        self.start()

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(
            target=serve, args=(other, self.cores, self.threads), daemon=True
        )
        self.process.start()
        other.close()
        self.key = None

    def give(self, key, function, arguments):
        self.key = key
        self.begun = time.monotonic()
        self.pipe.send((function, arguments))

    def end(self):
        self.process.kill()
        self.process.join()
        self.pipe.close()


def cores_of(jobs, threads):
    """Disjoint sets of cores; none where there are not enough of them."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < jobs * threads:
        return [None] * jobs
    return [set(cores[i * threads : (i + 1) * threads]) for i in range(jobs)]


def at_once(tasks, jobs, threads, limit, ends, done):
    """Calls done(key, result, seconds) for every task (key, function, arguments), begun in their
    order. A task that takes more than `limit` seconds (None: any) or dies has {"failed": why} for a
    result. Raises OutOfBudget where some were not begun before `ends` (time.monotonic)."""
    tasks = list(tasks)
    jobs = min(jobs, len(tasks))
    workers = [Worker(cores, threads) for cores in cores_of(jobs, threads)]
    position = 0
    try:
        while True:
            late = ends is not None and time.monotonic() > ends
            for worker in workers:
                if worker.key is None and position < len(tasks) and not late:
                    worker.give(*tasks[position])
                    position += 1
            busy = [worker for worker in workers if worker.key is not None]
            if not busy:
                break
            ready = wait([worker.pipe for worker in busy], timeout=0.5)
            for worker in busy:
                seconds = time.monotonic() - worker.begun
                key, result = worker.key, None
                if worker.pipe in ready:
                    try:
                        result = worker.pipe.recv()
                        worker.key = None
                    except EOFError:
                        result = {"failed": "it died"}
                elif limit is not None and seconds > limit:
                    result = {"failed": f"more than {limit:.0f} s"}
                if result is None:
                    continue
                if worker.key is not None:
                    worker.end()
                    worker.start()
                done(key, result, seconds)
    finally:
        for worker in workers:
            worker.end()
    if position < len(tasks):
        raise OutOfBudget
