"""The corpus of a question: texts with a model, or vectors computed elsewhere."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.clouds.pooling import FIRST_LAST, SENTENCE
from embspace.errors import InputError
from embspace.files.vectors import checked_vectors
from embspace.measure.practice.text_vectors import (
    VECTORS,
    HalfVectors,
    TextVectors,
    about_texts,
    half_vectors,
    text_means,
)
from embspace.settings.own import called

if TYPE_CHECKING:
    from embspace.loaded.model import LoadedModel
    from embspace.loaded.reference import Reference

FEWEST_SEARCHED = 20  # documents to search in, as `layer_choice` has it


class TextsOrVectors(Protocol):
    """The corpus of a question, with a vector per text."""

    corpus: str
    model: str

    def places(self) -> list[tuple[int, str]]:
        """Return all layers and poolings, none if unknown."""
        ...

    def at(self, layer: int = -1, pooling: str | None = None) -> TextVectors:
        """Return a vector per text."""
        ...

    def halves_at(self, layer: int = -1, pooling: str | None = None) -> HalfVectors | None:
        """Return the halves of texts; None if too few or unknown."""
        ...


class CorpusOfTexts:
    """The texts of a corpus, with a model's states of the texts, computed once and kept."""

    def __init__(self, corpus: str, texts: pd.DataFrame, loaded: "LoadedModel", root: Path) -> None:
        """Take the texts of `prepare_texts`."""
        self.corpus, self.texts, self._loaded, self._root = corpus, texts, loaded, root
        self.model = called(loaded.name, loaded.description.model_dump())

    @cached_property
    def read(self) -> "Reference":
        """Return the pooled states of the texts.

        Raises:
            InputError: if a text cannot be read, or none is.
        """
        from embspace.app.queries.corpus_space import check_read

        read = self._read_once(self.texts)
        check_read(self._loaded, read)
        return read

    @property
    def loaded(self) -> "LoadedModel":
        """Return the model that reads the texts."""
        return self._loaded

    @cached_property
    def _halves(self) -> "Reference":
        from embspace.prepare.sentences import split_halves

        return self._read_once(split_halves(self.texts))

    def _read_once(self, texts: pd.DataFrame) -> "Reference":
        from embspace.loaded.reference import read_once

        return read_once(self._loaded, texts, self._root)

    def place_of(self, layer: int = -1, pooling: str | None = None) -> tuple[int, str]:
        """Return the layer, counted from 0, and the pooling, by default the model's usual pooling.

        Raises:
            InputError: naming the layer or pooling out of range.
        """
        from embspace.app.queries.corpus_space import checked_pooling

        states = self.read.states
        chosen = checked_pooling(states, layer, pooling, lambda: self._loaded.module.config)
        return layer % len(states["mean"]), chosen

    def places(self) -> list[tuple[int, str]]:
        """Return all layers at the poolings for measuring texts, and the makers' own pooling."""
        from embspace.measure.tables.text_poolings import text_poolings

        states = self.read.states
        n = len(states["mean"])
        own = [(n - 1, SENTENCE)] if SENTENCE in states else []
        return [(layer, pooling) for pooling in text_poolings([states]) for layer in range(n)] + own

    def at(self, layer: int = -1, pooling: str | None = None) -> TextVectors:
        """Return a vector per text read by the model.

        A text of several windows has the mean of the windows' vectors.

        Raises:
            InputError: as `place_of`.
        """
        layer, pooling = self.place_of(layer, pooling)
        vectors, table = _by_text(self.read, layer, pooling)
        last = len(self.read.states["mean"]) - 1
        is_of_layer = pooling not in (SENTENCE, FIRST_LAST)
        at = f"layer {layer} of {last}, " if is_of_layer else ""
        return TextVectors(
            checked_vectors(vectors, self.corpus),
            table,
            self.corpus,
            f"{self.model}, {at}{pooling}",
            layer if is_of_layer else None,
            pooling,
        )

    def halves_at(self, layer: int = -1, pooling: str | None = None) -> HalfVectors | None:
        """Return the halves of texts of four sentences or more; None with fewer than 20 documents.

        Raises:
            InputError: as `place_of`.
        """
        layer, pooling = self.place_of(layer, pooling)
        read = self._halves
        if not len(read.windows):
            return None
        texts = read.texts[read.texts["id"].isin(read.windows["text"])]
        vectors, table = _by_text(read, layer, pooling)
        vectors = vectors[pd.Index(table["id"]).get_indexer(texts["id"])]
        return half_vectors(texts, vectors, FEWEST_SEARCHED)


class CorpusOfVectors:
    """Vectors computed elsewhere, with texts or labels if known."""

    model = VECTORS

    def __init__(
        self, corpus: str, vectors: Float[np.ndarray, "text dim"], table: pd.DataFrame
    ) -> None:
        """Take a vector a row of the table."""
        self.corpus = corpus
        self._vectors, self._table = vectors, table

    def places(self) -> list[tuple[int, str]]:
        """Return none: the layer is not known."""
        return []

    def at(self, layer: int = -1, pooling: str | None = None) -> TextVectors:
        """Return the vectors.

        Raises:
            InputError: if a layer or pooling is named.
        """
        if layer != -1 or pooling is not None:
            option = "--layer" if layer != -1 else "--pooling"
            raise InputError(f"{option}: found beside vectors, allowed: with texts and a model")
        return TextVectors(self._vectors, self._table, self.corpus, VECTORS, None, None)

    def halves_at(self, layer: int = -1, pooling: str | None = None) -> None:
        """Return None: nothing is known of halves of texts."""


def check_one_source(first: TextsOrVectors, second: TextsOrVectors) -> None:
    """Stop if only one of two corpora has vectors from elsewhere.

    Raises:
        InputError: with both corpora.
    """
    if (first.model == VECTORS) == (second.model == VECTORS):
        return
    vectors, texts = (first, second) if first.model == VECTORS else (second, first)
    raise InputError(
        f"{texts.corpus}: found texts read by {texts.model} beside vectors of {vectors.corpus}, "
        "allowed: vectors on both sides, or texts on both"
    )


def _by_text(
    read: "Reference", layer: int, pooling: str
) -> tuple[Float[np.ndarray, "text dim"], pd.DataFrame]:
    """Return a vector per text read, in the order of the texts, and the table of the texts."""
    from embspace.app.queries.corpus_space import pooled_states

    windows, texts = read.windows, read.texts.reset_index(drop=True)
    x = pooled_states(read.states, pooling, layer, read)
    if pooling == SENTENCE:
        windows = windows[windows["window"] == 0]
    kept = texts["id"].isin(windows["text"])
    texts = texts[kept.to_numpy()].reset_index(drop=True)
    means, _ = text_means(x, windows, texts["id"])
    n_tokens = read.windows.groupby("text")["n_tokens"].sum()[texts["id"]].to_numpy()
    table = about_texts(texts) if "subject" in texts else texts[["id", "document"]]
    return means, table.assign(n_tokens=n_tokens)
