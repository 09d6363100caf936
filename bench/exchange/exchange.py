#!/usr/bin/env python3
"""How fast models are elsewhere, and models of others here; how large a header is.

usage: exchange.py --data DIR [--set letter] [--rounds N] [--output FILE.md]

One thread each, CPU time, the best of several runs that take turns: a busy machine does not matter much.
Where a program is not installed its rows are left out.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd

from simplexboost import SimplexBoostClassifier, from_lightgbm, from_xgboost

TURNS = 7


def read(folder, name):
    """Training and test rows; of one file every fourth row is for the test."""
    if (folder / name / "data.csv.gz").exists():
        whole = pd.read_csv(folder / name / "data.csv.gz")
        held = np.arange(len(whole)) % 4 == 3
        tables = [whole[~held], whole[held]]
    else:
        tables = [pd.read_csv(folder / name / f"{part}.csv.gz") for part in ("train", "test")]
    return [
        (np.ascontiguousarray(table.drop(columns="class"), dtype=float), table["class"].to_numpy())
        for table in tables
    ]


def seconds_of(tasks):
    """Of each task: its best time of several turns, in which all take part."""
    best = dict.fromkeys(tasks, np.inf)
    for _ in range(TURNS):
        for name, task in tasks.items():
            begin = time.process_time()
            task()
            best[name] = min(best[name], time.process_time() - begin)
    return best


def table_lines(title, columns, rows):
    lines = ["", f"## {title}", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    print("\n".join(lines), flush=True)
    return lines


def onnx_rows(model, x):
    try:
        import onnxruntime
    except ImportError:
        return []
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.to_onnx(), options)
    rows = []
    for size in (1, 100, len(x)):
        some = np.ascontiguousarray(x[:size])
        inner, table = model.model_, model._table(some)
        times = seconds_of({
            "onnx": lambda some=some: session.run(["probabilities"], {"features": some}),
            "ours": lambda inner=inner, table=table: inner.predict_proba(table, threads=1),
        })  # fmt: skip
        micro = {name: 1e6 * value / size for name, value in times.items()}
        rows.append([size, f"{micro['onnx']:.2f}", f"{micro['ours']:.2f}",
                     f"{micro['onnx'] / micro['ours']:.1f}"])  # fmt: skip
    return rows


def header_sizes(model):
    """Bytes of code and of constants of a header, compiled for size."""
    program = """#include "m.h"
    int class_of(const double* x);
    void proba_of(const double* x, double* p);
    int class_of(const double* x) { return (int)m_class(x); }
    void proba_of(const double* x, double* p) { m_proba(x, p); }
    """
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        model.to_header(path / "m.h", name="m")
        (path / "m.c").write_text(program)
        words = ["gcc", "-std=c99", "-Os", "-c", path / "m.c", "-o", path / "m.o"]
        subprocess.run(words, check=True)
        sizes = subprocess.run(
            ["size", "-A", path / "m.o"], check=True, capture_output=True, text=True
        ).stdout
    parts = {}
    for line in sizes.splitlines():
        words = line.split()
        if len(words) == 3 and words[1].isdigit():
            parts[words[0]] = parts.get(words[0], 0) + int(words[1])
    code = sum(size for name, size in parts.items() if name.startswith(".text"))
    constants = sum(size for name, size in parts.items() if name.startswith((".rodata", ".data")))
    return code, constants


def imported_rows(x, y, new, rounds):
    rows = []
    codes = np.searchsorted(np.unique(y), y)
    try:
        import lightgbm

        theirs = lightgbm.LGBMClassifier(n_estimators=rounds, verbose=-1, n_jobs=1).fit(x, codes)
        booster = theirs.booster_
        rows.append(one_import(
            "LightGBM", from_lightgbm(theirs), new, lambda: booster.predict(new, num_threads=1)
        ))  # fmt: skip
    except ImportError:
        pass
    try:
        import xgboost

        theirs = xgboost.XGBClassifier(n_estimators=rounds, n_jobs=1, tree_method="hist").fit(x, codes)
        booster = theirs.get_booster()
        rows.append(one_import(
            "XGBoost", from_xgboost(theirs), new, lambda: booster.inplace_predict(new)
        ))  # fmt: skip
    except ImportError:
        pass
    return rows


def one_import(name, ours, new, theirs):
    inner, table = ours.model_, ours._table(new)
    apart = np.abs(np.asarray(theirs()) - inner.predict_proba(table, threads=1)).max()
    times = seconds_of({
        "theirs": theirs,
        "ours": lambda: inner.predict_proba(table, threads=1),
    })  # fmt: skip
    micro = {key: 1e6 * value / len(new) for key, value in times.items()}
    return [name, f"{micro['theirs']:.2f}", f"{micro['ours']:.2f}",
            f"{micro['theirs'] / micro['ours']:.2f}", f"{apart:.1e}"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--set", default="letter")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--foreign-rounds", type=int, default=30)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    (x, y), (new, _) = read(options.data, options.set)
    model = SimplexBoostClassifier(
        algorithm="newton", n_estimators=options.rounds, n_jobs=2, random_state=0
    ).fit(x, y)
    lines = ["# Models elsewhere, and others' here", "",
             f"    {sys.argv[0]} {' '.join(sys.argv[1:])}", "",
             f"{options.set}, {len(np.unique(y))} classes, {options.rounds} rounds of newton."]  # fmt: skip
    print("\n".join(lines), flush=True)
    lines += table_lines(
        "onnxruntime", ["rows at a time", "microseconds a row, onnxruntime", "ours", "ratio"],
        onnx_rows(model, new),
    )  # fmt: skip
    rows = []
    for precision in ("float32", "bfloat16"):
        other = SimplexBoostClassifier(
            algorithm="newton", n_estimators=options.rounds, random_state=0, leaf_precision=precision
        ).fit(x, y)
        rows.append([precision, *header_sizes(other), len(other.model_.to_bytes())])
    lines += table_lines(
        "The header, gcc -Os", ["leaves", "bytes of code", "of constants", "of the model file"], rows
    )
    lines += table_lines(
        f"Imported models, {options.foreign_rounds} rounds, {len(new)} rows",
        ["from", "microseconds a row, its own", "ours", "ratio", "probabilities differ by"],
        imported_rows(x, y, new, options.foreign_rounds),
    )  # fmt: skip
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
