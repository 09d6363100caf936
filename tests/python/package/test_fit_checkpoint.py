"""`fit(checkpoint=...)`: the same call goes on after the process was killed or interrupted."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from sklearn.datasets import make_classification

from simplexboost import SimplexBoostClassifier

PROGRAM = """
import sys
from sklearn.datasets import make_classification
from simplexboost import SimplexBoostClassifier
algorithm, quality = sys.argv[1:3]
X, y = make_classification(500, 8, n_informative=6, n_classes=4, random_state=0)
estimator = SimplexBoostClassifier(algorithm, n_estimators=60, quality=quality, n_jobs=1)
print("ready", flush=True)
estimator.fit(X, y, checkpoint="cp", checkpoint_every=1).save_model("m.sb")
"""


@pytest.mark.parametrize(
    ("algorithm", "quality"),
    [("newton", "fast"), ("adaboost-m2", "fast"), ("forest", "fast"), ("newton", "default")],
)
def test_killed_fit_goes_on_to_the_same_bytes(tmp_path, algorithm, quality):
    X, y = make_classification(500, 8, n_informative=6, n_classes=4, random_state=0)
    whole = SimplexBoostClassifier(algorithm, n_estimators=60, quality=quality).fit(X, y)
    program = [sys.executable, "-c", textwrap.dedent(PROGRAM), algorithm, quality]
    for attempt in range(14):
        with subprocess.Popen(program, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            try:
                assert process.wait(0.01 * 2**attempt) == 0
            except subprocess.TimeoutExpired:
                process.kill()
        if (tmp_path / "m.sb").exists():
            break
    assert (tmp_path / "m.sb").read_bytes() == whole.model_.to_bytes()
    assert not (tmp_path / "cp").exists()


@pytest.mark.usefixtures("interrupts")
def test_interrupt_within_a_round_keeps_the_rounds_before(tmp_path):
    # A round takes far longer than a second.
    X, y = make_classification(60_000, 40, n_informative=20, n_classes=20, random_state=0)
    estimator = SimplexBoostClassifier("logitboost", n_estimators=50, max_depth=8, n_jobs=1)
    sent = []

    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(1.5, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y, checkpoint=tmp_path / "cp")
    assert time.monotonic() - sent[0] < 2
    assert not hasattr(estimator, "model_")
    # The wish does not outlive the call.
    estimator.set_params(n_estimators=1, max_depth=2).fit(X[:200], y[:200])


def test_refuses_times_that_are_none():
    X, y = make_classification(50, random_state=0)
    for every in (0, -1, "soon", "0s", None, 1.5):
        with pytest.raises(ValueError, match="checkpoint_every"):
            SimplexBoostClassifier().fit(X, y, checkpoint="cp", checkpoint_every=every)


def test_names_what_differs(tmp_path):
    X, y = make_classification(200, random_state=0)
    path = tmp_path / "cp"

    def stop(state):
        if state.number == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        SimplexBoostClassifier(n_estimators=100).fit(X, y, callbacks=[stop], checkpoint=path)
    with pytest.raises(ValueError, match="'rounds: 100' there, 'rounds: 7' here"):
        SimplexBoostClassifier(n_estimators=7).fit(X, y, checkpoint=path)
    assert SimplexBoostClassifier(n_estimators=100).fit(X, y, checkpoint=path).n_estimators_ == 100
    assert not path.exists()
