#!/usr/bin/env python3
"""Py-Boost and simplexboost on the same rows of a GPU: seconds of a whole fit, and log loss of other rows.

    bench/device_peer.py

Needs the package of a build with CUDA and py-boost (with cupy) on PYTHONPATH. A first fit of one tree compiles
Py-Boost's kernels.
"""

import time

import numpy as np
from py_boost import GradientBoosting, SketchBoost

from device_arrays import make_rows
from simplexboost import SimplexBoostClassifier

WORKS = ((100_000, 60, 100), (200_000, 60, 355))
COMMON = {"lr": 0.3, "max_depth": 6, "verbose": 1000, "es": 0}


def sketched(outputs):
    return lambda trees: SketchBoost(
        "crossentropy", ntrees=trees, sketch_outputs=outputs, sketch_method="proj", **COMMON
    )


PEERS = {
    "Py-Boost, sketch of 5": sketched(5),
    "Py-Boost, sketch of 1": sketched(1),
    "Py-Boost, all outputs": lambda trees: GradientBoosting("crossentropy", ntrees=trees, **COMMON),
}


def log_loss(shares, y):
    return float(-np.log(np.maximum(shares[np.arange(len(y)), y], 1e-15)).mean())


def tell(name, trees, make, predict, rows):
    X, y, X_other, y_other = rows
    begin = time.perf_counter()
    model = make(trees)
    model.fit(X, y)
    seconds = time.perf_counter() - begin
    loss = log_loss(predict(model, X_other), y_other)
    print(f"  {name}, {trees} trees: {seconds:.3f} s, log loss {loss:.4f}", flush=True)


def main():
    for size, features, classes in WORKS:
        rows = (*make_rows(size, features, classes, 2), *make_rows(50_000, features, classes, 3))
        print(f"{size} x {features}, {classes} classes")
        for trees in (1, 100):
            tell(
                "ours",
                trees,
                lambda count: SimplexBoostClassifier(n_estimators=count, max_depth=6, device="cuda"),
                lambda model, X: model.predict_proba(X),
                rows,
            )
        for name, make in PEERS.items():
            for trees in (1, 100):
                tell(name, trees, make, lambda model, X: model.predict(X), rows)


if __name__ == "__main__":
    main()
