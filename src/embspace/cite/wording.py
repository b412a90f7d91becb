"""Values in a sentence, and references in it, for plain text and for LaTeX."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

PLACEHOLDER = re.compile(r"\{([\w.]+)(?::([^{}]*))?\}")
OPTIONAL = re.compile(r"<<(.*?)>>")
"""A part that is left out where one of its values is not there."""
KEY = r"[a-z]+[0-9]{0,4}"
REFERENCES = re.compile(rf"\[@({KEY}(?:; @{KEY})*)\]|@({KEY})")
"""As in Pandoc: [@one2001; @two2002] in parentheses, @one2001 as a part of the sentence."""
# Names of settings that a reader would not know as they are.
WORDS = {
    "cls": "first token",
    "english": "English",
    "max": "maximum",
    "centred_unit_length": "centred at unit length",
    "unit_length": "at unit length",
}


class Absent(LookupError):
    """A value that this model does not have; the message says where it was looked for."""


def filled(template: str, value_of: Callable[[str], Any]) -> str:
    """`template` with the values of its placeholders, `{name}` or `{name:form}`, see `worded`.

    Raises:
        Absent: if one is not there, outside of an optional part.
    """

    def fill(part: str) -> str:
        return PLACEHOLDER.sub(lambda found: worded(value_of(found[1]), found[2] or ""), part)

    def fill_if_there(part: str) -> str:
        try:
            return fill(part)
        except Absent:
            return ""

    # Every second part of the split is an optional one.
    parts = enumerate(OPTIONAL.split(template))
    return "".join(fill_if_there(part) if number % 2 else fill(part) for number, part in parts)


def placeholders(template: str) -> list[str]:
    """The names of the values that a template asks for, in their order."""
    return [found[1] for found in PLACEHOLDER.finditer(template)]


def worded(value: Any, form: str = "") -> str:
    """A value as a reader wants it: 30,522; a, b and c; `form` changes how.

    `percent`: 0.95 as 95 %. `count`: of a list, how many. `range`: of first and end, the first to
    the last. `layer`: -1 as the last layer. `words`: swapped_roles as swapped roles. `pair/pairs`:
    1 pair, 2 pairs. Others are Python's, as .3g.
    """
    if form == "count":
        return worded(len(value))
    if form == "range":
        first, end = value
        return f"{first} to {end - 1}"
    if form == "layer":
        return _layer(int(value))
    if "/" in form:
        one, many = form.split("/")
        return f"{worded(value)} {one if value == 1 else many}"
    if form == "words":
        return str(value).replace("_", " ")
    if isinstance(value, Mapping):
        return listed([_entry(str(key), each, form) for key, each in value.items()])
    if isinstance(value, Sequence) and not isinstance(value, str):
        if value and all(isinstance(each, list) for each in value):
            return listed(["+".join(map(worded, each)) for each in value])
        return listed([worded(each, form) for each in value])
    return _number(value, form)


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = words or ["none"]
    return f"{', '.join(most)} and {last}" if most else last


def _entry(key: str, value: Any, form: str) -> str:
    name = worded(key)
    within = isinstance(value, Mapping | list)
    return f"{name} ({worded(value, form)})" if within else f"{name} {worded(value, form)}"


def _number(value: Any, form: str) -> str:
    if isinstance(value, str):
        return WORDS.get(value, value)
    if form == "percent":
        return f"{100 * value:g} %"
    if form:
        return format(float(value), form)
    return f"{value:,d}" if isinstance(value, int) else f"{value:,.6g}"


def _layer(number: int) -> str:
    if number == -1:
        return "the last layer"
    return f"layer {number}" if number >= 0 else f"layer {-number} from the end"


def reference_keys(text: str) -> list[str]:
    """The keys of all references in a text, each once, in the order of the first."""
    keys = (key for found in REFERENCES.finditer(text) for key in _keys(found))
    return list(dict.fromkeys(keys))


def with_references(
    text: str,
    *,
    cited: Callable[[list[str], bool], str],
    escaped: Callable[[str], str] = lambda text: text,
) -> str:
    """`text` with each reference as `cited` has it, and all else as `escaped` has it.

    `cited` takes the keys, and whether they stand in parentheses.
    """
    parts, start = [], 0
    for found in REFERENCES.finditer(text):
        in_parentheses = found[1] is not None
        parts += [escaped(text[start : found.start()]), cited(_keys(found), in_parentheses)]
        start = found.end()
    return "".join([*parts, escaped(text[start:])])


def _keys(found: re.Match[str]) -> list[str]:
    return (found[1] or found[2]).split("; @")
