"""Chooses the same points for two models: texts, words in texts, and stimuli."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.compare.aligned_words import one_of_each, tokens_of_words, words_of
from embspace.compare.model_states import CorpusStates, ModelStates


@dataclass(frozen=True, eq=False)
class Views:
    """The vectors of the same points in the layers of two models."""

    x: Float[np.ndarray, "layer n dim"]
    y: Float[np.ndarray, "other_layer n other_dim"]
    is_sample: bool
    """Whether the points were drawn independently of each other; else no interval."""

    @property
    def n(self) -> int:
        """Number of points."""
        return self.x.shape[1]


@dataclass(frozen=True, eq=False)
class PointSet:
    """Points of a corpus, or the stimuli."""

    corpus: str
    unit: str
    """`text` or `word`."""
    views: Views
    random: Views | None = None
    """The same points at random weights; only for stimuli."""


def point_sets(
    texts: dict[str, pd.DataFrame],
    stimuli: dict[str, pd.DataFrame],
    states: ModelStates,
    other_states: ModelStates,
    *,
    word_corpora: list[str],
    largest_n: int,
    seed: int,
) -> Iterator[PointSet]:
    """Yield the points of every corpus, texts and words, and the points of the stimuli.

    Equal for equal corpus and seed, whatever else exists. A set without a point is left out.
    """
    for corpus, table in texts.items():
        both = states.corpora[corpus], other_states.corpora[corpus]
        generator = named_stream(seed, corpus, "text")
        if views := _text_views(table, *both, largest_n, generator):
            yield PointSet(corpus, "text", views)
        generator = named_stream(seed, corpus, "word")
        if corpus in word_corpora and (views := _word_views(table, *both, largest_n, generator)):
            yield PointSet(corpus, "word", views)
    pair = states, other_states
    if stimuli and all(model.stimuli[name]["mean"].shape[1] for model in pair for name in stimuli):
        yield _stimuli_points(stimuli, pair, largest_n, named_stream(seed, "stimuli", "text"))


def named_stream(seed: int, *names: str) -> np.random.Generator:
    """Return random numbers for a purpose, independent of all further draws."""
    return np.random.default_rng([seed, zlib.crc32("/".join(names).encode())])


def _text_views(
    texts: pd.DataFrame,
    one: CorpusStates,
    other: CorpusStates,
    largest_n: int,
    generator: np.random.Generator,
) -> Views | None:
    """The mean states of the common texts of both models, a text per document."""
    read: Bool[np.ndarray, " text"] = (
        texts["id"].isin(one.windows["text"]) & texts["id"].isin(other.windows["text"])
    ).to_numpy(dtype=bool)
    rows = one_of_each(_documents(texts), read, largest_n=largest_n, generator=generator)
    if not len(rows):
        return None
    chosen = texts["id"].iloc[rows]
    x, y = (_window_means(corpus, chosen) for corpus in (one, other))
    return Views(x, y, is_sample=True)


def _documents(texts: pd.DataFrame) -> Int[np.ndarray, " text"]:
    return pd.factorize(texts["document"])[0].astype(np.int64)


def _window_means(
    corpus: CorpusStates, texts: "pd.Series[str]"
) -> Float[np.ndarray, "layer text dim"]:
    """The mean states of the windows of texts, windows weighted by the number of tokens."""
    place = pd.Series(np.arange(len(texts)), texts)
    windows = corpus.windows[corpus.windows["text"].isin(texts)]
    number = windows["text"].map(place).to_numpy(dtype=np.int64)
    order = np.argsort(number, kind="stable")
    number, rows = number[order], windows.index.to_numpy()[order]
    weight = windows["n_tokens"].to_numpy(dtype=np.float64)[order]
    first = np.flatnonzero(np.append(True, number[1:] != number[:-1]))
    total = np.add.reduceat(weight, first)[:, np.newaxis]
    return np.stack(
        [
            np.add.reduceat(layer[rows] * weight[:, np.newaxis], first) / total
            for layer in corpus.states["mean"]
        ]
    )


def _word_views(
    texts: pd.DataFrame,
    one: CorpusStates,
    other: CorpusStates,
    largest_n: int,
    generator: np.random.Generator,
) -> Views | None:
    """The mean states of words in the tokens of both models, a word per document."""
    if one.tokens.empty or other.tokens.empty:
        return None
    words = words_of(texts)
    tokens, other_tokens = (
        tokens_of_words(words, corpus.tokens, corpus.windows) for corpus in (one, other)
    )
    chosen = one_of_each(
        _documents(texts)[words.text],
        tokens.is_whole & other_tokens.is_whole,
        largest_n=largest_n,
        generator=generator,
    )
    if not len(chosen):
        return None
    return Views(
        tokens.means(one.states["token"], chosen),
        other_tokens.means(other.states["token"], chosen),
        is_sample=True,
    )


def _stimuli_points(
    stimuli: dict[str, pd.DataFrame],
    pair: tuple[ModelStates, ModelStates],
    largest_n: int,
    generator: np.random.Generator,
) -> PointSet:
    """Both models, and both architectures at random weights, on sentences made for other stages."""
    sentences = pd.concat([table["text"] for table in stimuli.values()], ignore_index=True)
    different = np.flatnonzero(~sentences.duplicated())
    rows = np.sort(generator.permutation(different)[:largest_n])

    def views(kind: str) -> Views:
        x, y = (
            np.concatenate([model.stimuli[name][kind] for name in stimuli], axis=1)[:, rows]
            for model in pair
        )
        return Views(x, y, is_sample=False)

    return PointSet("stimuli", "text", views("mean"), views("random_mean"))
