"""Texts on maps with their vectors by layer, and the words that name a group of texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.clouds.texts import TextCloud, load_text_clouds
from embspace.files.rows import load_rows
from embspace.geometry.practice.word_contrast import contrast_words
from embspace.measure.tables.pooled_states import pooled_states
from embspace.models.weights import with_random_weights
from embspace.scripts.words import longer_words_in

SHARE_WITH = 0.2  # of an island's texts, for a word that names the island


@dataclass(frozen=True, eq=False)
class CorpusOnMap:
    """A corpus with a model's states and tokens of it."""

    cloud: TextCloud
    text: dict[str, str]
    """By the text's id."""
    tokens: pd.DataFrame
    """The tokens of all windows, in the form that `windows_of` takes."""


def load_corpora_on_map(
    extracted: str, prepared: str, corpora: Iterable[str]
) -> dict[str, CorpusOnMap]:
    """Return every corpus, from the folders of a model's states and of all texts."""
    loaded = {}
    for corpus, cloud in load_text_clouds(extracted, prepared, corpora).items():
        texts = load_rows(f"{prepared}/{corpus}.parquet")
        tokens = load_rows(f"{extracted}/{corpus}.tokens.parquet")
        loaded[corpus] = CorpusOnMap(
            cloud, dict(zip(texts["id"], texts["text"], strict=True)), tokens
        )
    return loaded


def at_random_weights(
    read: Mapping[str, CorpusOnMap],
    module: Any,
    final_norm: str | None,
    poolings: Sequence[str],
    tokens_per_batch: int,
    device: str,
    seed: int,
) -> dict[str, dict[str, Float[np.ndarray, "layer window dim"]]]:
    """Return the states of the same windows by the same architecture before any training."""
    untrained = with_random_weights(module, seed)
    return {
        corpus: pooled_states(untrained, own.tokens, final_norm, tokens_per_batch, device, poolings)
        for corpus, own in read.items()
        if len(own.tokens)
    }


def windows_on_map(points: pd.DataFrame, read: Mapping[str, CorpusOnMap]) -> pd.DataFrame:
    """Return the rows of a map with columns `n_tokens`, and `row` in the states of the corpus."""
    parts = [
        own.cloud.windows[["text", "window", "n_tokens"]].assign(
            corpus=corpus, row=np.arange(len(own.cloud.windows))
        )
        for corpus, own in read.items()
    ]
    return points.merge(
        pd.concat(parts), how="left", on=["corpus", "text", "window"], validate="1:1"
    )


def vectors_of(
    windows: pd.DataFrame, states: Mapping[str, Float[np.ndarray, "layer window dim"]], layer: int
) -> Float[np.ndarray, "text dim"]:
    """Return the vectors of the windows of a map at a layer, from the states of every corpus."""
    first = next(iter(states.values()))
    x = np.empty((len(windows), first.shape[2]), first.dtype)
    for corpus, rows in windows.reset_index(drop=True).groupby("corpus", sort=False):
        x[rows.index] = states[str(corpus)][layer][rows["row"].to_numpy()]
    return x


def words_of_windows(windows: pd.DataFrame, read: Mapping[str, CorpusOnMap]) -> list[set[str]]:
    """Return the longer words of the text of every window."""
    return [
        set(longer_words_in(read[corpus].text[text].lower()))
        for corpus, text in zip(windows["corpus"], windows["text"], strict=True)
    ]


def names_of_islands(
    words: Sequence[set[str]], islands: Int[np.ndarray, " text"], n: int, n_words: int
) -> Iterator[str]:
    """Yield, by island, the words that best tell its texts from the rest.

    Words are in a fifth of the island's texts or more, in the order of Fisher's exact test.
    """
    for island in range(n):
        own = [words[row] for row in np.flatnonzero(islands == island).tolist()]
        others = [words[row] for row in np.flatnonzero(islands != island).tolist()]
        counts = pd.Series([word for text in own for word in sorted(text)]).value_counts()
        frequent = {*counts.index[counts >= SHARE_WITH * len(own)]}
        made = contrast_words(
            [text & frequent for text in others], [text & frequent for text in own]
        )
        yield " ".join([word.word for word in made if word.log_odds > 0][:n_words])
