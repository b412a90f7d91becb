"""Vectors of the texts of a corpus and of the texts' halves, at a layer and pooling."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.errors import InputError, one_line

SNIPPET = 60  # characters of a text in a line
VECTORS = "vectors"  # of which no model is known


@dataclass(frozen=True, eq=False)
class TextVectors:
    """A vector per text of a corpus, at a layer and pooling of a model."""

    vectors: Float[np.ndarray, "text dim"]
    """float32, finite."""
    table: pd.DataFrame
    """A row a text: id, document, text ("" for vectors alone), label ("" where unknown), copy_of,
    n_tokens (NaN for vectors alone)."""
    corpus: str
    place: str
    """`minilm, layer 6 of 6, mean`, or `vectors` if no model is known."""
    layer: int | None
    """From 0, the embedding output; None for vectors alone, and where a pooling has no layer."""
    pooling: str | None

    @cached_property
    def documents(self) -> Int[np.ndarray, " text"]:
        """Return the number of each text's document, the independent unit; copies share one."""
        return np.asarray(pd.factorize(self.table["document"])[0], dtype=np.int64)

    @property
    def called(self) -> str:
        """Return the corpus with the model, layer and pooling, as an answer names it."""
        return self.corpus if self.place == VECTORS else f"{self.corpus} by {self.place}"

    @property
    def has_labels(self) -> bool:
        """Return whether texts have two labels or more."""
        known = self.table["label"][self.table["label"] != ""]
        return known.nunique() > 1

    def originals(self) -> "TextVectors":
        """Return the texts with a non-zero vector, without copies."""
        has_direction = self.vectors.any(axis=1)
        is_copy = self.table["copy_of"].duplicated().to_numpy() & self.has_texts
        return self.among(has_direction & ~is_copy)

    def among(self, chosen: Bool[np.ndarray, " text"]) -> "TextVectors":
        """Return some texts."""
        if chosen.all():
            return self  # without a copy of vectors that may be a mapped file
        table = self.table[chosen].reset_index(drop=True)
        return replace(self, vectors=self.vectors[chosen], table=table)

    @property
    def has_texts(self) -> bool:
        """Return whether texts, and not vectors alone, are known."""
        return bool((self.table["text"] != "").any())

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.vectors)


@dataclass(frozen=True, eq=False)
class HalfVectors:
    """The vectors of both halves of texts: the second half of a text asks for the first."""

    queries: Float[np.ndarray, "query dim"]
    candidates: Float[np.ndarray, "candidate dim"]
    relevant: Bool[np.ndarray, "query candidate"]
    """The first half of the same text, or of a copy."""
    documents: Int[np.ndarray, " query"]
    """The documents of the queries, the independent units."""
    names: Sequence[str]
    """The names of the queries' documents, as in `TextVectors.table`."""

    def among(self, chosen: Bool[np.ndarray, " query"]) -> "HalfVectors":
        """Return the halves of some texts."""
        names = [name for name, is_in in zip(self.names, chosen, strict=True) if is_in]
        return HalfVectors(
            self.queries[chosen],
            self.candidates[chosen],
            self.relevant[np.ix_(chosen, chosen)],
            np.unique(self.documents[chosen], return_inverse=True)[1],
            names,
        )


def text_means(
    x: Float[np.ndarray, "window dim"], windows: pd.DataFrame, ids: pd.Series
) -> tuple[Float[np.ndarray, "text dim"], Int[np.ndarray, " text"]]:
    """Return the means of the windows by text, and the numbers of tokens.

    `windows` has a row per vector: text, n_tokens. Every id in `ids` has a window.
    """
    place = pd.Index(ids).get_indexer(windows["text"])
    sums = np.zeros((len(ids), x.shape[1]))
    np.add.at(sums, place, x)
    n_tokens = np.bincount(place, windows["n_tokens"], minlength=len(ids)).astype(np.int64)
    means = sums / np.bincount(place, minlength=len(ids))[:, None]
    return means.astype(np.float32), n_tokens


def half_vectors(
    texts: pd.DataFrame, vectors: Float[np.ndarray, "text dim"], fewest: int
) -> HalfVectors | None:
    """Return halves of texts as queries and candidates; None with fewer documents.

    `texts` has a row, with its vector, for each half that was read: id, document, copy_of, half. A
    text of which only one half was read is left out.
    """
    from embspace.measure.tables.half_scores import copies_of_queries

    both = texts["id"].str.rpartition(".")[0].duplicated(keep=False).to_numpy()
    texts, vectors = texts[both], vectors[both]
    if texts["document"].nunique() < fewest:
        return None
    half = texts["half"].to_numpy()
    queries = texts["document"][half == 2]
    return HalfVectors(
        vectors[half == 2],
        vectors[half == 1],
        copies_of_queries(texts),
        np.asarray(pd.factorize(queries)[0], dtype=np.int64),
        queries.tolist(),
    )


def about_texts(texts: pd.DataFrame) -> pd.DataFrame:
    """Return what a question needs to know of prepared texts."""
    texts = texts.reset_index(drop=True)
    label = texts["subject"].where(texts["subject"] != "", texts["domain"])
    return texts[["id", "document", "text", "copy_of"]].assign(label=label)


def check_directions(cloud: TextVectors) -> None:
    """Stop if fewer than two documents have a vector that is not zero.

    Raises:
        InputError: with the number of vectors of length 0.
    """
    has_direction = cloud.vectors.any(axis=1)
    if len(np.unique(cloud.documents[has_direction])) < 2:
        n = int((~has_direction).sum())
        raise InputError(
            f"{cloud.corpus}: found {n:,} vectors of length 0, allowed: two documents or more with "
            "another vector, as only those have a cosine"
        )


def snippet(text: str, size: int = SNIPPET) -> str:
    """Return the start of a text, in a single line."""
    flat = " ".join(one_line(text).split())
    return flat if len(flat) <= size else f"{flat[: size - 1].rstrip()}…"
