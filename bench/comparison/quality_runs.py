"""One run of bench/quality: a program trained on a split, and how well it predicts the test rows."""

import csv
import json
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy

from comparison import search, sets
from comparison.metrics import LEAST_PROBABILITY
from comparison.program_names import OURS

SEED = 1


def stratified_folds(labels, count, generator):
    """The fold of each row: the rows of a class, shuffled, are dealt out one by one."""
    fold = numpy.empty(len(labels), int)
    order = generator.permutation(len(labels))
    order = order[numpy.argsort(numpy.asarray(labels)[order], kind="stable")]
    fold[order] = numpy.arange(len(labels)) % count
    return fold


def noisy(labels, share, generator):
    """So large a share of the labels made wrong, evenly over the other classes."""
    known = sorted(set(labels))
    wrong = generator.random(len(labels)) < share
    return [
        known[(known.index(label) + 1 + generator.integers(len(known) - 1)) % len(known)]
        if change
        else label
        for label, change in zip(labels, wrong)
    ]


class Split:
    """Training and test rows as files: train.csv, test.csv and arrays of both."""

    def __init__(self, folder):
        self.folder = folder
        shape = json.loads((folder / "set.json").read_text())
        self.classes, self.categorical = shape["classes"], shape["categorical"]

    @staticmethod
    def write(folder, header, train, test, noise):
        labels = [row[-1] for row in train]
        if noise > 0:
            labels = noisy(labels, noise, numpy.random.default_rng(SEED))
            train = [[*row[:-1], label] for row, label in zip(train, labels)]
        known = set(labels)
        test = [row for row in test if row[-1] in known]
        arrays, categorical = sets.encode([*train, *test])
        sets.write_part(folder, "train", header, [*train, *test], arrays, range(len(train)))
        everything = range(len(train), len(train) + len(test))
        sets.write_part(folder, "test", header, [*train, *test], arrays, everything)
        shape = {"classes": sorted(known), "categorical": categorical}
        (folder / "set.json").write_text(json.dumps(shape))

    def arrays(self, part):
        loaded = numpy.load(self.folder / f"{part}.npz")
        return loaded["x"], loaded["y"]


def count_splits(name, arguments):
    """How many of a set's splits are judged: one with its own test rows, else outer folds."""
    if (arguments.data / name / "test.csv.gz").exists():
        return 1
    return min(arguments.folds, arguments.most_folds)


def make_splits(name, folder, data, folds, count, noise):
    """The first splits of a set as folders 0, 1, ... in `folder`."""
    for number, rows in splits(name, data, folds):
        if number >= count or (folder / str(number) / "set.json").exists():
            continue
        (folder / str(number)).mkdir(parents=True, exist_ok=True)
        Split.write(folder / str(number), *rows, noise)
    return {}


def splits(name, data, folds):
    """The rows of the set's splits: its own test rows, or outer folds."""
    if (data / name / "test.csv.gz").exists():
        header, train = sets.read_table(data / name / "train.csv.gz")
        test = sets.read_table(data / name / "test.csv.gz")[1]
        yield 0, (header, train, test)
        return
    whole = data / name / "data.csv.gz"
    header, rows = sets.read_table(whole if whole.exists() else data / name / "train.csv.gz")
    fold = stratified_folds([row[-1] for row in rows], folds, numpy.random.default_rng(SEED))
    for number in range(folds):
        train = [row for row, f in zip(rows, fold) if f != number]
        test = [row for row, f in zip(rows, fold) if f == number]
        yield number, (header, train, test)


def judged(proba, truth, seconds):
    own = proba[numpy.arange(len(truth)), truth]
    return {
        "error": float((proba.argmax(axis=1) != truth).mean()),
        "log_loss": float(-numpy.log(numpy.maximum(own, LEAST_PROBABILITY)).mean()),
        "seconds": seconds,
    }


