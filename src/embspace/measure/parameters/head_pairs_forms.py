"""Computes the interactions of a head with a vocabulary, and their top pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from embspace.errors import InputError, not_among
from embspace.geometry.attention.key_variance import key_shares, text_moments
from embspace.geometry.parameters.vocabulary_pairs import (
    Classes,
    TokenFactor,
    VocabularyPairs,
    equal_pairs,
    token_factor,
    top_pairs,
)
from embspace.models.parameters.layers import LayerParameters

HeadForm = Literal["value_output", "query_key"]
FORMS: tuple[HeadForm, ...] = get_args(HeadForm)
Matrix = Float[np.ndarray, "row dim"]


@dataclass(frozen=True, eq=False)
class TopPairs:
    """The top pairs of one form of one head."""

    unequal: VocabularyPairs
    """Without pairs of equal tokens."""
    all: VocabularyPairs
    """Twice as many, with pairs of equal tokens included."""


def head_factors(
    layers: Sequence[LayerParameters], layer: int, head: int, form: HeadForm
) -> tuple[Matrix, Matrix]:
    """Return the factors of a head, both with rows of the model's width.

    The form is E a' b E'. For `value_output`, a are the value vectors and b the output vectors,
    rows are tokens read by the head and columns tokens written; for `query_key`, rows are tokens
    asking and columns tokens asked. Biases and norms are left out.

    Raises:
        InputError: if the layer or head does not exist; both count from 1.
    """
    chosen, rows = _rows(layers, layer, head)
    if form == "value_output":
        return chosen.value[rows], chosen.output[rows]
    return chosen.query[rows], chosen.key[rows]


def head_query_bias(
    layers: Sequence[LayerParameters], layer: int, head: int
) -> Float[np.ndarray, " rank"] | None:
    """Return the bias of a head's queries in float64; None in a model without. Errors as above."""
    chosen, rows = _rows(layers, layer, head)
    return None if chosen.query_bias is None else chosen.query_bias[rows].astype(np.float64)


def key_only(
    queries: TokenFactor, keys: TokenFactor, bias: Float[np.ndarray, " rank"] | None, n_listed: int
) -> tuple[dict[str, float], list[tuple[int, float]]]:
    """Return the shares of the terms that are the same for every query, and the keys with most.

    The score of query x and key y is (x + b)'(y + c), with biases b and c. (x + b)'c is the same
    for all keys, so the softmax drops it; b'y, the term of the key alone, stays. Shares are those
    of `key_shares`, where every token is a query and a key. Without a bias the first share is NaN,
    and no key is listed.
    """
    one_text = np.zeros(len(queries), dtype=np.int64)
    moments = text_moments(queries if bias is None else queries + bias, one_text)
    shares = key_shares(moments, text_moments(keys, one_text), bias, np.array([0])).tolist()
    named = dict(zip(("key_only_share", "mean_query_share"), shares, strict=True))
    if bias is None:
        return named, []
    scores = keys.astype(np.float64) @ bias
    top = np.argsort(-scores, kind="stable")[:n_listed]
    return named, list(zip(top.tolist(), scores[top].tolist(), strict=True))


def token_factors(
    embedding: Float[np.ndarray, "token dim"], factors: tuple[Matrix, Matrix]
) -> tuple[TokenFactor, TokenFactor]:
    """Return both sides of a form, each of shape (token, rank); their products are the scores."""
    both = token_factor(embedding, np.concatenate(factors).T)
    first, second = np.split(both, [len(factors[0])], axis=1)
    return np.ascontiguousarray(first), np.ascontiguousarray(second)


def shuffled(
    factors: tuple[Matrix, Matrix], generator: np.random.Generator
) -> tuple[Matrix, Matrix]:
    """Return the factors with all their entries in random order."""
    first, second = (generator.permuted(factor.ravel()).reshape(factor.shape) for factor in factors)
    return first, second


def find_pairs(
    x: TokenFactor, y: TokenFactor, n_pairs: int, classes: Classes, tokens: Int[np.ndarray, " some"]
) -> TopPairs:
    """Return the pairs of the largest scores, among some tokens.

    With equal tokens, twice as many pairs are kept, so that enough remain when a permutation leaves
    out the pairs that it makes equal.
    """
    some = {"classes": classes, "tokens": tokens}
    unequal = top_pairs(x, y, n_pairs=2 * n_pairs, order="largest", **some)
    among = np.full(len(classes), -1)
    among[tokens] = classes[tokens]
    whole = unequal.merged(equal_pairs(x, y, classes=among), 2 * n_pairs)
    return TopPairs(first_pairs(unequal, n_pairs), whole)


def first_pairs(pairs: VocabularyPairs, n_pairs: int) -> VocabularyPairs:
    """Return the first of a list."""
    return VocabularyPairs(pairs.rows[:n_pairs], pairs.columns[:n_pairs], pairs.scores[:n_pairs])


def _rows(
    layers: Sequence[LayerParameters], layer: int, head: int
) -> tuple[LayerParameters, slice]:
    by_number = {parameters.layer: parameters for parameters in layers}
    if layer not in by_number:
        raise InputError(f"layer: {not_among(str(layer), [str(number) for number in by_number])}")
    chosen = by_number[layer]
    if not 1 <= head <= chosen.n_heads:
        raise InputError(f"head: found {head}, allowed: 1 to {chosen.n_heads}")
    return chosen, slice((head - 1) * chosen.head_dim, head * chosen.head_dim)
