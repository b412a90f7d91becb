"""Compares all vectors of a model's learned matrices pairwise, space by space."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial, reduce
from operator import add

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from embspace.clouds.learned import one_space
from embspace.device import Device, on_device
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.distribution import Distribution
from embspace.geometry.pairs.extremes import ExtremePairs
from embspace.geometry.pairs.pairs import scan_pairs
from embspace.geometry.pairs.scan._blocks import Metric
from embspace.measure.tables.summary import summary_of, summary_row
from embspace.settings.types import Listed, Probability

# Which tokens may stand in the lists of pairs.
TOKEN_SETS = ("ordinary", "word")


@dataclass(frozen=True)
class AllPairs:
    """The norms of all vectors, and the results of a scan of all their pairs."""

    norms: Mapping[str, Float[np.ndarray, " n"]]
    """By space."""
    distributions: Mapping[str, Mapping[Metric, Distribution]]
    """By space and quantity."""
    largest_cosines: Float[np.ndarray, " token"]
    """The cosine of each token with the token that is most like it."""
    extremes: tuple[ExtremePairs, ...]
    """Input pairs of the most, the least and the least absolute cosine, by token set."""

    def summary(self, quantiles: list[Probability]) -> pd.DataFrame:
        """Return a row per space and quantity: moments, extremes and quantiles."""
        rows = [
            {"space": space, "quantity": "norm", **summary_of(values, quantiles)}
            for space, values in self.norms.items()
        ]
        nearest = summary_of(self.largest_cosines.astype(np.float64), quantiles)
        rows.append({"space": "input", "quantity": "largest_cosine", **nearest})
        rows += [
            {"space": space, "quantity": quantity, **summary_row(distribution, quantiles)}
            for space, distributions in self.distributions.items()
            for quantity, distribution in distributions.items()
        ]
        return pd.DataFrame(rows)


def compare_all_pairs(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    *,
    n_bins: Listed,
    n_pairs: Listed,
    device: Device,
) -> AllPairs:
    """Return the norms and all pairwise distances, dot products and cosines, by space.

    Spaces: `input`; `positional`; `token_position`, the pairs of a token and a position; `joint`,
    all vectors as a single cloud.
    """
    from tqdm import tqdm

    matrices = one_space(matrices)
    wanted = ("input", "positional")
    by_space: dict[str, np.ndarray] = {x: matrices[x] for x in wanted if x in matrices}
    lengths = {space: norms(x) for space, x in by_space.items()}
    scan = partial(
        scan_pairs,
        n_bins=n_bins,
        largest_norm=max(row_norms.max() for row_norms in lengths.values()),
        progress=partial(tqdm, desc="all pairs", unit="block", disable=None),
    )
    clouds = {space: on_device(x, device) for space, x in by_space.items()}
    masks = token_sets(vocabulary)
    within = scan(clouds["input"], groups=masks, n_extremes=n_pairs, largest_cosines=True)
    assert within.largest_cosines is not None  # they were asked for
    spaces = {"input": within.distributions}
    if "positional" in clouds:
        lengths["joint"] = np.concatenate(list(lengths.values()))
        spaces["positional"] = scan(clouds["positional"]).distributions
        spaces["token_position"] = scan(*clouds.values()).distributions
        spaces["joint"] = {
            quantity: reduce(add, (space[quantity] for space in spaces.values()))
            for quantity in within.distributions
        }
    return AllPairs(lengths, spaces, within.largest_cosines, within.extremes)


def token_sets(vocabulary: pd.DataFrame) -> Bool[np.ndarray, "set token"]:
    """Return which rows of the vocabulary are in each of `TOKEN_SETS`."""
    kind = vocabulary["kind"]
    return np.array([~kind.isin(["special", "unused"]), kind == "word"])
