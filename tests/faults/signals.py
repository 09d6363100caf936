"""SIGINT and SIGTERM at random times: the command ends within two seconds, with a model that can be
used or a word about it."""

import random
import shutil
import signal
import subprocess
import time

from sandbox import Command, Stage, Tally, in_parallel

THREADS = ["--threads", "2"]  # of each: several run at a time
TRAIN = ["train", "many.csv", "-m", "out.sb", "--rounds", "100000", "--quiet"]
WORK = [
    Command("newton", TRAIN),
    Command("valid", [*TRAIN, "--valid-fraction", "0.2", "--early-stopping", "0"]),
    Command("deep", [*TRAIN, "--depth", "12"]),
    Command("stump", [*TRAIN, "--algorithm", "cd-mcboost"]),
    Command("hamming-tree", [*TRAIN, "--algorithm", "adaboost-mh"]),
    Command("hamming-product", [*TRAIN, "--algorithm", "adaboost-mh", "--learner",
                                "hamming-product"]),
    Command("linear", [*TRAIN, "--algorithm", "logitboost", "--learner", "linear",
                       "--linear-features", "20"]),
    Command("pair-tree", [*TRAIN, "--algorithm", "aoso-logitboost"]),
    Command("one-vs-all", [*TRAIN, "--algorithm", "one-vs-all"]),
    Command("abc", [*TRAIN, "--algorithm", "abc-logitboost"]),
    Command("samme", [*TRAIN, "--algorithm", "samme"]),
    Command("adaboost-mm", [*TRAIN, "--algorithm", "adaboost-mm"]),
    Command("dmcboost", [*TRAIN, "--algorithm", "dmcboost"]),
    Command("dmcboost-exact", ["train", "balance.csv", "-m", "out.sb", "--algorithm", "dmcboost",
                               "--tree-search", "exact", "--depth", "6", "--rounds", "100000",
                               "--quiet"]),
    Command("codewords", ["codewords", "--classes", "400", "--dimension", "60", "-o", "out.csv"]),
    Command("codewords-file", ["codewords", "--classes", "100000", "-o", "out.csv"]),
    Command("load", ["train", "large.csv", "-m", "out.sb", "--rounds", "3", "--quiet"]),
    Command("load-gzip", ["train", "large.csv.gz", "-m", "out.sb", "--rounds", "3", "--quiet"]),
    Command("predict", ["predict", "old.sb", "large.csv", "-o", "out.csv", "--quiet"]),
    Command("evaluate", ["evaluate", "old.sb", "large.csv"]),
    Command("cv", ["cv", "many.csv", "--folds", "5", "--rounds", "2000", "--quiet"]),
    Command("tune", ["tune", "many.csv", "-m", "out.sb", "--trials", "1000", "--quiet"]),
    Command("generate", ["generate", "manyclass", "--rows", "20000000", "-o", "out.csv",
                         "--quiet"]),
]
LONGEST = 3  # seconds until the signal


def usable(stage, folder):
    """Whether the model that was left is one."""
    check = subprocess.run([str(stage.tools.command), "inspect", "out.sb"], cwd=folder, check=False,
                           env=stage.tools.environment(), capture_output=True)
    return check.returncode == 0


def judge(stage, folder, sent, status, stderr, seconds, limit):
    if seconds > limit:
        return f"ends after {seconds:.1f} s"
    expected = {0, 128 + sent, 128 + signal.SIGINT}
    # Before the command has set its own handlers, the system's default ends it.
    if status not in expected and status != -sent:
        return f"ends with status {status}: {stderr[-300:]}"
    model = folder / "out.sb"
    if model.exists() and not usable(stage, folder):
        return "leaves a model that cannot be used"
    if status == 128 + sent and not model.exists() and "interrupted" not in stderr:
        return f"says nothing: {stderr[-300:]!r}"
    left = sorted(path.name for path in folder.glob("*.tmp.*"))
    return f"leaves {left}" if left and status != -sent else None


def prepare(stage, large_rows):
    sets = [("many.csv", "manyclass --classes 26 --features 30 --rows 10000"),
            ("large.csv", f"manyclass --classes 26 --features 30 --rows {large_rows}"),
            ("large.csv.gz", f"manyclass --classes 26 --features 30 --rows {large_rows}"),
            ("balance.csv", "balance")]
    for name, words in sets:
        subprocess.run([str(stage.tools.command), "generate", *words.split(), "-o", name,
                        "--quiet"], cwd=stage.folder, check=True, env=stage.tools.environment())
    subprocess.run([str(stage.tools.command), "train", "many.csv", "-m", "old.sb", "--rounds", "20",
                    "--quiet"], cwd=stage.folder, check=True, env=stage.tools.environment())


def run(tools, options):
    tally = Tally()
    draw = random.Random(options.seed)
    work = [command for command in WORK if options.only in command.name]
    with Stage(tools) as stage:
        # A short run does not spend its time on making data.
        prepare(stage, 600_000 if options.runs >= 100 else 100_000)

        def attempt(point):
            command, sent, delay = point
            folder = stage.fresh(command)
            words = [str(stage.folder / word) if (stage.folder / word).is_file() else word
                     for word in [*command.words, *THREADS]]
            with subprocess.Popen([str(tools.command), *words], cwd=folder, text=True,
                                  env=tools.environment(), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
                time.sleep(delay)
                process.send_signal(sent)
                begin = time.monotonic()
                try:
                    _, stderr = process.communicate(timeout=60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    _, stderr = process.communicate()
                seconds = time.monotonic() - begin
            found = judge(stage, folder, sent, process.returncode, stderr, seconds, options.limit)
            shutil.rmtree(folder)
            return found and f"{command.name}, {sent.name} after {delay:.2f} s: {found}"

        points = [(work[i % len(work)], draw.choice([signal.SIGINT, signal.SIGTERM]),
                   draw.uniform(0.02, LONGEST)) for i in range(options.runs)] if work else []
        in_parallel(options, tally, attempt, points)
    return tally
