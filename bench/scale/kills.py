"""Kills and stops ranks at random times, and looks at what comes of it (docs/scale.md).

    python bench/scale/kills.py mpi | dask [--command PATH] [--times N] [--seed N]

Every time a training of several processes begins, one of them is killed (every fifth time: stopped) after a
random while, and the whole must end within 30 seconds, telling one error that names it. Then others go on from
the checkpoint, in another number, to the bytes of the model that one process makes without a break.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import threading
import time

from run import ENVIRONMENT, command, made

LIMIT = 30.0
SILENCE = 8
ROUNDS = 16
KEPT = [
    "--threads",
    "1",
    "--checkpoint-every",
    "2",
    "--depth",
    "1",
    "--seed",
    "3",
    "--quality",
    "fast",
    "--quiet",
]


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


def ranks_of(job: subprocess.Popen[str]) -> dict[int, int]:
    """The processes that mpirun has started, by their ranks."""
    found = {}
    for folder in os.listdir("/proc"):
        with contextlib.suppress(OSError, IndexError):
            parent = pathlib.Path(f"/proc/{folder}/stat").read_text().rsplit(")", 1)[1].split()[1]
            if parent != str(job.pid):
                continue
            for entry in pathlib.Path(f"/proc/{folder}/environ").read_text().split("\0"):
                if entry.startswith("OMPI_COMM_WORLD_RANK="):
                    found[int(entry.split("=")[1])] = int(folder)
    return found


def alive(process: int) -> bool:
    """Neither gone nor waiting for mpirun to take notice."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def strike_job(
    words: list[str], victim: int, delay: float, how: signal.Signals
) -> tuple[bool, str, float]:
    """Starts three processes and strikes one: whether that was in time, what was said, and how long
    it took to end."""
    environment = {**ENVIRONMENT, "SIMPLEXBOOST_RANK_SILENCE": str(SILENCE)}
    with subprocess.Popen(
        ["mpirun", "-n", "3", *words], env=environment, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    ) as job:  # fmt: skip
        begin = time.monotonic()
        while job.poll() is None and (
            time.monotonic() - begin < delay or victim not in ranks_of(job)
        ):
            time.sleep(0.01)
        processes = ranks_of(job)
        struck = victim in processes
        if struck:
            with contextlib.suppress(ProcessLookupError):
                os.kill(processes[victim], how)
        begin = time.monotonic()
        while any(alive(one) for one in processes.values()) and time.monotonic() < begin + 2 * LIMIT:
            time.sleep(0.05)
        seconds = time.monotonic() - begin
        try:
            _, said = job.communicate(timeout=10)
        except subprocess.TimeoutExpired as late:
            # PMIx_server_finalize of Open MPI 4.1 may wait for a lock of its own.
            said = (late.stderr or b"").decode() + "\nmpirun hangs"
        for one in processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
    return struck and job.returncode != 0, said, seconds


def strike_mpi(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    data = made(arguments.command, folder, "manyclass", 3000, 10)
    train = ["train", str(data), *KEPT, "--rounds", str(ROUNDS)]
    command(arguments.command, *train, "-m", folder / "one.sb")
    wanted = (folder / "one.sb").read_bytes()
    begin = time.monotonic()
    command(arguments.command, *train, "-m", folder / "three.sb", processes=3)
    unbroken = time.monotonic() - begin
    tally = Tally()
    for turn in range(arguments.times):
        dice = random.Random(arguments.seed * 1000 + turn)
        model, kept = folder / f"{turn}.sb", folder / f"{turn}.rounds"
        words = [*train, "-m", str(model), "--checkpoint", str(kept)]
        how = signal.SIGSTOP if turn % 5 == 4 else signal.SIGKILL
        victim, delay = dice.randrange(3), dice.uniform(0.0, 0.7 * unbroken)
        struck, said, seconds = strike_job([arguments.command, *words], victim, delay, how)
        errors = [line for line in said.splitlines() if line.startswith("error: ")]
        named = f"rank {victim} " in said
        began = kept.exists()
        if not model.exists():
            command(arguments.command, *words, processes=2)
        tally.add(
            f"{turn}: rank {victim} {how.name}{'' if struck else ', too late'}"
            f"{', goes on' if began else ''}{', mpirun hangs' if 'mpirun hangs' in said else ''}",
            struck,
            seconds,
            (seconds < LIMIT, "did not end in time"),
            (not struck or named, f"did not name it: {said!r}"),
            (len(errors) <= 1, f"{len(errors)} errors: {errors}"),
            (model.read_bytes() == wanted, "other bytes"),
        )
    tally.close()


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
    parser.add_argument("what", choices=["mpi", "dask"])
    parser.add_argument("--command", default="build/release/simplexboost")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        {"mpi": strike_mpi, "dask": strike_dask}[arguments.what](arguments, pathlib.Path(folder))


if __name__ == "__main__":
    main()
