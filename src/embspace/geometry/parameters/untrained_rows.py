"""Rows of a token table that look untouched by training.

After Land & Bartolo (2024), "Fishing for Magikarp", arXiv:2405.05417: rows read by no text show how
an untrained row looks, and similar rows among the read rows are suspects.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry.inference.resampling import probability_of_larger
from embspace.geometry.pairs.directions import norms

FEWEST = 10  # unread rows that show what untrained rows are like
SEPARATES = 0.9  # of all pairs: from there on an indicator tells unread rows from others
SHARE = 0.95  # of unread rows that lie within the bound
INDICATORS = ("norm", "distance", "cosine_distance")


@dataclass(frozen=True, eq=False)
class Suspects:
    """Verdicts on rows by an indicator, small for untrained rows."""

    separation: float
    """How often a read row has a larger value than an unread row, in [0, 1]."""
    chance: tuple[float, float]
    """The 95 % range of `separation` where both kinds are alike, as at random weights."""
    bound: float
    """The value below which 95 % of the unread rows lie; NaN without a verdict."""
    share_beyond: Float[np.ndarray, " token"]
    """Share of unread rows with a larger value; uniform for a row without training. NaN without a
    verdict."""
    is_suspect: Bool[np.ndarray, " token"]
    """Read rows within the bound; none without a verdict."""

    @property
    def has_verdict(self) -> bool:
        """Whether there are enough unread rows, and the indicator tells them from read rows."""
        return bool(np.isfinite(self.bound))


def untrained_indicators(
    x: Float[np.ndarray, "token dim"], is_unread: Bool[np.ndarray, " token"]
) -> dict[str, Float[np.ndarray, " token"]]:
    """Return the length of each row, and two distances from the mean of the unread rows.

    `distance` is Euclidean. `cosine_distance` is 1 - cosine, in [0, 2], after the first principal
    direction about the origin is taken off all rows: many tables share one large component. An
    unread row is compared with the mean of all further unread rows.
    Without two unread rows distances are NaN.
    """
    rows = x.astype(np.float64)
    made = {"norm": norms(rows)}
    if is_unread.sum() < 2:
        nan = np.full(len(rows), np.nan)
        return made | {"distance": nan, "cosine_distance": nan}
    made["distance"] = norms(rows - _mean(rows, is_unread))
    made["distance"][is_unread] = norms(rows[is_unread] - _means_of_others(rows[is_unread]))
    largest = np.linalg.eigh(rows.T @ rows)[1][:, -1]
    rest = rows - np.outer(rows @ largest, largest)
    made["cosine_distance"] = 1 - _cosine(rest, _mean(rest, is_unread)[None])
    unread = rest[is_unread]
    made["cosine_distance"][is_unread] = 1 - _cosine(unread, _means_of_others(unread))
    return made


def suspects(
    indicator: Float[np.ndarray, " token"], is_unread: Bool[np.ndarray, " token"]
) -> Suspects:
    """Return the read rows in the range of the unread rows by an indicator.

    No verdict with fewer than 10 unread or 10 read rows, or where a read row has the larger value
    in fewer than .9 of all pairs: at random weights all rows are alike.
    """
    defined = np.isfinite(indicator)
    unread, read = indicator[is_unread & defined], indicator[~is_unread & defined]
    n, m = len(unread), len(read)
    separation = float(probability_of_larger(read, unread))
    half_width = 1.96 * np.sqrt((n + m + 1) / (12 * max(n * m, 1)))  # Mann & Whitney's variance
    chance = max(0.5 - half_width, 0.0), min(0.5 + half_width, 1.0)
    nobody = np.zeros(len(indicator), dtype=bool)
    if min(n, m) < FEWEST or not separation >= max(SEPARATES, chance[1]):
        nan = np.full(len(indicator), np.nan)
        return Suspects(separation, chance, float("nan"), nan, nobody)
    bound = float(np.quantile(unread, SHARE))
    ranks = np.searchsorted(np.sort(unread), indicator, side="right")
    beyond = np.where(defined, 1 - ranks / n, np.nan)
    within = ~is_unread & defined & (indicator <= bound)
    return Suspects(separation, chance, bound, beyond, within)


def _mean(
    rows: Float[np.ndarray, "token dim"], chosen: Bool[np.ndarray, " token"]
) -> Float[np.ndarray, " dim"]:
    mean: np.ndarray = rows[chosen].mean(axis=0)
    return mean


def _means_of_others(rows: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    """Return for every row the mean of all further rows."""
    others: np.ndarray = (rows.sum(axis=0) - rows) / (len(rows) - 1)
    return others


def _cosine(
    x: Float[np.ndarray, "n dim"], y: Float[np.ndarray, "m dim"]
) -> Float[np.ndarray, " n"]:
    """Return the cosine of every row with the row of `y` at the same place; NaN of zeros."""
    products, lengths = (x * y).sum(axis=1), norms(x) * norms(y)
    return np.divide(products, lengths, out=np.full(len(x), np.nan), where=lengths > 0)
