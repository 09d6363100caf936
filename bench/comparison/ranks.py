"""Tables of bench/quality, for each contest: figures of each set, geometric means, mean ranks, and a picture
of the latter with the critical difference of Nemenyi's test (Demsar 2006)."""

import math

import numpy

from comparison import contests
from comparison.program_names import OURS

MEASURES = {"error": "error", "log_loss": "log loss"}
# The studentised range at 5 % over the square root of 2, for 2 to 20 programs.
CRITICAL = [
    1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164, 3.219, 3.268, 3.313, 3.354, 3.391,
    3.426, 3.458, 3.489, 3.517, 3.544,
]  # fmt: skip
LEAST = 1e-4  # smaller figures count as this: an error of 0 would make every ratio 0 or infinite
OTHER_LEAST = [5e-4, 1e-3, 2e-3]


def mean_figures(journal, arguments):
    """(set, program) -> means over the folds that it has finished."""
    figures = {}
    for name in arguments.sets:
        for program in arguments.programs:
            runs = [journal.get((name, program, fold)) for fold in range(arguments.folds)]
            runs = [run for run in runs if run and "failed" not in run]
            if runs:
                figures[name, program] = {
                    key: float(numpy.mean([run[key] for run in runs]))
                    for key in ("error", "log_loss", "seconds")
                } | {"folds": len(runs)}
    return figures


def complete(figures, sets, programs):
    """The sets that all of these programs have finished, with the same number of folds."""
    result = []
    for name in sets:
        found = [figures.get((name, program)) for program in programs]
        if all(found) and len({one["folds"] for one in found}) == 1:
            result.append(name)
    return result


def rank(values):
    """Ranks from 1, the mean of them for equals."""
    values = numpy.asarray(values)
    below = (values[:, None] > values[None, :]).sum(axis=1)
    equal = (values[:, None] == values[None, :]).sum(axis=1)
    return below + (equal + 1) / 2


def mean_ranks(figures, names, programs, measure):
    if not names:
        return {}
    rows = [rank([round(figures[name, p][measure], 6) for p in programs]) for name in names]
    return dict(zip(programs, numpy.mean(rows, axis=0)))


def against_best(figures, names, programs, measure, one, least=LEAST):
    """The geometric mean of a program's figures over the best of the peers', none below `least`."""
    peers = [p for p in programs if p not in OURS]
    if not peers or not names:
        return math.nan
    logs = [
        math.log(
            max(figures[name, one][measure], least)
            / max(min(figures[name, p][measure] for p in peers), least)
        )
        for name in names
    ]
    return math.exp(numpy.mean(logs))


def seconds_against(figures, names, one, other):
    logs = [math.log(figures[n, one]["seconds"] / figures[n, other]["seconds"]) for n in names]
    return math.exp(numpy.mean(logs))


def summary(figures, names, contest, timed):
    programs, pace = contest.programs, contest.pace
    timed = timed and pace in programs and bool(names)
    titles = [
        "program",
        "rank by log loss",
        "rank by error",
        "log loss / best peer",
        "error / best peer",
    ]
    titles += [f"seconds / {pace}"] if timed else []
    lines = [
        f"Over the {len(names)} sets that all of these have finished; against the best of the peers on "
        "each set, geometric means.",
        "",
        f"| {' | '.join(titles)} |",
        "| --- |" + " --- |" * (len(titles) - 1),
    ]
    ranks = {m: mean_ranks(figures, names, programs, m) for m in MEASURES}
    for p in sorted(programs, key=lambda p: ranks["log_loss"].get(p, 0)):
        cells = [f"{ranks[m].get(p, math.nan):.2f}" for m in ("log_loss", "error")]
        cells += [
            f"{against_best(figures, names, programs, m, p):.3f}" for m in ("log_loss", "error")
        ]
        cells += [f"{seconds_against(figures, names, p, pace):.2f}"] if timed else []
        lines.append(f"| {p} | {' | '.join(cells)} |")
    return lines + floors(figures, names, programs)


def without_one(figures, names, programs, measure, one):
    """The ratio without the set that moves it most, and which that is."""
    whole = math.log(against_best(figures, names, programs, measure, one))
    found = []
    for left_out in names:
        rest = [name for name in names if name != left_out]
        ratio = against_best(figures, rest, programs, measure, one)
        found.append((abs(math.log(ratio) - whole), left_out, ratio))
    return f"{max(found)[2]:.3f} ({max(found)[1]})"


def floors(figures, names, programs):
    """What becomes of ours where larger figures count as no better than each other, and how much a
    single set weighs."""
    ours = [p for p in programs if p in OURS]
    if not ours or not names or len(ours) == len(programs):
        return []
    lines = [
        "",
        f"In these ratios figures below {LEAST:g} count as {LEAST:g}: a set on which a peer has no "
        "error weighs as much as that makes it. At other such bounds, and without the set that moves "
        "the ratio most:",
        "",
        "| program, measure | " + " | ".join(f"{one:g}" for one in [LEAST, *OTHER_LEAST])
        + " | without |",
        "| --- |" + " --- |" * (2 + len(OTHER_LEAST)),
    ]  # fmt: skip
    for p in ours:
        for measure, title in MEASURES.items():
            found = [
                f"{against_best(figures, names, programs, measure, p, least):.3f}"
                for least in [LEAST, *OTHER_LEAST]
            ]
            alone = len(names) < 2
            found.append("-" if alone else without_one(figures, names, programs, measure, p))
            lines.append(f"| {p}, {title} | " + " | ".join(found) + " |")
    return lines


