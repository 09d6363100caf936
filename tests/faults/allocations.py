"""The k-th allocation fails, for every k, and for some k all behind it, too: an error of one line, no
leak, no broken memory, no file left over. The program is the command under the address and leak
sanitizers, with allocations that fail when told to (failing_allocations.cpp)."""

import shutil

from sandbox import Stage, Tally, chosen, in_parallel, temporaries, torn_file

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
    if outcome.status == 1 and not outcome.clean_error():
        return f"the error is not one line: {outcome.stderr[-300:]!r}"
    if outcome.status == 0 and command.stdout_same and outcome.stdout != golden.outcome.stdout:
        return "exits with 0, but its output is not whole"
    left = temporaries(folder)
    return f"leaves {left}" if left else None


def run(tools, options):
    tally = Tally()
    with Stage(tools) as stage:
        for command in chosen(options):
            count = stage.folder / "count.txt"
            golden = stage.golden(command, tools.failing, ASAN_OPTIONS=SANITIZER,
                                  SIMPLEXBOOST_COUNT_ALLOCATIONS=str(count))

            def attempt(point, command=command, golden=golden):
                folder = stage.fresh(command)
                outcome = stage.run(command, folder, program=tools.failing, ASAN_OPTIONS=SANITIZER,
                                    SIMPLEXBOOST_FAIL_ALLOCATION=point)
                found = judge(command, golden, folder, outcome)
                shutil.rmtree(folder)
                return found and f"{command.name}, allocation {point}: {found}"

            made = int(count.read_text())
            points = [str(k) for k in range(1, made + 1)]
            points += [f"{k}+" for k in range(1, made + 1, BEHIND)]
            points = points[options.seed % options.step :: options.step]
            in_parallel(options, tally, attempt, points)
            print(f"  {command.name}: {made} allocations, {len(points)} failures", flush=True)
    return tally
