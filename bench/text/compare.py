"""Wide sparse data: simplexboost beside LightGBM, XGBoost and scikit-learn's linear models.

    PYTHONPATH=build/release/python build/venv/bin/python bench/text/compare.py \\
        --command build/release/simplexboost --rows 100000 -o text.md

makes texts (`simplexboost generate text`) for training and a fifth as many for testing; with
`--data DIR` it takes DIR/cnae9/data.csv.gz (the class last), every fifth row for testing. Every library has
a process of its own, which reads the rows first: its memory is the peak above that. `--clock cpu`
counts seconds of the processor with one thread, for a machine that others use, too.

All are at their defaults but for the rounds and the threads, and but for ours, which is one training
(quality="fast") where plain training would be cross-fitted. Ours is also trained until its log loss on the
test rows is LightGBM's after all rounds: the fewest rounds that reach it are found first, and a training
of so many is what is timed. Test rows of a class that no training row has are left out.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import log_loss

LIBRARIES = ["lightgbm", "xgboost", "ours", "ours-fast", "logistic", "sgd"]
TITLES = {
    "lightgbm": "LightGBM", "xgboost": "XGBoost (hist)", "ours": "simplexboost, fast",
    "ours-fast": "simplexboost, fast, to LightGBM's log loss", "logistic": "logistic regression",
    "sgd": "linear, stochastic gradient",
}  # fmt: skip


def make(library, args, rounds):
    """An estimator at its defaults but for the rounds and the threads, and ours fast."""
    if library.startswith("ours"):
        from simplexboost import SimplexBoostClassifier

        return SimplexBoostClassifier(n_estimators=rounds, n_jobs=args.threads, quality="fast")
    if library == "lightgbm":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(n_estimators=rounds, n_jobs=args.threads, verbose=-1)
    if library == "xgboost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=rounds, n_jobs=args.threads, tree_method="hist")
    if library == "logistic":
        return LogisticRegression(max_iter=100)
    return SGDClassifier(loss="log_loss", n_jobs=args.threads, random_state=0)


def peak_mb():
    """The most that the process has held, since forget_peak()."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024


def forget_peak():
    """Reading the rows takes more than they do when read."""
    Path("/proc/self/clear_refs").write_text("5")


def read(path, width):
    """Rows as all libraries take them: some want indices of 32 bits."""
    X, y = load_svmlight_file(path, n_features=width, dtype=np.float32)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def fewest_rounds(estimator, X, y, target):
    """How many rounds reach a log loss; None where all of them do not."""
    for number, probabilities in enumerate(estimator.staged_predict_proba(X), 1):
        if log_loss(y, probabilities, labels=estimator.classes_) <= target:
            return number
    return None


def work(args):
    """One library in a process of its own: prints what it found as JSON."""
    width = args.features or None
    X, y = read(args.train, width)
    Xt, yt = read(args.test, X.shape[1])
    known = np.isin(yt, y)
    Xt, yt = Xt[known], yt[known]
    labels = {label: code for code, label in enumerate(np.unique(y))}
    y, yt = (np.array([labels[one] for one in some]) for some in (y, yt))
    clock = time.process_time if args.clock == "cpu" else time.perf_counter
    rounds = args.rounds
    if args.library == "ours-fast":
        rounds = fewest_rounds(make("ours", args, rounds).fit(X, y), Xt, yt, args.target)
        if rounds is None:
            print(json.dumps({"failed": "not reached"}))
            return
        # The search took memory, too: the training that counts has a process of its own.
        command = [*sys.argv, "--library", "ours", "--rounds", str(rounds)]
        told = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
        print(json.dumps({**json.loads(told.stdout), "rounds": rounds}))
        return
    forget_peak()
    before = peak_mb()
    start = clock()
    estimator = make(args.library, args, rounds).fit(X, y)
    seconds = clock() - start
    memory = peak_mb() - before
    start = clock()
    probabilities = estimator.predict_proba(Xt)
    predicting = clock() - start
    found = {
        "seconds": seconds,
        "memory_mb": memory,
        "predict_seconds": predicting,
        "log_loss": log_loss(yt, probabilities, labels=estimator.classes_),
        "error": float(np.mean(estimator.classes_[probabilities.argmax(1)] != yt)),
        "rounds": rounds,
    }
    print(json.dumps(found))


