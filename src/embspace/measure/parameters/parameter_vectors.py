"""Stage `measure_parameter_vectors`: the vectors of every layer read as words, without any text.

Projection to the vocabulary after Dar et al. 2023 (section 3), beside vectors with shuffled
coordinates, which have the same lengths and outliers but no direction.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.files.tables import Row
from embspace.geometry.parameters.projection import (
    highest,
    mean_member_cosine,
    score_blocks,
    token_readers,
    top_tokens,
)
from embspace.measure.parameters.vocabulary_space import (
    FACTS,
    VocabularySpace,
    distinct_layers,
    load_vocabulary_space,
)
from embspace.measure.tables.even_places import evenly
from embspace.models.parameters.layers import LayerParameters
from embspace.models.parameters.masked_head import HeadTransform
from embspace.models.parameters.read import ModelParameters
from embspace.settings.stage import run_stage

MEASURES = ("coherence", "first_token_deviations")
COHERENT, RANDOM = "most coherent", "at random"
WORDS, PSEUDO_INVERSE = "word_embeddings", "pseudo_inverse"
SCALED, HEAD = "norm_scale", "masked_head"


PARAMETER_VECTORS = Analysis(
    noun="parameter_vectors",
    question=(
        "Which words do the vectors of a model's weights read and write, layer by layer? "
        "[Parameters as words](parameters.md), with `make all`"
    ),
    over="profiled",
    reads={"space": Source(load_vocabulary_space)},
    tables={
        "csv": Table(
            {
                "layer": ("row", "layer"),
                "group": ("row", "vectors"),
                "reading": ("row", "read by"),
                "measure": "row",
                "value": ("profile", "value"),
                "n_vectors": ("count", "n"),
                "shuffled_mean": ("profile_null", "shuffled"),
                "shuffled_smallest": "profile_null",
                "shuffled_largest": "profile_null",
                "n_shuffled": ("count", "n of these"),
            }
        ),
        "cards": Table(  # the vectors that are shown, and their tokens, highest score first
            {
                "layer": ("row", "layer"),
                "group": ("row", "vectors"),
                "reading": ("row", "read by"),
                "chosen": ("row", "chosen"),
                "rank": "row",
                "vector": ("word_choice", "number"),
                "head": ("word_choice", "head"),
                "coherence": ("profile", "coherence"),
                "tokens": ("word_choice", "words"),
                "opposite_tokens": ("word_choice", "words of its negation"),
            }
        ),
    },
    scalars={**FACTS, "k": "setting"},
)


class _Numbers(NamedTuple):
    k: int
    n_coherent: int
    n_random: int
    n_shuffles: int
    n_shuffled: int


@dataclass(frozen=True, eq=False)
class _Reading:
    """A way to compare vectors with tokens."""

    name: str
    readers: Float[np.ndarray, "token width"]
    """The rows that score tokens, for the tokens that may be named."""
    mean: Float[np.ndarray, " width"]
    spread: Float[np.ndarray, "width width"]
    """The covariance of the readers."""
    unit: Float[np.ndarray, "token dim"]
    """The embeddings of the same tokens, less their mean, at length 1."""
    through: HeadTransform | None = None
    is_scaled: bool = False

    def prepared(
        self, vectors: Float[np.ndarray, "row dim"], scale: Float[np.ndarray, " dim"] | None
    ) -> Float[np.ndarray, "row width"]:
        """Return the vectors by which the readers are multiplied."""
        if self.through is not None:
            nothing = np.zeros((1, vectors.shape[1]), np.float32)
            return self.through(vectors) - self.through(nothing)
        return vectors * scale if self.is_scaled and scale is not None else vectors


def measure_parameter_vectors(
    space: VocabularySpace,
    *,
    k: Annotated[int, Field(ge=2)],
    n_coherent: NonNegativeInt,
    n_random: NonNegativeInt,
    left_out: list[str],
    n_shuffles: PositiveInt,
    n_shuffled: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Return the `k` tokens read from every vector, by layer and group, and their coherence.

    `coherence` is the mean cosine of two of the k tokens' embeddings, less the mean embedding;
    `first_token_deviations` says how many standard deviations, over all tokens, the highest score
    lies above the mean. All vectors are read, so there is no interval. Readings: by the token
    embeddings; by the pseudo-inverse; with the gain of the norm between; and through the masked
    head, if present. Cards show the `n_coherent` most coherent vectors and `n_random` random
    vectors; tokens of the kinds `left_out` are not named. The null is `n_shuffled` vectors of a
    group at equal distances, with coordinates in random order, `n_shuffles` times. Tables are empty
    for a model whose blocks are not known.
    """
    parameters = space.parameters
    if parameters is None:
        return PARAMETER_VECTORS.empty(**space.facts())
    allowed = np.flatnonzero(space.allowed(left_out))
    named = [parameters.tokens[token] for token in allowed]
    k = min(k, len(allowed))
    numbers = _Numbers(k, n_coherent, n_random, n_shuffles, n_shuffled)
    rows: list[Row] = []
    shown: list[Row] = []
    for reading in _readings(parameters, allowed):
        layers = distinct_layers(parameters.layers)
        generators = np.random.default_rng(seed).spawn(len(layers))
        for layer, rng in zip(layers, generators, strict=True):
            for group, vectors in layer.groups().items():
                if reading.is_scaled and layer.scale(group) is None:
                    continue
                read = _read(reading, vectors, layer.scale(group), numbers, rng)
                place = {"layer": layer.layer, "group": group, "reading": reading.name}
                rows += [{**place, **row} for row in read.rows]
                shown += _cards(read, place, layer, named, numbers, rng)
    facts = space.facts() | {"k": k, "n_allowed": len(allowed), "n_shuffles": n_shuffles}
    return {"csv": pd.DataFrame(rows), "cards": pd.DataFrame(shown), "json": facts}


