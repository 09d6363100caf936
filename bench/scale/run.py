"""The figures of docs/scale.md: what is sent, what several processes cost, and the peers on Dask.

    python bench/scale/run.py hashes | bytes | processes | dask [--command PATH] [--rows N] [--threads N]

`hashes` compares the bytes of models that 1 to 8 processes make, with MPI and on Dask, of uneven shares and
empty ones; `bytes` counts what rank 0 sends a round for growing numbers of classes; `processes` compares one
process of several threads with several processes of one or two; `dask` trains simplexboost, XGBoost and
LightGBM on two workers and tells what each takes and to which test log loss it comes (`on-dask`: one of them).
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import model

ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PMIX_MCA_gds": "hash",  # else mpirun itself may hang where a rank is killed early
}


def command(path: str, *words: object, processes: int = 0) -> str:
    start = ["mpirun", "-n", str(processes)] if processes else []
    done = subprocess.run(
        [*start, path, *map(str, words)],
        env={**ENVIRONMENT, "SIMPLEXBOOST_RANK_START": "120"},  # the machine may be busy
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def train(
    path: str, data: pathlib.Path, rounds: int, processes: int, threads: int, *more: object
) -> dict:
    words = ["train", data, "-m", data.with_suffix(".sb"), "--rounds", rounds, "--threads", threads]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = command(path, *words, "--quality", "fast", "--json", *more, processes=processes)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**json.loads(text.strip().splitlines()[-1]), "processor_seconds": used}


def made(path: str, folder: pathlib.Path, kind: str, rows: int, classes: int) -> pathlib.Path:
    data = folder / f"{kind}-{rows}-{classes}.csv"
    size = ["--classes", classes] if kind == "manyclass" else []
    command(path, "generate", kind, "--rows", rows, *size, "--seed", 1, "-o", data)
    return data


ALGORITHMS = ("newton", "gd-mcboost", "adaboost-mh", "samme", "logitboost", "forest")
PROCESSES = (2, 3, 5, 8)
SHARES = (0.0, 0.0, 0.0005, 0.02, 0.5, 0.5, 0.53, 0.9, 1.0)  # of the rows; some parts have none


def compare_hashes(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    """Uneven files, two of them of a header alone; for Dask likewise partitions."""
    import dask
    import distributed
    import pandas as pd

    from simplexboost import SimplexBoostClassifier
    from simplexboost.dask import DaskSimplexBoostClassifier

    data = made(arguments.command, folder, "manyclass", arguments.rows, 12)
    head, *lines = data.read_text().splitlines(keepends=True)
    ends = [int(share * len(lines)) for share in SHARES]
    for i, (begin, end) in enumerate(zip(ends, ends[1:])):
        (folder / f"part-{i}.csv").write_text(head + "".join(lines[begin:end]))
    frame = pd.read_csv(data)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1].astype(str)
    parts = [[dask.delayed(one[a:b]) for a, b in zip(ends, ends[1:])] for one in (X, y)]
    print(f"rows of the parts: {[b - a for a, b in zip(ends, ends[1:])]}")
    for algorithm in ALGORITHMS:
        words = ["--algorithm", algorithm, "--rounds", 3, "--row-fraction", 0.8, "--threads", 1]
        leaves = arguments.leaves if algorithm != "forest" else 0  # it grows whole trees
        words += [*(["--leaves", leaves] if leaves else []), "--json"]
        command(arguments.command, "train", data, "-m", folder / "one.sb", *words)
        one = (folder / "one.sb").read_bytes()
        for processes in PROCESSES:
            for source in (data, folder / "part-*.csv"):
                several = folder / "several.sb"
                told = command(
                    arguments.command, "train", source, "-m", several, *words, processes=processes
                )
                sent = json.loads(told.strip().splitlines()[-1])["sent_bytes"] / 1e6
                same = several.read_bytes() == one
                print(
                    f"{algorithm}, MPI, {processes}, {source.name}: {same}, {sent:.1f} MB sent",
                    flush=True,
                )
    for processes in arguments.workers:
        with (
            distributed.LocalCluster(
                n_workers=processes, threads_per_worker=1, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            for algorithm in ALGORITHMS:
                settings = {"algorithm": algorithm, "n_estimators": 3, "subsample": 0.8}
                leaves = arguments.leaves if algorithm != "forest" else 0
                settings |= {"max_leaf_nodes": leaves} if leaves else {}
                local = SimplexBoostClassifier(**settings, n_jobs=1).fit(X, y).model_.to_bytes()
                lazy = DaskSimplexBoostClassifier(client=client, **settings).fit(*parts)
                same = lazy.model_.to_bytes() == local
                print(f"{algorithm}, Dask, {processes} workers: {same}", flush=True)


#: Rows, classes, processes, leaves and the sketch; some with few rows (model.Training.gathers).
SHAPES = (
    (20_000, 10, 2, 31, 6),
    (20_000, 100, 2, 31, 6),
    (20_000, 1000, 2, 31, 6),
    (110_000, 10, 2, 31, 6),
    (110_000, 300, 2, 31, 6),
    (110_000, 1000, 2, 31, 6),
    (110_000, 10, 2, 31, 8),
    (110_000, 300, 2, 31, 8),
    (110_000, 10, 3, 31, 6),
    (110_000, 10, 5, 31, 6),
    (110_000, 10, 2, 128, 6),
    (450_000, 10, 2, 128, 6),
)


def count_bytes(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    """What rank 0 sends in each of the last rounds, beside what the model says."""
    print(
        "| rows | classes | processes | leaves | sketch | sent | counted | modelled | off by | "
        "messages | modelled |\n" + "| --- " * 11 + "|"
    )
    for rows, classes, processes, leaves, sketch in SHAPES:
        data = made(arguments.command, folder, "manyclass", rows, classes)
        settings = ["--leaves", leaves, "--sketch", sketch, "--max-bins", 256, "--thresholds", "best"]
        few, many = (
            train(arguments.command, data, rounds, processes, 1, *settings) for rounds in (3, 9)
        )
        sent = (many["sent_bytes"] - few["sent_bytes"]) / 6
        messages = (many["sent_messages"] - few["sent_messages"]) / 6
        work = model.Training(rows, classes, many["features"], 255, leaves, sketch)
        said = model.a_round(work, processes)
        print(
            f"| {rows:,} | {classes:,} | {processes} | {leaves} | {sketch} | "
            f"{'statistics' if work.gathers else 'histograms'} | {sent / 1e6:.2f} MB | "
            f"{said.bytes / 1e6:.2f} MB | {100 * (said.bytes / sent - 1):+.0f} % | {messages:.0f} | "
            f"{said.messages:.0f} |",
            flush=True,
        )
        data.unlink()


def compare_processes(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    """In turns, so that what else the machine does falls on both."""
    threads = arguments.threads
    print("seconds by the clock without reading, and of the processor with it and with starting MPI")
    print("| data | one process | several | ratio | one | several | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for kind, classes in (("poker", 10), ("manyclass", 300)):
        if arguments.kind not in ("", kind):
            continue
        data = made(arguments.command, folder, kind, arguments.rows, classes)
        cells = [f"{kind}, {arguments.rows} rows"]
        runs: dict[str, list[dict]] = {"one": [], "several": []}
        for _ in range(arguments.repeats):
            many = arguments.processes
            for name, processes, each in (("one", 0, threads), ("several", many, threads // many)):
                runs[name].append(train(arguments.command, data, arguments.rounds, processes, each))
        for figure in ("train_seconds", "processor_seconds"):
            best = {name: min(run[figure] for run in some) for name, some in runs.items()}
            cells += [f"{best['one']:.2f} s", f"{best['several']:.2f} s"]
            cells.append(f"{best['several'] / best['one']:.2f}")
        print("| " + " | ".join(cells) + " |", flush=True)


def ours_on_dask(client, rounds):  # type: ignore[no-untyped-def]
    from simplexboost.dask import DaskSimplexBoostClassifier

    return DaskSimplexBoostClassifier(client=client, algorithm="newton", n_estimators=rounds)


def xgboost_on_dask(client, rounds):  # type: ignore[no-untyped-def]
    from xgboost import dask as xgboost_dask

    estimator = xgboost_dask.DaskXGBClassifier(n_estimators=rounds, n_jobs=1, tree_method="hist")
    estimator.client = client
    return estimator


def lightgbm_on_dask(client, rounds):  # type: ignore[no-untyped-def]
    import lightgbm

    # Minutes that it waits for a socket; two hours unless told.
    return lightgbm.DaskLGBMClassifier(
        client=client, n_estimators=rounds, n_jobs=1, verbose=-1, time_out=1
    )


ON_DASK = {
    "simplexboost": ours_on_dask,
    "XGBoost": xgboost_on_dask,
    "LightGBM": lightgbm_on_dask,
}
OUR_ROUNDS = (5, 10, 20, 40)
PATIENCE = 170.0  # seconds for a library
TRIES = 3


def compare_dask(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    """Each library in a process and on a cluster of its own, so that one that hangs, or finds its ports
    taken, can be tried again."""
    print(
        "| classes | library | rounds | seconds | of the processors | test log loss |\n"
        "| --- | --- | --- | --- | --- | --- |",
        flush=True,
    )
    names = [arguments.library] if arguments.library else list(ON_DASK)
    for classes in arguments.classes:
        for name in names:
            words = [sys.executable, __file__, "on-dask", "--command", arguments.command]
            words += ["--rows", str(arguments.rows), "--rounds", str(arguments.rounds)]
            words += ["--library", name, "--classes", str(classes)]
            for attempt in range(1, TRIES + 1):
                try:
                    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
                except subprocess.TimeoutExpired as late:
                    told, why = str(late.stdout or b"", "utf-8"), f"{PATIENCE:.0f} s were not enough"
                else:
                    told, why = done.stdout, "" if done.returncode == 0 else done.stderr[-300:]
                lines = [line for line in told.splitlines() if line.startswith(f"| {classes} |")]
                print("".join(f"{line}\n" for line in lines), end="", flush=True)
                if not why:
                    break
                print(f"{name}, {classes} classes, try {attempt}: {why}", file=sys.stderr, flush=True)


def train_on_dask(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    """One library, two workers of one thread: a line for each number of rounds."""
    import dask.array as da
    import distributed
    import numpy as np
    import pandas as pd
    from sklearn.metrics import log_loss

    make = ON_DASK[arguments.library]
    (classes,) = arguments.classes
    data = pd.read_csv(made(arguments.command, folder, "manyclass", arguments.rows, classes))
    X, y = data.iloc[:, :-1].to_numpy(np.float32), data.iloc[:, -1].astype("category").cat.codes
    y = y.to_numpy()
    cut = len(X) * 4 // 5
    # Every other row of each class to each worker: LightGBM ends where one of them lacks a class.
    order = np.argsort(y[:cut], kind="stable")
    order = np.concatenate([order[0::2], order[1::2]])
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        rows = client.persist(da.from_array(X[order], chunks=((cut + 1) // 2, -1)))
        labels = client.persist(da.from_array(y[order], chunks=(cut + 1) // 2))
        distributed.wait([rows, labels])
        make(client, 1).fit(rows, labels)  # imports, and what else is done once
        ours = arguments.library == "simplexboost"
        for rounds in OUR_ROUNDS if ours else (arguments.rounds,):
            used = sum(client.run(time.process_time).values())
            begin = time.perf_counter()
            model = make(client, rounds).fit(rows, labels)
            seconds = time.perf_counter() - begin
            used = sum(client.run(time.process_time).values()) - used
            proba = model.predict_proba(da.from_array(X[cut:], chunks=X[cut:].shape))
            proba = np.asarray(proba.compute() if hasattr(proba, "compute") else proba)
            loss = log_loss(y[cut:], proba, labels=np.arange(classes))
            print(
                f"| {classes} | {arguments.library} | {rounds} | {seconds:.2f} | {used:.2f} | {loss:.4f} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["hashes", "bytes", "processes", "dask", "on-dask"])
    parser.add_argument("--command", default="build/release/simplexboost")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--classes", type=int, nargs="*", default=[30, 300], help="of `dask`")
    parser.add_argument("--library", default="", help="of `dask`: one of them alone")
    parser.add_argument("--leaves", type=int, default=0, help="of `hashes`; 0: the algorithms' own")
    parser.add_argument(
        "--workers", type=int, nargs="*", default=PROCESSES, help="of `hashes`, on Dask"
    )
    parser.add_argument("--kind", default="", help="of `processes`: poker or manyclass alone")
    arguments = parser.parse_args()
    work = {
        "hashes": compare_hashes,
        "bytes": count_bytes,
        "processes": compare_processes,
        "dask": compare_dask,
        "on-dask": train_on_dask,
    }
    with tempfile.TemporaryDirectory() as folder:
        work[arguments.what](arguments, pathlib.Path(folder))


if __name__ == "__main__":
    main()
