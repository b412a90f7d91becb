"""Reads the directions of moved weights as words, and names the tokens that moved most."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.compare.model_changes_rows import MOVED, MeasuredChange
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.pairs.directions import unit_rows
from embspace.geometry.parameters.projection import TopTokens, mean_member_cosine, top_tokens
from embspace.geometry.parameters.weight_change import row_changes
from embspace.models.parameters.all_weights import TOKENS, AllWeights
from embspace.models.parameters.masked_head import HeadTransform
from embspace.models.parameters.read import ModelParameters
from embspace.models.parameters.token_kinds import nameable

READS, WRITES, COMPARED = "reads", "writes", "is compared with"
WORD_EMBEDDINGS, MASKED_HEAD = "word_embeddings", "masked_head"
SIDES = {
    "attention_query": (READS, "attention_key", COMPARED),
    "attention_key": (READS, "attention_query", COMPARED),
    "attention_value": (READS, "attention_output", WRITES),
    "attention_output": (WRITES, "attention_value", READS),
    "feed_forward_key": (READS, "feed_forward_value", WRITES),
    "feed_forward_gate": (READS, "feed_forward_value", WRITES),
    "feed_forward_up": (READS, "feed_forward_value", WRITES),
    "feed_forward_value": (WRITES, "feed_forward_key", READS),
}
"""Use of a direction of the stream by a group, the partner of the group, and the partner's use."""
GATED = {"feed_forward_key": "feed_forward_up"}  # the partner of the values of a gated MLP


@dataclass(frozen=True)
class Reading:
    """Holds the settings of how directions are read."""

    n_read: int
    n_words: int
    left_out: list[str]
    n_random_vectors: int
    level: float
    seed: int


@dataclass(frozen=True, eq=False)
class _Vocabulary:
    """A way to compare directions with the tokens that may be named."""

    name: str
    readers: Float[np.ndarray, "token width"]
    unit: Float[np.ndarray, "token dim"]
    """The embeddings less their mean, at length 1."""
    tokens: list[str]
    allowed: Bool[np.ndarray, " token"]
    n_words: int
    through: HeadTransform | None

    def top(self, directions: Float[np.ndarray, "row dim"]) -> TopTokens:
        """Return the words of directions and of their negations."""
        vectors = np.asarray(directions, dtype=np.float32)
        if self.through is None:
            return top_tokens(vectors, self.readers, self.n_words, self.allowed)
        at_zero = self.through(np.zeros_like(vectors[:1]))
        # The head is no linear map: the negation goes through it, too.
        top, opposite = (
            top_tokens(self.through(x) - at_zero, self.readers, self.n_words, self.allowed)
            for x in (vectors, -vectors)
        )
        return TopTokens(top.token, top.score, opposite.token, opposite.score)

    def named(self, ids: Int[np.ndarray, " word"]) -> str:
        """Return tokens in one line."""
        return " ".join(self.tokens[token] for token in ids)


