"""Finds numbers that look like results and have no mark.

On a page these are all with decimals, thousands or per cent. In the rows of docs/thesis.md that say
what is there on MiniLM they are all numbers but those that name something, as in `layer 5`; what
the thesis says, in the first cell, is the thesis's own.
"""

import re
from collections.abc import Iterator

from tests.prose.marks import MARK, line_of
from tests.prose.verdicts import VERDICT

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
ELSEWHERE = (
    re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE),
    re.compile(r"`[^`\n]*`"),
    re.compile(r"\]\([^)\s]*\)"),
    re.compile(r"\d+(?:\.\d+){2,}"),  # versions, sections
    re.compile(r"^- \*[^*\n]+\.\*", re.MULTILINE),  # what the thesis says, before details
    MARK,
    COMMENT,
)
EXCEPTIONS = {
    "README.md": ("Python 3.11",),
    "docs/analyses.md": (),
    "docs/conventions.md": ("99 % of stationary",),
    "docs/examples.md": ("(95 % interval", "(chance: 50 %)"),
    "docs/rna_model.md": ("arXiv:2502.12033",),
    "docs/thesis.md": ("at 95 % of the variance", "at 50 % one reads", "for 97.5 %"),
    "docs/your_models.md": (),
    "docs/your_texts.md": (),
}
"""What names a setting or a version, by page."""
RESULT = re.compile(r"(?<![\w.-])[-+±]?(?:\d+(?:(?:,\d{3})+(?:\.\d+)?|\.\d+(?: ?%)?| ?%)|\.\d+)")
ROW = re.compile(r"^(?P<thesis>\|.*? \| )(?P<here>.*\*\*.*)$", re.MULTILINE)
ANY = re.compile(r"(?<![\w.-])[-+±]?\d+(?:,\d{3})*(?:\.\d+)?(?: ?%)?(?!\w)")
NAMES = r"layers?|[Pp]ositions?|offsets?|ids from|Figs?\.|perplexity|n_neighbors|min_dist|BERT"
NAMED = re.compile(rf"\b(?:{NAMES}) [\d.]+(?:(?:, | and | to )\d+)*\b")


def comments_behind_nothing(text: str) -> Iterator[str]:
    """Yield each comment of a page that is no mark of a number or a verdict, behind its line."""
    ends = {found.end() for kind in (MARK, VERDICT) for found in kind.finditer(text)}
    for comment in COMMENT.finditer(text):
        if comment.end() not in ends:
            line = line_of(text, comment.start())
            yield f"{line}: {comment[0]}: stands directly behind no number and no verdict"


def numbers_without_mark(page: str, text: str) -> Iterator[str]:
    """Yield each number of a page that a mark should stand behind, behind its line."""
    text = _without(text, ELSEWHERE)
    for exception in EXCEPTIONS[page]:
        text = text.replace(exception, " " * len(exception))
    rows = [found.span("here") for found in ROW.finditer(text)]
    text = _without(ROW.sub(lambda row: _blank(row["thesis"]) + row["here"], text), (NAMED,))
    found = {number.start(): number[0] for number in RESULT.finditer(text)}
    for start, end in rows:
        found |= {number.start(): number[0] for number in ANY.finditer(text, start, end)}
    for place, number in sorted(found.items()):
        yield f"{line_of(text, place)}: {number}: has no mark"


def _without(text: str, patterns: tuple[re.Pattern[str], ...]) -> str:
    for pattern in patterns:
        text = pattern.sub(lambda found: _blank(found[0]), text)
    return text


def _blank(text: str) -> str:
    """Return spaces in the place of a text, in as many lines."""
    return re.sub(r"[^\n]", " ", text)
