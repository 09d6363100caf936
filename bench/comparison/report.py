"""Tables of a comparison, as Markdown and as CSV."""

import csv
import statistics
from dataclasses import asdict, dataclass

from comparison import programs, sets, time_picture

COLUMNS = [
    "set", "classes", "program", "rounds", "cut", "train_seconds", "error", "log_loss",
    "seconds_to_log_loss", "rounds_to_log_loss", "seconds_to_error", "rounds_to_error",
    "extra_memory_mb", "peak_memory_mb", "model_mb", "batch_rate", "single_rate", "note",
]  # fmt: skip


@dataclass
class Line:
    """What one program did on one set."""

    set: str
    classes: int
    program: str
    rounds: int = 0
    cut: bool = False
    train_seconds: float = None
    error: float = None
    log_loss: float = None
    seconds_to_log_loss: float = None
    rounds_to_log_loss: int = None
    seconds_to_error: float = None
    rounds_to_error: int = None
    extra_memory_mb: float = None
    peak_memory_mb: float = None
    model_mb: float = None
    batch_rate: float = None
    single_rate: float = None
    note: str = ""


def line_of(comparison, prepared, program):
    line = Line(prepared.name, prepared.classes, program)
    keys = [(prepared.name, program, "fixed", run) for run in range(comparison.runs)]
    runs = [run for run in map(comparison.journal.get, keys) if run]
    if not runs:
        return None
    first = runs[0]
    if "failed" in first:
        line.note = first["failed"]
        return line
    fill_costs(line, runs, program in programs.OURS)
    line.rounds, line.cut = first["rounds"], first.get("cut", False)
    line.model_mb = first["model_bytes"] / 2**20
    line.batch_rate, line.single_rate = first["batch_rate"], first["single_rate"]
    for measure in ("log_loss", "error"):
        figures = first[measure]
        setattr(line, measure, figures[-1] if isinstance(figures, list) else figures)
        reached = comparison.seconds_to(prepared.name, program, measure)
        if reached:
            setattr(line, f"seconds_to_{measure}", reached[0])
            setattr(line, f"rounds_to_{measure}", reached[1])
    return line


def fill_costs(line, runs, ours):
    times = [run["train_seconds"] if ours else run["seconds"][-1] for run in runs]
    line.train_seconds = statistics.median(times)
    line.peak_memory_mb = statistics.median(run["peak_memory_mb"] for run in runs)
    line.extra_memory_mb = statistics.median(
        run["peak_memory_mb"] - run["memory_before_mb"] for run in runs
    )


def number(value, form):
    return "" if value is None else format(value, form)


def seconds(value):
    return number(value, ".3f" if value is not None and value < 10 else ".1f")


def time_and_rounds(time, rounds):
    return f"{seconds(time)} ({rounds})" if time is not None else "-"


def row_of(line):
    title = programs.PROGRAMS[line.program].title
    if line.note:
        return f"| {title} | {line.note} |" + " |" * 10
    cells = [
        title,
        f"{line.rounds}{' (cut)' if line.cut else ''}",
        seconds(line.train_seconds),
        number(100 * line.error, ".2f"),
        number(line.log_loss, ".4f"),
        time_and_rounds(line.seconds_to_log_loss, line.rounds_to_log_loss),
        time_and_rounds(line.seconds_to_error, line.rounds_to_error),
        number(line.extra_memory_mb, ".0f"),
        number(line.peak_memory_mb, ".0f"),
        number(line.model_mb, ".2f"),
        number(line.batch_rate, ",.0f"),
        number(line.single_rate, ",.0f"),
    ]
    return f"| {' | '.join(cells)} |"


HEADER = (
    "| program | rounds | training, s | test error, % | test log loss "
    "| s to the best log loss (rounds) | s to the best error (rounds) | MB beyond program and data "
    "| peak MB | model MB | rows/s | rows/s, one by one |\n" + "|---" * 12 + "|"
)


def set_table(prepared, lines):
    title = (
        f"### {prepared.name}: {prepared.rows:,} x {prepared.features}, K = {prepared.classes}, "
        f"{prepared.test_rows:,} test rows"
    )
    return "\n".join([title, "", HEADER, *(row_of(line) for line in lines)])


def least(lines, field):
    lines = [line for line in lines if getattr(line, field) is not None]
    return min(lines, key=lambda line: getattr(line, field), default=None)


