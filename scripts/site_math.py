"""A hook of mkdocs: formulas in the pages, $`...`$ in a line and blocks of ```math, become MathML, which
browsers show without a script or a font from elsewhere."""

import re

from latex2mathml.converter import convert

BLOCK = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"\$`([^`]+)`\$")


def on_page_markdown(markdown, **_):
    def block(match):
        # In one line: Markdown would take a line of its own for a paragraph.
        formula = convert(" ".join(match[1].split()), display="block").replace("\n", " ")
        return f'<div class="formula">{formula}</div>'

    shown = BLOCK.sub(block, markdown)
    # In a span: at the beginning of a line Markdown would take the formula for a block.
    return INLINE.sub(
        lambda match: f"<span>{convert(match[1])}</span>".replace("\n", " "), shown
    )
