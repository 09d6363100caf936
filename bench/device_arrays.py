#!/usr/bin/env python3
"""Arrays that are in the memory of a GPU beside the same of numpy: seconds to fit and to predict.

    bench/device_arrays.py [--rows N] [--features N] [--classes N] [--rounds N] [--device cuda] [--runs N]

Needs the package of a build with CUDA on PYTHONPATH, cupy and torch. A fit of one round is binning and little else.
Medians; the bytes of all models are compared, and all predictions.
"""

import argparse
import statistics
import time

import numpy as np

from simplexboost import SimplexBoostClassifier


def make_rows(rows, features, classes, seed):
    """Rows around two centres for each class in a third of the features, as train_on_device makes them."""
    telling = max(features // 3, 1)
    centres = np.random.default_rng(1).normal(size=(2 * classes, telling)).astype(np.float32)
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, features), dtype=np.float32)
    of = random.integers(0, 2 * classes, rows)
    X[:, :telling] += centres[of]
    return X, (of % classes).astype(np.int32)


def median(runs, call):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("rows", 1_000_000), ("features", 50), ("classes", 10), ("rounds", 50), ("runs", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    import cupy
    import torch

    X, y = make_rows(options.rows, options.features, options.classes, 2)
    there = cupy.asarray(X)
    kinds = {"numpy": X, "cupy": there, "torch": torch.as_tensor(there), "cupy, columns": cupy.asfortranarray(there)}
    cupy.cuda.Device().synchronize()
    print(f"{options.rows} x {options.features}, {options.classes} classes on {options.device}")
    wanted = None
    for name, rows in kinds.items():
        def fit(rounds, rows=rows):
            return SimplexBoostClassifier(n_estimators=rounds, max_depth=6, device=options.device).fit(rows, y)

        fit(1)
        one, _ = median(options.runs, lambda: fit(1))
        all_rounds, model = median(options.runs, lambda: fit(options.rounds))
        model.predict_proba(rows)
        def predict(model=model, rows=rows):
            found = model.predict_proba(rows)
            torch.cuda.synchronize()
            return found

        told, shares = median(options.runs, predict)
        shares = shares if isinstance(shares, np.ndarray) else torch.as_tensor(shares).cpu().numpy()
        got = model.model_.to_bytes(), shares.tobytes()
        wanted = wanted or got
        print(
            f"  {name:<14} one round {one:.3f} s, {options.rounds} rounds {all_rounds:.3f} s, "
            f"predict_proba {told:.4f} s, {'the same bytes' if got == wanted else 'OTHER BYTES'}",
            flush=True,
        )


if __name__ == "__main__":
    main()