SUMMARY = (
    "| group | data | K | best peer | its log loss | its s | ours, s | ours / peer | wanted | met "
    "| ours at 31 leaves, 0.1: s | ours / peer | MB beyond program and data, ours / leanest peer | wanted "
    "| met |\n" + "|---" * 15 + "|"
)
MEMORY_WANTED, MEMORY_FROM_CLASSES = 0.5, 26


def fraction(value):
    return f"1/{1 / value:.1f}" if value < 1 else f"{value:.1f}"


def yes(condition):
    return "yes" if condition else "**no**"


def summary_row(comparison, prepared, lines):
    by_program = {line.program: line for line in lines}
    target = comparison.target(prepared.name, "log_loss")
    group = sets.group_of(prepared.name)
    if target is None or "ours" not in by_program:
        return None
    peers = [line for line in lines if line.program in programs.PEERS]
    theirs = least(peers, "seconds_to_log_loss").seconds_to_log_loss
    times = [by_program[key].seconds_to_log_loss for key in ("ours", "ours-common")]
    ratios = [time / theirs if time is not None else None for time in times]
    shown = [fraction(ratio) if ratio is not None else "never" for ratio in ratios]
    wanted = group.wanted if group else None
    cells = [
        group.title if group else "", prepared.name, prepared.classes,
        programs.PEERS[target.peer].title, f"{target.value:.4f}", seconds(theirs),
        seconds(times[0]), shown[0], fraction(wanted) if wanted else "",
        yes(ratios[0] is not None and ratios[0] <= wanted) if wanted else "",
        seconds(times[1]), shown[1], *memory_cells(prepared, by_program["ours"], peers),
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def memory_cells(prepared, ours, peers):
    """Ours counts with the program itself, the peers' without their interpreter."""
    leanest = least(peers, "extra_memory_mb")
    ratio = ours.extra_memory_mb / leanest.extra_memory_mb
    cell = f"{ours.extra_memory_mb:.0f} / {leanest.extra_memory_mb:.0f} = {ratio:.2f}"
    if prepared.classes < MEMORY_FROM_CLASSES:
        return cell, "", ""
    return cell, "1/2", yes(ratio <= MEMORY_WANTED)


def cpu():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{len(names)} x {names[0]}" if names else "unknown processor"


def versions(journal):
    found = {
        key[1]: result["version"] for key, result in journal.results.items() if "version" in result
    }
    return ", ".join(
        f"{programs.PEERS[peer].title} {version}" for peer, version in sorted(found.items())
    )


def medians(runs):
    return "one run of each" if runs == 1 else f"medians of {runs} runs in turn"


def dates(journal):
    found = sorted(result["date"] for result in journal.results.values() if "date" in result)
    return f"{found[0]} to {found[-1]}" if found else ""


def write_csv(path, records):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for record in records:
            writer.writerow({
                key: round(value, 6) if isinstance(value, float) else value
                for key, value in asdict(record).items()
            })  # fmt: skip


def write(comparison, prepared, folder, command_line):
    """compare.md, compare.csv and compare.svg in the folder."""
    tables, rows, records = [], [], []
    for one in prepared:
        lines = [line_of(comparison, one, program) for program in programs.PROGRAMS]
        lines = [line for line in lines if line]
        if not lines:
            continue
        records += lines
        tables.append(set_table(one, lines))
        row = summary_row(comparison, one, lines)
        if row:
            rows.append(row)
    picture = time_picture.picture(map(asdict, records))
    machine = comparison.machine
    text = [
        "# Comparison at common settings",
        "",
        f"    {command_line}",
        "",
        f"{dates(comparison.journal)}; {cpu()}, {machine.threads} threads, {machine.clock} time; "
        f"{medians(comparison.runs)}; {versions(comparison.journal)}; "
        f"{programs.version_of_ours(machine)}. "
        f"Peers: {programs.ROUNDS} rounds, 31 leaves (CatBoost: depth 5), rate 0.1, all else at "
        f"its default; training was cut after {machine.time_limit:g} s where it says so. "
        f"Ours: one training of {programs.ROUNDS} rounds (quality fast), all else at its default, "
        "and another with 31 leaves and rate 0.1.",
        "",
        "## Time to the best peer's test log loss",
        "",
        SUMMARY,
        *rows,
        "",
        *(["![Seconds until the best peer's log loss](compare.svg)", ""] if picture else []),
        "## Each set",
        "",
        "\n\n".join(tables),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compare.md").write_text("\n".join(text) + "\n")
    write_csv(folder / "compare.csv", records)
    if picture:
        (folder / "compare.svg").write_text(picture)
