"""SIGKILL and SIGSTOP at random times to one of three processes of MPI: all end in time, no more than
one error names the one that was struck, and another number of processes goes on to the bytes of an
unbroken run."""

import contextlib
import dataclasses
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

from sandbox import Command, Outcome, Stage, Tally

RANKS = 3
LIMIT = 30.0  # seconds in which all must end
SILENCE = 8  # seconds until a stopped one is missed
REWRITES = 70  # of the checkpoint, which an unbroken training writes about 100 times
TRAIN = Command("ranks", ["train", "long.csv", "-m", "out.sb", "--rounds", "300", "--depth", "3",
                          "--threads", "1", "--quality", "fast", "--seed", "3", "--quiet", "--json",
                          "--checkpoint", "work.cp", "--checkpoint-every", "3"])
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PMIX_MCA_gds": "hash",  # else mpirun itself may hang where a rank is killed early
    "SIMPLEXBOOST_RANK_SILENCE": str(SILENCE),
}


@dataclasses.dataclass
class Strike:
    victim: int
    how: signal.Signals
    rewrites: int  # of the checkpoint, after which it comes; 0: before the first
    delay: float  # seconds after that, or from the start
    again: int  # processes that go on


@dataclasses.dataclass
class End:
    struck: bool  # in time
    went_on: bool  # a checkpoint was there
    seconds: float
    said: str


def ranks_of(job):
    """The processes that mpirun has started, by their ranks."""
    found = {}
    for folder in os.listdir("/proc"):
        with contextlib.suppress(OSError, IndexError):
            parent = pathlib.Path(f"/proc/{folder}/stat").read_text().rsplit(")", 1)[1].split()[1]
            if parent != str(job.pid):
                continue
            for entry in pathlib.Path(f"/proc/{folder}/environ").read_text().split("\0"):
                if entry.startswith("OMPI_COMM_WORLD_RANK="):
                    found[int(entry.split("=")[1])] = int(folder)
    return found


