"""Every algorithm gives the same model, byte for byte, with any number of threads and at every
instruction level of this machine."""

import hashlib
import itertools
import shutil
import subprocess
import tempfile

from sandbox import Stage, Tally, results_of

THREADS = (1, 2, 3, 7, 16)
LEVELS = ("v1", "v3", "v4")
SETS = {
    "waveform": "waveform --rows 900",
    "many": "manyclass --classes 11 --features 9 --rows 1500",
}


def algorithms(tools):
    listing = subprocess.run([str(tools.command), "algorithms"], check=True, text=True,
                             capture_output=True, env=tools.environment()).stdout
    rows = listing.split("\n\n")[0].splitlines()[1:]
    return [row.split()[0] for row in rows]


def points_of(names, step):
    """(work, threads, level): for each work the first way and every step-th of the others, of which
    each work begins with another."""
    first, *others = itertools.product(THREADS, LEVELS)
    points = []
    for number, work in enumerate(itertools.product(names, SETS)):
        ways = [first, *others[number % min(step, len(others)) :: step]]
        points += [(work, *way) for way in ways]
    return points


def run(tools, options):
    tally = Tally()
    with Stage(tools) as stage:
        for name, words in SETS.items():
            subprocess.run([str(tools.command), "generate", *words.split(), "-o", f"{name}.csv",
                            "--quiet"], cwd=stage.folder, check=True, env=tools.environment())

        def train(point):
            (algorithm, data), threads, level = point
            folder = tempfile.mkdtemp(dir=stage.folder)
            done = subprocess.run(
                [str(tools.command), "train", f"../{data}.csv", "-m", "m.sb", "--algorithm",
                 algorithm, "--rounds", "8", "--threads", str(threads), "--seed", "3", "--quiet",
                 "--valid-fraction", "0.2"],
                cwd=folder, check=False, capture_output=True, text=True,
                env=tools.environment(SIMPLEXBOOST_ISA=level))
            if done.returncode != 0:
                return done.stderr.strip()
            with open(f"{folder}/m.sb", "rb") as model:
                digest = hashlib.sha256(model.read()).hexdigest()
            shutil.rmtree(folder)
            return digest

        names = [name for name in algorithms(tools) if options.only in name]
        points = points_of(names, options.step)
        digests = {}
        for (work, threads, level), digest in zip(points, results_of(options, train, points)):
            same = digests.setdefault(work, digest) == digest and len(digest) == 64
            tally.add(None if same else f"{work}, {threads} threads, {level}: {digest}, "
                                        f"before: {digests[work]}")
    return tally
