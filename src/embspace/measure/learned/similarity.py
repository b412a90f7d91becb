"""Stage `measure_similarity`: how long and how alike the learned vectors of a model are.

Every pair counts: 466 million for 30,522 tokens. Luisto's thesis, figure 10 and table 2.
"""

from math import isqrt

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.analysis import Analysis, Outcome, Table
from embspace.clouds.learned import one_space
from embspace.device import Device
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.extremes import ExtremePairs
from embspace.measure.tables.all_pairs import TOKEN_SETS, AllPairs, compare_all_pairs
from embspace.measure.tables.columns import SUMMARY
from embspace.measure.tables.summary import histogram_of, histogram_rows
from embspace.settings.stage import run_stage
from embspace.settings.types import Listed, Probability

SIMILARITY = Analysis(
    noun="similarity",
    question=(
        "How long and how alike are the learned vectors? All "
        "466<!-- similarity/summary.csv n space=input quantity=cosine x1e-6 --> million pairs. "
        "Fig. 10, table 2"
    ),
    reads={
        "matrices": "data/extracted/embeddings/{model}.safetensors",
        "vocabulary": "data/extracted/embeddings/{model}.parquet",
    },
    tables={
        "summary": Table(
            {"space": ("row", "space"), "quantity": ("row", "quantity"), **SUMMARY},
            compared=[
                "n",
                "mean",
                "standard_deviation",
                "minimum",
                "quantile_0.5",
                "maximum",
            ],
        ),
        "histogram": Table(
            {
                "space": "row",
                "quantity": "row",
                "bin_left": "moment",
                "bin_right": "moment",
                "count": "pair_count",
                "density": "pair_density",
            }
        ),
        "pairs": Table(
            {
                "tokens": "row",
                "order": "row",
                "rank": "row",
                "id_1": "id",
                "token_1": ("name", "token 1"),
                "id_2": "id",
                "token_2": ("name", "token 2"),
                "cosine": ("moment", "cosine"),
                "dot_product": "moment",
                "euclidean_distance": ("moment", "Euclidean distance"),
            }
        ),
    },
)


def measure_similarity(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    *,
    n_bins: Listed,
    n_histogram_bins: Listed,
    n_pairs: Listed,
    quantiles: list[Probability],
    device: Device,
) -> Outcome:
    """Return norms and all pairwise distances, dot products and cosines, by space.

    Spaces: `input`; `positional`; `token_position`, the pairs of a token and a position; `joint`,
    all vectors as one cloud. `pairs` lists the input pairs whose cosine is largest, smallest, and
    smallest in absolute value, among ordinary tokens (neither special nor unused) and words. The
    quantity `largest_cosine` is a token's cosine with the token most like it.
    """
    pairs = compare_all_pairs(matrices, vocabulary, n_bins=n_bins, n_pairs=n_pairs, device=device)
    return {
        "summary": pairs.summary(quantiles),
        "histogram": _histogram(pairs, n_histogram_bins),
        "pairs": _pairs(one_space(matrices)["input"], vocabulary, pairs.extremes),
    }


def _histogram(pairs: AllPairs, n_histogram_bins: int) -> pd.DataFrame:
    parts = []
    for space, values in pairs.norms.items():
        bins = _fitting_bins(len(values), n_histogram_bins)
        counts, edges = histogram_of(values, bins)
        parts.append(histogram_rows({"space": space, "quantity": "norm"}, edges, counts))
    for space, distributions in pairs.distributions.items():
        for quantity, distribution in distributions.items():
            if not distribution.n:
                continue  # vectors of length zero have no cosine
            bins = _fitting_bins(distribution.n, n_histogram_bins)
            edges, counts = distribution.coarsen(bins)
            parts.append(histogram_rows({"space": space, "quantity": quantity}, edges, counts))
    return pd.concat(parts, ignore_index=True)


def _fitting_bins(n: int, most: int) -> int:
    """Few values in many bins would draw a comb: no more bins than eight times the root of `n`."""
    return min(most, 8 * isqrt(n))


def _pairs(
    x: Float[np.ndarray, "token dim"], vocabulary: pd.DataFrame, extremes: tuple[ExtremePairs, ...]
) -> pd.DataFrame:
    tokens = vocabulary["token"].to_numpy()
    parts = []
    for pairs in extremes:
        first, second = x[pairs.first].astype(float), x[pairs.second].astype(float)
        parts.append(
            pd.DataFrame(
                {
                    "tokens": TOKEN_SETS[pairs.group],
                    "order": pairs.order,
                    "rank": np.arange(1, len(first) + 1),
                    "id_1": pairs.first,
                    "token_1": tokens[pairs.first],
                    "id_2": pairs.second,
                    "token_2": tokens[pairs.second],
                    "cosine": pairs.cosine,
                    "dot_product": np.sum(first * second, axis=1),
                    "euclidean_distance": norms(first - second),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


main = SIMILARITY.main(measure_similarity)

if __name__ == "__main__":
    run_stage(main, measure_similarity)
