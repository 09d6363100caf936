"""Tables of Markdown pages, as lists of cells."""

import re

NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").replace(r"\|", "¦").split("|")]


def table(text, heading, number=0):
    """The head and the rows of a table below a heading; `number` counts tables from there on."""
    lines = text.splitlines()
    place = lines.index(heading)
    for i in range(place, len(lines) - 1):
        if re.match(r"\|(\s*:?-{3,}:?\s*\|)+$", lines[i + 1]) and lines[i].startswith("|"):
            if number == 0:
                rows = []
                for line in lines[i + 2 :]:
                    if not line.startswith("|"):
                        break
                    rows.append(cells(line))
                return cells(lines[i]), rows
            number -= 1
    raise ValueError(f"there is no such table below {heading}")


def value(cell, part=0):
    """One of the numbers in a cell; None where there are not so many."""
    found = NUMBER.findall(cell)
    return float(found[part].replace(",", "")) if len(found) > part else None
