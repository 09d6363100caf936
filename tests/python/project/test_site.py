"""The pages of the documentation site, as `make docs` lays them out: every link leads somewhere, and every
page is in the navigation. mkdocs itself looks again when the site is built."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^(?: {4}|\t).*$", re.MULTILINE)


@pytest.fixture(scope="module")
def site(binary, tmp_path_factory):
    """By the path of each page on the site, its text."""
    pytest.importorskip("simplexboost")
    folder = tmp_path_factory.mktemp("site") / "pages"
    subprocess.run(
        [sys.executable, ROOT / "scripts/site.py", str(binary), str(folder)],
        env=os.environ,
        check=True,
        capture_output=True,
        text=True,
    )
    return folder


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", INDENTED.sub("", FENCE.sub("", text)))


def anchors(text):
    """As Python's Markdown makes them of headings."""
    found = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#* *$", FENCE.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", words.lower()).strip())
        number = 1
        name = slug
        while name in found:
            name = f"{slug}_{number}"
            number += 1
        found.add(name)
    return found


def test_every_link_leads_somewhere(site):
    names = {path: anchors(path.read_text()) for path in site.rglob("*.md")}
    wrong = []
    links = 0
    for page in names:
        for address in LINK.findall(without_code(page.read_text())):
            if re.match(r"[a-z]+:", address):
                continue
            links += 1
            path, _, anchor = address.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.is_file():
                wrong.append(f"{page.name}: {address} is not there")
            elif anchor and anchor not in names.get(target, {anchor}):
                wrong.append(f"{page.name}: {address} has no such heading")
    assert links > 200 and wrong == []


def test_every_page_is_in_the_navigation(site):
    nav = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    listed = re.findall(r"([\w./-]+\.md)$", nav, re.MULTILINE)
    there = {path.relative_to(site).as_posix() for path in site.rglob("*.md")}
    assert set(listed) == there
    assert len(listed) == len(set(listed))


def test_the_list_of_all_pages_lacks_none(site):
    text = (site / "documentation.md").read_text()
    names = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert [name for name in sorted(names) if f"]({name})" not in text] == []


def test_other_sites_are_those_that_are_told_of(site):
    addresses = {
        address
        for page in site.rglob("*.md")
        for address in LINK.findall(without_code(page.read_text()))
        if re.match(r"[a-z]+:", address)
    }
    hosts = {address.split("/")[2] for address in addresses}
    assert hosts == {"keepachangelog.com", "semver.org", "huggingface.co"}, "CONTRIBUTING.md says that there are three"


def test_which_algorithm_is_one_click_from_home(site):
    assert "guides/which.md" in (site / "index.md").read_text()


def test_every_algorithm_has_its_equations(site):
    simplexboost = pytest.importorskip("simplexboost")
    text = (site / "equations.md").read_text()
    names = [row["name"] for row in simplexboost.algorithms()]
    assert [name for name in names if not re.search(rf"(?<![\w-]){name}(?![\w-])", text)] == []


def test_the_guide_has_a_word_on_every_loss(site):
    core = pytest.importorskip("simplexboost._core")
    rows = {row["name"]: row for row in core.parameter_table()}
    text = (site / "guides/which.md").read_text()
    losses = set(rows["loss"]["choices"]) - {"auto"}
    assert len(losses) >= 4
    assert [loss for loss in losses if f"| `{loss}` |" not in text] == []


def test_the_reference_of_cpp_has_every_header_and_every_exported_name(site):
    text = (site / "reference/cpp.md").read_text()
    headers = [path.name.removesuffix(".in") for path in (ROOT / "include/simplexboost").iterdir()]
    assert [name for name in headers if f"\n## {name}\n" not in text] == []
    symbols = (ROOT / "tests/package/exported_symbols.txt").read_text().splitlines()
    names = set()
    for symbol in symbols:
        whole = re.sub(r"^(?:vtable|typeinfo|typeinfo name) for ", "", symbol.replace("[abi:cxx11]", ""))
        names.update(whole.partition("(")[0].removeprefix("simplexboost::v0_2::").split("::"))
    assert len(names) > 150 and "Model" in names and "predict_sets" in names
    private = re.findall(r"^ private:$.*?^};$", everything(ROOT / "include"), re.MULTILINE | re.DOTALL)
    missing = [name for name in names if not re.search(rf"(?<![\w~]){re.escape(name)}\b", text)]
    assert [name for name in missing if not any(name in part for part in private)] == []


def test_the_reference_of_cpp_says_what_the_headers_say(site):
    text = (site / "reference/cpp.md").read_text().replace("\\", "")
    headers = everything(ROOT / "include").replace("\\", "")
    public = re.sub(r"^ private:$.*?^};$", "", headers, flags=re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^ *// +(.+)$", public, re.MULTILINE)
    assert len(lines) > 400 and [line for line in lines if line not in text] == []
    assert not re.search(r"SIMPLEXBOOST_API (?!__)|private:|\breturn\b [^o]", re.sub(r"//.*", "", text))


def everything(folder):
    return "\n".join(path.read_text() for path in sorted(folder.rglob("*.h*")))
