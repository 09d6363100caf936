"""Charts as SVG: rows of bars or of points, and lines. They have a ground of their own and colours for light and
dark, as the reader's system asks for them; series differ by their marks, too."""

import dataclasses
import html
import math

WIDTH, ROW, BAR, LETTER = 780, 22, 14, 7.6  # LETTER: about the width of one of 13 points
COLOURS = {  # of series, on light and on dark ground
    "light": ("#3f51b5", "#b3541e", "#00796b", "#8e24aa", "#5f6670", "#827717"),
    "dark": ("#9fa8ff", "#ffab7a", "#5fd0c0", "#e39af5", "#aab0bb", "#d6cb5a"),
}
GROUNDS = {
    "light": {"ground": "#ffffff", "ink": "#1f2328", "soft": "#57606a", "grid": "#e1e4e8"},
    "dark": {"ground": "#1b1e24", "ink": "#e6e9ee", "soft": "#aab2bd", "grid": "#363b44"},
}
MOST = len(COLOURS["light"])


@dataclasses.dataclass
class Chart:
    """What is drawn: `labels` are those of rows, or places along x for lines; each series has a value, or None, for
    each of them."""

    title: str
    unit: str
    labels: list
    series: dict
    log: bool = False
    reference: float = None  # a line to compare with
    along: str = ""  # what x is, of lines


def rules(scheme):
    of = GROUNDS[scheme]
    found = [
        f".ground{{fill:{of['ground']}}} text{{fill:{of['ink']}}} .soft{{fill:{of['soft']}}}",
        f".grid{{stroke:{of['grid']}}} .mark{{stroke:{of['soft']};stroke-dasharray:5 4}}",
    ]
    for number, colour in enumerate(COLOURS[scheme]):
        found.append(f".f{number}{{fill:{colour}}} .l{number}{{stroke:{colour};fill:none}}")
    return "\n".join(found)


STYLE = (
    f"<style>\n{rules('light')}\n@media (prefers-color-scheme: dark) {{\n{rules('dark')}\n}}\n</style>"
)


def text(x, y, words, anchor="start", kind=""):
    shown = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{shown}>{html.escape(words)}</text>'


def mark(number, x, y):
    """A point of a series, in its shape."""
    corners = {
        1: ((-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)),
        2: ((0, -6), (6, 0), (0, 6), (-6, 0)),
        3: ((0, -6), (5.5, 4), (-5.5, 4)),
        4: ((0, 6), (5.5, -4), (-5.5, -4)),
        5: ((-6, -3), (6, -3), (6, 3), (-6, 3)),
    }.get(number)
    if corners is None:
        return f'<circle class="f{number}" cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
    points = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in corners)
    return f'<polygon class="f{number}" points="{points}"/>'


def shown(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def ticks(values, log):
    """Round numbers around all values."""
    low, high = min(values), max(values)
    if log:
        powers = range(math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9) + 1)
        every = [10.0**power for power in powers]
        if high / low <= 200:
            every = [factor * one for one in every for factor in (1, 2, 5)]
        first = max((i for i, one in enumerate(every) if one <= low * 1.0001), default=0)
        last = next((i for i, one in enumerate(every) if one >= high * 0.9999), len(every) - 1)
        return every[first : max(last, first + 1) + 1]
    span = (high - low) or abs(high) or 1
    step = 10.0 ** math.floor(math.log10(span / 4))
    step = next(step * factor for factor in (1, 2, 5, 10) if span / (step * factor) <= 6)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, max(last, first + 1) + 1)]


def scale(values, log, begin, end):
    """The ticks, and from values to places between `begin` and `end`."""
    found = ticks(values, log)
    place = math.log10 if log else float
    low, high = place(found[0]), place(found[-1])
    return found, lambda value: begin + (place(value) - low) / (high - low) * (end - begin)


def legend(names, left):
    """Marks and names below the title, in as many lines as they need; and the height of these."""
    parts, x, y = [], left, 46
    for number, name in enumerate(names):
        wide = 16 + LETTER * len(name) + 22
        if x > left and x + wide > WIDTH:
            x, y = left, y + 20
        parts += [mark(number, x + 5, y - 4), text(x + 16, y, name)]
        x += wide
    return parts, y


def whole(parts, height, words):
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" font-family="sans-serif" font-size="13" role="img">'
    )
    back = f'<rect class="ground" width="{WIDTH}" height="{height:.0f}"/>'
    return "\n".join([head, f"<title>{html.escape(words)}</title>", STYLE, back, *parts, "</svg>"]) + "\n"


def values_of(chart):
    found = [value for values in chart.series.values() for value in values if value is not None]
    return found + ([chart.reference] if chart.reference is not None else [])


def upright(chart, x, marks, top, bottom):
    """The grid of values that go to the right, with their numbers above."""
    parts = []
    for one in marks:
        parts.append(f'<line class="grid" x1="{x(one):.1f}" x2="{x(one):.1f}" y1="{top}" y2="{bottom}"/>')
        parts.append(text(x(one), top - 6, shown(one), "middle", "soft"))
    if chart.reference is not None:
        here = x(chart.reference)
        parts.append(f'<line class="mark" x1="{here:.1f}" x2="{here:.1f}" y1="{top}" y2="{bottom}"/>')
    return parts


