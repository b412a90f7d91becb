"""Cuts texts into sentences, and into halves of whole sentences."""

import re

import pandas as pd

FEWEST = 4  # sentences of a text that has halves

# After a full stop, question or exclamation mark, and what closes a quotation.
_END = re.compile(r"[.!?]+[\"')\]]*(?=\s+[\"'(\[]*[A-Z0-9])|\n{2,}")
# A full stop after these ends no sentence; nor does one after a single capital, as in "J. Watt".
_ABBREVIATED = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Fig|vol|pp|cf|e\.g|i\.e|c|ca|approx)|\b[A-Z])\.$"
)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in English or a like script, in order; nothing is lost but space.

    By rule: a sentence ends at a mark before a capital letter or number, or at an empty line.
    """
    sentences, start = [], 0
    for mark in _END.finditer(text):
        if _ABBREVIATED.search(text[start : mark.end()]):
            continue
        sentences.append(text[start : mark.end()])
        start = mark.end()
    parts = (part.strip() for part in (*sentences, text[start:]))
    return [part for part in parts if part]


def split_halves(texts: pd.DataFrame) -> pd.DataFrame:
    """The texts of at least four sentences in two: id, document, half, text.

    `texts` has the columns id, document and text. The cut is the end of a sentence, the one
    nearest to the middle by characters.
    """
    rows = []
    for name, document, text in texts[["id", "document", "text"]].to_numpy():
        sentences = split_sentences(text)
        if len(sentences) < FEWEST:
            continue
        ends = [sum(map(len, sentences[:n])) for n in range(len(sentences) + 1)]
        cut = min(range(1, len(sentences)), key=lambda n: abs(2 * ends[n] - ends[-1]))
        for half, part in enumerate((sentences[:cut], sentences[cut:]), 1):
            row = {"id": f"{name}.half{half}", "document": document, "half": half}
            rows.append(row | {"text": " ".join(part)})
    return pd.DataFrame(rows, columns=["id", "document", "half", "text"])
