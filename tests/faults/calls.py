"""The k-th system call on files fails, for every k and every error that such a call can give: an
error of one line and the old file, or the whole result."""

import json
import shutil

from sandbox import Stage, Tally, chosen, in_parallel, temporaries, torn_file

READS = {"read", "pread64", "readv"}
WRITES = {"write", "pwrite64", "writev"}
OPENS = {"open", "openat", "creat"}
CREATES = 0o100  # O_CREAT


def faults_of(call):
    """Words for the tracer, one list for each way in which this call can fail."""
    name, k = call["name"], call["call"]
    errors = ["EIO"]
    if name in WRITES:
        errors += ["ENOSPC", "EINTR"]
    elif name in READS or name in OPENS:
        errors += ["EINTR"]
        if call.get("flags", 0) & CREATES:
            errors += ["ENOSPC", "EACCES"]
        elif name in OPENS:
            errors += ["EMFILE"]
    elif name in {"fsync", "fdatasync", "close", "rename", "renameat", "renameat2", "ftruncate"}:
        errors += ["ENOSPC"]
    faults = [["--fail", f"{k}={error}"] for error in errors]
    if name in WRITES:
        faults.append(["--fail", f"{k}=ENOSPC", "--from"])
    if name in READS | WRITES and call["result"] > 1:
        faults.append(["--short", str(k)])
    return faults


def must_go_on(call, fault):
    """Whether the command must do its work all the same: nothing is lost by this. The C library's own
    streams do not take an interrupted write up again."""
    on_disk = not call["path"].startswith("pipe:")
    interrupted = "EINTR" in fault[1] and call["name"] in READS | WRITES
    return "--short" in fault or (interrupted and on_disk)


def must_fail(call):
    """Whether the command must not say that all went well: what it wrote may not be on the disk."""
    return call["name"] in {"fsync", "fdatasync", "close"} and ".tmp." in call["path"]


def judge(command, golden, folder, outcome, call, fault):
    if outcome.hung:
        return "hangs"
    if outcome.status not in (0, 1, 2):
        return f"ends with status {outcome.status}: {outcome.stderr[-300:]}"
    if must_go_on(call, fault) and outcome.status != 0:
        return f"gives up, although nothing is lost: {outcome.stderr.strip()}"
    optional = command.optional and command.optional in call["path"]
    noticed = outcome.status != 0 or (optional and "note: " in outcome.stderr)
    if must_fail(call) and not noticed:
        return "does not notice it"
    if outcome.status == 0:
        fault_found = torn_file(command, golden, folder, must_be_new=True)
        if not fault_found and command.stdout_same and outcome.stdout != golden.outcome.stdout:
            fault_found = "exits with 0, but its output is not whole"
    else:
        fault_found = torn_file(command, golden, folder, must_be_new=False)
        silent = call["path"].startswith("pipe:")  # it may be standard error itself that failed
        if not fault_found and not silent and not outcome.clean_error(command.optional):
            fault_found = f"the error is not one line: {outcome.stderr[-300:]!r}"
    left = temporaries(folder)
    if not fault_found and left and not call["name"].startswith("unlink"):
        fault_found = f"leaves {left}"
    return fault_found


def points_of(stage, command, options):
    folder = stage.fresh(command)
    log = folder / "calls.log"
    stage.run(command, folder, [stage.tools.tracer, "--log", log, "--"])
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    calls = [call for call in calls if "call" in call and not call["path"].endswith("calls.log")]
    shutil.rmtree(folder)
    points = [(call, fault) for call in calls for fault in faults_of(call)]
    return points[:: options.step]


def run(tools, options):
    tally = Tally()
    with Stage(tools) as stage:
        for command in chosen(options):
            golden = stage.golden(command)

            def attempt(point, command=command, golden=golden):
                call, fault = point
                folder = stage.fresh(command)
                outcome = stage.run(command, folder, [tools.tracer, *fault, "--"])
                found = judge(command, golden, folder, outcome, call, fault)
                shutil.rmtree(folder)
                if not found:
                    return None
                return f"{command.name} {' '.join(fault)} ({call['name']} {call['path']}): {found}"

            points = points_of(stage, command, options)
            in_parallel(options, tally, attempt, points)
            print(f"  {command.name}: {len(points)} failing calls", flush=True)
    return tally
