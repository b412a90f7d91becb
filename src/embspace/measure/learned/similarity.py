"""Stage `measure_similarity`: how long and how alike the learned vectors of a model are.

Every pair counts: 466 million for 30,522 tokens. Luisto's thesis, figure 10 and table 2.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce
from math import isqrt
from operator import add

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from pydantic import PositiveInt

from embspace.device import Device, on_device
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.distribution import Distribution
from embspace.geometry.pairs.extremes import ExtremePairs
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.geometry.pairs.scan._blocks import Metric
from embspace.measure.tables.summary import histogram_rows, summary_of, summary_row
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability
from embspace.spaces.joint import one_space

# Which tokens may stand in the lists of pairs.
TOKEN_SETS = ("ordinary", "word")


@dataclass(frozen=True)
class Similarity:
    """The three tables of the stage."""

    summary: pd.DataFrame
    histogram: pd.DataFrame
    pairs: pd.DataFrame


def measure_similarity(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    *,
    n_bins: PositiveInt,
    n_histogram_bins: PositiveInt,
    n_pairs: PositiveInt,
    quantiles: list[Probability],
    device: Device,
) -> Similarity:
    """Norms and all pairwise distances, dot products and cosines, by space.

    Spaces: `input`; `positional`; `token_position`, the pairs of one token and one position;
    `joint`, all vectors as one cloud. `pairs` lists the input pairs of the most, the least and
    the least absolute cosine, among ordinary tokens (neither special nor unused) and words. The
    quantity `largest_cosine` is that of each token with the one most like it.
    """
    from tqdm import tqdm

    matrices = one_space(matrices)
    masks = token_sets(vocabulary)
    scan = partial(
        scan_pairs,
        n_bins=n_bins,
        largest_norm=max(norms(x).max() for x in _clouds(matrices).values()),
        progress=partial(tqdm, desc="all pairs", unit="block", disable=None),
    )
    clouds = {space: on_device(x, device) for space, x in _clouds(matrices).items()}
    within = scan(clouds["input"], groups=masks, n_extremes=n_pairs, largest_cosines=True)
    spaces = {"input": within.distributions}
    if "positional" in clouds:
        spaces["positional"] = scan(clouds["positional"]).distributions
        spaces["token_position"] = scan(*clouds.values()).distributions
        spaces["joint"] = {
            quantity: reduce(add, (space[quantity] for space in spaces.values()))
            for quantity in within.distributions
        }
    return Similarity(
        summary=_summary(matrices, spaces, within.largest_cosines, quantiles),
        histogram=_histogram(matrices, spaces, n_histogram_bins),
        pairs=_pairs(matrices["input"], vocabulary, within.extremes),
    )


def token_sets(vocabulary: pd.DataFrame) -> Bool[np.ndarray, "set token"]:
    """Which rows of the vocabulary are in each of `TOKEN_SETS`."""
    kind = vocabulary["kind"]
    return np.array([~kind.isin(["special", "unused"]), kind == "word"])


def _clouds(matrices: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {space: matrices[space] for space in ("input", "positional") if space in matrices}


def _norms(matrices: dict[str, np.ndarray]) -> dict[str, Float[np.ndarray, " n"]]:
    by_space = {space: norms(x) for space, x in _clouds(matrices).items()}
    if len(by_space) > 1:
        by_space["joint"] = np.concatenate(list(by_space.values()))
    return by_space


def _summary(
    matrices: dict[str, np.ndarray],
    spaces: Mapping[str, Mapping[Metric, Distribution]],
    largest_cosines: Float[np.ndarray, " token"] | None,
    quantiles: list[Probability],
) -> pd.DataFrame:
    assert largest_cosines is not None  # they were asked for
    rows = [
        {"space": space, "quantity": "norm", **summary_of(values, quantiles)}
        for space, values in _norms(matrices).items()
    ]
    nearest = summary_of(largest_cosines.astype(np.float64), quantiles)
    rows.append({"space": "input", "quantity": "largest_cosine", **nearest})
    rows += [
        {"space": space, "quantity": quantity, **summary_row(distribution, quantiles)}
        for space, distributions in spaces.items()
        for quantity, distribution in distributions.items()
    ]
    return pd.DataFrame(rows)


def _histogram(
    matrices: dict[str, np.ndarray],
    spaces: Mapping[str, Mapping[Metric, Distribution]],
    n_histogram_bins: int,
) -> pd.DataFrame:
    parts = []
    for space, values in _norms(matrices).items():
        bins = _fitting_bins(len(values), n_histogram_bins)
        counts, edges = np.histogram(values, bins=bins)
        parts.append(histogram_rows({"space": space, "quantity": "norm"}, edges, counts))
    for space, distributions in spaces.items():
        for quantity, distribution in distributions.items():
            bins = _fitting_bins(distribution.n, n_histogram_bins)
            edges, counts = distribution.coarsen(bins)
            parts.append(histogram_rows({"space": space, "quantity": quantity}, edges, counts))
    return pd.concat(parts, ignore_index=True)


def _fitting_bins(n: int, most: int) -> int:
    """Few values in many bins would draw a comb: no more bins than eight times the root of `n`."""
    return min(most, 8 * isqrt(n))


def _pairs(
    x: Float[np.ndarray, "token dim"],
    vocabulary: pd.DataFrame,
    extremes: tuple[ExtremePairs, ...],
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


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    tables = measure_similarity(
        load_tensors(f"data/extracted/embeddings/{name}.safetensors"),
        load_rows(f"data/extracted/embeddings/{name}.parquet"),
        **config.settings,
    )
    save_table(tables.summary, f"results/similarity/summary/{name}.csv")
    save_table(tables.histogram, f"results/similarity/histogram/{name}.csv")
    save_table(tables.pairs, f"results/similarity/pairs/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_similarity)
