#!/usr/bin/env python3
"""Lays out the pages of the documentation site, for mkdocs to build (make docs).

usage: site.py COMMAND PAGES

Copies docs/ and the pages beside it to the folder PAGES, turns links between them into links of the
site, and adds the reference, which is generated (scripts/site_reference.py, scripts/site_headers.py).
Links to files that are neither pages nor pictures become their names.
"""

import pathlib
import re
import shutil
import sys

import site_headers
import site_reference

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Pages that do not stand in docs/, and where they go.
BESIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "SECURITY.md": "security.md",
    "src/README.md": "source-folders.md",
    "fuzz/README.md": "fuzz.md",
}
PICTURES = (".png", ".svg")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def pages():
    """By the path of each page in the project, its path on the site."""
    found = {path: target for path, target in BESIDE.items() if (ROOT / path).exists()}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        inside = path.relative_to(ROOT / "docs").as_posix()
        found[f"docs/{inside}"] = "documentation.md" if inside == "README.md" else inside
    for path in sorted((ROOT / "bench/results").glob("*.md")):
        found[f"bench/results/{path.name}"] = f"results/{path.name}"
    return found


def relative(target, page):
    """The way from one page of the site to another."""
    up = "../" * page.count("/")
    return up + target


def rewrite(text, source, known, pictures):
    """The page with links of the site; adds the pictures that it names to `pictures`."""
    page = known[source]

    def link(match):
        picture, words, address = match.groups()
        if re.match(r"[a-z]+:|#", address):
            return match[0]
        path, _, anchor = address.partition("#")
        full = (ROOT / source).parent.joinpath(path).resolve()
        if not full.is_relative_to(ROOT):
            return words
        inside = full.relative_to(ROOT).as_posix()
        if inside in known:
            return f"{picture}[{words}]({relative(known[inside], page)}{'#' * bool(anchor)}{anchor})"
        if full.suffix in PICTURES and full.is_file():
            if pictures.setdefault(full.name, full) != full:
                raise SystemExit(f"{source}: there are two pictures {full.name}")
            return f"{picture}[{words}]({relative(f'images/{full.name}', page)})"
        if not full.exists():
            raise SystemExit(f"{source}: {address} leads nowhere")
        return words if "`" in words else f"{words} (`{inside}`)"

    return LINK.sub(link, text)


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    known, pictures = pages(), {}
    for source, target in known.items():
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rewrite((ROOT / source).read_text(), source, known, pictures))
    (folder / "images").mkdir()
    for name, path in pictures.items():
        shutil.copyfile(path, folder / "images" / name)
    shutil.copyfile(ROOT / "docs/site.css", folder / "site.css")
    reference = folder / "reference"
    reference.mkdir()
    (reference / "command.md").write_text(site_reference.command_page(command))
    (reference / "python.md").write_text(site_reference.python_page())
    (reference / "cpp.md").write_text(site_headers.page())


if __name__ == "__main__":
    main()
