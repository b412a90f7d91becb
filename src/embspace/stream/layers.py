"""Sums of a layer over the states as they come by, in the spaces of `embspace.clouds.layers`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.models.windows import Window
from embspace.stream._row_loops import add_to_groups
from embspace.stream.batches import BatchShares
from embspace.stream.sums import RunningSums, Sums, reference_of

# Kinds of rows by space. Tokens are kept apart, so that those as they are and the ordinary ones
# alone are both known for the price of one.
KINDS = {
    "token": ("token_ordinary", "token_other"),
    "cls": ("cls",),
    "mean": ("mean", "mean_ordinary"),
}
# Space and change, as the stages name them -> the kinds that make it.
CLOUDS = {
    ("token", "as_is"): ("token_ordinary", "token_other"),
    ("token", "ordinary_tokens"): ("token_ordinary",),
    ("cls", "as_is"): ("cls",),
    ("mean", "as_is"): ("mean",),
    ("mean", "ordinary_tokens"): ("mean_ordinary",),
}


@dataclass(frozen=True, eq=False)
class Rows:
    """Says which rows of the states of some windows belong to what."""

    starts: np.ndarray
    """The first row of each window."""
    kept: Bool[np.ndarray, " token"]
    """Not in the window before, too."""
    ordinary: Bool[np.ndarray, " token"]
    """Kept, not special, and not at position 0."""

    @classmethod
    def of(cls, windows: Sequence[Window]) -> "Rows":
        """Return the rows of consecutive windows."""
        lengths = np.array([len(window.ids) for window in windows])
        starts = np.cumsum(lengths) - lengths
        kept = ~np.concatenate([window.repeated for window in windows])
        ordinary = kept & ~np.concatenate([window.special for window in windows])
        ordinary[starts] = False
        return cls(starts, kept, ordinary)

    @cached_property
    def lengths(self) -> Int[np.ndarray, " window"]:
        """Return the numbers of tokens of the windows."""
        return np.diff([*self.starts, len(self.kept)])

    @cached_property
    def window(self) -> Int[np.ndarray, " token"]:
        """Return the number of each token's window."""
        return np.repeat(np.arange(len(self.starts)), self.lengths)

    @cached_property
    def n_ordinary(self) -> Int[np.ndarray, " window"]:
        """Return the numbers of ordinary tokens of the windows."""
        return np.bincount(self.window[self.ordinary], minlength=len(self.starts))

    def totals(
        self, x: Float[np.ndarray, "token dim"]
    ) -> tuple[Float[np.ndarray, "window dim"], Float[np.ndarray, "window dim"]]:
        """Return the sums of each window's tokens, of all and of the ordinary ones, in float64."""
        n = len(self.starts)
        sums = np.zeros((2 * n, x.shape[1]))
        add_to_groups(x, self.window + n * self.ordinary, sums)
        return sums[:n] + sums[n:], sums[n:]


@dataclass(frozen=True, eq=False)
class Pilot:
    """Mean vectors of the first texts of a corpus, by layer and space.

    Sums are taken about the means, to lose no digit; cosines to the mean use these means.
    """

    means: dict[str, Float[np.ndarray, "layer dim"]]

    @classmethod
    def of(cls, states: Float[np.ndarray, "layer token dim"], windows: Sequence[Window]) -> "Pilot":
        """Return the means over the states of some windows."""
        rows = Rows.of(windows)
        means = {
            "token": np.stack([_mean(x[rows.kept]) for x in states]),
            # The first one, not a mean: where all are one vector, it leaves exact zeros.
            "cls": states[:, 0].astype(np.float64),
            "mean": np.stack(
                [(rows.totals(x)[0] / rows.lengths[:, None]).mean(axis=0) for x in states]
            ),
        }
        return cls(means)

    def layer_means(self, layer: int) -> dict[str, Float[np.ndarray, " dim"]]:
        """Return the mean vectors of one layer."""
        return {space: means[layer] for space, means in self.means.items()}


class LayerSums:
    """Sums over the vectors of one layer by kind, and shares by batch and space."""

    def __init__(
        self, means: dict[str, Float[np.ndarray, " dim"]], spaces: Sequence[str], batch_size: int
    ) -> None:
        self._running = {
            kind: RunningSums(means[space], reference_of(means[space]))
            for space in spaces
            for kind in KINDS[space]
            if kind != "mean_ordinary" or "token" in spaces
        }
        self._batches = {space: BatchShares(batch_size) for space in spaces}

    def add(
        self, x: Float[np.ndarray, "token dim"], rows: Rows
    ) -> dict[str, Float[np.ndarray, "window dim"]]:
        """Add the states of windows, and return the vectors of the windows by space."""
        totals, ordinary = rows.totals(x)
        means = (totals / rows.lengths[:, None]).astype(np.float32)
        pooled = {"cls": x[rows.starts], "mean": means}
        for space in ("cls", "mean"):
            if space in self._batches:
                self._add(space, pooled[space], np.arange(len(means)), None)
        if "token" in self._batches:
            self._add("token", x, np.flatnonzero(rows.kept), rows.ordinary)
        if "mean_ordinary" in self._running:
            some = rows.n_ordinary > 0
            self._running["mean_ordinary"].add(ordinary[some] / rows.n_ordinary[some, None])
        return pooled

    def _add(
        self,
        space: str,
        x: Float[np.ndarray, "n dim"],
        kept: Int[np.ndarray, " kept"],
        ordinary: Bool[np.ndarray, " n"] | None,
    ) -> None:
        """Add the rows in `kept`, in portions that never cross the end of a batch."""
        batches = self._batches[space]
        while len(kept):
            portion, kept = kept[: batches.room], kept[batches.room :]
            if ordinary is None:
                batches.add(self._running[space].add(x, portion))
            else:
                ordinary_moments = self._running["token_ordinary"].add(
                    x, portion[ordinary[portion]]
                )
                other_moments = self._running["token_other"].add(x, portion[~ordinary[portion]])
                batches.add(ordinary_moments + other_moments)

    def sums(self) -> dict[str, Sums]:
        """Return the sums by kind."""
        return {kind: sums.so_far for kind, sums in self._running.items()}

    def shares(self) -> dict[str, Float[np.ndarray, " batch"]]:
        """Return the shares of the first principal axis by batch, for vectors as they are."""
        return {space: batches.shares() for space, batches in self._batches.items()}


def _mean(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, " dim"]:
    """Return the mean of all rows, in float64."""
    total = np.zeros((1, x.shape[1]))
    add_to_groups(x, np.zeros(len(x), np.int64), total)
    return total[0] / len(x)