def alive(process):
    """Neither gone nor waiting for mpirun to take notice."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def await_rewrites(job, file, count):
    """Until a file was written so often, or the job has ended."""
    last, seen = None, 0
    while seen < count and job.poll() is None:
        with contextlib.suppress(OSError):
            state = file.stat()
            if (state.st_ino, state.st_mtime_ns) != last:
                last, seen = (state.st_ino, state.st_mtime_ns), seen + 1
        time.sleep(0.002)


def strike_job(stage, folder, strike):
    """Starts the training and strikes."""
    words = ["mpirun", "-n", str(RANKS), str(stage.tools.command), *TRAIN.words]
    with subprocess.Popen(words, cwd=folder, env=stage.tools.environment(**MPI), text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, start_new_session=True) as job:
        await_rewrites(job, folder / "work.cp", strike.rewrites)
        begin = time.monotonic()
        while job.poll() is None and (time.monotonic() < begin + strike.delay
                                      or len(ranks_of(job)) < RANKS):
            time.sleep(0.002)
        processes = ranks_of(job)
        with contextlib.suppress(ProcessLookupError, KeyError):
            os.kill(processes[strike.victim], strike.how)
        went_on = (folder / "work.cp").exists()
        begin = time.monotonic()
        while any(map(alive, processes.values())) and time.monotonic() < begin + 2 * LIMIT:
            time.sleep(0.01)
        seconds = time.monotonic() - begin
        try:
            _, said = job.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            said = "mpirun hangs"
        for process in processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
    struck = len(processes) == RANKS and job.returncode != 0
    return End(struck, went_on, seconds, said)


def train(stage, folder, processes):
    """To the end: what came of it, with how many messages the first process has sent."""
    before = ["mpirun", "-n", processes] if processes > 1 else []
    done: Outcome = stage.run(TRAIN, folder, before, **MPI)
    if done.status != 0:
        return done, 0
    return done, json.loads(done.stdout.decode().strip().splitlines()[-1])["sent_messages"]


def judge(stage, folder, strike, end, wanted):
    """`wanted`: the bytes of the model, and how many messages two processes send for it."""
    errors = [line for line in end.said.splitlines() if line.startswith("error: ")]
    if end.seconds > LIMIT or "mpirun hangs" in end.said:
        return f"has not ended after {end.seconds:.0f} s: {end.said!r}"
    # mpirun may have ended all, and said why, before any of them had a word.
    if len(errors) > 1 or f"rank {strike.victim} " not in "".join(errors or [end.said]):
        return f"does not name it once: {end.said!r}"
    if (folder / "out.sb").exists():
        return "left a model"
    done, sent = train(stage, folder, strike.again)
    if done.status != 0:
        return f"cannot go on: {done.stderr.strip()}"
    if (folder / "out.sb").read_bytes() != wanted[0]:
        return "went on to other bytes"
    if end.went_on and strike.again == 2 and sent >= wanted[1]:
        return "did not go on from the checkpoint but began again"
    return "work.cp stays" if (folder / "work.cp").exists() else None


def draw_strike(draw, number, first):
    """Every fifth comes before there is a checkpoint, and every fifth is a stop."""
    early = number % 5 == 1
    return Strike(victim=draw.randrange(RANKS),
                  how=signal.SIGSTOP if number % 5 == 4 else signal.SIGKILL,
                  rewrites=0 if early else draw.randint(1, REWRITES),
                  delay=draw.uniform(0, first if early else 0.05),
                  again=draw.choice([1, 2, 2, 5]))


def time_to_checkpoint(stage):
    folder = stage.fresh(TRAIN)
    words = ["mpirun", "-n", str(RANKS), str(stage.tools.command), *TRAIN.words]
    begin = time.monotonic()
    with subprocess.Popen(words, cwd=folder, env=stage.tools.environment(**MPI),
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as job:
        await_rewrites(job, folder / "work.cp", 1)
        first = time.monotonic() - begin
    return first


def span(seconds):
    return f"{min(seconds):.1f} to {max(seconds):.1f} s" if seconds else "never"


def run(tools, options):
    version = subprocess.run([str(tools.command), "--version"], capture_output=True, text=True,
                             check=True, env=tools.environment()).stdout
    if shutil.which("mpirun") is None or "several processes: MPI" not in version:
        sys.exit("ranks: there is no mpirun, or the command was built without MPI")
    tally = Tally()
    draw = random.Random(options.seed)
    with Stage(tools) as stage:
        subprocess.run([str(tools.command), "generate", "manyclass", "--classes", "10", "--features",
                        "10", "--rows", "3000", "-o", "long.csv", "--quiet"], check=True,
                       cwd=stage.files, env=tools.environment())
        folder = stage.fresh(TRAIN)
        _, messages = train(stage, folder, 2)
        wanted = ((folder / "out.sb").read_bytes(), messages)
        first = time_to_checkpoint(stage)
        ends = {signal.SIGKILL: [], signal.SIGSTOP: []}
        went_on = late = 0
        while tally.points < options.runs and late < options.runs:
            strike = draw_strike(draw, tally.points, first)
            folder = stage.fresh(TRAIN)
            end = strike_job(stage, folder, strike)
            if not end.struck:
                late += 1  # it had ended before
                continue
            found = judge(stage, folder, strike, end, wanted)
            tally.add(found and f"{strike}: {found}")
            ends[strike.how].append(end.seconds)
            went_on += end.went_on
            shutil.rmtree(folder)
            print(f"  {tally.points}: rank {strike.victim}, {strike.how.name}, "
                  f"{'after' if end.went_on else 'before'} a checkpoint, {end.seconds:.1f} s", flush=True)
    print(f"  {went_on} after a checkpoint was written, {late} too late to count; killed ones ended "
          f"all in {span(ends[signal.SIGKILL])}, stopped ones in {span(ends[signal.SIGSTOP])}")
    return tally