@dataclass(frozen=True, eq=False)
class _Partner:
    """The matrix through which mixtures of another matrix's rows are read."""

    matrix: Float[np.ndarray, "row dim"]
    head_dim: int

    def mixed_rows(
        self, mixtures: Float[np.ndarray, "mixture row"]
    ) -> Float[np.ndarray, "mixture dim"]:
        """Return mixtures of the partner's rows, shared keys and values repeated for every head."""
        n, n_rows = mixtures.shape
        if n_rows < len(self.matrix):
            by_head = mixtures.reshape(n, -1, self.head_dim)
            mixtures = by_head.repeat(len(self.matrix) // n_rows, axis=1).reshape(n, -1)
        return mixtures @ self.matrix


def word_rows(
    changes: Sequence[MeasuredChange], model: AllWeights, reading: Reading
) -> Iterator[Row]:
    """Yield the words of the first directions in which each matrix of a layer moved.

    On the side of the stream the rows read or write a direction. On the other side a direction is
    a mixture of rows, read through the partner in `model`, without norms, biases and
    nonlinearities: queries through the keys compared with them, values through the writing
    outputs, keys of the MLP through the values of the MLP. Both sides share a free sign, chosen
    positive for most of a direction's units in the MLP, as active units are positive, and for the
    strongest word in attention. No rows for a model with unknown blocks.
    """
    if model.parameters is None:
        return
    read = [change for change in changes if _is_read(change) and reading.n_read]
    for vocabulary in _vocabularies(model, model.parameters, reading):
        for change in read:
            partner = _partner(model.parameters, change)
            group, layer = str(change.row["group"]), change.row["layer"]
            kept, compared = _sides(change, vocabulary, partner, reading.n_read)
            n_rows = len(change.paired[0].before)
            mixtures = partner.mixed_rows(_drawn(reading, f"{group} {layer}", n_rows))
            yield from _side_rows(
                change,
                vocabulary,
                SIDES[group][0],
                kept,
                _drawn(reading, "stream", kept.shape[1]),
                reading.level,
            )
            yield from _side_rows(
                change, vocabulary, SIDES[group][2], compared, mixtures, reading.level
            )


def _is_read(change: MeasuredChange) -> bool:
    is_moved = change.spectrum is not None and change.row["verdict"] == MOVED
    return is_moved and change.row["group"] in SIDES and change.row["rank"] > 0


def _drawn(reading: Reading, name: str, dim: int) -> Float[np.ndarray, "vector dim"]:
    """Return random vectors of a name, a seed and a dimension, whatever else is drawn."""
    stream = stream_of(np.random.default_rng(reading.seed), name)
    return stream.normal(size=(reading.n_random_vectors, dim))


def _sides(
    change: MeasuredChange,
    vocabulary: _Vocabulary,
    partner: _Partner,
    n_read: int,
) -> tuple[Float[np.ndarray, "direction dim"], Float[np.ndarray, "direction dim"]]:
    """Return the first directions on the side of the stream, and through the partner."""
    assert change.spectrum is not None
    stream = change.spectrum.directions[: min(n_read, change.spectrum.rank)]
    (paired,) = change.paired
    difference = paired.after.astype(np.float64) - paired.before
    rows = change.spectrum.row_side(difference, len(stream))
    is_unit = str(change.row["group"]).startswith("feed_forward_")
    signs = _signs_of_units(rows) if is_unit else _signs_of_words(vocabulary, stream)
    return stream * signs, partner.mixed_rows(rows * signs)


def _vocabularies(
    model: AllWeights, parameters: ModelParameters, reading: Reading
) -> Iterator[_Vocabulary]:
    """Yield the readings by the token embeddings, and through the masked head if present."""
    embedding, head = parameters.output_embedding, parameters.head_transform
    unit = unit_rows(embedding - embedding.mean(axis=0))
    allowed = nameable(model.kinds, reading.left_out)
    n_words = min(reading.n_words, int(allowed.sum()))
    shared = (unit, parameters.tokens, allowed, n_words)
    yield _Vocabulary(WORD_EMBEDDINGS, embedding, *shared, None)
    if head is not None:
        yield _Vocabulary(MASKED_HEAD, head.output, *shared, head)


def _partner(parameters: ModelParameters, change: MeasuredChange) -> _Partner:
    group, layer = str(change.row["group"]), change.paired[0].weight.layer
    assert layer is not None
    block = parameters.layers[layer - 1]
    groups, name = block.groups(), SIDES[group][1]
    return _Partner(groups[name if name in groups else GATED[name]], block.head_dim)


def _signs_of_units(rows: Float[np.ndarray, "direction row"]) -> Float[np.ndarray, "direction 1"]:
    """Return -1 for directions whose units, weighted by size, are mostly negative, else 1."""
    return np.where(rows.sum(axis=1, keepdims=True) < 0, -1.0, 1.0)


def _signs_of_words(
    vocabulary: _Vocabulary, directions: Float[np.ndarray, "row dim"]
) -> Float[np.ndarray, "row 1"]:
    """Return -1 for directions whose negation has the stronger word, else 1."""
    top = vocabulary.top(directions)
    is_turned = -top.opposite_score[:, :1] > top.score[:, :1]
    return np.where(is_turned, -1.0, 1.0)


def _coherence(
    vocabulary: _Vocabulary, directions: Float[np.ndarray, "row dim"]
) -> Float[np.ndarray, " row"]:
    if vocabulary.n_words < 2:
        return np.full(len(directions), np.nan)
    return mean_member_cosine(vocabulary.top(unit_rows(directions)).token, vocabulary.unit)


def _side_rows(
    change: MeasuredChange,
    vocabulary: _Vocabulary,
    side: str,
    directions: Float[np.ndarray, "direction dim"],
    random: Float[np.ndarray, "vector dim"],
    level: float,
) -> Iterator[Row]:
    """Yield the words of all directions on one side, beside the likeness of words by chance."""
    assert change.spectrum is not None
    squares = np.square(change.spectrum.values)
    top, coherence = vocabulary.top(unit_rows(directions)), _coherence(vocabulary, directions)
    drawn = _coherence(vocabulary, random)
    high = float(np.quantile(drawn, level))
    for number in range(len(directions)):
        yield {
            **{name: change.row[name] for name in ("group", "layer", "layers")},
            "direction": number + 1,
            "share": squares[number] / squares.sum(),
            "side": side,
            "reading": vocabulary.name,
            "coherence": coherence[number],
            "random_coherence": drawn.mean(),
            "random_coherence_high": high,
            "is_coherent": bool(coherence[number] > high),
            "tokens": vocabulary.named(top.token[number]),
            "opposite_tokens": vocabulary.named(top.opposite_token[number]),
        }


def token_rows(
    changes: Sequence[MeasuredChange], model: AllWeights, n_tokens: int
) -> Iterator[Row]:
    """Yield the tokens with the largest relative change, if token embeddings moved."""
    moved = (x for x in changes if x.row["group"] == TOKENS and x.row["verdict"] == MOVED)
    for change in moved:
        (paired,) = change.paired
        relative = row_changes(paired.before, paired.after)
        if np.isnan(relative).all():
            continue
        median = float(np.nanmedian(relative))
        order = np.argsort(-np.nan_to_num(relative, nan=-1), kind="stable")[:n_tokens]
        for rank, row in enumerate((row for row in order if relative[row] > 0), start=1):
            before, after = (x[row].astype(np.float64) for x in (paired.before, paired.after))
            norm, other_norm = np.linalg.norm(before), np.linalg.norm(after)
            yield {
                "rank": rank,
                "token": model.tokens[paired.rows[row]],
                "relative_change": relative[row],
                "times_median": relative[row] / median if median > 0 else np.nan,
                "cosine": before @ after / (norm * other_norm) if other_norm > 0 else np.nan,
                "norm": norm,
                "other_norm": other_norm,
            }