def run_ours(split, options, arguments):
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.sb"
        begun = time.perf_counter()
        done = subprocess.run(
            [arguments.command, options[0], split.folder / "train.csv", "-m", model, "--json",
             "--threads", str(arguments.threads), "--label", "class", *options[1:],
             *arguments.extra],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        seconds = time.perf_counter() - begun
        said = subprocess.run(
            [arguments.command, "predict", model, split.folder / "test.csv", "--proba"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        size = model.stat().st_size
    header, *lines = csv.reader(said.stdout.splitlines())
    # Columns of probabilities are named after the classes.
    place = {name.removeprefix("proba_").removeprefix("p_"): i for i, name in enumerate(header)}
    columns = [place[label] for label in split.classes]
    proba = numpy.array([[float(line[i]) for i in columns] for line in lines])
    result = judged(proba, split.arrays("test")[1], seconds)
    summary = json.loads(done.stdout)
    return result | {
        "model_bytes": size, "estimate": summary.get("estimate") and {
            key: summary["estimate"][key] for key in ("error", "log_loss")
        },
        "train_seconds": summary.get("train_seconds"), "members": summary.get("members"),
    }  # fmt: skip


def make_peer(name, classes, threads):
    if name == "lightgbm":
        import lightgbm

        return lightgbm.LGBMClassifier(n_jobs=threads, random_state=SEED, verbose=-1)
    if name in ("xgboost", "xgboost-vector"):
        import xgboost

        strategy = "multi_output_tree" if name.endswith("vector") else "one_output_per_tree"
        return xgboost.XGBClassifier(
            n_jobs=threads, random_state=SEED, multi_strategy=strategy, enable_categorical=True,
            tree_method="hist", objective="multi:softprob", num_class=classes,
        )  # fmt: skip
    if name == "catboost":
        import catboost

        return catboost.CatBoostClassifier(
            thread_count=threads, random_seed=SEED, verbose=False, allow_writing_files=False,
            loss_function="MultiClass",
        )  # fmt: skip
    from sklearn import ensemble

    if name == "sklearn":
        return ensemble.HistGradientBoostingClassifier(
            random_state=SEED, categorical_features="from_dtype"
        )
    kind = {
        "random-forest": ensemble.RandomForestClassifier,
        "extra-trees": ensemble.ExtraTreesClassifier,
    }[name]
    return kind(500, n_jobs=threads, random_state=SEED)


def peer_table(name, values, categorical):
    """Categories as each peer takes them; forests and vector trees take codes for numbers."""
    if not categorical or name in ("random-forest", "extra-trees", "xgboost-vector"):
        return numpy.nan_to_num(values, nan=-1e9) if name.endswith(("forest", "trees")) else values
    import pandas

    frame = pandas.DataFrame(values)
    for column in categorical:
        codes = values[:, column].astype(int)
        frame[column] = codes.astype(str) if name == "catboost" else pandas.Categorical(codes)
    return frame


def run_autogluon(split, arguments):
    """In an environment of its own (build/autogluon)."""
    python = arguments.autogluon / "bin" / "python"
    if not python.exists():
        return {"failed": f"no AutoGluon in {arguments.autogluon}: say --make-env"}
    done = subprocess.run(
        [python, Path(__file__).with_name("autogluon_run.py"), split.folder / "train.csv",
         split.folder / "test.csv", str(arguments.autogluon_seconds), str(arguments.threads)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    (seconds,), classes, *lines = csv.reader(done.stdout.splitlines())
    place = {label: i for i, label in enumerate(classes)}
    proba = numpy.array(lines, float)[:, [place[label] for label in split.classes]]
    return judged(proba, split.arrays("test")[1], float(seconds))


def run_tuned(name, split, arguments, seconds):
    """The best of the trials that `seconds` allow, trained once more on all rows."""
    x, y = split.arrays("train")
    test_x, test_y = split.arrays("test")
    table, test = (peer_table(name, values, split.categorical) for values in (x, test_x))
    options = {"cat_features": split.categorical} if name == "catboost" else {}
    begun = time.perf_counter()
    make = partial(make_peer, name, len(split.classes), arguments.threads)
    model, trials = search.search(name, make, table, y, options, seconds)
    spent = time.perf_counter() - begun
    proba = numpy.asarray(model.predict_proba(test))
    return judged(proba, test_y, spent) | {"trials": trials}


def run_peer(name, split, arguments):
    if name == "autogluon":
        return run_autogluon(split, arguments)
    x, y = split.arrays("train")
    test_x, test_y = split.arrays("test")
    model = make_peer(name, len(split.classes), arguments.threads)
    options = {"cat_features": split.categorical} if name == "catboost" else {}
    begun = time.perf_counter()
    model.fit(peer_table(name, x, split.categorical), y, **options)
    seconds = time.perf_counter() - begun
    proba = numpy.asarray(model.predict_proba(peer_table(name, test_x, split.categorical)))
    return judged(proba, test_y, seconds)


def run_one(name, folder, arguments, seconds):
    """`seconds`: for those that are tuned."""
    split = Split(folder)
    try:
        if name in OURS:
            options = [word.format(seconds=f"{seconds or 0:.1f}") for word in OURS[name]]
            return run_ours(split, options, arguments)
        if name.endswith("-tuned"):
            return run_tuned(name.removesuffix("-tuned"), split, arguments, seconds)
        return run_peer(name, split, arguments)
    except Exception as error:  # whatever a peer does must not end the comparison
        text = getattr(error, "stderr", None) or str(error)
        return {"failed": text.strip().splitlines()[-1] if text.strip() else repr(error)}