def _readings(
    parameters: ModelParameters, allowed: Int[np.ndarray, " token"]
) -> Iterator[_Reading]:
    embedding = parameters.output_embedding
    unit = _centered_unit(embedding)[allowed]
    words = _moments(token_readers(embedding, "transpose")[allowed])
    yield _Reading(WORDS, *words, unit)
    inverse = token_readers(embedding, "pseudo_inverse")[allowed]
    yield _Reading(PSEUDO_INVERSE, *_moments(inverse), unit)
    yield _Reading(SCALED, *words, unit, is_scaled=True)
    if (head := parameters.head_transform) is not None:
        yield _Reading(HEAD, *_moments(head.output[allowed]), unit, through=head)


def _moments(readers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    wide = readers.astype(np.float64)
    return readers, wide.mean(axis=0), np.cov(wide, rowvar=False, bias=True)


def _centered_unit(embedding: Float[np.ndarray, "token dim"]) -> Float[np.ndarray, "token dim"]:
    """Return embeddings less their mean, at length 1; an embedding equal to the mean stays zero."""
    centered = embedding - embedding.mean(axis=0)
    length = np.linalg.norm(centered, axis=1, keepdims=True)
    unit: np.ndarray = centered / np.where(length > 0, length, 1)
    return unit


@dataclass(frozen=True, eq=False)
class _Read:
    rows: list[Row]
    reading: _Reading
    prepared: Float[np.ndarray, "vector width"]
    coherence: Float[np.ndarray, " vector"]


def _read(
    reading: _Reading,
    vectors: Float[np.ndarray, "vector dim"],
    scale: Float[np.ndarray, " dim"] | None,
    numbers: _Numbers,
    rng: np.random.Generator,
) -> _Read:
    """Return the measures of the vectors of a group, beside those of shuffled vectors."""
    prepared = reading.prepared(vectors, scale)
    values = _measured(reading, prepared, numbers.k)
    some = vectors[evenly(len(vectors), numbers.n_shuffled)]
    drawn = (rng.permuted(some, axis=1) for _ in range(numbers.n_shuffles))
    shuffled = np.array(
        [_measured(reading, reading.prepared(x, scale), numbers.k).mean(axis=1) for x in drawn]
    )
    rows = [
        {
            "measure": measure,
            "value": values[at].mean(),
            "n_vectors": len(vectors),
            "shuffled_mean": shuffled[:, at].mean(),
            "shuffled_smallest": shuffled[:, at].min(),
            "shuffled_largest": shuffled[:, at].max(),
            "n_shuffled": len(some),
        }
        for at, measure in enumerate(MEASURES)
    ]
    return _Read(rows, reading, prepared, values[0])


def _measured(
    reading: _Reading, prepared: Float[np.ndarray, "vector width"], k: int
) -> Float[np.ndarray, "measure vector"]:
    first = np.empty(len(prepared), np.float32)
    tokens = np.empty((len(prepared), k), np.int64)
    for rows, scores in score_blocks(prepared, reading.readers):
        tokens[rows] = highest(scores, k)
        first[rows] = scores.max(axis=1)
    wide = prepared.astype(np.float64)
    deviation = np.sqrt(np.maximum(((wide @ reading.spread) * wide).sum(axis=1), 0))
    away = (first - wide @ reading.mean) / np.where(deviation > 0, deviation, 1)
    return np.stack([mean_member_cosine(tokens, reading.unit), away])


def _cards(
    read: _Read,
    place: Row,
    layer: LayerParameters,
    tokens: list[str],
    numbers: _Numbers,
    rng: np.random.Generator,
) -> Iterator[Row]:
    """Yield a row per vector that is shown: first those of the highest coherence."""
    order = np.argsort(-read.coherence, kind="stable")
    coherent, others = order[: numbers.n_coherent], order[numbers.n_coherent :]
    drawn = np.sort(rng.choice(others, min(numbers.n_random, len(others)), replace=False))
    is_attention = str(place["group"]).startswith("attention_")
    listed = [(COHERENT, rank, at) for rank, at in enumerate(coherent, start=1)]
    listed += [(RANDOM, rank, at) for rank, at in enumerate(drawn, start=1)]
    shown = read.prepared[[at for _, _, at in listed]]
    top = top_tokens(shown, read.reading.readers, numbers.k)
    for row, (why, rank, at) in enumerate(listed):
        vector = int(at)
        yield {
            **place,
            "chosen": why,
            "rank": rank,
            "vector": vector,
            "head": vector // layer.head_dim + 1 if is_attention else None,
            "coherence": read.coherence[at],
            "tokens": " ".join(tokens[number] for number in top.token[row]),
            "opposite_tokens": " ".join(tokens[number] for number in top.opposite_token[row]),
        }


main = PARAMETER_VECTORS.main(measure_parameter_vectors)

if __name__ == "__main__":
    run_stage(main, measure_parameter_vectors)
