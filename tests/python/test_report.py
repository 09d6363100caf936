"""The pages of `report`, `compare` and `train --dashboard`: their facts, and themselves in Chromium."""

import hashlib
import html
import json
import pathlib
import re
import shutil
import sys
import types

import numpy as np
import pytest

import simplexboost
from browser import Browser

PARTS = (
    "verdict classes confusions pairs calibration margins curves map importance effects hardest "
    "suspects card"
).split()
LARGEST = 1 << 20  # bytes of a page


@pytest.fixture(scope="module")
def browser():
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("chromium is not installed: scripts/setup browser")
    opened = Browser(program)
    yield opened
    opened.close()


def facts_of(page):
    return json.loads(re.search(r'id="facts">(.*?)</script>', page, re.S)[1])


def check_quiet(page):
    """No error, no warning, and nothing asked for but the file itself."""
    assert page.complaints == []
    assert len(page.requests) == 1 and page.requests[0].startswith("file://"), page.requests


def overflow(page):
    return page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")


class Files:
    """Models of 30 classes, data, and their pages."""

    def __init__(self, run):
        self.run = run
        self.folder = folder = run.folder
        self.run.succeed(
            "generate", "manyclass", "--classes", "30", "--features", "8", "--rows", "3000",
            "--bayes-error", "0.2", "-o", "all.csv", "--quiet",
        )  # fmt: skip
        lines = (folder / "all.csv").read_text().splitlines()
        (folder / "train.csv").write_text("\n".join(lines[:2001]) + "\n")
        (folder / "test.csv").write_text("\n".join([lines[0], *lines[2001:]]) + "\n")
        for name, rounds in (("a", "4"), ("b", "12")):
            self.run.succeed(
                "train", "train.csv", "-m", f"{name}.sb", "--rounds", rounds, "--valid-fraction",
                "0.2", "--quiet", "--dashboard", f"{name}.html",
            )  # fmt: skip
        self.run.succeed(
            "report", "b.sb", "test.csv", "-o", "report.html", "--dashboard", "b.html", "--quiet"
        )
        self.run.succeed("compare", "a.sb", "b.sb", "test.csv", "-o", "compare.html", "--quiet")

    def facts(self, name):
        return facts_of((self.folder / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def files(command_in, tmp_path_factory):
    return Files(command_in(tmp_path_factory.mktemp("pages")))


# The facts.


def test_report_tells_what_evaluate_tells(files):
    told = files.run.json("evaluate", "b.sb", "test.csv", "--json")
    facts = files.facts("report.html")
    assert facts["verdict"]["wrong"] == round(told["error"] * 1000)
    assert facts["verdict"]["log_loss"][0] == pytest.approx(told["log_loss"], rel=1e-3)
    assert facts["verdict"]["calibration"][0] == pytest.approx(told["calibration_error"], rel=1e-3)
    cells = np.array(facts["confusion"]["cells"]).reshape(-1, 3)
    assert cells[:, 2].sum() + sum(facts["confusion"]["diagonal"]) == 1000
    assert sorted(facts["order"]) == list(range(30))
    digest = hashlib.sha256((files.folder / "b.sb").read_bytes()).hexdigest()
    assert facts["card"]["sha256"] == digest


def test_the_command_on_the_card_repeats_the_page(files):
    facts = files.facts("report.html")
    words = facts["card"]["command"].split()
    assert words[:4] == ["simplexboost", "report", "b.sb", "test.csv"]
    before = (files.folder / "report.html").read_bytes()
    files.run.succeed(*words[1:], "--threads", "1")
    again = (files.folder / "report.html").read_text(encoding="utf-8")
    assert again.replace(" --threads 1", "").encode() == before


def test_intervals_hold(files):
    """Of 40 samples of rows nearly all have the error of all rows within their interval."""
    rows = (files.folder / "test.csv").read_text().splitlines()
    truth = files.facts("report.html")["verdict"]["error"][0]
    model = simplexboost.load_model(files.folder / "b.sb")
    pandas = pytest.importorskip("pandas")
    data = np.array([line.split(",") for line in rows[1:]])
    x = pandas.DataFrame(data[:, :-1].astype(float), columns=rows[0].split(",")[:-1])
    y = data[:, -1].astype(model.classes_.dtype)
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(40):
        some = generator.integers(0, len(y), 150)
        verdict = facts_of(model.report(x.iloc[some], y[some]).html)["verdict"]
        held += verdict["error"][1] <= truth <= verdict["error"][2]
    assert held >= 34, held


def test_pages_of_many_classes_are_small(simplexboost):
    for classes, most in ((100, LARGEST), (1000, 3 * LARGEST)):
        rows = 2 * classes
        simplexboost.succeed(
            "generate", "manyclass", "--classes", classes, "--rows", rows, "-o", "m.csv", "--quiet"
        )
        simplexboost.succeed("train", "m.csv", "-m", "m.sb", "--rounds", "2", "--quiet")
        simplexboost.succeed("report", "m.sb", "m.csv", "-o", "m.html")
        page = (simplexboost.folder / "m.html").read_text(encoding="utf-8")
        assert len(page) < most
        assert len(facts_of(page)["groups"]) < 3 * classes**0.5


def test_what_cannot_be_reported_is_said(simplexboost):
    folder = simplexboost.folder
    (folder / "a.csv").write_text("x,class\n" + "1,a\n2,b\n" * 10)
    simplexboost.succeed("train", "a.csv", "-m", "a.sb", "--rounds", "2", "--quiet")
    line = simplexboost.fail("report", "a.sb", "a.csv", "-o", "a.csv", status=1)
    assert "this would replace an input file" in line
    line = simplexboost.fail("compare", "a.sb", "a.sb", "-", status=2)
    assert "cannot be standard input" in line
    (folder / "bare.csv").write_text("x\n1\n")
    assert "class" in simplexboost.fail("report", "a.sb", "bare.csv", status=1)
    assert not (folder / "report.html").exists()
    (folder / "sets.csv").write_text("x,l1,l2\n" + "1,0,1\n2,1,1\n3,1,0\n" * 5)
    simplexboost.succeed(
        "train", "sets.csv", "-m", "s.sb", "--rounds", "2", "--label", "l1,l2", "--quiet"
    )
    assert "one label a row" in simplexboost.fail("report", "s.sb", "sets.csv", status=1)
    line = simplexboost.fail("report", "a.sb", "a.csv", "--dashboard", "a.csv", status=1)
    assert "no page that train --dashboard wrote" in line
    line = simplexboost.fail("train", "a.csv", "-m", "a.sb", "--dashboard", "a.sb", status=2)
    assert "--dashboard" in line
    page = simplexboost.succeed("report", "a.sb", "a.csv", "-o", "-", "--quiet")
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")


# The pages in a browser.


def test_report_has_every_part(browser, files):
    page = browser.open(files.folder / "report.html")
    assert page.value("[...document.querySelectorAll('main > section')].map((s) => s.id)") == PARTS
    ids = page.value("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    assert page.value("[...document.querySelectorAll('nav a')].map((a) => a.hash)") == [
        "#" + part for part in PARTS
    ]
    facts = files.facts("report.html")
    assert f"wrong on {facts['verdict']['wrong']}" in page.text("#verdict")
    assert "[object" not in page.text("main") and "undefined" not in page.text("main")
    assert "NaN" not in page.text("main")
    assert facts["card"]["sha256"] in page.text("#card")
    before = page.text("#curves figure")
    page.choose("#curve-axis", "time")
    assert page.text("#curves figure") != before
    assert page.texts("#hardest-table .push")
    few = page.texts("#effects .legend li")
    page.choose("#effect-class", "3")
    shown = facts["importance"]["features"][:6]
    assert [one["name"] for one in facts["effects"]] == shown
    assert few != page.texts("#effects .legend li")
    for width in (1200, 390):
        page.width(width)
        assert overflow(page) <= 0, width
    assert page.pdf().startswith(b"%PDF")
    check_quiet(page)


def test_class_table_sorts_and_is_searched(browser, files):
    page = browser.open(files.folder / "report.html")
    recall = [line[2] for line in files.facts("report.html")["table"]]
    cell = "#class-table tbody tr td:nth-child({})"
    shown = [float(text.split("\u202f")[0]) for text in page.texts(cell.format(3))]
    assert shown == sorted(shown) and shown[0] == pytest.approx(100 * min(recall), abs=0.06)
    page.click("#class-table th:nth-child(3) button")
    assert page.value("document.querySelector('#class-table th:nth-child(3)').ariaSort") == (
        "descending"
    )
    shown = [float(text.split("\u202f")[0]) for text in page.texts(cell.format(3))]
    assert shown == sorted(shown, reverse=True)
    page.click("#class-table th:nth-child(1) button")
    names = page.texts(cell.format(1))
    assert names == [str(k) for k in range(30)]
    page.choose("#class-table-search", "29", "input")
    assert page.texts(cell.format(1)) == ["29"]
    assert page.text("#class-table .controls .soft") == "1 of 30"
    page.choose("#class-table-search", "no such class", "input")
    assert page.texts(cell.format(1)) == []
    check_quiet(page)


def test_confusions_fold_and_are_read_by_keys(browser, files):
    page = browser.open(files.folder / "report.html")
    canvas = "document.querySelector('#confusion')"
    pressed = "[...document.querySelectorAll('#groups button')].map((b) => b.ariaPressed)"
    groups = len(page.value(pressed))
    assert groups > 2 and set(page.value(pressed)) == {"false"}
    page.value(f"{canvas}.focus()")
    page.press("ArrowRight", "ArrowDown")
    first = page.text("#confusion-readout")
    facts = files.facts("report.html")
    assert first.startswith(f"True {facts['order'][1]}, said {facts['order'][1]}: right: 0 rows")
    page.click("#confusion-diagonal")
    page.value(f"{canvas}.focus()")
    page.press("ArrowRight", "ArrowDown")
    right = facts["confusion"]["diagonal"][facts["order"][1]]
    assert f"right: {right} row" in page.text("#confusion-readout")
    page.click("#fold-all")
    assert set(page.value(pressed)) == {"true"}
    page.value(f"{canvas}.focus()")
    page.press("ArrowDown")
    assert "+" in page.text("#confusion-readout") or "," in page.text("#confusion-readout")
    page.press("Enter")
    assert page.value(pressed).count("false") >= 1
    page.click("#open-all")
    assert set(page.value(pressed)) == {"false"}
    for shade in ("said", "count", "truth"):
        page.choose("#confusion-by", shade)
        assert "darkest cell" in page.text("#confusion-readout")
    check_quiet(page)


def test_map_theme_and_lists(browser, files):
    page = browser.open(files.folder / "report.html", scheme="dark")
    assert page.value("document.documentElement.dataset.theme") == "dark"
    picture = "document.querySelector('#map-canvas').toDataURL()"
    first = page.value(picture)
    page.choose("#map-view", "axes")
    second = page.value(picture)
    page.choose("#map-class", "3")
    third = page.value(picture)
    page.click("#theme")
    assert page.value("document.documentElement.dataset.theme") == "light"
    assert len({first, second, third, page.value(picture)}) == 4
    page.click("#hardest-table th:nth-child(1) button")
    rows = [int(text.replace(",", "")) for text in page.texts("#hardest-table tbody td:first-child")]
    assert rows == sorted(rows, reverse=True)
    check_quiet(page)


HOSTILE = [
    "</script><script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    "\"><svg onload=window.ran=1>",
    "javascript:window.ran=1",
    "{{FACTS}}</title><base href='http://evil.example/'>",
    "\u202eabc\u2066\u200f right to left",
    "line\nbreak\tand \x01\x1b[31m",
    "x" * 4000,
    "\u05d0\u05d1\u05d2 \u0639\u0631\u0628\u064a",
    "a\u0301" * 300,
    "'; window.ran = 1; '",
    "&lt;b&gt;",
]


def test_hostile_names_neither_run_nor_break_the_page(browser, tmp_path):
    generator = np.random.default_rng(1)
    y = np.array(HOSTILE, dtype=object)[generator.integers(0, len(HOSTILE), 600)]
    order = {name: i for i, name in enumerate(HOSTILE)}
    x = np.array([[order[one], 0.0, 0.0] for one in y]) + generator.normal(size=(600, 3))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(x, columns=[HOSTILE[1], HOSTILE[5], HOSTILE[7]])
    model = simplexboost.SimplexBoostClassifier(n_estimators=5).fit(frame, y)
    other = simplexboost.SimplexBoostClassifier(n_estimators=1).fit(frame, y)
    pages = {
        "report.html": model.report(frame, y),
        "compare.html": simplexboost.compare(model, other, frame, y, names=(HOSTILE[0], HOSTILE[4])),
    }
    for name, made in pages.items():
        made.save(tmp_path / name)
        for width in (1200, 390):
            page = browser.open(tmp_path / name, width=width)
            assert page.value("window.ran") is None
            assert page.value("document.querySelectorAll('main img, base, main script').length") == 0
            assert overflow(page) <= 0, (name, width)
            # What cannot be shown stays as escapes, the rest as it is.
            assert HOSTILE[0][:30] in page.text("main") and "\\u{202e}" in page.text("main")
            assert "\u202e" not in page.text("body")
            check_quiet(page)


def test_scripts_that_are_not_the_page_s_own_do_not_run(browser, files, tmp_path):
    text = (files.folder / "report.html").read_text(encoding="utf-8")
    (tmp_path / "changed.html").write_text(
        text.replace("<footer", "<script>window.ran = 1</script><img src='http://evil.example/x'><footer"),
        encoding="utf-8",
    )
    page = browser.open(tmp_path / "changed.html")
    assert page.value("window.ran") is None
    assert any("Content Security Policy" in one for one in page.complaints)


def test_comparison_tells_who_is_better(browser, files):
    page = browser.open(files.folder / "compare.html")
    facts = files.facts("compare.html")
    only = facts["agreement"]["only_first"], facts["agreement"]["only_second"]
    scipy = pytest.importorskip("scipy.stats")
    exact = scipy.binomtest(min(only), sum(only)).pvalue
    assert facts["agreement"]["p_value"] == pytest.approx(exact, rel=1e-2)
    low, high = facts["figures"]["error"]["difference"][1:]
    assert high < 0 and low < high
    assert page.text("#outcome .lead").startswith("B errs less")
    every = len(page.texts("#changed-table tbody tr"))
    page.choose("#changed-table-filter", "1")
    truths = page.texts("#changed-table tbody td:nth-child(2)")
    assert truths and truths == page.texts("#changed-table tbody td:nth-child(4)")
    assert len(truths) < facts["changed"]["count"] and every <= 25
    assert overflow(page) <= 0
    check_quiet(page)


def test_two_alike_are_not_told_apart(files):
    files.run.succeed("compare", "b.sb", "b.sb", "test.csv", "-o", "same.html", "--quiet")
    facts = files.facts("same.html")
    assert facts["figures"]["error"]["difference"] == [0, 0, 0]
    assert facts["agreement"]["p_value"] == 1 and facts["changed"]["count"] == 0


# While it trains.


def test_dashboard_tells_rounds_and_errors(browser, files):
    facts = files.facts("b.html")
    assert facts["done"] == 12 and facts["ended"] and len(facts["seconds"]) == 12
    assert {"train_error", "valid_error"} <= {one["name"] for one in facts["series"]}
    text = (files.folder / "b.html").read_text(encoding="utf-8")
    assert len(text) < 60_000 and "refresh" not in text.split("<title>")[0]
    page = browser.open(files.folder / "b.html")
    assert "12 of 12" in page.text("#state")
    before = page.text("#curves")
    page.choose("#curve-axis", "time")
    assert page.text("#curves") != before
    check_quiet(page)


def test_dashboard_is_whole_at_any_time(files):
    """Read again and again while training goes on; and the model is what it is without."""
    folder = files.folder
    (folder / "live.html").unlink(missing_ok=True)
    seen = []
    with files.run.started(
        "train", "train.csv", "-m", "live.sb", "--rounds", "300", "--quiet", "--dashboard",
        "live.html", "--threads", "1",
    ) as process:  # fmt: skip
        while process.poll() is None:
            if (folder / "live.html").exists():
                text = (folder / "live.html").read_text(encoding="utf-8")
                assert text.endswith("</html>\n")
                seen.append(facts_of(text)["done"])
        assert process.returncode == 0
    assert seen == sorted(seen)
    assert files.facts("live.html")["done"] == 300
    files.run.succeed("train", "train.csv", "-m", "plain.sb", "--rounds", "300", "--quiet")
    assert (folder / "live.sb").read_bytes() == (folder / "plain.sb").read_bytes()


# In Python.


def test_python_pages_show_themselves_in_notebooks(rows, tmp_path):
    x, y = rows
    model = simplexboost.SimplexBoostClassifier(n_estimators=5).fit(x, y)
    page = model.report(x, y, train=(x, y))
    framed = page._repr_html_()
    assert html.unescape(re.search(r'srcdoc="([^"]*)"', framed)[1]) == page.html
    assert 'sandbox="allow-scripts"' in framed
    assert page.save(tmp_path / "r.html") is page
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page.html
    assert any("very features of a training row" in one["text"] for one in facts_of(page.html)["warnings"])


def test_out_of_fold_rows_are_judged_by_those_who_had_not_seen_them(rows):
    x, y = rows
    model = simplexboost.SimplexBoostClassifier(quality="default", random_state=0).fit(x, y)
    facts = facts_of(model.report(x, y, oof=True).html)
    said = model.classes_[model.oof_proba_.argmax(axis=1)]
    assert facts["verdict"]["wrong"] == (said != y).sum()
    with pytest.raises(ValueError, match="oof"):
        simplexboost.SimplexBoostClassifier(n_estimators=2).fit(x, y).report(x, y, oof=True)


class Shown:
    """What IPython's display gives back."""

    def __init__(self):
        self.pages = []

    def update(self, page):
        self.pages.append(page)


def test_dashboard_of_a_notebook_and_of_a_file(rows, tmp_path, monkeypatch):
    x, y = rows
    shown = Shown()

    def display(page, display_id):
        assert display_id is True
        shown.update(page)
        return shown

    shell = types.SimpleNamespace(kernel=object())
    notebook = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(
        sys.modules, "IPython.display", types.SimpleNamespace(display=display, HTML=str)
    )
    plain = simplexboost.SimplexBoostClassifier().fit(x, y)
    watched = simplexboost.SimplexBoostClassifier().fit(
        x, y, callbacks=[simplexboost.Dashboard(seconds=0)]
    )
    # It only looks on: cross-fitted as ever, to the same bytes.
    assert watched.quality_ == plain.quality_ == "default"
    assert watched.model_.to_bytes() == plain.model_.to_bytes()
    last = facts_of(html.unescape(shown.pages[-1]))
    assert len(shown.pages) > 5 and last["ended"] and last["done"] <= last["total"]
    file = tmp_path / "d.html"
    simplexboost.SimplexBoostClassifier(n_estimators=3).fit(
        x, y, callbacks=[simplexboost.Dashboard(file)]
    )
    facts = facts_of(file.read_text(encoding="utf-8"))
    assert facts["done"] == facts["total"] == 3 and facts["ended"]
    with pytest.warns(UserWarning, match="nowhere"):
        simplexboost.SimplexBoostClassifier(n_estimators=2).fit(
            x, y, callbacks=[simplexboost.Dashboard(pathlib.Path("/nowhere/d.html"))]
        )
