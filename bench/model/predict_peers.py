"""Rows per second of LightGBM's prediction, the peer of predict_bench.cpp.

Needs lightgbm and numpy. A model of the size that `letter` takes: 26 classes, 16 features, 100
rounds of 26 trees with 31 leaves. CPU time is given beside wall time, for a busy machine.
"""

import time

import lightgbm
import numpy

CLASSES, FEATURES, ROUNDS, LEAVES = 26, 16, 100, 31


def clusters(rows, seed):
    """Three Gaussian clusters for each class, rounded as letter's features are."""
    random = numpy.random.default_rng(seed)
    centres = numpy.random.default_rng(0).uniform(2, 13, (CLASSES, 3, FEATURES))
    labels = random.integers(CLASSES, size=rows)
    points = centres[labels, random.integers(3, size=rows)]
    return numpy.round(points + random.normal(0, 2.5, points.shape)), labels


def main():
    train, labels = clusters(16000, 1)
    test, test_labels = clusters(20000, 2)
    booster = lightgbm.train(
        {"objective": "multiclass", "num_class": CLASSES, "num_leaves": LEAVES, "verbose": -1,
         "num_threads": 2},
        lightgbm.Dataset(train, labels),
        num_boost_round=ROUNDS,
    )
    error = numpy.mean(booster.predict(test).argmax(axis=1) != test_labels)
    print(f"LightGBM {lightgbm.__version__}: {booster.num_trees()} trees, test error {error:.4f}")
    for threads in 1, 2:
        runs = []
        for _ in range(5):
            wall, cpu = time.perf_counter(), time.process_time()
            booster.predict(test, raw_score=True, num_threads=threads)
            runs.append((time.perf_counter() - wall, time.process_time() - cpu))
        wall, cpu = (sorted(column)[2] for column in zip(*runs))
        print(f"threads {threads}: {len(test) / wall:,.0f} rows/s, "
              f"{cpu / len(test) * 1e6:.2f} us of CPU a row")


if __name__ == "__main__":
    main()
