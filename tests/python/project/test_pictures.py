"""The pictures of the benchmark pages: what is stored is what the tables give, and what is drawn can be read."""

import pathlib
import re
import sys
from xml.etree import ElementTree

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench/pictures"))

import charts
import tables
from drawn import PICTURES, ROOT

SVG = "{http://www.w3.org/2000/svg}"


def elements(drawn, tag):
    return list(ElementTree.fromstring(drawn).iter(SVG + tag))


def numbers(element, *names):
    return [float(element.get(name)) for name in names]


def chart(series, labels=("a", "b"), **more):
    return charts.Chart("A title", "a unit", list(labels), series, **more)


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.path)
def test_picture_is_what_its_table_gives(picture):
    assert (ROOT / picture.path).read_text() == picture.draw(), "draw them anew: python3 bench/pictures"
    assert f"]({picture.address})" in (ROOT / picture.page).read_text()


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.path)
def test_every_row_of_the_table_has_its_mark(picture):
    found = picture.chart()
    values = sum(value is not None for values in found.series.values() for value in values)
    drawn = picture.draw()
    marks = [one for tag in ("circle", "polygon") for one in elements(drawn, tag)]
    bars = [one for one in elements(drawn, "rect") if one.get("class") != "ground"]
    in_legend = len(found.series) if len(found.series) > 1 and picture.kind is not charts.lines else 0
    assert len(marks) + len(bars) - in_legend == values > 1
    assert len(found.series) <= charts.MOST and len(found.labels) > 1


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.path)
def test_words_are_within_the_picture_and_apart(picture):
    drawn = picture.draw()
    height = float(ElementTree.fromstring(drawn).get("height"))
    boxes = []
    for one in elements(drawn, "text"):
        x, y = numbers(one, "x", "y")
        wide = charts.LETTER * len(one.text)
        begin = x - {"start": 0, "middle": wide / 2, "end": wide}[one.get("text-anchor")]
        assert begin >= 0 and begin + wide <= charts.WIDTH + 12 and 10 < y < height, one.text
        boxes.append((begin, begin + wide, y, one.text))
    for place, (begin, end, y, words) in enumerate(boxes):
        for other_begin, other_end, other_y, other in boxes[place + 1 :]:
            # Letters are narrower than they are taken to be.
            overlap = min(end, other_end) - max(begin, other_begin)
            assert abs(y - other_y) >= 12 or overlap < 6, (words, other)


def test_points_stand_by_their_values():
    drawn = charts.points(chart({"ours": [1, 3], "other": [2, 2]}))
    first, second = [float(one.get("cx")) for one in elements(drawn, "circle")][1:]  # one is the legend's
    squares = elements(drawn, "polygon")[1:]
    middles = [sum(float(pair.split(",")[0]) for pair in one.get("points").split()) / 4 for one in squares]
    assert first < second and middles == pytest.approx([(first + second) / 2] * 2)


def test_logarithms_make_factors_distances():
    drawn = charts.points(chart({"ours": [1, 10, 100]}, labels="abc", log=True))
    found = [float(one.get("cx")) for one in elements(drawn, "circle")]
    assert found[1] - found[0] == pytest.approx(found[2] - found[1], abs=0.2) and found[1] > found[0]


def test_bars_begin_at_nothing_and_tell_their_values():
    drawn = charts.bars(chart({"ours": [2, -1], "other": [None, 4]}))
    found = [numbers(one, "x", "width") for one in elements(drawn, "rect") if one.get("class") != "ground"]
    (x2, two), (x1, one), (x4, four) = found
    assert two == pytest.approx(2 * one, abs=0.2) and four == pytest.approx(4 * one, abs=0.4)
    assert x2 == x4 == pytest.approx(x1 + one, abs=0.1)
    assert {"2", "-1", "4"} <= {one.text for one in elements(drawn, "text")}


def test_names_of_lines_move_apart():
    assert charts.apart([10, 12, 100], 17, 0, 200) == [10, 27, 100]
    assert charts.apart([198, 199, 200], 17, 0, 200) == [166, 183, 200]
    series = {f"line {i}": [1, 2 + i / 1000] for i in range(4)}
    drawn = charts.lines(chart(series, labels=("1", "16"), along="threads"))
    heights = sorted(float(one.get("y")) for one in elements(drawn, "text") if "line" in one.text)
    assert all(later - earlier >= 16 for earlier, later in zip(heights, heights[1:]))


def test_what_looks_like_a_tag_is_none():
    drawn = charts.bars(charts.Chart("<a> & b", "unit", ["<i>"], {"ours": [1]}))
    assert elements(drawn, "title")[0].text == "<a> & b" and "<i>" not in drawn


@pytest.mark.parametrize("values", [[0.3, 0.31], [5, 5], [-60, 0], [1e-4, 3e5], [90, 90.5]])
def test_ticks_lie_around_the_values(values):
    for log in (False, True) if min(values) > 0 else (False,):
        found = charts.ticks(values, log)
        assert found[0] <= min(values) and found[-1] >= max(values) and 2 <= len(found) <= 12


def test_tables_of_a_page_are_counted_from_a_heading():
    text = "# A\n| a | b |\n|---|---|\n| 1 | x |\n\n## B\n\n| c |\n| --- |\n| 1,200 ms, 3.5 |\n| - |\n"
    assert tables.table(text, "# A") == (["a", "b"], [["1", "x"]])
    head, rows = tables.table(text, "## B")
    assert (head, rows) == (["c"], [["1,200 ms, 3.5"], ["-"]]) and tables.table(text, "# A", 1)[0] == head
    assert tables.value(rows[0][0]) == 1200 and tables.value(rows[0][0], 1) == 3.5
    assert tables.value(rows[1][0]) is None
    with pytest.raises(ValueError, match="no such table"):
        tables.table(text, "## B", 1)


def test_every_picture_of_a_benchmark_page_is_shown_somewhere():
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "bench/results").glob("*.md")]
    words = "".join(path.read_text() for path in pages)
    for path in [*(ROOT / "bench/results").glob("*.svg"), *(ROOT / "docs/images").glob("*")]:
        assert re.search(rf"[(/]{re.escape(path.name)}\)", words), path.name