def frame(chart):
    """Title, legend and unit of a chart of rows; where its rows begin, and to the left and right."""
    left = 24 + LETTER * max(len(label) for label in chart.labels)
    parts, y = legend(chart.series, 14) if len(chart.series) > 1 else ([], 26)
    parts = [text(14, 24, chart.title), *parts, text(14, y + 26, chart.unit, kind="soft")]
    return parts, y + 54, left


def points(chart):
    """A line for each label, with a mark for each series."""
    parts, top, left = frame(chart)
    marks, x = scale(values_of(chart), chart.log, left, WIDTH - 40)
    bottom = top + ROW * len(chart.labels) + 4
    parts += upright(chart, x, marks, top, bottom)
    for row, label in enumerate(chart.labels):
        y = top + ROW * (row + 0.5) + 2
        found = [(n, values[row]) for n, values in enumerate(chart.series.values()) if values[row] is not None]
        parts.append(text(left - 12, y + 4, label, "end"))
        if len(found) > 1:
            ends = sorted(x(value) for _, value in found)
            parts.append(f'<line class="grid" x1="{ends[0]:.1f}" x2="{ends[-1]:.1f}" y1="{y:.1f}" y2="{y:.1f}" '
                         'stroke-width="4"/>')  # fmt: skip
        # The first series is drawn last, above the others.
        parts += [mark(number, x(value), y) for number, value in reversed(found)]
    return whole(parts, bottom + 14, chart.title)


def bars(chart):
    """A bar from zero for each label and series, with its value."""
    parts, top, left = frame(chart)
    marks, x = scale([*values_of(chart), 0], False, left, WIDTH - 70)
    high = max(ROW, BAR * len(chart.series) + 9)
    bottom = top + high * len(chart.labels) + 4
    parts += upright(chart, x, marks, top, bottom)
    begin = x(0)
    for row, label in enumerate(chart.labels):
        middle = top + high * (row + 0.5) + 2
        parts.append(text(left - 12, middle + 4, label, "end"))
        for number, values in enumerate(chart.series.values()):
            if values[row] is None:
                continue
            end = x(values[row])
            y = middle + BAR * (number - len(chart.series) / 2)
            parts.append(
                f'<rect class="f{number}" x="{min(begin, end):.1f}" y="{y:.1f}" '
                f'width="{abs(end - begin):.1f}" height="{BAR - 1}"/>'
            )
            # Beside the end of the bar, where no label stands.
            beside = max(begin, end) + 5
            parts.append(f'<g font-size="11">{text(beside, y + 10.5, shown(values[row]), kind="soft")}</g>')
    return whole(parts, bottom + 14, chart.title)


def apart(places, least, low, high):
    """Places that are `least` from each other, as near as may be to those given, in their order."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = dict.fromkeys(order, 0.0)
    for rank, one in enumerate(order):
        moved[one] = max(places[one], low + rank * least, moved[order[rank - 1]] + least if rank else low)
    over = max(0.0, (moved[order[-1]] if order else 0) - high)
    for rank, one in reversed(list(enumerate(order))):
        limit = high if rank == len(order) - 1 else moved[order[rank + 1]] - least
        moved[one] = min(moved[one] - (over if rank == len(order) - 1 else 0), limit)
    return [moved[one] for one in range(len(places))]


def lines(chart):
    """A line for each series over numbers, whose logarithm is x; its name stands at its end."""
    left, right = 70, WIDTH - 24 - LETTER * max(len(name) for name in chart.series)
    top, bottom = 64, 360
    marks, y = scale(values_of(chart), chart.log, bottom, top)
    numbers = [float(str(label).replace(",", "")) for label in chart.labels]
    low, high = math.log(numbers[0]), math.log(numbers[-1])
    places = [left + 10 + (math.log(one) - low) / (high - low) * (right - left - 24) for one in numbers]
    parts = [text(14, 24, chart.title), text(14, 46, chart.unit, kind="soft")]
    for one in marks:
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y(one):.1f}" y2="{y(one):.1f}"/>')
        parts.append(text(left - 8, y(one) + 4, shown(one), "end", "soft"))
    for one, place in zip(numbers, places):
        parts.append(text(place, bottom + 20, shown(one), "middle", "soft"))
    parts.append(text((left + right) / 2, bottom + 42, chart.along, "middle", "soft"))
    ends = [next(y(value) for value in reversed(values) if value is not None) for values in chart.series.values()]
    for number, (values, end) in enumerate(zip(chart.series.values(), apart(ends, 17, top, bottom))):
        found = [(place, y(value)) for place, value in zip(places, values) if value is not None]
        joined = " ".join(f"{place:.1f},{high:.1f}" for place, high in found)
        parts.append(f'<polyline class="l{number}" points="{joined}" stroke-width="2"/>')
        parts += [mark(number, place, high) for place, high in found]
        parts.append(text(right + 8, end + 4, list(chart.series)[number]))
    return whole(parts, bottom + 58, chart.title)
