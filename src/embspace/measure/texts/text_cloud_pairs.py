"""Rows about the pairs of texts of a corpus, or of two: `measure_text_clouds` makes the tables."""

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from math import isqrt

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.files.tables import Row
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.measures.dot_sign import probability_not_positive
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.distribution import Distribution
from embspace.geometry.pairs.group_pairs import GroupedVectors, GroupPairs, scan_group_pairs
from embspace.measure.tables.deviations import ENDING
from embspace.measure.tables.summary import histogram_of, histogram_rows, summary_of, summary_row
from embspace.measure.texts.text_cloud_alike import alike_table
from embspace.measure.texts.text_cloud_shapes import PrincipalAxes
from embspace.measure.texts.text_cloud_units import (
    Chosen,
    IntervalOver,
    interval_over,
    mean_in,
    units_of,
)

ShareEstimate = tuple[float, float, float, Float[np.ndarray, " draw"]]
"""A value, the bounds, and the deviations of the halves from the value."""
PAIR_QUANTITIES = ("euclidean_distance", "dot_product", "cosine")
SHAPE = ("standard_deviation", "skewness", "excess_kurtosis")
SHARES = ("share_not_positive", "centered_share_not_positive", "mean_share")


def pair_tables(
    clouds: Mapping[str, GroupedVectors],
    axes: Mapping[str, PrincipalAxes],
    *,
    n_bins: int,
    n_histogram_bins: int | None,
    quantiles: Sequence[float],
    n_half_samples: int,
    level: float,
    rng: np.random.Generator,
) -> dict[str, pd.DataFrame]:
    """Return the tables `distributions`, `histogram`, `positive`, `alike` of a pooling and layer.

    The histogram is empty unless it has a number of bins.
    """
    distributions, histogram, positive = [], [pd.DataFrame()], []
    scanned: dict[tuple[str, str], GroupPairs] = {}
    for a, b in combinations_with_replacement(clouds, 2):
        x, y, key = clouds[a], clouds[b], {"corpus": a, "other_corpus": b}
        interval = interval_over(
            units_of(x, y), n_half_samples=n_half_samples, level=level, rng=stream_of(rng, a, b)
        )
        if a == b:
            row = norm_row(x, quantiles, interval)
            distributions.append({**key, "quantity": "norm", **row})
        pairs = scanned[a, b] = scan_group_pairs(x, None if a == b else y, n_bins=n_bins)
        by_quantity, signs = pair_rows(x, y, pairs, quantiles, interval)
        distributions += [{**key, "quantity": name, **row} for name, row in by_quantity.items()]
        if n_histogram_bins:
            histogram += histograms(key, x, pairs, n_histogram_bins)
        nulls = {
            "null_isotropic_share_not_positive": isotropic_null(x, y),
            "null_covariance_share_not_positive": covariance_null(x, *axes[a])
            if a == b
            else np.nan,
        }
        positive.append({**key, **signs, **nulls})
    return {
        "distributions": pd.DataFrame(distributions),
        "histogram": pd.concat(histogram, ignore_index=True),
        "positive": pd.DataFrame(positive),
        "alike": alike_table(clouds, scanned, n_half_samples=n_half_samples, level=level, rng=rng),
    }


def norm_row(x: GroupedVectors, quantiles: Sequence[float], interval: IntervalOver) -> Row:
    """Return the summary of the norms, with the interval of the mean norm."""
    lengths = norms(x.vectors)
    bounds = interval(lambda chosen: np.array(mean_in(chosen, x, lengths)))
    # Equal norms less one of them are exactly 0, and their spread no rounding.
    shape = summary_of(lengths - lengths[0], quantiles)
    row = summary_of(lengths, quantiles) | {name: shape[name] for name in SHAPE}
    return _with_interval(row, float(bounds.low), float(bounds.high), bounds.deviations)


