"""The page on the command, docs/command-line.md, has every verb, with the options that its usage has."""

import pathlib
import re

PAGE = (pathlib.Path(__file__).resolve().parents[3] / "docs/command-line.md").read_text()


def section(verb):
    """What the page has under the heading that names the verb."""
    for part in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        if verb in heading.split(", "):
            return text
    return None


def options(text):
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))


def test_every_verb_has_a_section_whose_usage_is_that_of_the_command(simplexboost):
    listed = simplexboost.succeed("--help").partition("Verbs:\n")[2].partition("\n\n")[0]
    verbs = [line.split()[0] for line in listed.splitlines()]
    assert len(verbs) >= 18
    wrong = []
    for verb in verbs:
        text = section(verb)
        if text is None:
            wrong.append(f"{verb}: no section")
            continue
        shown = "\n".join(re.findall(rf"^ +simplexboost {verb}(?: .*|\n)(?:\n {{20,}}.*)*", text, re.MULTILINE))
        said = simplexboost.succeed(verb, "--help")
        usage = said.partition("Usage: ")[2].partition("\n\n")[0]
        if shown and options(usage) - options(shown):
            wrong.append(f"{verb}: the page lacks {options(usage) - options(shown)}")
        if options(shown) - options(said):
            wrong.append(f"{verb}: has no {options(shown) - options(said)}")
        if not shown and verb not in ("generate", "algorithms", "demo"):
            wrong.append(f"{verb}: no usage")
    assert wrong == []
