"""The halves of the texts of corpora, with their states."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.files.rows import load_rows
from embspace.measure.tables.text_poolings import load_sentence_vectors, load_text_states
from embspace.prepare.sentences import split_halves


@dataclass(frozen=True)
class Halves:
    """The halves of the texts of a corpus, and the pooled states of their windows."""

    texts: pd.DataFrame  # id, document, copy_of, half, text
    windows: pd.DataFrame
    by_pooling: dict[str, Float[np.ndarray, "layer window dim"]]
    sentences: Float[np.ndarray, "text dim"] | None = None
    """The vectors of `texts` by a sentence model's own pooling; None without a sentence model."""


def load_halves(states: str, texts: str, corpora: Sequence[str]) -> dict[str, Halves]:
    """Return the halves of each corpus, from the folders of a model's states and of all texts."""
    paths = {corpus: f"{states}/{corpus}.halves" for corpus in corpora}
    windows = {corpus: load_rows(f"{path}.windows.parquet") for corpus, path in paths.items()}
    files = {
        corpus: f"{path}.safetensors" for corpus, path in paths.items() if len(windows[corpus])
    }
    halves = {}
    for corpus, by_pooling in load_text_states(files).items():
        table = split_halves(load_rows(f"{texts}/{corpus}.parquet"))
        is_read = table["id"].isin(windows[corpus]["text"])
        table, own = table[is_read].reset_index(drop=True), load_sentence_vectors(files[corpus])
        halves[corpus] = Halves(table, windows[corpus], by_pooling, own)
    return halves
