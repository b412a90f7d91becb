"""Whether two corpora differ in shape, or only as their texts dealt anew: of `text_clouds`."""

from collections.abc import Mapping
from itertools import permutations

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.files.tables import NumberRow
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.pairs.group_pairs import GroupedVectors
from embspace.measure.texts.text_cloud_shapes import central

DIFFERENCE = "participation_ratio_difference"


def dealt_table(
    clouds: Mapping[str, GroupedVectors],
    *,
    equal_n: int,
    n_deals: int,
    level: float,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return a row per ordered pair of corpora, for a pooling and layer."""
    rows = []
    for a, b in permutations(clouds, 2):
        stream = stream_of(rng, "dealt", a, b)
        row = dealt_row(clouds[a], clouds[b], equal_n, n_deals=n_deals, level=level, rng=stream)
        rows.append({"corpus": a, "other_corpus": b, **row})
    return pd.DataFrame(rows)


def dealt_row(
    x: GroupedVectors,
    y: GroupedVectors,
    n: int,
    *,
    n_deals: int,
    level: float,
    rng: np.random.Generator,
) -> NumberRow:
    """Return the participation ratio of the first corpus less the second corpus's, with a null.

    Both are of one vector from each of `n` random documents, about the mean of the corpus. For the
    null the same vectors are dealt anew to two corpora of equal size, so that the spectrum is as
    smooth; the p-value is two-sided.
    """
    chosen = np.concatenate([cloud.centered[_one_a_group(cloud, n, rng)] for cloud in (x, y)])
    products = chosen @ chosen.T
    value = _difference(products, np.arange(2 * n))
    null = np.array([_difference(products, rng.permutation(2 * n)) for _ in range(n_deals)])
    as_large = np.abs(null) >= abs(value)
    p_value = float("nan") if np.isnan(value) else float((1 + as_large.sum()) / (1 + n_deals))
    band = central(f"null_{DIFFERENCE}", null, level)
    return {DIFFERENCE: value, **band, f"{DIFFERENCE}_p_value": p_value}


def _one_a_group(x: GroupedVectors, n: int, rng: np.random.Generator) -> Int[np.ndarray, " row"]:
    first = np.flatnonzero(np.diff(x.groups, prepend=-1))
    sizes = np.diff(np.append(first, len(x.groups)))
    return rng.choice(first + rng.integers(sizes), n, replace=False)


def _difference(products: Float[np.ndarray, "n n"], order: Int[np.ndarray, " n"]) -> float:
    half = len(order) // 2
    one, other = (_participation_ratio(products, rows) for rows in (order[:half], order[half:]))
    return one - other


def _participation_ratio(
    products: Float[np.ndarray, "n n"], rows: Int[np.ndarray, " row"]
) -> float:
    """That of the covariance of these rows, from the inner products of all; NaN without spread."""
    some = products[np.ix_(rows, rows)]
    means = some.mean(axis=0)
    some = some - means - means[:, np.newaxis] + means.mean()
    total = np.trace(some)
    return float(total**2 / np.square(some).sum()) if total > 0 else float("nan")
