"""Runs of bench/quality: every program on every set and fold, and the tables of what came of it."""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy

from comparison import ranks, sets
from comparison.journal import Journal, OutOfBudget, Runner
from comparison.main import NOT_FINISHED, ROOT, names, say
from comparison.metrics import LEAST_PROBABILITY

OURS = {
    "ours": [],
    "ours-forest": ["--algorithm", "forest", "--rounds", "500"],
    "ours-default": ["--quality", "default"],
    "ours-best": ["--quality", "best"],
}
PEERS = [
    "lightgbm", "xgboost", "xgboost-vector", "catboost", "sklearn", "random-forest", "extra-trees",
    "autogluon",
]  # fmt: skip
USUAL = [name for name in [*OURS, *PEERS] if name != "autogluon"]
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

    def __init__(self, folder, header, train, test, noise):
        labels = [row[-1] for row in train]
        if noise > 0:
            labels = noisy(labels, noise, numpy.random.default_rng(SEED))
            train = [[*row[:-1], label] for row, label in zip(train, labels)]
        known = set(labels)
        test = [row for row in test if row[-1] in known]
        self.folder = folder
        arrays, self.categorical = sets.encode([*train, *test])
        sets.write_part(folder, "train", header, [*train, *test], arrays, range(len(train)))
        everything = range(len(train), len(train) + len(test))
        sets.write_part(folder, "test", header, [*train, *test], arrays, everything)
        self.classes = sorted(known)

    def arrays(self, part):
        loaded = numpy.load(self.folder / f"{part}.npz")
        return loaded["x"], loaded["y"]


def splits(name, data, folds, most_folds):
    """Makers of the set's splits: its own test rows, or outer folds."""
    if (data / name / "test.csv.gz").exists():
        header, train = sets.read_table(data / name / "train.csv.gz")
        test = sets.read_table(data / name / "test.csv.gz")[1]
        yield 0, (header, train, test)
        return
    whole = data / name / "data.csv.gz"
    header, rows = sets.read_table(whole if whole.exists() else data / name / "train.csv.gz")
    fold = stratified_folds([row[-1] for row in rows], folds, numpy.random.default_rng(SEED))
    for number in range(min(folds, most_folds)):
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
            [arguments.command, "train", split.folder / "train.csv", "-m", model, "--json",
             "--threads", str(arguments.threads), "--label", "class", *options, *arguments.extra],
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
        "train_seconds": summary["train_seconds"], "members": summary.get("members"),
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
    import pandas
    from autogluon.tabular import TabularPredictor

    with tempfile.TemporaryDirectory() as folder:
        train = pandas.read_csv(split.folder / "train.csv")
        test = pandas.read_csv(split.folder / "test.csv")
        begun = time.perf_counter()
        predictor = TabularPredictor("class", path=folder, eval_metric="log_loss", verbosity=0).fit(
            train, presets="best_quality", time_limit=arguments.autogluon_seconds,
            num_cpus=arguments.threads,
        )  # fmt: skip
        seconds = time.perf_counter() - begun
        proba = predictor.predict_proba(test)
    place = {str(label): i for i, label in enumerate(proba.columns)}
    columns = [place[label] for label in split.classes]
    return judged(proba.to_numpy()[:, columns], split.arrays("test")[1], seconds)


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


def run_one(name, split, arguments):
    try:
        if name in OURS:
            return run_ours(split, OURS[name], arguments)
        return run_peer(name, split, arguments)
    except (subprocess.CalledProcessError, ValueError, MemoryError, ImportError) as error:
        text = getattr(error, "stderr", None) or str(error)
        return {"failed": text.strip().splitlines()[-1] if text.strip() else repr(error)}


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of the data sets")
    add("--sets", default="", help="which; all that are there by default")
    add("--programs", default=",".join(USUAL), help="some of %(default)s,autogluon")
    add("--folds", type=int, default=5, help="outer folds of sets without test rows")
    add("--most-folds", type=int, default=5, help="judge only so many of them")
    add("--noise", type=float, default=0, help="make this share of the training labels wrong")
    add("--threads", type=int, default=2)
    add("--autogluon-seconds", type=float, default=300)
    add("--budget", type=float, help="begin no run after so many seconds (exit status 3)")
    add("--command", type=Path, default=ROOT / "build/bench/simplexboost")
    add("--work", type=Path, default=ROOT / "build/quality", help="for the journal of runs")
    add("--name", default="quality", help="of the journal and the tables")
    add("--again", default="", help="run these programs anew")
    add("--extra", default="", help="options for ours, as one word: '--l2 0.1'")
    add("--output", "-o", type=Path, default=ROOT / "bench/results")
    arguments = parser.parse_args(words)
    arguments.programs = names(arguments.programs, [*OURS, *PEERS], "program", parser)
    arguments.extra = arguments.extra.split()
    if not arguments.sets:
        arguments.sets = ",".join(sorted({path.parent.name for path in sets.files(arguments.data)}))
    arguments.sets = names(arguments.sets, None, "set", parser)
    return arguments


def run_set(name, arguments, once):
    wanted = [
        (number, program)
        for number in range(arguments.folds)
        for program in arguments.programs
        if (name, program, number) not in once.journal
    ]
    if not wanted:
        return
    for number, rows in splits(name, arguments.data, arguments.folds, arguments.most_folds):
        programs = [p for p in arguments.programs if (name, p, number) not in once.journal]
        if not programs:
            continue
        with tempfile.TemporaryDirectory() as folder:
            split = Split(Path(folder), *rows, arguments.noise)
            for program in programs:
                once((name, program, number), partial(run_one, program, split, arguments))


def main(words=None):
    arguments = parse(words)
    journal = Journal(arguments.work / f"{arguments.name}.jsonl")
    if arguments.again:
        again = arguments.again.split(",")
        journal.forget(lambda key: key[0] in arguments.sets and key[1] in again)
    once = Runner(journal, arguments.budget, say)
    finished = True
    try:
        for name in arguments.sets:
            run_set(name, arguments, once)
    except OutOfBudget:
        finished = False
        say("not finished: the same command goes on from here")
    ranks.write(journal, arguments)
    return 0 if finished else NOT_FINISHED


if __name__ == "__main__":
    sys.exit(main())
