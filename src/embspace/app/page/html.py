"""HTML of the pages of tables that go with figures, from Markdown."""

from typing import TYPE_CHECKING

from embspace.draw.page.markdown import FOLD, NUMERIC

if TYPE_CHECKING:
    from markdown_it.token import Token

FOLD_ENDS = ("\n".join(FOLD[:2]), FOLD[2])  # paragraphs of a figure's Markdown


def as_html(markdown: str) -> tuple[str, str]:
    """Return the heading of a page of tables, and the rest of it, both as HTML.

    Tokens are unchanged: HTML in the Markdown is text, except for the fold around a page's further
    tables. Numbers stand to the right.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(markdown)
    _fold(tokens)
    title = ""
    if tokens and tokens[0].tag == "h1":
        title = parser.renderer.render(tokens[1:2], parser.options, {})
        tokens = tokens[3:]
    for token, content in zip(tokens, [*tokens[1:], None], strict=False):  # None: of nothing
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 1, 6)}"
        elif token.type == "td_open" and content and NUMERIC.fullmatch(content.content):
            token.attrSet("class", "number")
    html = parser.renderer.render(tokens, parser.options, {})
    # A region that scrolls must be reachable by keyboard.
    html = html.replace("<table>", '<div class="scrolled" tabindex="0"><table>')
    return title, html.replace("</table>", "</table></div>")


def _fold(tokens: "list[Token]") -> None:
    """Make HTML of the paragraphs that `folded` has written, if every fold is opened and closed."""
    opened, closed = FOLD_ENDS
    ends = [number for number, token in enumerate(tokens) if token.content in FOLD_ENDS]
    if [tokens[number].content for number in ends] != [opened, closed] * (len(ends) // 2):
        return
    for number in ends:
        for token in tokens[number - 1 : number + 2]:
            token.hidden = True  # the paragraph about it
        tokens[number].type, tokens[number].children = "html_block", None
