"""Measures how often the layers of a model are matched in a disguised copy of the model."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from embspace.geometry.parameters.alignment import (
    Covariances,
    Rows,
    best_assignment,
    layer_numbers,
    layer_similarity,
    projected_row_means,
    raw_row_means,
)


class Found(NamedTuple):
    """The share of layers that were found, and the margin of the assignment."""

    vocabulary: float
    vocabulary_margin: float
    raw: float
    raw_margin: float


def found_layers(
    rows: Sequence[Rows],
    covariance: Float[np.ndarray, "dim dim"],
    *,
    noise: float,
    generator: np.random.Generator,
) -> Found:
    """Return the shares of layers matched with their own copy, through both spaces.

    The copy has the layers in random order, the residual stream turned by a random orthogonal
    matrix, embeddings as well as parameters, and normal noise on every entry of the parameters, of
    `noise` times the layer's root mean square. Without noise, the copy differs for the vocabulary
    only in the order of layers; in raw space nothing is left of a layer, so that 1 / layers are
    matched on average.
    """
    order = generator.permutation(len(rows))
    turn = random_turn(len(covariance), generator)
    copy = [_noisy(rows[layer], noise, generator) @ turn for layer in order]
    turned = Covariances(covariance @ turn, covariance, turn.T @ covariance @ turn)
    numbers = layer_numbers(copy)
    shares: list[float] = []
    for means in (projected_row_means(rows, copy, turned), raw_row_means(rows, copy)):
        matched = best_assignment(layer_similarity(means, numbers))
        shares += [
            float(np.mean(order[matched.order] == np.arange(len(rows)))),
            matched.margin,
        ]
    return Found(*shares)


def random_turn(dim: int, generator: np.random.Generator) -> Float[np.ndarray, "dim dim"]:
    """Return an orthogonal matrix, drawn evenly: reflections are among them.

    Mezzadri (2007), "How to generate random matrices from the classical compact groups".
    """
    q, r = np.linalg.qr(generator.normal(size=(dim, dim)))
    return np.asarray(q * np.sign(np.diag(r)))


def _noisy(rows: Rows, noise: float, generator: np.random.Generator) -> Rows:
    rows = rows.astype(np.float64)
    scale = noise * np.sqrt(np.mean(rows**2))
    return np.asarray(rows + scale * generator.normal(size=rows.shape))
