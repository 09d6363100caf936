"""Every algorithm, and every way to keep rows or to train several models, gives the same model, byte
for byte, with any number of threads, at every instruction level of this machine, and with the bins in
memory or on disk."""

import dataclasses
import hashlib
import itertools
import random
import shutil
import subprocess
import tempfile

from sandbox import Stage, Tally, results_of

THREADS = (1, 2, 3, 7, 16)
LEVELS = ("v1", "v3", "v4")
ON_DISK = [(1, "v1", True), (7, "v4", True)]
GENERATED = {
    "gaussian": "gaussian3 --rows 300",
    "waveform": "waveform --rows 900",
    "many": "manyclass --classes 11 --features 9 --rows 1500",
    "text": "text --rows 700 --topics 6 --features 3000",
    "names": "names --rows 900 --values 300",
}
SHORT = ("--rounds", "8", "--valid-fraction", "0.2")
OTHERS = [
    ("waveform.csv", "--quality default --folds 2"),
    ("gaussian.csv", "--quality best --folds 2"),
    ("gaussian.csv", "--quality best --folds 2 --distil"),
    ("waveform.csv", "--algorithm logitboost --learner linear --linear-features 4 --rounds 8"),
    ("image.csv", "--algorithm adaboost-mh --learner hamming-product --image 6x6 --rounds 8"),
    ("many.csv", "--algorithm gd-mcboost --codewords random-sparse --rounds 8"),
    ("many.csv", "--leaves 9 --sketch 3 --rounds 8"),
    ("many.csv", "--thresholds drawn --split-noise 1 --bootstrap bayesian --rounds 8"),
    ("many.csv", "--row-fraction 0.6 --feature-fraction 0.6 --node-features 3 --rounds 8"),
    ("many.csv", "--algorithm samme --resample weights --rounds 8"),
    ("waveform.csv", "--max-bins 1000 --rounds 8"),
    ("labels.libsvm", "--rounds 8"),
    ("labels.libsvm", "--quality default --folds 2"),
]
FITTED = ("newton", "gd-mcboost", "adaboost-mh", "samme", "logitboost", "forest")


@dataclasses.dataclass(frozen=True)
class Work:
    data: str
    words: tuple

    def __str__(self):
        return f"{self.data} {' '.join(self.words)}"


def write_table(path, draw, rows, classes, features):
    """A CSV file; `features` gives the values of a row of this class."""
    with open(path, "w", encoding="utf-8") as file:
        names = [f"x{i}" for i in range(len(features(draw, 0)))]
        print(*names, "class", sep=",", file=file)
        for row in range(rows):
            print(*features(draw, row % classes), f"k{row % classes}", sep=",", file=file)


def few_values(draw, label):
    """Features of two to seven values, which share bytes."""
    return [(label + draw.randrange(3)) % (2 + i % 6) for i in range(12)]


def exclusive(draw, label):
    """Columns that tell categories apart: one of twelve is 1, twice, so that each is sparse."""
    ones = {3 * label + draw.randrange(3), 12 + draw.randrange(12)}
    return [int(i in ones) for i in range(24)]


def image(draw, label):
    """Six lines of six pixels, a bright square at a place for each class."""
    return [draw.randrange(256) if i // 12 == label and i % 6 < 3 else draw.randrange(60)
            for i in range(36)]


def write_labels(path, draw, rows):
    """A LIBSVM file of rows with one to three of five labels."""
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(rows):
            labels = sorted(draw.sample(range(5), 1 + draw.randrange(3)))
            values = [f"{i + 1}:{draw.gauss(i % 5 in labels, 0.7):.4f}" for i in range(10)
                      if draw.random() < 0.6]
            print(",".join(f"l{label}" for label in labels), *values, file=file)


def make_data(stage):
    for name, words in GENERATED.items():
        subprocess.run([str(stage.tools.command), "generate", *words.split(), "-o", f"{name}.libsvm"
                        if name == "text" else f"{name}.csv", "--quiet"], cwd=stage.folder,
                       check=True, env=stage.tools.environment())
    draw = random.Random(5)
    write_table(stage.folder / "few.csv", draw, 14000, 5, few_values)
    write_table(stage.folder / "exclusive.csv", draw, 14000, 4, exclusive)
    write_table(stage.folder / "image.csv", draw, 600, 3, image)
    write_labels(stage.folder / "labels.libsvm", draw, 600)


def algorithms(tools):
    listing = subprocess.run([str(tools.command), "algorithms"], check=True, text=True,
                             capture_output=True, env=tools.environment()).stdout
    rows = listing.split("\n\n")[0].splitlines()[1:]
    return [row.split()[0] for row in rows]


def works_of(names):
    """All that is trained, each in many ways."""
    works = [Work(data, ("--algorithm", name, *SHORT))
             for name in names for data in ("waveform.csv", "many.csv")]
    works += [Work(data, ("--algorithm", name, *SHORT, *words)) for name in FITTED
              for data, *words in (("text.libsvm",), ("names.csv",), ("few.csv",),
                                   ("exclusive.csv",), ("image.csv", "--image", "6x6"))]
    works += [Work(data, tuple(words.split())) for data, words in OTHERS]
    return works


def points_of(works, step):
    """(work, threads, level, on disk): for each work the first way and every step-th of the others,
    of which each work begins with another."""
    first, *others = [*itertools.product(THREADS, LEVELS, (False,)), *ON_DISK]
    points = []
    for number, work in enumerate(works):
        ways = [first, *others[number % min(step, len(others)) :: step]]
        points += [(work, *way) for way in ways]
    return points


def model_of(command, stage, work, words, environment):
    """The SHA-256 of the model file, or the command's error."""
    folder = tempfile.mkdtemp(dir=stage.folder)
    done = subprocess.run(
        [str(command), "train", f"../{work.data}", "-m", "m.sb", *work.words, "--seed", "3",
         "--quiet", *words],
        cwd=folder, check=False, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        return done.stderr.strip()
    with open(f"{folder}/m.sb", "rb") as model:
        digest = hashlib.sha256(model.read()).hexdigest()
    shutil.rmtree(folder)
    return digest


def run(tools, options):
    tally = Tally()
    with Stage(tools) as stage:
        make_data(stage)

        def train(point):
            work, threads, level, on_disk = point
            words = ["--bins-on-disk", "--bins-folder", "."] if on_disk else []
            return model_of(tools.command, stage, work, ["--threads", str(threads), *words],
                            tools.environment(SIMPLEXBOOST_ISA=level))

        works = [work for work in works_of(algorithms(tools)) if options.only in str(work)]
        points = points_of(works, options.step)
        digests = {}
        for (work, *way), digest in zip(points, results_of(options, train, points)):
            same = digests.setdefault(work, digest) == digest and len(digest) == 64
            threads, level, on_disk = way
            tally.add(None if same else f"{work}, {threads} threads, {level}"
                                        f"{', bins on disk' if on_disk else ''}: {digest}, "
                                        f"before: {digests[work]}")
    return tally
