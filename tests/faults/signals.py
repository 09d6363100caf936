"""SIGINT and SIGTERM at random times: the command ends within two seconds, with a model that can be
used or a word about it. With --data also on the large sets there, that of a folder of data sets.
With --busy it is the processor's time that counts: on a machine that does other work besides, a clock
tells of that."""

import os
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
    Command("forest", [*TRAIN, "--algorithm", "forest"]),
    Command("quality-default", ["train", "many.csv", "-m", "out.sb", "--quiet"]),
    Command("quality-best", ["train", "many.csv", "-m", "out.sb", "--quality", "best", "--quiet"]),
    Command("suspects", ["suspects", "many.csv", "-o", "out.csv", "--quiet"]),
    Command("explain", ["explain", "old.sb", "large.csv", "-o", "out.csv", "--quiet"]),
    Command("report", ["report", "old.sb", "large.csv", "-o", "out.html", "--quiet"]),
]
# The slowest of the above on each of these, by name and by the file that is read.
LARGE = [("mnist", "mnist/train.csv.gz"), ("poker", "poker/train.csv.gz"),
         ("covtype", "covtype-sub/data.csv.gz"), ("isolet", "isolet/train.csv.gz")]
LARGE_WORK = [
    ("newton", ["--rounds", "100000"]),
    ("forest", ["--algorithm", "forest", "--rounds", "300"]),  # more would not fit in memory
    ("quality-default", []),
    ("quality-best", ["--quality", "best"]),
    ("adaboost-mh", ["--algorithm", "adaboost-mh", "--rounds", "100000"]),
    ("dmcboost", ["--algorithm", "dmcboost", "--rounds", "100000"]),
    ("one-vs-all", ["--algorithm", "one-vs-all", "--rounds", "100000"]),
]
LONGEST = 3  # seconds until the signal
LARGE_LONGEST = 12  # on a large set, which is first read and binned
TICK = os.sysconf("SC_CLK_TCK")


def large_work(folder):
    """On each of the large sets that are in `folder`: reading, binning, and the first rounds."""
    return [Command(f"{name}-{kind}", ["train", str((folder / file).resolve()), "-m", "out.sb", *words,
                                       "--quiet"])
            for name, file in LARGE if (folder / file).exists() for kind, words in LARGE_WORK]


def processor_seconds(pid):
    """What a process that was not waited for has used so far, and whether it has ended."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK, fields[0] == "Z"


def hear_interrupts():
    """In the child: a shell lets what it starts in the background ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_until(process, seconds, busy):
    """Until the process has lived so long or, on a busy machine, used so much of the processor; says
    how much it has used."""
    begin = time.monotonic()
    while True:
        used, ended = processor_seconds(process.pid)
        if ended or (used if busy else time.monotonic() - begin) >= seconds:
            return used
        time.sleep(0.005)


def end_of(process, patience):
    """Waits: the seconds by the clock and by the processor, or None where it goes on too long."""
    begin = time.monotonic()
    while time.monotonic() - begin < patience:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return time.monotonic() - begin, usage.ru_utime + usage.ru_stime
        time.sleep(0.01)
    process.kill()
    process.wait()
    return None


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


def prepare(stage, work, large_rows):
    sets = [("many.csv", "manyclass --classes 26 --features 30 --rows 10000"),
            ("large.csv", f"manyclass --classes 26 --features 30 --rows {large_rows}"),
            ("large.csv.gz", f"manyclass --classes 26 --features 30 --rows {large_rows}"),
            ("balance.csv", "balance")]
    for name, words in sets:
        if not any(name in command.words for command in work) and name != "many.csv":
            continue
        subprocess.run([str(stage.tools.command), "generate", *words.split(), "-o", name,
                        "--quiet"], cwd=stage.folder, check=True, env=stage.tools.environment())
    subprocess.run([str(stage.tools.command), "train", "many.csv", "-m", "old.sb", "--rounds", "20",
                    "--quiet"], cwd=stage.folder, check=True, env=stage.tools.environment())


def run(tools, options):
    tally = Tally()
    draw = random.Random(options.seed)
    known = WORK + (large_work(options.data) if options.data else [])
    work = [command for command in known if options.only in command.name]
    with Stage(tools) as stage:
        # A short run does not spend its time on making data.
        prepare(stage, work, 600_000 if options.runs >= 100 else 100_000)

        def attempt(point):
            command, sent, delay = point
            folder = stage.fresh(command)
            words = [str(stage.folder / word) if (stage.folder / word).is_file() else word
                     for word in [*command.words, *THREADS]]
            with open(folder / "said", "wb") as said:
                process = subprocess.Popen([str(tools.command), *words], cwd=folder, stderr=said,
                                           env=tools.environment(), stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, preexec_fn=hear_interrupts)
            used = wait_until(process, delay, options.busy)
            os.kill(process.pid, sent)  # also where it has ended, since it was not waited for
            end = end_of(process, 600 if options.busy else 60)
            stderr = (folder / "said").read_text(encoding="utf-8", errors="replace")
            found = "does not end" if end is None else judge(
                stage, folder, sent, process.returncode, stderr,
                end[1] - used if options.busy else end[0], options.limit)
            shutil.rmtree(folder)
            return found and f"{command.name}, {sent.name} after {delay:.2f} s: {found}"

        longest = LARGE_LONGEST if options.data else LONGEST
        points = [(work[i % len(work)], draw.choice([signal.SIGINT, signal.SIGTERM]),
                   draw.uniform(0.02, longest)) for i in range(options.runs)] if work else []
        in_parallel(options, tally, attempt, points)
    return tally
