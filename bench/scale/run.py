"""The figures of docs/scale.md: what is sent, what several processes cost, and the peers on Dask.

    python bench/scale/run.py bytes | processes | dask [--command PATH] [--rows N] [--threads N]

`bytes` counts what rank 0 sends a round for growing numbers of classes; `processes` compares one
process of several threads with several processes of one or two; `dask` trains LightGBM, XGBoost and
simplexboost on the same two workers until the test log loss is that of the best of them.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


def command(path: str, *words: object, processes: int = 0) -> str:
    start = ["mpirun", "-n", str(processes)] if processes else []
    done = subprocess.run(
        [*start, path, *map(str, words)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def train(path: str, data: pathlib.Path, rounds: int, processes: int, threads: int) -> dict:
    words = ["train", data, "-m", data.with_suffix(".sb"), "--rounds", rounds, "--threads", threads]
    text = command(path, *words, "--quality", "fast", "--json", processes=processes)
    return json.loads(text.strip().splitlines()[-1])


def made(path: str, folder: pathlib.Path, kind: str, rows: int, classes: int) -> pathlib.Path:
    data = folder / f"{kind}-{rows}-{classes}.csv"
    size = ["--classes", classes] if kind == "manyclass" else []
    command(path, "generate", kind, "--rows", rows, *size, "--seed", 1, "-o", data)
    return data


def count_bytes(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    print("| classes | bytes a round | messages a round |\n| --- | --- | --- |")
    for classes in (10, 100, 1000):
        data = made(arguments.command, folder, "manyclass", arguments.rows, classes)
        few, many = (train(arguments.command, data, rounds, 2, 1) for rounds in (5, 15))
        sent = (many["sent_bytes"] - few["sent_bytes"]) / 10
        messages = (many["sent_messages"] - few["sent_messages"]) / 10
        print(f"| {classes} | {sent:,.0f} | {messages:.0f} |", flush=True)


def compare_processes(arguments: argparse.Namespace, folder: pathlib.Path) -> None:
    """In turns, so that what else the machine does falls on both."""
    threads = arguments.threads
    print("| data | one process | several | ratio |\n| --- | --- | --- | --- |")
    for kind, classes in (("poker", 10), ("manyclass", 300)):
        data = made(arguments.command, folder, kind, arguments.rows, classes)
        times: dict[str, list[float]] = {"one": [], "several": []}
        for _ in range(3):
            one = train(arguments.command, data, arguments.rounds, 0, threads)
            several = train(
                arguments.command,
                data,
                arguments.rounds,
                arguments.processes,
                threads // arguments.processes,
            )
            times["one"].append(one["train_seconds"])
            times["several"].append(several["train_seconds"])
        best = {name: min(values) for name, values in times.items()}
        ratio = best["several"] / best["one"]
        print(
            f"| {kind}, {arguments.rows} rows | {best['one']:.2f} s | {best['several']:.2f} s | "
            f"{ratio:.2f} |",
            flush=True,
        )


def compare_dask(arguments: argparse.Namespace, folder: pathlib.Path) -> None:

    import distributed
    import numpy as np
    import pandas as pd
    from sklearn.metrics import log_loss

    from simplexboost.dask import DaskSimplexBoostClassifier

    def estimators(client, rounds):  # type: ignore[no-untyped-def]
        found = {
            "simplexboost": lambda n: DaskSimplexBoostClassifier(
                client=client, algorithm="newton", n_estimators=n
            )
        }
        try:
            import lightgbm

            found["LightGBM"] = lambda n: lightgbm.DaskLGBMClassifier(
                client=client, n_estimators=n, n_jobs=1, verbose=-1
            )
        except ImportError:
            print("LightGBM is not installed", file=sys.stderr)
        try:
            from xgboost import dask as xgboost_dask

            def xgboost(n):  # type: ignore[no-untyped-def]
                model = xgboost_dask.DaskXGBClassifier(n_estimators=n, n_jobs=1, tree_method="hist")
                model.client = client
                return model

            found["XGBoost"] = xgboost
        except ImportError:
            print("XGBoost is not installed", file=sys.stderr)
        return found

    print(
        "| classes | library | rounds | seconds | test log loss |\n| --- | --- | --- | --- | --- |"
    )
    for classes in (30, 300):
        data = pd.read_csv(made(arguments.command, folder, "manyclass", arguments.rows, classes))
        X, y = data.iloc[:, :-1].to_numpy(np.float32), data.iloc[:, -1].astype("category").cat.codes
        cut = len(X) * 4 // 5
        test_X, test_y = X[cut:], y.to_numpy()[cut:]
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=":0"
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            import dask.array as da

            rows = client.persist(da.from_array(X[:cut], chunks=(cut // 2 + 1, -1)))
            labels = client.persist(da.from_array(y.to_numpy()[:cut], chunks=cut // 2 + 1))
            distributed.wait([rows, labels])
            for name, make in estimators(client, arguments.rounds).items():
                for rounds in (5, 10, 20, 40) if name == "simplexboost" else (10, arguments.rounds):
                    begin = time.perf_counter()
                    model = make(rounds).fit(rows, labels)
                    seconds = time.perf_counter() - begin
                    proba = model.predict_proba(da.from_array(test_X, chunks=test_X.shape))
                    proba = np.asarray(proba.compute() if hasattr(proba, "compute") else proba)
                    loss = log_loss(test_y, proba, labels=np.arange(classes))
                    print(
                        f"| {classes} | {name} | {rounds} | {seconds:.1f} | {loss:.4f} |",
                        flush=True,
                    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["bytes", "processes", "dask"])
    parser.add_argument("--command", default="build/release/simplexboost")
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--processes", type=int, default=2)
    arguments = parser.parse_args()
    work = {"bytes": count_bytes, "processes": compare_processes, "dask": compare_dask}
    with tempfile.TemporaryDirectory() as folder:
        work[arguments.what](arguments, pathlib.Path(folder))


if __name__ == "__main__":
    main()
