"""Every algorithm gives the same model, byte for byte, with any number of threads and at every
instruction level of this machine."""

import hashlib
import itertools
import shutil
import subprocess
import tempfile

from sandbox import Stage, Tally, in_parallel

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


def run(tools, options):
    tally = Tally()
    with Stage(tools) as stage:
        for name, words in SETS.items():
            subprocess.run([str(tools.command), "generate", *words.split(), "-o", f"{name}.csv",
                            "--quiet"], cwd=stage.folder, check=True, env=tools.environment())
        hashes = {}

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
                return f"{algorithm} on {data}: {done.stderr.strip()}"
            with open(f"{folder}/m.sb", "rb") as model:
                digest = hashlib.sha256(model.read()).hexdigest()
            shutil.rmtree(folder)
            # Threads of this program take turns here: the first to come sets the measure.
            if hashes.setdefault((algorithm, data), digest) != digest:
                return f"{algorithm} on {data}: other bytes with {threads} threads at {level}"
            return None

        names = [name for name in algorithms(tools) if options.only in name]
        points = list(itertools.product(itertools.product(names, SETS), THREADS, LEVELS))
        in_parallel(options, tally, train, points[:: options.step])
    return tally
