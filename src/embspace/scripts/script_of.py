"""Names the script of a text, by Unicode's property of letters."""

from collections import Counter
from functools import cache

import regex

SCRIPTS = (
    *("Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic", "Syriac"),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada"),
    *("Malayalam", "Sinhala", "Thai", "Lao", "Tibetan", "Myanmar", "Khmer", "Mongolian"),
    *("Ethiopic", "Cherokee", "Hangul", "Hiragana", "Katakana", "Bopomofo", "Han"),
)
NONE, OTHER = "none", "other"
_LETTERS = regex.compile(r"[\p{L}\p{M}]")
_PATTERNS = {name: regex.compile(rf"\p{{Script={name}}}") for name in SCRIPTS}


def script_of(text: str) -> str:
    """Return the script of most letters of a text; "none" without letters.

    The first of equally frequent scripts. "other" stands for scripts outside `SCRIPTS`.
    """
    counts = Counter(map(_script_of_letter, _LETTERS.findall(text)))
    return counts.most_common(1)[0][0] if counts else NONE


@cache
def _script_of_letter(letter: str) -> str:
    fitting = (name for name, pattern in _PATTERNS.items() if pattern.match(letter))
    return next(fitting, OTHER)
