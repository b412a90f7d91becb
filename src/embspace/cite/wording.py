"""Values and references in a sentence, for plain text and for LaTeX."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from jinja2.runtime import LoopContext

KEY = r"[a-z]+[0-9]{0,4}"
REFERENCES = re.compile(rf"\[@({KEY}(?:; @{KEY})*)\]|@({KEY})")
"""Matches citations in Pandoc's form: [@one2001; @two2002], or @one2001 inside the sentence."""
# Names of settings that a reader would not know as they are.
WORDS = {
    "cls": "first token",
    "english": "English",
    "last": "last token",
    "max": "maximum",
    "centered_unit_length": "centered at unit length",
    "unit_length": "at unit length",
}


def worded(value: Any) -> str:
    """A value as readers want it: 30,522; first token; a, b and c; bert (layers 2)."""
    if isinstance(value, str):
        return WORDS.get(value, value)
    if isinstance(value, Mapping):
        return listed([_entry(key, part) for key, part in value.items()])
    if isinstance(value, Sequence):
        if value and all(isinstance(part, list) for part in value):
            return listed(["+".join(map(worded, part)) for part in value])
        return listed([worded(part) for part in value])
    return f"{value:,d}" if isinstance(value, int) else f"{float(value):,.6g}"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = words or ["none"]
    return f"{', '.join(most)} and {last}" if most else last


def _entry(key: str, value: Any) -> str:
    within = isinstance(value, Mapping | list)
    return f"{worded(key)} ({worded(value)})" if within else f"{worded(key)} {worded(value)}"


def percent(value: Any) -> str:
    """A share in percent, 0.95 as 95 %, or all shares of a list."""
    if isinstance(value, list):
        return listed([percent(share) for share in value])
    return f"{100 * value:g} %"


def plural(n: Any, one: str, many: str | None = None) -> str:
    """A number and a noun, 1 pair or 2 pairs; `many` is for irregular plurals."""
    return f"{worded(n)} {one if n == 1 else many or f'{one}s'}"


def conjunction(loop: LoopContext) -> str:
    """The comma after an item of a loop, or `and` before the last, or nothing after the last."""
    if loop.last:
        return ""
    return " and " if loop.revindex == 2 else ", "


def pooled_as(poolings: Collection[str], *, is_decoder: bool) -> str:
    """Return the states by which texts are represented, as `the mean of all tokens`."""
    first = "which sees no other" if is_decoder else "[CLS] in BERT"
    tokens = {"cls": f"the state of the first token ({first})", "last": "that of the last token"}
    pooled = {"mean": "the mean", "max": "the maximum"}
    parts = [words for pooling, words in tokens.items() if pooling in poolings]
    if there := [words for pooling, words in pooled.items() if pooling in poolings]:
        parts.append(f"{listed(there)} of all tokens, any special ones included")
    return listed(parts)


def reference_keys(text: str) -> list[str]:
    """The keys of all references in a text, without repetition, in the order of the first."""
    keys = (key for match in REFERENCES.finditer(text) for key in _keys(match))
    return list(dict.fromkeys(keys))


def with_references(
    text: str,
    *,
    cited: Callable[[list[str], bool], str],
    escaped: Callable[[str], str] = lambda text: text,
) -> str:
    """`text` with references replaced by `cited`, and the rest by `escaped`.

    `cited` takes the keys, and whether the reference stands in parentheses.
    """
    parts, start = [], 0
    for match in REFERENCES.finditer(text):
        in_parentheses = match[1] is not None
        parts += [escaped(text[start : match.start()]), cited(_keys(match), in_parentheses)]
        start = match.end()
    return "".join([*parts, escaped(text[start:])])


def _keys(match: re.Match[str]) -> list[str]:
    return (match[1] or match[2]).split("; @")
