"""SIGKILL at every call of a save, with a write cut short before it, and at random times in training:
the file is the old or the new one, and the same command then gives what an unbroken run gives."""

import json
import random
import shutil
import subprocess
import time

from sandbox import Command, Stage, Tally, chosen, in_parallel, temporaries, torn_file

ROUNDS = ["train", "long.csv", "-m", "out.sb", "--rounds", "60", "--depth", "3", "--row-fraction",
          "0.7", "--valid-fraction", "0.2", "--threads", "1", "--quiet"]
CHECKPOINT = ["--checkpoint", "work.cp", "--checkpoint-every", "4"]
# In turn: from the beginning again, and on from a checkpoint.
LONG = [Command("long", ROUNDS, ["out.sb"], ["out.sb"]),
        Command("long-checkpoint", [*ROUNDS, *CHECKPOINT], ["out.sb"], ["out.sb"]),
        Command("long-dmcboost", [*ROUNDS, *CHECKPOINT, "--algorithm", "dmcboost"], ["out.sb"],
                ["out.sb"])]


def judge(stage, command, golden, folder):
    """After the kill: no torn file; and again, without one: the result of an unbroken run."""
    torn = torn_file(command, golden, folder, must_be_new=False)
    if torn:
        return torn
    again = stage.run(command, folder)
    if again.status != 0:
        return f"cannot be run again: {again.stderr.strip()}"
    torn = torn_file(command, golden, folder, must_be_new=True)
    if torn:
        return f"run again, {torn}"
    left = temporaries(folder) + [path.name for path in folder.glob("work.cp")]
    return f"run again, {left} stay" if left else None


def at_calls(stage, command, golden, options, tally):
    log = stage.folder / "calls.log"
    folder = stage.fresh(command)
    stage.run(command, folder, [stage.tools.tracer, "--log", log, "--"])
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    calls = [call for call in calls if "call" in call]
    points = [["--kill", call["call"]] for call in calls]
    points += [["--short", call["call"], "--kill", call["call"] + 1]
               for call in calls if call["name"] == "write" and call["result"] > 1]

    def attempt(point):
        trial = stage.fresh(command)
        stage.run(command, trial, [stage.tools.tracer, *point, "--"])
        found = judge(stage, command, golden, trial)
        shutil.rmtree(trial)
        return found and f"{command.name} {' '.join(map(str, point))}: {found}"

    in_parallel(options, tally, attempt, points[:: options.step])


def at_random(stage, options, tally):
    draw = random.Random(options.seed)
    goldens = []
    for command in LONG:
        begin = time.monotonic()
        goldens.append((command, stage.golden(command), time.monotonic() - begin))

    def attempt(point):
        (command, golden, seconds), share = point
        folder = stage.fresh(command)
        with subprocess.Popen([str(stage.tools.command), *command.words], cwd=folder,
                              env=stage.tools.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(share * seconds)
            process.kill()
        found = judge(stage, command, golden, folder)
        shutil.rmtree(folder)
        return found and f"{command.name}, killed after {share * seconds:.4f} s: {found}"

    points = [(goldens[i % len(goldens)], draw.uniform(0, 1.1)) for i in range(options.runs)]
    in_parallel(options, tally, attempt, points)


def run(tools, options):
    tally = Tally()
    with Stage(tools) as stage:
        subprocess.run([str(tools.command), "generate", "manyclass", "--classes", "6", "--features",
                        "10", "--rows", "2000", "-o", "long.csv", "--quiet"], check=True,
                       cwd=stage.files, env=tools.environment())
        for command in chosen(options):
            if not command.writes:
                continue
            at_calls(stage, command, stage.golden(command), options, tally)
        print(f"  at {tally.points} calls", flush=True)
        if options.only in "long":
            at_random(stage, options, tally)
    return tally
