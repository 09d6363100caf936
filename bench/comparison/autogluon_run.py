"""AutoGluon's best quality, in an environment of its own: it wants older versions of the peers.

autogluon_run.py TRAIN TEST SECONDS THREADS writes a line of seconds, one of classes, and the
probabilities of the test rows, as CSV.
"""

import csv
import sys
import tempfile
import time

import pandas
from autogluon.tabular import TabularPredictor


def main(train, test, limit, threads):
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        predictor = TabularPredictor("class", path=folder, eval_metric="log_loss", verbosity=0)
        predictor.fit(
            pandas.read_csv(train), presets="best_quality", time_limit=float(limit),
            num_cpus=int(threads), dynamic_stacking=False,
        )  # fmt: skip
        seconds = time.perf_counter() - begun
        proba = predictor.predict_proba(pandas.read_csv(test))
    out = csv.writer(sys.stdout)
    out.writerow([seconds])
    out.writerow(proba.columns)
    out.writerows(proba.to_numpy().tolist())


if __name__ == "__main__":
    main(*sys.argv[1:])
