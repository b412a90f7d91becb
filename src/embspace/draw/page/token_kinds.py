"""Tells the kinds of tokens apart, for figures that show the parts of a vocabulary's cloud."""

import re
from functools import cache

import pandas as pd
from matplotlib.font_manager import findfont, get_font

from embspace.errors import one_line
from embspace.files.typeface import FALLBACK, FAMILY, add_typeface

MARKS = re.compile(r"^(?:##|▁|Ġ)(?=.)|(?<=.)</w>$")  # of tokenizers, at the ends of pieces
APART = ("special", "unused")


def token_kinds(vocabulary: pd.DataFrame) -> pd.Series:
    """Return the kinds of the tokens by id; a kind is a key of `looks.TOKEN_KINDS`.

    `vocabulary` is the extracted table. A token of a single character has the kind `character`,
    whatever the character is, and also as a piece inside a word.
    """
    kinds = vocabulary["kind"].replace({"digit": "number"})
    is_single = vocabulary["token"].str.replace(MARKS, "", regex=True).str.len() == 1
    kinds = kinds.mask(is_single & ~kinds.isin(APART), "character")
    return pd.Series(kinds.to_numpy(), index=vocabulary["id"].to_numpy(), name="kind")


def drawable(token: str) -> str:
    """Return a token, with code points in place of the letters that the figures' fonts lack."""
    known = _letters()
    return "".join(
        letter if ord(letter) in known else f"U+{ord(letter):04X}" for letter in one_line(token)
    )


@cache
def _letters() -> frozenset[int]:
    add_typeface()
    fonts = (get_font(findfont(family)) for family in (FAMILY, FALLBACK))
    return frozenset().union(*(font.get_charmap() for font in fonts))
