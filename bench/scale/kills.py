"""Kills and stops workers of Dask at random times, and looks at what comes of it (docs/scale.md); of
processes of MPI `make rank-kills` does.

    python bench/scale/kills.py [--command PATH] [--times N] [--seed N]

Every time a training of several workers begins, one of them is killed (every fifth time: stopped) after a
random while, and the whole must end within 30 seconds, telling one error that names it. Then those that are left
go on from the checkpoint, to the bytes of the model that one process makes without a break.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import signal
import tempfile
import threading
import time

from run import made

LIMIT = 30.0
SILENCE = 8
ROUNDS = 16


class Tally:
    """What came of the strikes."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.faults: list[str] = []
        self.late = 0  # strikes after the end

    def add(self, what: str, struck: bool, seconds: float, *wanted: tuple[bool, str]) -> None:
        if struck:
            self.seconds.append(seconds)
        self.late += not struck
        wrong = [text for good, text in wanted if not good]
        self.faults += [f"{what}: {text}" for text in wrong]
        print(f"{what}: {seconds:.1f} s {'; '.join(wrong) or 'as it should'}", flush=True)

    def close(self) -> None:
        longest = max(self.seconds)
        print(
            f"{len(self.seconds)} strikes and {self.late} that came too late, {len(self.faults)} faults, "
            f"longest {longest:.1f} s"
        )
        for fault in self.faults:
            print(fault)


def strike_dask(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    import dask
    import distributed
    import numpy as np
    import pandas as pd

    from simplexboost import SimplexBoostClassifier
    from simplexboost.dask import DaskSimplexBoostClassifier

    frame = pd.read_csv(made(arguments.command, folder, "manyclass", 3000, 10))
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    settings = {"algorithm": "newton", "n_estimators": ROUNDS, "max_depth": 1}
    wanted = SimplexBoostClassifier(**settings).fit(X, y).model_.to_bytes()
    borders = np.linspace(0, len(X), 10).astype(int)
    parts = [[dask.delayed(one.iloc[a:b]) for a, b in zip(borders, borders[1:])] for one in (X, y)]
    tally = Tally()
    with (
        dask.config.set({"simplexboost.silence": SILENCE}),
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        DaskSimplexBoostClassifier(client=client, **settings).fit(*parts)  # imports
        begin = time.monotonic()
        DaskSimplexBoostClassifier(client=client, **settings).fit(*parts)
        unbroken = time.monotonic() - begin
        for turn in range(arguments.times):
            dice = random.Random(arguments.seed * 1000 + turn)
            how = signal.SIGSTOP if turn % 5 == 4 else signal.SIGKILL
            client.wait_for_workers(3, timeout=60)
            victim, process = dice.choice(sorted(client.run(os.getpid).items()))
            kept = folder / f"{turn}.rounds"
            struck = []

            def strike(delay: float, process: int, how: signal.Signals, struck: list) -> None:
                time.sleep(delay)
                struck.append(time.monotonic())
                os.kill(process, how)

            delay = dice.uniform(0.0, 0.9 * unbroken)
            threading.Thread(target=strike, args=(delay, process, how, struck)).start()
            said = ""
            training = DaskSimplexBoostClassifier(client=client, **settings)
            fit = {"checkpoint": kept, "checkpoint_every": 2}
            try:
                training.fit(*parts, **fit)
            except ConnectionError as error:
                said = str(error)
            except Exception as error:  # of another kind, which is a fault
                said = repr(error)
            ended = time.monotonic()
            while not struck:
                time.sleep(0.1)
            if how == signal.SIGSTOP:
                os.kill(process, signal.SIGCONT)
            began = kept.exists()
            bytes_ = (training if not said else training.fit(*parts, **fit)).model_.to_bytes()
            tally.add(
                f"{turn}: {how.name}{'' if said else ', did not matter'}{', goes on' if began else ''}",
                bool(said),
                ended - struck[0],
                (not said or ended - struck[0] < LIMIT, "did not end in time"),
                (not said or f"({victim}): " in said, f"did not name {victim}: {said}"),
                (bytes_ == wanted, "other bytes"),
            )
    tally.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", default="build/release/simplexboost")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        strike_dask(arguments, pathlib.Path(folder))


if __name__ == "__main__":
    main()
