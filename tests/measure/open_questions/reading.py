"""A small model that reads planted articles."""

import pandas as pd

from embspace.measure.open_questions.rounding_states import LargestCorpus, TextReader
from tests.measure.attention.reading import cached_reader

WORDS = ["cat", "dog", "mat", "sun", "rain", "boat", "tide", "bell", "salt", "bread"]


def articles(n: int = 8) -> LargestCorpus:
    """Return documents of one text, each with a word of its own in four sentences."""
    texts = [
        f"The {word} was in the light. A {word} sat on it. It was a {word}. The {word} was of salt."
        for word in WORDS[:n]
    ]
    table = pd.DataFrame({"id": WORDS[:n], "document": WORDS[:n], "text": texts})
    return LargestCorpus("tales", table)


def text_reader() -> TextReader:
    reader = cached_reader()
    return TextReader(reader.module, reader.tokenizer, 40, None)