def pair_rows(
    x: GroupedVectors,
    y: GroupedVectors,
    pairs: GroupPairs,
    quantiles: Sequence[float],
    interval: IntervalOver,
) -> tuple[dict[str, Row], Row]:
    """Return the quantities' summary over all pairs, and the number of non-positive cosines.

    `mean_share` is the mean dot product over the mean squared norm (of two corpora, over the root
    of the product of both mean squared norms): the mean vector's share of the squared norm, without
    the part due to chance and to vectors of the same document.
    """
    squares_x, squares_y = np.square(norms(x.vectors)), np.square(norms(y.vectors))

    def means(chosen: Chosen) -> Float[np.ndarray, " value"]:
        total = pairs.totals(chosen)
        dot_product = _over(total["dot_product"], total["n"])
        squared = mean_in(chosen, x, squares_x) * mean_in(chosen, y, squares_y)
        return np.array(
            [
                _over(total["euclidean_distance"], total["n"]),
                dot_product,
                _over(total["cosine"], total["n_cosine"]),
                _over(total["n_not_positive"], total["n_cosine"]),
                _over(total["n_centered_not_positive"], total["n_centered_cosine"]),
                _over(dot_product, float(np.sqrt(squared))),
            ]
        )

    everything = units_of(x, y)
    low, high, deviations = interval(means)
    bounds = np.column_stack([means(everything), low, high]).tolist()
    rows = [(*row, deviation) for row, deviation in zip(bounds, deviations.T, strict=True)]
    summaries = {
        quantity: _with_interval(
            summary_row(pairs.distributions[quantity], quantiles), *mean_interval
        )
        for quantity, (_, *mean_interval) in zip(PAIR_QUANTITIES, rows, strict=False)
    }
    shares = dict(zip(SHARES, rows[len(PAIR_QUANTITIES) :], strict=True))
    n_not_positive = int(pairs.totals(everything)["n_not_positive"])
    return summaries, _sign_row(pairs.distributions, n_not_positive, shares)


def _sign_row(
    distributions: dict[str, Distribution], n_not_positive: int, shares: dict[str, ShareEstimate]
) -> Row:
    cosine, centered = distributions["cosine"], distributions["centered_cosine"]
    row: Row = {
        "n": cosine.n,
        "n_not_positive": n_not_positive,
        "smallest_cosine": cosine.minimum if cosine.n else np.nan,
        "centered_smallest_cosine": centered.minimum if centered.n else np.nan,
    }
    for name, (value, low, high, deviations) in shares.items():
        if name != "mean_share":  # no share of pairs lies outside
            low, high = np.clip([low, high], 0, 1).tolist()
        row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        row[f"{name}{ENDING}"] = deviations.astype(np.float32)
    return row


def _with_interval(
    row: Row, low: float, high: float, deviations: Float[np.ndarray, " draw"]
) -> Row:
    """The interval right after the mean, the deviations of halves at the end."""
    names = list(row)
    place = names.index("mean") + 1
    values = {**row, "mean_low": low, "mean_high": high}
    in_order = [*names[:place], "mean_low", "mean_high", *names[place:]]
    deviations = deviations.astype(np.float32)
    return {name: values[name] for name in in_order} | {f"mean{ENDING}": deviations}


def histograms(
    key: dict[str, str], x: GroupedVectors, pairs: GroupPairs, n_histogram_bins: int
) -> list[pd.DataFrame]:
    """Return a row per bin of the quantities with values of a corpus, or of a pair of corpora."""
    frames = []
    if pairs.within:
        # Few values in many bins would draw a comb.
        n_bins = min(n_histogram_bins, 2 * isqrt(len(x.centered)))
        counts, edges = histogram_of(norms(x.vectors), n_bins)
        frames.append(histogram_rows({**key, "quantity": "norm"}, edges, counts))
    for quantity in PAIR_QUANTITIES:
        if pairs.distributions[quantity].n:
            edges, counts = pairs.distributions[quantity].coarsen(n_histogram_bins)
            frames.append(histogram_rows({**key, "quantity": quantity}, edges, counts))
    return frames


def isotropic_null(x: GroupedVectors, y: GroupedVectors) -> float:
    """Return how often a dot product is not positive among Gaussian vectors with the same means.

    Each cloud's whole variance is spread evenly over all directions.
    """
    variance_x, variance_y = (
        np.full(x.mean.shape, np.square(cloud.centered).mean()) for cloud in (x, y)
    )
    return probability_not_positive(x.mean, variance_x, y.mean, variance_y)


def covariance_null(
    x: GroupedVectors, eigenvalues: Float[np.ndarray, " dim"], axes: Float[np.ndarray, "dim dim"]
) -> float:
    """Return the same as `isotropic_null` with the cloud's own covariance, by spectrum and axes."""
    mean = x.mean @ axes
    return probability_not_positive(mean, eigenvalues, mean, eigenvalues)


def _over(total: float, n: float) -> float:
    return total / n if n > 0 else float("nan")
