"""docs/reproduction.md: how many figures of the papers agree, counted anew from the reports."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]
RESULTS = ROOT / "experiments" / "results"
# Not the papers' AdaBoost.MH (confidences), or rows that another report has (a tree a class).
LEFT_OUT = {"kdd2014-table3-confidence", "kdd2014-table3-mh"}
# The paper's 5,000 rounds, in the place of the same cells with fewer.
MORE_ROUNDS = ("kdd2014-table3-5000", "kdd2014-table3-krkopt")


def cells_of(name):
    """By data set and algorithm whether ours is better (+1) or worse (-1) by more than two bars."""
    text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
    good = 1 if "are the accuracy in percent" in text else -1
    cells = {}
    for line in text.splitlines():
        columns = [column.strip() for column in line.strip("|").split("|")]
        if len(columns) != 8 or not re.fullmatch(r"[-+]\d+\.\d", columns[5]):
            continue
        side = good if columns[5].startswith("+") else -good
        cells[columns[0], columns[1]] = side if columns[6] == "outside" else 0
    return cells


def all_cells():
    names = [path.stem for path in sorted(RESULTS.glob("*.md")) if path.stem not in LEFT_OUT]
    reports = {name: cells_of(name) for name in names}
    for name in MORE_ROUNDS:
        for cell in reports[name]:
            del reports["kdd2014-table3"][cell]
    return [side for cells in reports.values() for side in cells.values()]


def test_the_counts_are_those_of_the_reports():
    text = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    section = text[text.index("### How many cells agree") :]
    found = re.search(
        r"(\d+) figures of the papers.*? (\d+) are within two error bars, (\d+) better by more "
        r"than two, and \*\*(\d+) worse\*\*",
        section,
        flags=re.DOTALL,
    )
    cells = all_cells()
    counted = [len(cells), cells.count(0), cells.count(1), cells.count(-1)]
    assert [int(number) for number in found.groups()] == counted
    # Each of the worse is explained, or said to be open.
    table = section[: section.index("\n### ", 1)]
    explained = re.findall(r"^\| .* \| (\d+) \| .* \|$", table, flags=re.MULTILINE)
    assert sum(int(number) for number in explained) == counted[3]
