"""Words more frequent in a set of texts than in a second set, with p-values."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from embspace.geometry.inference.holm import holm_p_values

FEWEST_TEXTS = 5  # with a word


class WordContrast(NamedTuple):
    """How a word differs between two sets of texts."""

    word: str
    first: float
    """Share of the first texts with the word."""
    second: float
    log_odds: float
    """Of a text of the second set to have the word, less the first set's; each count plus 1/2."""
    p_value: float
    """Two-sided, of Fisher's exact test, after Holm over all words."""


def contrast_words(
    first: Sequence[Sequence[str]], second: Sequence[Sequence[str]]
) -> list[WordContrast]:
    """Return words of two sets of texts, each text a list of words; the surest first.

    A text counts once for a word. Words of fewer than 5 texts are left out.
    """
    from scipy.stats import fisher_exact

    counts = [Counter(word for text in side for word in set(text)) for side in (first, second)]
    total = counts[0] + counts[1]
    words = sorted(word for word, n in total.items() if n >= FEWEST_TEXTS)
    n, m = len(first), len(second)
    tables = [(counts[0][word], counts[1][word]) for word in words]
    p_values = np.array([fisher_exact([[a, n - a], [b, m - b]])[1] for a, b in tables])
    adjusted = holm_p_values(p_values) if len(words) else p_values
    made = [
        WordContrast(
            word,
            a / n,
            b / m,
            float(np.log((b + 0.5) / (m - b + 0.5)) - np.log((a + 0.5) / (n - a + 0.5))),
            float(p_value),
        )
        for word, (a, b), p_value in zip(words, tables, adjusted, strict=True)
    ]
    return sorted(made, key=lambda contrast: (contrast.p_value, -abs(contrast.log_odds)))
