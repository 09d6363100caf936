"""Tables of bench/quality: figures of each set, geometric means, mean ranks, and a picture of the
latter with the critical difference of Nemenyi's test (Demsar 2006)."""

import math

import numpy

MEASURES = {"error": "error", "log_loss": "log loss"}
# The studentised range at 5 % over the square root of 2, for 2 to 20 programs.
CRITICAL = [
    1.960, 2.344, 2.569, 2.728, 2.850, 2.948, 3.031, 3.102, 3.164, 3.219, 3.268, 3.313, 3.354, 3.391,
    3.426, 3.458, 3.489, 3.517, 3.544,
]  # fmt: skip
LEAST = 1e-4  # smaller figures count as this: an error of 0 would make every ratio 0 or infinite
OTHER_LEAST = [5e-4, 1e-3, 2e-3]


def mean_figures(journal, arguments):
    """(set, program) -> means over the folds that all programs of the set have."""
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


def complete(figures, arguments):
    """The sets that every program has finished, with the same number of folds."""
    result = []
    for name in arguments.sets:
        found = [figures.get((name, program)) for program in arguments.programs]
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
    peers = [p for p in programs if not p.startswith("ours")]
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


def summary(figures, names, programs, timed):
    lines = [
        f"Over the {len(names)} sets that all have finished; against the best of the peers on each "
        "set, geometric means.",
        "",
        "| program | rank by log loss | rank by error | log loss / best peer | error / best peer |"
        " seconds / LightGBM |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    ranks = {m: mean_ranks(figures, names, programs, m) for m in MEASURES}
    for p in sorted(programs, key=lambda p: ranks["log_loss"].get(p, 0)):
        times = "-"
        if timed and "lightgbm" in programs and names:
            logs = [
                math.log(figures[n, p]["seconds"] / figures[n, "lightgbm"]["seconds"])
                for n in names
            ]
            times = f"{math.exp(numpy.mean(logs)):.2f}"
        ratios = [against_best(figures, names, programs, m, p) for m in ("log_loss", "error")]
        lines.append(
            f"| {p} | {ranks['log_loss'].get(p, math.nan):.2f} | "
            f"{ranks['error'].get(p, math.nan):.2f} | {ratios[0]:.3f} | {ratios[1]:.3f} | {times} |"
        )
    return lines + floors(figures, names, programs)


def floors(figures, names, programs):
    """What becomes of ours where larger figures count as no better than each other."""
    ours = [p for p in programs if p.startswith("ours")]
    if not ours or not names or len(ours) == len(programs):
        return []
    lines = [
        "",
        f"In these ratios figures below {LEAST:g} count as {LEAST:g}: a set on which a peer has no "
        "error weighs as much as that makes it. At other such bounds:",
        "",
        "| program, measure | " + " | ".join(f"{one:g}" for one in [LEAST, *OTHER_LEAST]) + " |",
        "| --- |" + " --- |" * (1 + len(OTHER_LEAST)),
    ]
    for p in ours:
        for measure, title in MEASURES.items():
            found = [
                f"{against_best(figures, names, programs, measure, p, least):.3f}"
                for least in [LEAST, *OTHER_LEAST]
            ]
            lines.append(f"| {p}, {title} | " + " | ".join(found) + " |")
    return lines


def table(figures, arguments, measure):
    lines = [
        "| set | " + " | ".join(arguments.programs) + " |",
        "| --- |" + " --- |" * len(arguments.programs),
    ]
    for name in arguments.sets:
        found = {p: figures[name, p][measure] for p in arguments.programs if (name, p) in figures}
        if not found:
            continue
        best = min(found.values())
        cells = []
        for p in arguments.programs:
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


def write(journal, arguments):
    figures = mean_figures(journal, arguments)
    if not figures:
        return
    programs = [p for p in arguments.programs if any(key[1] == p for key in figures)]
    arguments.programs = programs
    names = complete(figures, arguments)
    given = ["DIR" if str(word).startswith("/") else word for word in arguments.given]
    lines = [
        "# Prediction quality", "", f"    bench/quality {' '.join(map(str, given))}", "",
        *summary(figures, names, programs, not arguments.no_times),
    ]  # fmt: skip
    drawn = len(programs) > 1 and len(programs) - 2 < len(CRITICAL) and bool(names)
    for measure, title in MEASURES.items():
        name = f"{arguments.name}-{measure.replace('_', '-')}.svg"
        shown = ["", f"![Mean ranks by {title}]({name})"] if drawn else []
        lines += ["", f"## {title.capitalize()}", *shown, "", *table(figures, arguments, measure)]
    if not arguments.no_times:
        lines += ["", "## Seconds of training", "", *table(figures, arguments, "seconds")]
    arguments.output.mkdir(parents=True, exist_ok=True)
    stem = arguments.output / arguments.name
    stem.with_suffix(".md").write_text("\n".join(lines) + "\n")
    if drawn:
        for measure, title in MEASURES.items():
            ranks = mean_ranks(figures, names, programs, measure)
            path = arguments.output / f"{arguments.name}-{measure.replace('_', '-')}.svg"
            path.write_text(picture(ranks, len(names), title))
