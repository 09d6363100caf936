"""A picture of a comparison: on each set, the seconds until the best peer's test log loss, by that peer and by
ours, on a logarithmic scale.

usage: python -m comparison.time_picture PICTURE.svg TABLE.csv...    (in bench/; tables of bench/peers compare)
"""

import csv
import html
import math
import pathlib
import sys

from comparison import programs

LEFT, WIDTH, ROW, TOP = 190, 470, 24, 78
COLOURS = {"peer": "#8a8f98", "ours": "#3f51b5"}


def times(records):
    """By set: classes, the best peer's name and seconds, and ours, None where it never gets there."""
    found = {}
    for record in records:
        here = found.setdefault(record["set"], {"classes": int(record["classes"]), "ours": None})
        seconds = record["seconds_to_log_loss"]
        if seconds in ("", None):
            continue
        if record["program"] == "ours":
            here["ours"] = float(seconds)
        elif record["program"] in programs.PEERS and float(seconds) < here.get("peer", math.inf):
            here["peer"] = float(seconds)
            here["name"] = programs.PEERS[record["program"]].title
    told = {name: one for name, one in found.items() if "peer" in one}
    return dict(sorted(told.items(), key=lambda item: (item[1]["classes"], item[0])))


def scale(found):
    """Powers of ten around all times, and from seconds to a place in the picture."""
    all_times = [t for one in found.values() for t in (one["peer"], one["ours"]) if t]
    low = math.floor(math.log10(min(all_times)))
    high = max(math.ceil(math.log10(max(all_times))), low + 1)

    def x(seconds):
        return LEFT + (math.log10(seconds) - low) / (high - low) * WIDTH

    return [10.0**power for power in range(low, high + 1)], x


def text(x, y, words, anchor="start", fill="#222"):
    return f'<text x="{x:.0f}" y="{y}" text-anchor="{anchor}" fill="{fill}">{html.escape(words)}</text>'


def row(name, one, y, x):
    parts = [text(LEFT - 12, y + 4, f"{name} ({one['classes']})", "end")]
    end = x(one["ours"]) if one["ours"] else LEFT
    parts.append(
        f'<line x1="{end:.0f}" x2="{x(one["peer"]):.0f}" y1="{y}" y2="{y}" stroke="#c5c9d0" '
        'stroke-width="3"/>'
        if one["ours"]
        else text(LEFT + 4, y + 4, "ours: never", fill=COLOURS["ours"])
    )
    parts.append(f'<circle cx="{x(one["peer"]):.0f}" cy="{y}" r="5" fill="{COLOURS["peer"]}"/>')
    if one["ours"]:
        parts.append(f'<circle cx="{end:.0f}" cy="{y}" r="5" fill="{COLOURS["ours"]}"/>')
    parts.append(text(LEFT + WIDTH + 14, y + 4, one["name"], fill="#555"))
    return parts


def picture(records):
    """SVG; empty where no set has a time."""
    found = times(records)
    if not found:
        return ""
    ticks, x = scale(found)
    bottom = TOP + ROW * len(found)
    width = LEFT + WIDTH + 180
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 16}" width="{width}" '
        f'height="{bottom + 16}" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{bottom + 16}" fill="white"/>',
        text(12, 22, "Seconds of training until the test log loss of the best peer; sets with their classes"),
        f'<circle cx="{LEFT}" cy="42" r="5" fill="{COLOURS["ours"]}"/>',
        text(LEFT + 10, 46, "simplexboost"),
        f'<circle cx="{LEFT + 130}" cy="42" r="5" fill="{COLOURS["peer"]}"/>',
        text(LEFT + 140, 46, "the best peer, named at the right"),
    ]
    for tick in ticks:
        parts.append(
            f'<line x1="{x(tick):.0f}" x2="{x(tick):.0f}" y1="{TOP - 12}" y2="{bottom - 8}" stroke="#e4e6ea"/>'
        )
        parts.append(text(x(tick), TOP - 16, f"{tick:g} s", "middle", "#555"))
    for place, (name, one) in enumerate(found.items()):
        parts += row(name, one, TOP + ROW * place + 2, x)
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    output, *tables = sys.argv[1:]
    records = []
    for table in tables:
        with open(table, newline="") as file:
            records += csv.DictReader(file)
    pathlib.Path(output).write_text(picture(records))


if __name__ == "__main__":
    main()
