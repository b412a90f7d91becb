"""Words more frequent in a set of documents than in a second set, with p-values."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from embspace.geometry.inference.holm import holm_p_values

FEWEST_DOCUMENTS = 5  # with a word


class WordContrast(NamedTuple):
    """How a word differs between two sets of documents."""

    word: str
    first: float
    """Share of the first documents with the word."""
    second: float
    log_odds: float
    """Log odds of the word in the second set less the first; 1/2 is added to every count."""
    p_value: float
    """Two-sided, of Fisher's exact test, after Holm over all words."""


def contrast_words(
    first: Sequence[Collection[str]], second: Sequence[Collection[str]]
) -> list[WordContrast]:
    """Return words of two sets of documents, each a collection of words; the surest first.

    A document, the independent unit, counts once for a word. Words of fewer than 5 documents are
    left out.
    """
    from scipy.stats import fisher_exact

    counts = [Counter(word for words in side for word in set(words)) for side in (first, second)]
    total = counts[0] + counts[1]
    words = sorted(word for word, n in total.items() if n >= FEWEST_DOCUMENTS)
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
