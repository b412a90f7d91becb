"""The corpora of params.yaml, read by a model, with a vector per text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from embspace.analysis import Analysis, Outcome
from embspace.clouds.documents import some_documents
from embspace.files.rows import load_rows
from embspace.measure.practice.scored_versions import K, half_of_documents, has_spread
from embspace.measure.practice.text_vectors import (
    HalfVectors,
    TextVectors,
    about_texts,
    half_vectors,
    text_means,
)
from embspace.measure.tables.text_halves import Halves, load_halves
from embspace.measure.tables.text_poolings import load_text_states


@dataclass(frozen=True, eq=False)
class CorpusStates:
    """The states of the windows of a corpus, and of halves of its texts."""

    corpus: str
    texts: pd.DataFrame
    windows: pd.DataFrame
    states: Mapping[str, Float[np.ndarray, "layer window dim"]]
    halves: Halves | None

    def at(self, layer: int, pooling: str) -> TextVectors:
        """Return a vector per text: the mean of the windows."""
        x = self.states[pooling][layer]
        texts = self.texts[self.texts["id"].isin(self.windows["text"])]
        table = about_texts(texts)
        means, n_tokens = text_means(x, self.windows, table["id"])
        number = layer % len(self.states[pooling])
        place = f"layer {number}, {pooling}"
        table = table.assign(n_tokens=n_tokens)
        return TextVectors(means, table, self.corpus, place, number, pooling)

    def halves_at(self, layer: int, pooling: str, fewest: int) -> HalfVectors | None:
        """Return the halves of texts; None with fewer documents."""
        if self.halves is None or self.halves.texts.empty:
            return None
        x = self.halves.by_pooling[pooling][layer]
        means, _ = text_means(x, self.halves.windows, self.halves.texts["id"])
        return half_vectors(self.halves.texts, means, fewest)

    def some(self, most_texts: int) -> "CorpusStates":
        """Return about `most_texts` texts at most, of whole documents, and the texts' halves."""
        n_documents = self.texts["document"].nunique()
        most = max(1, most_texts * n_documents // max(len(self.texts), 1))
        texts = some_documents(self.texts.reset_index(drop=True), most)
        is_in = self.windows["text"].isin(texts["id"]).to_numpy()
        states = {pooling: x[:, is_in] for pooling, x in self.states.items()}
        windows = self.windows[is_in].reset_index(drop=True)
        return CorpusStates(self.corpus, texts, windows, states, self._halves_of(texts))

    def _halves_of(self, texts: pd.DataFrame) -> Halves | None:
        if self.halves is None:
            return None
        chosen = self.halves.texts
        chosen = chosen[chosen["document"].isin(texts["document"])].reset_index(drop=True)
        is_in = self.halves.windows["text"].isin(chosen["id"]).to_numpy()
        states = {pooling: x[:, is_in] for pooling, x in self.halves.by_pooling.items()}
        return Halves(chosen, self.halves.windows[is_in].reset_index(drop=True), states)


def load_corpora(states: str, texts: str, corpora: Sequence[str]) -> dict[str, CorpusStates]:
    """Return all corpora read by a model, from the folders of states and of texts."""
    pooled = load_text_states({corpus: f"{states}/{corpus}.safetensors" for corpus in corpora})
    halves = load_halves(states, texts, [*corpora])
    return {
        corpus: CorpusStates(
            corpus,
            load_rows(f"{texts}/{corpus}.parquet"),
            load_rows(f"{states}/{corpus}.windows.parquet"),
            pooled[corpus],
            halves.get(corpus),
        )
        for corpus in corpora
    }


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The texts of a corpus, split by document: one half fits a change, the rest measures it."""

    cloud: TextVectors
    is_fitted: Bool[np.ndarray, " text"]
    measured: TextVectors
    halves: HalfVectors | None
    """Halves of the texts that measure; None if too few have halves."""
    all_halves: HalfVectors | None


def held_out_corpora(
    corpora: Mapping[str, CorpusStates], pooling: str, fewest: int, most_texts: int, seed: int
) -> dict[str, HeldOut]:
    """Return the corpora of enough documents, at the last layer.

    A corpus counts if `fewest` documents measure, with more than ten texts beside the largest.
    Copies and vectors without a direction are left out.
    """
    kept = {}
    for name, corpus in corpora.items():
        some = corpus.some(most_texts)
        cloud = some.at(-1, pooling).originals()
        if not len(cloud) or not has_spread(cloud):
            continue
        is_fitted = half_of_documents(cloud, seed)
        measured = cloud.among(~is_fitted)
        sizes = np.bincount(measured.documents, minlength=1)
        if (sizes > 0).sum() < fewest or sizes.sum() - sizes.max() <= K:
            continue
        halves = some.halves_at(-1, pooling, fewest)
        fitted = [*cloud.table["document"][is_fitted]]
        own = None if halves is None else halves.among(~pd.Index(halves.names).isin(fitted))
        own = None if own is None or len({*own.names}) < fewest else own
        kept[name] = HeldOut(cloud, is_fitted, measured, own, halves)
    return kept


def clouds_at(
    corpora: Mapping[str, CorpusStates], layer: int, pooling: str, fewest: int
) -> dict[str, TextVectors]:
    """Return the corpora of enough documents, if not all of their vectors are equal."""
    clouds = {name: corpus.at(layer, pooling).originals() for name, corpus in corpora.items()}
    return {
        name: cloud
        for name, cloud in clouds.items()
        if len(np.unique(cloud.documents)) >= fewest and has_spread(cloud)
    }


def shares_documents(first: TextVectors, second: TextVectors) -> bool:
    """Return whether two corpora share more than half of the documents of the smaller.

    Names that are numbers alone, as rows without an id have, are no shared documents.
    """
    names, others = (set(cloud.table["document"].astype(str)) for cloud in (first, second))
    shared = {name for name in names & others if not name.isdecimal()}
    return len(shared) > min(len(names), len(others)) / 2


def gathered(analysis: Analysis, parts: Mapping[str, list[pd.DataFrame]]) -> Outcome:
    """Return tables of several corpora as the declared ones, without further columns."""
    return {
        name: table.of(
            pd.concat(parts[name], ignore_index=True).filter([*table.columns])
            if parts[name]
            else ()
        )
        for name, table in analysis.tables.items()
    }