def run(library, args, train, test, target):
    command = [sys.executable, __file__, "--library", library, "--train", str(train), "--test", str(test)]
    command += ["--features", str(args.features), "--threads", str(args.threads)]
    command += ["--rounds", str(args.rounds), "--clock", args.clock, "--target", str(target)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.limit, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"more than {args.limit:.0f} s"}
    if done.returncode != 0:
        return {"failed": done.stderr.strip().splitlines()[-1:] or ["killed"]}
    return json.loads(done.stdout)


def generated(args, folder):
    files = []
    for name, rows, seed in (("train", args.rows, 1), ("test", max(args.rows // 5, 1), 1)):
        path = folder / f"{name}.libsvm"
        # The orders of topics come from the seed: both files are parts of one long set.
        count = rows if name == "train" else args.rows + rows
        command = [args.command, "generate", "text", "--rows", str(count), "--seed", str(seed)]
        command += ["--features", str(args.features), "--topics", str(args.topics)]
        subprocess.run([*command, "--quiet", "-o", str(path)], check=True)
        if name == "test":
            lines = path.read_text().splitlines(keepends=True)[args.rows :]
            path.write_text("".join(lines))
        files.append(path)
    return files


def cnae9(args, folder):
    table = np.genfromtxt(Path(args.data) / "cnae9" / "data.csv.gz", delimiter=",", skip_header=1)
    X, label = sparse.csr_matrix(table[:, :-1]), table[:, -1].astype(int)
    testing = np.arange(len(label)) % 5 == 4
    files = []
    for name, rows in (("train", ~testing), ("test", testing)):
        path = folder / f"{name}.libsvm"
        dump_svmlight_file(X[rows], label[rows], str(path), zero_based=False)
        files.append(path)
    args.features = X.shape[1]
    return files


def table(results, args):
    unit = "processor s" if args.clock == "cpu" else "s"
    lines = [
        f"| | rounds | training, {unit} | memory, MB | log loss | error, % | predicting, {unit} |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for library, found in results.items():
        if "failed" in found:
            lines.append(f"| {TITLES[library]} | {found['failed']} | | | | | |")
            continue
        rounds = found["rounds"] if library not in ("logistic", "sgd") else ""
        lines.append(
            f"| {TITLES[library]} | {rounds} | {found['seconds']:.2f} | {found['memory_mb']:.0f} "
            f"| {found['log_loss']:.4f} | {100 * found['error']:.2f} | {found['predict_seconds']:.2f} |"
        )
    return "\n".join(lines)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--command", default="simplexboost", help="the command, for generate")
    parser.add_argument("--data", help="a folder with cnae9/data.csv.gz, to take that and no texts")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=50_000)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--limit", type=float, default=3600, help="seconds to a library")
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("-o", "--output", help="a file for the table, beside standard output")
    for hidden in ("--library", "--train", "--test"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--target", type=float, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    args = arguments()
    if args.library:
        return work(args)
    results = {}
    with tempfile.TemporaryDirectory() as name:
        train, test = (cnae9 if args.data else generated)(args, Path(name))
        for library in args.libraries.split(","):
            target = results.get("lightgbm", {}).get("log_loss", 0)
            results[library] = run(library, args, train, test, target)
            print(TITLES[library], results[library], file=sys.stderr, flush=True)
    text = table(results, args)
    print(text)
    if args.output:
        Path(args.output).write_text(text + "\n")


if __name__ == "__main__":
    main()
