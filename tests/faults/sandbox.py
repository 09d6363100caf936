"""What the kinds of faults share: the commands that are run, folders to run them in, and what must
hold afterwards whatever went wrong."""

import dataclasses
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "fuzz/corpus"
TIMEOUT = 120  # seconds; a command that takes longer is taken to hang

SPEC = """title = "Two rounds"
paper = "none"
[[data]]
name = "tiny"
[[algorithm]]
name = "SAMME"
parameters = { algorithm = "samme", rounds = 2 }
"""


@dataclasses.dataclass
class Tools:
    """The programs, and where there is memory or a disk for their files."""

    command: pathlib.Path
    tracer: pathlib.Path
    failing: pathlib.Path
    libraries: str

    @staticmethod
    def find(root, binaries):
        if binaries is not None:
            folder = binaries.resolve()
            return Tools(folder / "simplexboost", folder / "simplexboost_tracer",
                         folder / "simplexboost_failing", str(folder))
        release = root / "build/release"
        return Tools(release / "simplexboost", release / "tests/faults/simplexboost_tracer",
                     root / "build/fuzz/tests/faults/simplexboost_failing", "")

    def environment(self, **more):
        environment = dict(os.environ, **more)
        if self.libraries:
            environment["LD_LIBRARY_PATH"] = self.libraries
        return environment


@dataclasses.dataclass
class Command:
    name: str
    words: list
    # Files that it writes, which hold the old content or the new, whatever happens.
    writes: list = dataclasses.field(default_factory=list)
    # Of these, those whose bytes are the same each time.
    same: list = dataclasses.field(default_factory=list)
    stdin: str = ""
    stdout_same: bool = True
    # A file that the work goes on without: a note tells that it could not be written.
    optional: str = ""
    # Of all its allocations only every so many-th is made to fail: its run takes seconds.
    allocations_step: int = 1


