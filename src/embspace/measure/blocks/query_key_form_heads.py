"""Rows of the forms of queries and keys, by head, by layer, and by rank."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.files.tables import Row
from embspace.geometry.attention.query_key_form import (
    directionality,
    effective_rank_of_form,
    eigenvalue_counts,
    expected_overlap,
    form_singular_values,
    form_symmetry,
    principal_angles,
    singular_values_of_products,
    squared_shares,
    subspace_overlap,
)

LAYER_MEASURES = ("symmetry", "directionality", "effective_rank", "top_share")
EIGENVALUES = ("positive_share", "complex_share")
ANGLES = ("smallest_angle", "median_angle", "largest_angle", "overlap")
OF_RANK = ("singular_share", "principal_angle")


@dataclass(frozen=True, eq=False)
class Forms:
    """The forms of one model, from its weights alone."""

    heads: list[Row]
    """One row per layer and head."""
    layers: list[Row]
    """One row per layer, for the sum of the forms of all its heads."""
    ranks: list[Row]
    """One row per layer, head and rank."""


def forms_of(weights: list[Any], n_deviations: float) -> Forms:
    """Return the forms of a model's `HeadWeights`; heads count from 1."""
    heads, layers, ranks = list[Row](), list[Row](), list[Row]()
    for layer in weights:
        queries, keys = as_array(layer.query), as_array(layer.key)
        n_queries_a_key = len(queries) // layer.n_key_heads
        for number, (query, key) in enumerate(zip(queries, keys, strict=True)):
            place = {"layer": layer.layer, "head": number + 1}
            sizes, angles = form_singular_values(query, key), principal_angles(query, key)
            key_head = {"key_head": number // n_queries_a_key + 1}
            form = _form_row(query, key, sizes, n_deviations)
            heads.append(place | key_head | form | _head_row(query, key, angles))
            ranks += [place | row for row in _rank_rows(sizes, angles)]
        dim = queries.shape[2]
        joined = queries.reshape(-1, dim), keys.reshape(-1, dim)
        sizes = singular_values_of_products(*joined)
        layers.append({"layer": layer.layer} | _form_row(*joined, sizes, n_deviations))
    return Forms(heads, layers, ranks)


def as_array(parameter: Any) -> Float[np.ndarray, "..."]:
    """Return a parameter of torch as an array of float64."""
    return np.asarray(parameter.detach().cpu().numpy(), dtype=np.float64)


def _form_row(
    query: Float[np.ndarray, "rank dim"],
    key: Float[np.ndarray, "rank dim"],
    sizes: Float[np.ndarray, " value"],
    n_deviations: float,
) -> Row:
    symmetric = form_symmetry(query, key)
    return {
        "symmetry": symmetric,
        "skew_share": 1 - symmetric,
        "directionality": directionality(query, key, n_deviations=n_deviations),
        "effective_rank": effective_rank_of_form(sizes),
        "top_share": float(squared_shares(sizes)[0]),
    }


def _head_row(
    query: Float[np.ndarray, "rank dim"],
    key: Float[np.ndarray, "rank dim"],
    angles: Float[np.ndarray, " angle"],
) -> Row:
    counts = eigenvalue_counts(query, key)
    known = angles if len(angles) else np.full(1, np.nan)
    return {
        **{f"n_{kind}": n for kind, n in counts._asdict().items()},
        "positive_share": counts.positive_share,
        "complex_share": counts.complex_share,
        "smallest_angle": float(known[0]),
        "median_angle": float(np.median(known)),
        "largest_angle": float(known[-1]),
        "overlap": subspace_overlap(angles),
        "expected_overlap": expected_overlap(query, key),
    }


def _rank_rows(
    sizes: Float[np.ndarray, " value"], angles: Float[np.ndarray, " angle"]
) -> Iterator[Row]:
    """Yield a row per rank; if a factor has fewer dimensions than rows, the last have no angle."""
    padded = np.full(len(sizes), np.nan)
    padded[: len(angles)] = angles
    for rank, (share, angle) in enumerate(zip(squared_shares(sizes), padded, strict=True), 1):
        yield {"rank": rank, "singular_share": float(share), "principal_angle": float(angle)}
