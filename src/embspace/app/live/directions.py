"""Compares the mean differences of two lists of pairs of texts by cosine, beside chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.app.live.limits import MOST_PAIRS, check_length
from embspace.app.queries.corpus_space import check_query, encode_texts
from embspace.errors import InputError

N_DRAWS = 10_000
LEVEL = 0.95
ROUNDING = 1e-6  # of a cosine: a draw of the very pairs that were given is as far
BAR = "|"

TextPair = tuple[str, str]


@dataclass(frozen=True)
class DirectionCosine:
    """The cosine of the mean differences of two lists of pairs, beside its nulls."""

    layer: int
    pooling: str
    n_pairs: tuple[int, int]
    cosine: float
    corrected_cosine: float
    """Corrected for noise (Spearman 1904); NaN where a mean difference is not told from noise."""
    reliability: tuple[float, float]
    """The share of the squared length of each list's mean difference that is not noise."""
    null_low: float
    """The lower end of the range that holds 95 % of the cosines of random pairs."""
    null_high: float
    """The upper end of that range."""
    p_value: float
    """Two-sided: the share of random pairs whose cosine is as far from 0."""
    random_weights_cosine: float
    """The same cosine at random weights."""


def read_pairs(text: str, what: str) -> list[TextPair]:
    """Return the pairs of a text with a pair a line: `first | second`.

    Raises:
        InputError: naming a line without a pair; also for no pairs, or too many.
    """
    pairs = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        parts = [part.strip() for part in line.split(BAR)]
        if len(parts) != 2 or not all(parts):
            raise InputError(f"{what}: line {number}: found {line[:60]!r}, allowed: first | second")
        for part in parts:
            check_query(part)
            check_length(part, f"{what}: line {number}")
        pairs.append((parts[0], parts[1]))
    if not 1 <= len(pairs) <= MOST_PAIRS:
        raise InputError(f"{what}: found {len(pairs)} pairs, allowed: 1 to {MOST_PAIRS}")
    return pairs


def compare_directions(
    model_name: str,
    first: Sequence[TextPair],
    second: Sequence[TextPair],
    *,
    layer: int,
    pooling: str,
) -> DirectionCosine:
    """Return the cosine of the mean differences of two lists of pairs.

    A difference is the vector of a pair's second text minus that of the first. For the null, all
    texts are put into pairs at random, and the pairs into two lists as long as the given ones.

    Raises:
        InputError: naming what is unknown, too long, or out of range.
    """
    from embspace.app.live.choices import reading_model
    from embspace.loaded.model import load
    from embspace.models.weights import with_random_weights
    from embspace.settings.params import read_params

    pairs = [*first, *second]
    model, seed = reading_model(model_name), read_params().seed
    loaded = load(model_name, Path.cwd())
    module, texts = loaded.module, [text for pair in pairs for text in pair]

    def vectors(of: Any) -> Float[np.ndarray, "text dim"]:
        encoded = encode_texts(model_name, model, of, loaded.tokenizer, texts)
        layers = len(encoded[0].pooled[pooling])
        if not -layers <= layer < layers:
            raise InputError(
                f"layer: found {layer}, allowed: 0 to {layers - 1}, or -1 for the last"
            )
        return np.stack([window.pooled[pooling][layer] for window in encoded]).astype(np.float64)

    category = np.repeat([0, 1], [len(first), len(second)])
    return direction_cosine(
        vectors(module),
        vectors(with_random_weights(module, seed)),
        category,
        layer=layer % (module.config.num_hidden_layers + 1),
        pooling=pooling,
        generator=np.random.default_rng(seed),
    )


def direction_cosine(
    x: Float[np.ndarray, "text dim"],
    random_x: Float[np.ndarray, "text dim"],
    category: Int[np.ndarray, " pair"],
    *,
    layer: int,
    pooling: str,
    generator: np.random.Generator,
) -> DirectionCosine:
    """Return the statistics of `compare_directions` from vectors.

    Rows 2i and 2i + 1 of `x` are the texts of pair i, of the list `category[i]`, 0 or 1.
    """
    from embspace.geometry.groups.offsets import mean_offsets, mean_weights

    difference = x[1::2] - x[::2]
    if not np.square(difference).sum(axis=1).all():
        raise InputError("found a pair whose two texts have one vector, allowed: pairs that differ")
    random = random_x[1::2] - random_x[::2]
    weights = mean_weights(category)
    offsets = mean_offsets(difference @ difference.T, category, weights)
    at_random = mean_offsets(random @ random.T, category, weights)
    null = _random_pairings(x, np.bincount(category), generator)
    cosine = float(offsets.cosine[0, 0, 1])
    low, high = np.quantile(null, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    as_far = int((np.abs(null) >= abs(cosine) - ROUNDING).sum())
    n = np.bincount(category)
    return DirectionCosine(
        layer=layer,
        pooling=pooling,
        n_pairs=(int(n[0]), int(n[1])),
        cosine=cosine,
        corrected_cosine=float(offsets.corrected_cosine[0, 0, 1]),
        reliability=(float(offsets.reliability[0, 0]), float(offsets.reliability[0, 1])),
        null_low=float(low),
        null_high=float(high),
        p_value=(1 + as_far) / (1 + len(null)),
        random_weights_cosine=float(at_random.cosine[0, 0, 1]),
    )


def _random_pairings(
    x: Float[np.ndarray, "text dim"], n_pairs: Int[np.ndarray, " 2"], generator: np.random.Generator
) -> Float[np.ndarray, " draw"]:
    """Return the cosine of two mean differences for every draw of pairs, without undefined ones."""
    centered = x - x.mean(axis=0)
    gram = centered @ centered.T
    order = generator.random((N_DRAWS, len(x))).argsort(axis=1)
    list_number = np.repeat([0, 1], 2 * n_pairs)
    sign = np.tile([-1.0, 1.0], len(x) // 2)
    first, second = np.zeros((2, N_DRAWS, len(x)))
    for number, coefficients in enumerate((first, second)):
        weight = np.where(list_number == number, sign, 0)
        np.put_along_axis(coefficients, order, np.broadcast_to(weight, order.shape), axis=1)
    product = np.einsum("dt,dt->d", first @ gram, second)
    squared = [np.einsum("dt,dt->d", weights @ gram, weights) for weights in (first, second)]
    shortest = 1e-12 * np.trace(gram)
    defined = (squared[0] > shortest) & (squared[1] > shortest)
    return product[defined] / np.sqrt(squared[0][defined] * squared[1][defined])