QUIET = ["--threads", "1", "--quiet"]
SMALL = ["--rounds", "3", *QUIET]
COMMANDS = [
    Command("train", ["train", "data.csv", "-m", "out.sb", "--valid-fraction", "0.3", *SMALL],
            ["out.sb"], ["out.sb"]),
    Command("train-files", ["train", "data.libsvm.gz", "-m", "out.sb", "--config", "config.toml",
                            "--class-weight", "weights.txt", "--costs", "costs.csv",
                            "--valid", "data.libsvm", *QUIET], ["out.sb"], ["out.sb"]),
    Command("train-arff", ["train", "data.arff", "-m", "out.sb", "--algorithm", "samme",
                           "--init", "samme.sb", *SMALL], ["out.sb"], ["out.sb"]),
    Command("train-checkpoint", ["train", "data.csv", "-m", "out.sb", "--valid-fraction", "0.3",
                                 "--checkpoint", "work.cp", "--checkpoint-every", "1", *SMALL],
            ["out.sb"], ["out.sb"]),
    Command("train-bins-on-disk", ["train", "data.csv", "-m", "out.sb", "--bins-on-disk",
                                   "--bins-folder", ".", *SMALL], ["out.sb"], ["out.sb"]),
    Command("predict", ["predict", "old.sb", "data.csv", "--proba", "-o", "out.csv", *QUIET],
            ["out.csv"], ["out.csv"]),
    Command("predict-stream", ["predict", "old.sb", "-", *QUIET], stdin="data.csv"),
    Command("evaluate", ["evaluate", "old.sb", "data.csv", "--threads", "1"]),
    Command("evaluate-all", ["evaluate", "old.sb", "data.csv", "--all", "--per-class", "--confusion",
                             "--reliability", "--plot", "out.svg", "--threads", "1"],
            ["out.svg"], ["out.svg"]),
    Command("cv", ["cv", "data.csv", "--folds", "2", "-o", "out.csv", *SMALL],
            ["out.csv"], ["out.csv"], stdout_same=False),
    Command("tune", ["tune", "data.csv", "-m", "out.sb", "--trials", "3", "--report", "out.csv",
                     "--algorithms", "newton,samme", *SMALL],
            ["out.sb", "out.sb.trials.jsonl", "out.csv"], ["out.sb"], stdout_same=False),
    Command("tune-checkpoint", ["tune", "data.csv", "-m", "out.sb", "--trials", "2", "--algorithms",
                                "newton,samme", "--checkpoint", "work.cp", "--checkpoint-every", "1",
                                *SMALL],
            ["out.sb", "out.sb.trials.jsonl"], ["out.sb"], stdout_same=False),
    Command("inspect", ["inspect", "old.sb"]),
    Command("inspect-json", ["inspect", "old.sb", "--json"]),
    Command("inspect-plot", ["inspect", "old.sb", "--plot", "out.svg"], ["out.svg"], ["out.svg"]),
    Command("generate", ["generate", "gaussian3", "--rows", "60", "-o", "out.csv.gz", *QUIET],
            ["out.csv.gz"], ["out.csv.gz"]),
    Command("algorithms", ["algorithms"]),
    Command("codewords", ["codewords", "--classes", "5", "--dimension", "3", "-o", "out.csv",
                          "--threads", "1"], ["out.csv"], ["out.csv"]),
    Command("train-quality", ["train", "data.csv", "-m", "out.sb", "--quality", "best", "--folds", "2",
                              *SMALL], ["out.sb"], ["out.sb"]),
    Command("train-forest", ["train", "data.csv", "-m", "out.sb", "--algorithm", "forest", *SMALL],
            ["out.sb"], ["out.sb"]),
    Command("train-labels", ["train", "labels.libsvm", "-m", "out.sb", "--label-weights",
                             "label-weights.csv", *SMALL], ["out.sb"], ["out.sb"]),
    Command("train-names", ["train", "names.csv", "-m", "out.sb", "--subset-values", "3", *SMALL],
            ["out.sb"], ["out.sb"]),
    Command("train-image", ["train", "data.csv", "-m", "out.sb", "--image", "2x1", "--filters", "2",
                            *SMALL], ["out.sb"], ["out.sb"]),
    Command("train-linear", ["train", "data.csv", "-m", "out.sb", "--algorithm", "logitboost",
                             "--learner", "linear", *SMALL], ["out.sb"], ["out.sb"]),
    Command("train-dashboard", ["train", "data.csv", "-m", "out.sb", "--dashboard", "page.html",
                                *SMALL], ["out.sb"], ["out.sb"], optional="page.html"),
    Command("predict-sets", ["predict", "calibrated.sb", "data.csv", "--conformal", "0.9", "-o",
                             "out.csv", *QUIET], ["out.csv"], ["out.csv"]),
    Command("explain", ["explain", "old.sb", "data.csv", "-o", "out.csv", *QUIET],
            ["out.csv"], ["out.csv"]),
    Command("explain-effect", ["explain", "old.sb", "data.csv", "--effect", "x1", "-o", "out.csv",
                               *QUIET], ["out.csv"], ["out.csv"]),
    Command("explain-permutation", ["explain", "old.sb", "data.csv", "--permutation", "-o",
                                    "out.csv", *QUIET], ["out.csv"], ["out.csv"]),
    Command("report", ["report", "old.sb", "data.csv", "-o", "out.html", *QUIET],
            ["out.html"], ["out.html"]),
    Command("compare", ["compare", "old.sb", "samme.sb", "data.csv", "-o", "out.html", *QUIET],
            ["out.html"], ["out.html"]),
    Command("calibrate", ["calibrate", "old.sb", "data.csv", "-o", "out.sb", *QUIET],
            ["out.sb"], ["out.sb"]),
    Command("suspects", ["suspects", "data.csv", "-o", "out.csv", *SMALL], ["out.csv"], ["out.csv"]),
    Command("export-onnx", ["export", "onnx", "old.sb", "-o", "out.onnx"],
            ["out.onnx"], ["out.onnx"]),
    Command("export-header", ["export", "header", "old.sb", "-o", "out.h"], ["out.h"], ["out.h"]),
    Command("export-treelite", ["export", "treelite", "old.sb", "-o", "out.tl"],
            ["out.tl"], ["out.tl"]),
    Command("export-json", ["export", "json", "old.sb", "-o", "out.json"],
            ["out.json"], ["out.json"]),
    Command("import", ["import", "lightgbm.txt", "-m", "out.sb"], ["out.sb"], ["out.sb"]),
    Command("import-xgboost", ["import", "xgboost.ubj", "-m", "out.sb"], ["out.sb"], ["out.sb"]),
    Command("experiment", ["experiment", "spec.toml", "--data", "sets", "-o", "results",
                           "--threads", "1"], [], stdout_same=False),
    Command("experiment-checkpoint", ["experiment", "spec.toml", "--data", "sets", "-o", "results",
                                      "--checkpoint", "work.cp", "--checkpoint-every", "1",
                                      "--threads", "1"], [], stdout_same=False),
    Command("demo", ["demo"], stdout_same=False, allocations_step=100),
]


def chosen(options):
    return [command for command in COMMANDS if options.only in command.name]


@dataclasses.dataclass
class Outcome:
    status: int  # negative: the signal that ended it
    stdout: bytes
    stderr: str
    hung: bool = False

    def clean_error(self, optional=""):
        """One line that says what went wrong, and the status of a failure; notes about a file that is
        optional may stand before it."""
        lines = self.stderr.strip().splitlines()
        if optional:
            lines = [line for line in lines if not line.startswith("note: ")]
        return self.status in (1, 2) and len(lines) == 1 and lines[0].startswith("error: ")


class Tally:
    """Counts points and keeps what was found; says each finding at once."""

    def __init__(self):
        self.points = 0
        self.findings = []

    def add(self, finding):
        self.points += 1
        if finding:
            self.findings.append(finding)
            print(f"FOUND {finding}", flush=True)


