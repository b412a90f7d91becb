"""The words of texts read by a model, and the tokens of the words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


def read_words(
    texts: Sequence[str], tokens: "pd.DataFrame", windows: "pd.DataFrame"
) -> "tuple[pd.DataFrame, Any, np.ndarray]":
    """Return a table of the whole words, the tokens of all words, and the whole words' numbers."""
    import pandas as pd

    from embspace.compare.aligned_words import tokens_of_words, words_of

    names = [str(number + 1) for number in range(len(texts))]
    words = words_of(pd.DataFrame({"id": names, "text": texts}))
    parts = tokens_of_words(words, tokens, windows)
    whole = np.flatnonzero(parts.is_whole)
    first = np.array([words.first_character[name] for name in names])[words.text[whole]]
    table = pd.DataFrame(
        {
            "text": [names[number] for number in words.text[whole]],
            "start": words.start[whole] - first,
            "end": words.end[whole] - first,
            "n_tokens": np.bincount(parts.word, minlength=len(words.text))[whole],
        }
    )
    content = [
        texts[number][start:end]
        for number, start, end in zip(words.text[whole], table["start"], table["end"], strict=True)
    ]
    table.insert(1, "word", content)
    return table, parts, whole
