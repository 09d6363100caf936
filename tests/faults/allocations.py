"""The k-th allocation fails, for every k, and for some k all behind it, too: an error of one line, no
leak, no broken memory, no file left over. The program is the command under the address and leak
sanitizers, with allocations that fail when told to (failing_allocations.cpp). Each command runs once,
and at each allocation a fork of it goes on with the failure. With --places not all k are tried, but for
each place, which is a stack of calls, the first, the middle and the last of its allocations."""

import array
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from sandbox import Outcome, Stage, Tally, chosen, results_of, temporaries, torn_file

BEHIND = 8  # memory that is gone for good is less of a riddle: it is tried at every so many k
SANITIZER = "exitcode=99:detect_leaks=1:allocator_may_return_null=1"


def judge(command, golden, folder, outcome):
    if outcome.hung:
        return "hangs"
    if outcome.status not in (0, 1):
        return f"ends with status {outcome.status}: {outcome.stderr[-1500:]}"
    torn = torn_file(command, golden, folder, must_be_new=outcome.status == 0)
    if torn:
        return torn
    if outcome.status == 1 and not outcome.clean_error(command.optional):
        return f"the error is not one line: {outcome.stderr[-300:]!r}"
    if outcome.status == 0 and command.stdout_same and outcome.stdout != golden.outcome.stdout:
        return "exits with 0, but its output is not whole"
    left = temporaries(folder)
    return f"leaves {left}" if left else None


def environment(**more):
    return dict(more, ASAN_OPTIONS=SANITIZER)


def alone(stage, command, point):
    """A process of its own, and the folder that it leaves."""
    folder = stage.fresh(command)
    return stage.run(command, folder, program=stage.tools.failing,
                     **environment(SIMPLEXBOOST_FAIL_ALLOCATION=point)), folder


class Forks:
    """A run of the command that nothing goes wrong in, of which forks fail, each in a copy of the
    folder as it is then."""

    def __init__(self, stage, command):
        self.folder = stage.fresh(command)
        self.stage = stage
        numbers, numbers_out = os.pipe()
        folders_in, folders = os.pipe()
        stdin = self.folder / command.stdin if command.stdin else os.devnull
        with open(stdin, "rb") as source, open(self.folder / "stdout", "wb") as out, \
                open(self.folder / "stderr", "wb") as err:
            self.process = subprocess.Popen(
                [str(stage.tools.failing), *command.words], cwd=self.folder, stdin=source, stdout=out,
                stderr=err, pass_fds=(folders_in, numbers_out), env=stage.tools.environment(
                    **environment(SIMPLEXBOOST_FORK_ALLOCATIONS=f"{folders_in},{numbers_out}")))
        os.close(numbers_out)
        os.close(folders_in)
        self.numbers = open(numbers, encoding="utf-8")
        self.folders = open(folders, "w", encoding="utf-8")

    def say(self, line):
        self.folders.write(line + "\n")
        self.folders.flush()

    def fail(self, point):
        copy = pathlib.Path(tempfile.mkdtemp(dir=self.stage.folder))
        shutil.copytree(self.folder, copy, dirs_exist_ok=True)
        self.say(("+" if point.endswith("+") else "=") + str(copy))
        status = os.waitstatus_to_exitcode(int(self.numbers.readline()))
        return Outcome(status, (copy / "stdout").read_bytes(),
                       (copy / "stderr").read_text(encoding="utf-8", errors="replace"),
                       hung=status == -signal.SIGALRM), copy

    def close(self):
        self.numbers.close()
        self.folders.close()
        shutil.rmtree(self.folder)
        return self.process.wait()


def strike(stage, command, golden, points):
    """All the points, by forks of one run; what is found at each, or None."""
    found = {}
    forks = Forks(stage, command)
    for line in forks.numbers:
        number, single = line.split()
        for point in (number, f"{number}+"):
            if point in points:
                # Threads are not forked, and a temporary file is its maker's, who has it removed.
                by_fork = single == "1" and not temporaries(forks.folder)
                outcome, folder = (forks.fail(point) if by_fork else alone(stage, command, point))
                wrong = judge(command, golden, folder, outcome)
                found[point] = wrong and f"{command.name}, allocation {point}: {wrong}"
                shutil.rmtree(folder)
        forks.say("-")
    status = forks.close()
    missed = [f"{command.name}, allocation {point}: there was none, status {status}"
              for point in points if point not in found]
    return [*found.values(), *missed]


def numbers_by_place(places):
    """For each place the numbers of the allocations that are made there."""
    numbers = {}
    for number, place in enumerate(places, 1):
        numbers.setdefault(place, []).append(number)
    return numbers


def run(tools, options):
    tally = Tally()
    with Stage(tools) as stage:
        for command in chosen(options):
            count = stage.folder / "places"
            golden = stage.golden(command, tools.failing,
                                  **environment(SIMPLEXBOOST_COUNT_ALLOCATIONS=str(count)))
            places = numbers_by_place(array.array("Q", count.read_bytes()))
            made = sum(map(len, places.values()))
            tried = sorted({of[i] for of in places.values() for i in (0, len(of) // 2, -1)}
                           if options.places else range(1, made + 1))
            points = [str(k) for k in tried] + [f"{k}+" for k in tried[::BEHIND]]
            step = options.step * (1 if options.places else command.allocations_step)
            points = points[options.seed % step :: step]
            shares = [points[i :: options.jobs] for i in range(options.jobs)]

            def attempt(share, command=command, golden=golden):
                return strike(stage, command, golden, set(share))

            for findings in results_of(options, attempt, shares):
                for finding in findings:
                    tally.add(finding)
            print(f"  {command.name}: {made} allocations at {len(places)} places, "
                  f"{len(points)} failures", flush=True)
    return tally
