"""What the package does with each of its extras (pyproject.toml), where the extra is installed:

extras-use.py frames,plot
"""

import pathlib
import sys
import tempfile

import numpy as np
from sklearn.datasets import load_iris

import simplexboost
from simplexboost import SimplexBoostClassifier

X, y = load_iris(return_X_y=True)


def fitted(rows=X, labels=y, **arguments):
    """A small model, which must know most of what it was told."""
    clf = SimplexBoostClassifier(n_estimators=10, **arguments).fit(rows, labels)
    assert clf.score(rows, labels) > 0.9
    return clf


def frames():
    import pandas
    import polars
    import pyarrow

    names = ["a", "b", "c", "d"]
    for table in (
        pandas.DataFrame(X, columns=names),
        polars.DataFrame(X, schema=names),
        pyarrow.table(list(X.T), names=names),
    ):
        assert list(fitted(table).feature_names_in_) == names


def plot():
    import matplotlib

    matplotlib.use("agg")
    from simplexboost import plot as pictures

    axes = pictures.importance(fitted())
    with tempfile.TemporaryDirectory() as folder:
        axes.figure.savefig(pathlib.Path(folder) / "importance.png")


def progress():
    import tqdm

    assert tqdm.__version__
    fitted(verbose=1)


def dask():
    import distributed
    from dask import array

    from simplexboost.dask import DaskSimplexBoostClassifier

    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        rows, labels = (array.from_array(one, chunks=(75, *one.shape[1:])) for one in (X, y))
        clf = DaskSimplexBoostClassifier(n_estimators=10, client=client).fit(rows, labels)
    assert clf.model_.to_bytes() == fitted().model_.to_bytes()


def optuna():
    import optuna

    optuna.logging.disable_default_handler()

    def objective(trial):
        clf = SimplexBoostClassifier(
            n_estimators=5, learning_rate=trial.suggest_float("learning_rate", 0.1, 1.0)
        )
        pruning = simplexboost.OptunaPruning(trial)
        clf.fit(X[::2], y[::2], eval_set=[(X[1::2], y[1::2])], callbacks=[pruning])
        return 1 - clf.score(X[1::2], y[1::2])

    study = optuna.create_study()
    study.optimize(objective, n_trials=2)
    assert study.best_value < 0.1


def skops():
    import skops.io

    clf = fitted()
    kept = skops.io.dumps(clf)
    again = skops.io.loads(kept, trusted=skops.io.get_untrusted_types(data=kept))
    assert np.array_equal(again.predict_proba(X), clf.predict_proba(X))


USES = {use.__name__: use for use in (frames, plot, progress, dask, optuna, skops)}

if __name__ == "__main__":
    wanted = sys.argv[1].split(",")
    for name in USES if wanted == ["all"] else wanted:
        USES[name]()
        print(f"{name}: works", flush=True)
