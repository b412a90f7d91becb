"""Texts of a corpus, whole and in halves, and a model's states of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.clouds.documents import some_documents
from embspace.files.rows import load_rows
from embspace.measure.layers.layer_states import window_states
from embspace.models.tokenizer import load_tokenizer, tokenizer_files
from embspace.models.weights import load_model
from embspace.models.windows import Window, cut_windows, largest_window
from embspace.prepare.sentences import split_halves
from embspace.settings.model import Model, VectorsModel


@dataclass(frozen=True, eq=False)
class LargestCorpus:
    """The corpus with the most characters."""

    name: str
    texts: pd.DataFrame
    """Columns id, document, text, as in data/prepared/texts."""

    @property
    def n_documents(self) -> int:
        """Return the number of documents."""
        return int(self.texts["document"].nunique())

    def some(self, most_documents: int) -> "LargestCorpus":
        """Return the texts of at most `most_documents` documents, spread evenly over the corpus."""
        return replace(self, texts=some_documents(self.texts, most_documents))


def load_largest(folder: str, corpora: Sequence[str]) -> LargestCorpus:
    """Return the corpus of `corpora` with the most characters, the first of equals."""
    tables = {corpus: load_rows(f"{folder}/{corpus}.parquet") for corpus in corpora}
    if not tables:
        return LargestCorpus("", pd.DataFrame({"id": [], "document": [], "text": []}))
    name = max(tables, key=lambda corpus: int(tables[corpus]["text"].str.len().sum()))
    return LargestCorpus(name, tables[name])


@dataclass(frozen=True, eq=False)
class TextReader:
    """A model with its tokenizer, and the number of tokens in a window."""

    module: Any
    tokenizer: Any
    window: int
    final_norm: str | None

    def with_module(self, module: Any) -> "TextReader":
        """Return the same reader with other weights."""
        return replace(self, module=module)


def load_text_reader(name: str, model: Model) -> TextReader | None:
    """Return a model and its tokenizer; None for a model that reads no text."""
    if isinstance(model, VectorsModel) or not tokenizer_files(model):
        return None
    module = load_model(name, model)
    window = largest_window(model, module)
    return TextReader(module, load_tokenizer(name, model), window, model.final_norm)


@dataclass(frozen=True, eq=False)
class ReadTexts:
    """Hidden states of texts, by token, and of their halves, by window."""

    tokens: Float[np.ndarray, "layer token dim"]
    """The states of ordinary tokens."""
    document: Int[np.ndarray, " token"]
    """The number of the document of every token."""
    halves: pd.DataFrame
    """The halves of texts: id, document, copy_of, half, text."""
    windows: Int[np.ndarray, " window"]
    """The row in `halves` of every window."""
    pooled: Float[np.ndarray, "layer window dim"]
    """The mean states of these windows."""


def read_texts(
    corpus: LargestCorpus, reader: TextReader, tokens_per_batch: int, device: str
) -> ReadTexts:
    """Read texts as wholes, and their halves separately."""
    windows = _windows(corpus.texts, reader)
    states = window_states(reader.module, windows, reader.final_norm, tokens_per_batch, device)
    is_ordinary = np.concatenate([~(window.special | window.repeated) for window in windows])
    number = pd.factorize(corpus.texts["document"])[0].astype(np.int64)
    document = np.concatenate([np.repeat(number[w.text], len(w.ids)) for w in windows])
    halves = split_halves(corpus.texts)
    parts = _windows(halves, reader) if len(halves) else []
    n_layers, _, dim = states["token"].shape
    pooled = np.empty((n_layers, 0, dim), np.float32)
    if parts:
        pooled = window_states(reader.module, parts, reader.final_norm, tokens_per_batch, device)[
            "mean"
        ]
    rows = np.array([window.text for window in parts], dtype=np.int64)
    return ReadTexts(states["token"][:, is_ordinary], document[is_ordinary], halves, rows, pooled)


def _windows(texts: pd.DataFrame, reader: TextReader) -> list[Window]:
    return cut_windows(texts["text"].tolist(), reader.tokenizer, reader.window)
