"""Reads texts and ranks the followed tokens among the vocabulary, at every point of every layer."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.geometry.groups.shared_direction import mean_pair_cosine
from embspace.geometry.pairs.vocabulary_ranks import VocabularyRanks, vocabulary_ranks
from embspace.measure.words.token_tracker_texts import FollowedTexts
from embspace.models.stream.tracked_states import Point, tracked_states
from embspace.models.stream.tracked_vocabulary import Positions, TrackedVocabulary

SUM: Point = "attention_sum"
TrackedPlace = tuple[int, Point]
"""Layer and point; layer 0 is the embedding output, whatever the point."""
QUANTITIES = ("log_rank", "cosine", "euclidean_distance", "nearest")


@dataclass(frozen=True, eq=False)
class Tracks:
    """The followed tokens of some texts, and the cosines among all tokens of the texts."""

    unit: Int[np.ndarray, " token"]
    group: np.ndarray
    places: dict[Positions, list[TrackedPlace]]
    """The places where states are read, lowest layer first."""
    values: dict[Positions, Float[np.ndarray, "_ quantity token"]]
    """`log_rank` is log10(1 + rank), `nearest` 1 where none is nearer than the own row."""
    step: Float[np.ndarray, "block token"]
    """Length of each token's step through a block, 1..L."""
    text_unit: Int[np.ndarray, " text"]
    together: Float[np.ndarray, "layer two text"]
    """Mean cosine of the states of a text's different tokens in layers 0..L, and of their steps
    there, of layer 0 none."""
    point: Point = SUM
    """The point whose ranks and cosines statistics are of."""

    def of(self, quantity: str, positions: Positions = "none") -> Float[np.ndarray, "layer token"]:
        """A quantity in layers 0..L at the point of statistics."""
        rows = [
            at
            for at, (layer, point) in enumerate(self.places[positions])
            if point == self.point or not layer
        ]
        layers: np.ndarray = self.values[positions][rows, QUANTITIES.index(quantity)]
        return layers

    def inside(self, units: Int[np.ndarray, " drawn"]) -> Bool[np.ndarray, " token"]:
        """Return whether the tokens are of these units."""
        return np.isin(self.unit, units)


def read_tracks(
    module: Any,
    vocabulary: TrackedVocabulary,
    texts: FollowedTexts,
    *,
    points: tuple[Point, ...],
    positions: tuple[Positions, ...],
) -> Tracks:
    """Return ranks and cosines of the followed tokens at `points`, and by `positions`.

    Vocabularies with positions are compared at the embedding and at the point of statistics alone:
    `attention_sum` or, if not among `points`, the layer's output.
    """
    chosen: Point = SUM if SUM in points else "output"
    states, together, steps = _states(module, texts, points)
    token = texts.token
    places: dict[Positions, list[TrackedPlace]] = {}
    values: dict[Positions, np.ndarray] = {}
    for kind in positions:
        kept = [place for place in states if kind == "none" or place[1] in ("embedding", chosen)]
        stacked = np.concatenate([states[place] for place in kept])
        n = len(kept)
        ranks = vocabulary.ranks(
            stacked, np.tile(token, n), np.tile(texts.position, n), positions=kind
        )
        places[kind], values[kind] = kept, _quantities(ranks, n)
    return Tracks(
        texts.unit_of_token, texts.group, places, values, steps, texts.unit, together, chosen
    )


def _quantities(ranks: VocabularyRanks, n_places: int) -> Float[np.ndarray, "place quantity token"]:
    columns = (
        np.log10(1 + ranks.rank),
        ranks.cosine,
        ranks.euclidean_distance,
        (ranks.rank < 1).astype(float),
    )
    return np.stack([column.reshape(n_places, -1) for column in columns], axis=1)


def _states(
    module: Any, texts: FollowedTexts, points: tuple[Point, ...]
) -> tuple[dict[TrackedPlace, np.ndarray], np.ndarray, np.ndarray]:
    """The states of the followed tokens by place, the cosines of texts, the lengths of steps."""
    parts: dict[TrackedPlace, list[np.ndarray]] = {}
    together, steps = [], []
    for number, ids in enumerate(texts.ids):
        at = texts.position[texts.text == number]
        streams: list[np.ndarray] = []
        for state in tracked_states(module, ids):
            if state.point in ("embedding", "output"):
                streams.append(state.x)
            if state.point == "embedding" or state.point in points:
                parts.setdefault((state.layer, state.point), []).append(state.x[at])
        together.append(_together(streams, ids))
        moves = [np.linalg.norm(b[at] - a[at], axis=1) for a, b in pairwise(streams)]
        steps.append(np.stack(moves))
    states = {place: np.concatenate(arrays) for place, arrays in parts.items()}
    return states, np.stack(together, axis=2), np.concatenate(steps, axis=1)


def _together(
    streams: list[np.ndarray], ids: Int[np.ndarray, " token"]
) -> Float[np.ndarray, "layer two"]:
    cosines = np.full((len(streams), 2), np.nan)
    for layer, x in enumerate(streams):
        cosines[layer, 0] = mean_pair_cosine(x, ids)
        if layer:
            cosines[layer, 1] = mean_pair_cosine(x - streams[layer - 1], ids)
    return cosines


def density_of(
    vocabulary: TrackedVocabulary, token: Int[np.ndarray, " token"], n_neighbors: int
) -> Float[np.ndarray, " token"]:
    """Return the mean cosine of the tokens' rows with their `n_neighbors` nearest other rows."""
    known, number = np.unique(token, return_inverse=True)
    k = min(n_neighbors + 1, len(vocabulary.rows))
    ranks = vocabulary_ranks(vocabulary.rows[known], known, vocabulary.rows, k=k)
    others = np.where(ranks.nearest == known[:, None], np.nan, ranks.nearest_value)
    return np.asarray(np.nanmean(others, axis=1)[number])