def table(figures, sets, programs, measure):
    lines = [
        "| set | " + " | ".join(programs) + " |",
        "| --- |" + " --- |" * len(programs),
    ]
    for name in sets:
        found = {p: figures[name, p][measure] for p in programs if (name, p) in figures}
        if not found:
            continue
        best = min(found.values())
        cells = []
        for p in programs:
            text = f"{found[p]:.4f}" if p in found else "-"
            cells.append(f"**{text}**" if found.get(p) == best else text)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def picture(ranks, sets, title):
    """A line of mean ranks; a bar joins those that the sets do not tell apart."""
    programs = sorted(ranks, key=ranks.get)
    count = len(programs)
    gap = CRITICAL[count - 2] * math.sqrt(count * (count + 1) / (6 * sets))
    left, width, row = 150, 500, 22
    height = 70 + row * ((count + 1) // 2) + 40

    def x(value):
        return left + (value - 1) / max(count - 1, 1) * width

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left * 2 + width}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{left * 2 + width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="16">{title}: mean ranks over {sets} sets, '
        f"critical difference {gap:.2f}</text>",
        f'<line x1="{left}" x2="{left + width}" y1="45" y2="45" stroke="black"/>',
    ]
    for value in range(1, count + 1):
        parts.append(f'<text x="{x(value):.0f}" y="38" text-anchor="middle">{value}</text>')
        parts.append(
            f'<line x1="{x(value):.0f}" x2="{x(value):.0f}" y1="41" y2="45" stroke="black"/>'
        )
    for place, program in enumerate(programs):
        first = place < (count + 1) // 2
        y = 70 + row * (place if first else count - 1 - place)
        end = left - 8 if first else left + width + 8
        anchor = "end" if first else "start"
        here = x(ranks[program])
        parts.append(
            f'<polyline points="{here:.0f},45 {here:.0f},{y - 4} {end},{y - 4}" fill="none" '
            'stroke="gray"/>'
        )
        parts.append(
            f'<text x="{end}" y="{y}" text-anchor="{anchor}">{program} {ranks[program]:.2f}</text>'
        )
    y = height - 30
    for place, program in enumerate(programs):
        alike = [p for p in programs[place:] if ranks[p] - ranks[program] <= gap]
        before = place > 0 and ranks[alike[-1]] - ranks[programs[place - 1]] <= gap
        if len(alike) > 1 and not before:
            parts.append(
                f'<line x1="{x(ranks[program]):.0f}" x2="{x(ranks[alike[-1]]):.0f}" y1="{y}" '
                f'y2="{y}" stroke="black" stroke-width="3"/>'
            )
            y += 6
    return "\n".join([*parts, "</svg>"]) + "\n"


def write_contest(figures, contest, arguments):
    """Its part of the page; the pictures go beside that."""
    programs = contest.programs
    names = complete(figures, arguments.sets, programs)
    lines = ["", f"## {contest.title}", ""]
    lines += summary(figures, names, contest, not arguments.no_times)
    for measure, title in MEASURES.items():
        picture_name = f"{arguments.name}-{contest.key}-{measure.replace('_', '-')}.svg"
        lines += ["", f"### {title.capitalize()}", ""]
        if 1 < len(programs) < len(CRITICAL) + 2 and names:
            ranks = mean_ranks(figures, names, programs, measure)
            (arguments.output / picture_name).write_text(picture(ranks, len(names), title))
            lines += [f"![Mean ranks by {title}]({picture_name})", ""]
        lines += table(figures, arguments.sets, programs, measure)
    if not arguments.no_times:
        lines += ["", "### Seconds of training", ""]
        lines += table(figures, arguments.sets, programs, "seconds")
    return lines


def write(journal, arguments):
    figures = mean_figures(journal, arguments)
    if not figures:
        return
    arguments.output.mkdir(parents=True, exist_ok=True)
    ran = [p for p in arguments.programs if any(key[1] == p for key in figures)]
    found, left = contests.held(ran, arguments.summary)
    given = [
        "DIR" if str(word).startswith("/") else word
        for word in arguments.given
        if word != "--tables"
    ]
    lines = ["# Prediction quality", "", f"    bench/quality {' '.join(map(str, given))}"]
    if left:
        lines += ["", f"In none of these summaries: {', '.join(left)}."]
    for contest in found:
        lines += write_contest(figures, contest, arguments)
    (arguments.output / f"{arguments.name}.md").write_text("\n".join(lines) + "\n")