class Stage:
    """The files that every run begins with, made once."""

    def __init__(self, tools):
        self.tools = tools
        memory = pathlib.Path("/dev/shm")
        self.base = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="simplexboost-faults-", dir=self.base))
        self.files = self.folder / "files"
        self.files.mkdir()
        self._fill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make(self, *words):
        subprocess.run([str(self.tools.command), *words], cwd=self.files, check=True,
                       env=self.tools.environment(), timeout=TIMEOUT)

    def _fill(self):
        for name in ("data.csv", "data.libsvm", "data.libsvm.gz", "data.arff"):
            self._make("generate", "gaussian3", "--rows", "40", "-o", name, "--quiet")
        for name, algorithm in (("old.sb", "newton"), ("samme.sb", "samme")):
            self._make("train", "data.csv", "-m", name, "--rounds", "2", "--algorithm", algorithm,
                       *QUIET)
        self._make("calibrate", "old.sb", "data.csv", "-o", "calibrated.sb", *QUIET)
        self._make("generate", "names", "--rows", "40", "--values", "9", "-o", "names.csv", "--quiet")
        for name in ("lightgbm.txt", "xgboost.ubj"):
            shutil.copy(CORPUS / "import" / name, self.files)
        (self.files / "labels.libsvm").write_text("1,2 1:1 2:3\n1 1:2\n2,3 2:2\n3 1:3 2:1\n" * 5)
        (self.files / "label-weights.csv").write_text("1,2,3\n" + "1,0.5,2\n" * 20)
        (self.files / "config.toml").write_text("rounds = 2\nalgorithm = 'gd-mcboost'\n")
        (self.files / "weights.txt").write_text("1=2\n2=0.5\n")
        (self.files / "costs.csv").write_text("0,1,2\n1,0,1\n1,1,0\n")
        (self.files / "spec.toml").write_text(SPEC)
        (self.files / "sets/tiny").mkdir(parents=True)
        self._make("generate", "gaussian3", "--rows", "40", "-o", "sets/tiny/data.csv.gz",
                   "--quiet")

    def fresh(self, command):
        """A new folder of the files, with old content where the command writes."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.files, folder, dirs_exist_ok=True)
        for name in command.writes:
            if name.endswith(".sb"):
                shutil.copy(folder / "old.sb", folder / name)
            elif not name.endswith(".jsonl"):  # what is no journal is refused
                (folder / name).write_text("old\n")
        return folder

    def run(self, command, folder, before=(), program=None, **environment):
        """Runs the command in `folder`; `before` are the words that stand before it."""
        words = [*map(str, before), str(program or self.tools.command), *command.words]
        stdin = open(folder / command.stdin, "rb") if command.stdin else subprocess.DEVNULL
        try:
            done = subprocess.run(words, cwd=folder, stdin=stdin, capture_output=True, check=False,
                                  timeout=TIMEOUT, env=self.tools.environment(**environment))
            return Outcome(done.returncode, done.stdout, done.stderr.decode(errors="replace"))
        except subprocess.TimeoutExpired as late:
            return Outcome(-signal.SIGKILL, b"", (late.stderr or b"").decode(errors="replace"), True)
        finally:
            if command.stdin:
                stdin.close()

    def golden(self, command, program=None, **environment):
        """What the command gives where nothing goes wrong."""
        folder = self.fresh(command)
        outcome = self.run(command, folder, program=program, **environment)
        if outcome.status != 0:
            sys.exit(f"{command.name} fails without any fault: {outcome.stderr}")
        contents = {name: (folder / name).read_bytes() for name in command.same}
        old = {name: read(self.fresh(command) / name) for name in command.writes}
        return Golden(outcome, contents, old)


@dataclasses.dataclass
class Golden:
    outcome: Outcome
    new: dict
    old: dict


def read(path):
    return path.read_bytes() if path.exists() else None


def temporaries(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.tmp.*"))


def torn_file(command, golden, folder, must_be_new):
    """The first file that is neither as it was nor complete; None: all are well."""
    for name in command.writes:
        content = read(folder / name)
        if name not in golden.new:
            # Its bytes differ from run to run: whole lines are all that can be asked for.
            if content and not content.endswith(b"\n"):
                return f"{name} ends within a line"
            if must_be_new and content == golden.old[name]:
                return f"{name} is the old one, although all went well"
        elif content == golden.old[name]:
            if must_be_new and content != golden.new[name]:
                return f"{name} is the old one, although all went well"
        elif content != golden.new[name]:
            return f"{name} is neither the old nor the new one"
    return None


# The function that worker processes call: they are forks of this one, which a closure needs.
_work = None


def _call(point):
    return _work(point)


def results_of(options, work, points):
    """work(point) for all points, in their order, by as many processes as there are jobs. Threads of
    this one would take turns."""
    global _work
    _work = work
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        yield from pool.imap(_call, points)


def in_parallel(options, tally, work, points):
    """Calls work(point) for all points, which returns a finding or None."""
    for finding in results_of(options, work, points):
        tally.add(finding)
