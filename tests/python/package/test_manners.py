"""Training and prediction beside other work: threads, processes, interrupts."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import make_classification

from simplexboost import SimplexBoostClassifier


@pytest.fixture(scope="module")
def large():
    return make_classification(20_000, 30, n_informative=20, n_classes=8, random_state=0)


def run(code):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )


def test_other_threads_go_on_while_training(large):
    """The interpreter's lock is free within rounds: a counter runs while one round lasts."""
    X, y = large
    estimator = SimplexBoostClassifier(n_estimators=1, max_leaf_nodes=500, n_jobs=1)
    ticks = []
    done = threading.Event()

    def count():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    estimator.fit(X, y)
    end = time.monotonic()
    done.set()
    thread.join()
    inside = [t for t in ticks if begin < t < end]
    assert len(inside) > 3


@pytest.mark.usefixtures("interrupts")
def test_interrupt_raises_within_a_round_and_leaves_the_interpreter_well(large):
    X, y = large
    estimator = SimplexBoostClassifier(n_estimators=100_000, max_depth=3)
    rounds = []

    def note(state):
        rounds.append(state.number)
        if state.number == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y, callbacks=[note])
    assert rounds[-1] in (3, 4)
    assert not hasattr(estimator, "model_")
    assert estimator.set_params(n_estimators=2).fit(X, y).n_estimators_ == 2


def test_interrupt_without_callbacks():
    done = run(
        """
        import os, signal, threading
        from sklearn.datasets import make_classification
        from simplexboost import SimplexBoostClassifier
        X, y = make_classification(2000, 10, n_informative=8, n_classes=4, random_state=0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            SimplexBoostClassifier(n_estimators=1_000_000).fit(X, y)
        except KeyboardInterrupt:
            print("interrupted", SimplexBoostClassifier(n_estimators=5).fit(X, y).score(X, y) > 0.5)
        """
    )
    assert done.stdout.strip() == "interrupted True", done.stderr


def test_prediction_from_many_threads(large):
    X, y = large
    estimator = SimplexBoostClassifier(n_estimators=5).fit(X, y)
    expected = estimator.predict_proba(X[:3000])
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: estimator.predict_proba(X[:3000]), range(24)))
    assert all((result == expected).all() for result in results)


def test_training_from_many_threads(blobs):
    X, y = blobs
    expected = SimplexBoostClassifier(n_estimators=5).fit(X, y).model_.to_bytes()
    with ThreadPoolExecutor(4) as pool:
        fits = pool.map(lambda _: SimplexBoostClassifier(n_estimators=5).fit(X, y), range(8))
        assert {fit.model_.to_bytes() for fit in fits} == {expected}


def _score(arguments):
    estimator, X, y = arguments
    return estimator.fit(X, y).score(X, y)


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_processes(blobs, start):
    X, y = blobs
    estimator = SimplexBoostClassifier(n_estimators=5).fit(X, y)  # the pool of threads is awake
    with multiprocessing.get_context(start).Pool(2) as pool:
        scores = pool.map_async(_score, [(estimator, X, y)] * 2).get(timeout=100)
    assert scores == [estimator.score(X, y)] * 2


def test_processes_share_the_cores(monkeypatch):
    from simplexboost._parameters import threads

    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert (threads(None), threads(2)) == (3, 2)
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert threads(None) == 0
    assert threads(-1) == (os.cpu_count() or 1)


def test_arrays_outlive_their_use():
    """A table holds on to the caller's arrays for as long as it needs them, and no longer."""
    import gc
    import weakref

    X = np.random.default_rng(0).normal(size=(50, 3)).view()
    y = (X[:, 0] > 0).astype(int)
    estimator = SimplexBoostClassifier(n_estimators=2).fit(X, y)
    gone = weakref.ref(X)
    stages = estimator.staged_predict(X)
    next(stages)
    del X
    gc.collect()
    next(stages)
    del stages
    gc.collect()
    assert gone() is None
