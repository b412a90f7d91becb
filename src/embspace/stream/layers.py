"""Sums of one layer while its states come by, in the spaces of `embspace.clouds.layers`."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from embspace.models.windows import Window
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
    """Says which rows of the states of some windows are what."""

    starts: np.ndarray
    """Of each window."""
    kept: Bool[np.ndarray, " token"]
    """Not in the window before, too."""
    ordinary: Bool[np.ndarray, " token"]
    """Kept, not special, and not at position 0."""

    @classmethod
    def of(cls, windows: Sequence[Window]) -> "Rows":
        """Return the rows of windows, one after the other."""
        lengths = np.array([len(window.ids) for window in windows])
        starts = np.cumsum(lengths) - lengths
        kept = ~np.concatenate([window.repeated for window in windows])
        ordinary = kept & ~np.concatenate([window.special for window in windows])
        ordinary[starts] = False
        return cls(starts, kept, ordinary)


@dataclass(frozen=True, eq=False)
class Pilot:
    """Mean vectors of the first texts of a corpus, of each layer, by space.

    Sums are taken about them, so that no digit is lost; cosines to the mean are to them.
    """

    means: dict[str, Float[np.ndarray, "layer dim"]]

    @classmethod
    def of(cls, states: Float[np.ndarray, "layer token dim"], windows: Sequence[Window]) -> "Pilot":
        """Return the means over the states of some windows."""
        rows = Rows.of(windows)
        means = {
            "token": states[:, rows.kept].mean(axis=1, dtype=np.float64),
            # The first one, not a mean: where all are one vector, it leaves exact zeros.
            "cls": states[:, 0].astype(np.float64),
            "mean": np.stack([_means(x, rows.starts).mean(axis=0) for x in states]),
        }
        return cls(means)

    def of_layer(self, layer: int) -> dict[str, Float[np.ndarray, " dim"]]:
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
        pooled = {"cls": x[rows.starts], "mean": _means(x, rows.starts).astype(np.float32)}
        for space in ("cls", "mean"):
            if space in self._batches:
                self._add(space, pooled[space], None)
        if "token" in self._batches:
            self._add("token", x[rows.kept], rows.ordinary[rows.kept])
        if "mean_ordinary" in self._running and rows.ordinary.any():
            window = np.repeat(np.arange(len(rows.starts)), np.diff([*rows.starts, len(x)]))
            _, starts = np.unique(window[rows.ordinary], return_index=True)
            self._running["mean_ordinary"].add(_means(x[rows.ordinary], starts))
        return pooled

    def _add(self, space: str, x: Float[np.ndarray, "n dim"], ordinary: np.ndarray | None) -> None:
        """Add vectors in portions that fill batches, which no batch's end cuts."""
        batches = self._batches[space]
        while len(x):
            n = min(batches.room, len(x))
            if ordinary is None:
                batches.add(self._running[space].add(x[:n]))
            else:
                part, is_ordinary = x[:n], ordinary[:n]
                moments = self._running["token_ordinary"].add(part[is_ordinary])
                batches.add(moments + self._running["token_other"].add(part[~is_ordinary]))
                ordinary = ordinary[n:]
            x = x[n:]

    def sums(self) -> dict[str, Sums]:
        """Return the sums by kind."""
        return {kind: each.so_far for kind, each in self._running.items()}

    def shares(self) -> dict[str, Float[np.ndarray, " batch"]]:
        """Return the shares of the first principal axis by batch, of vectors as they are."""
        return {space: each.shares() for space, each in self._batches.items()}


def _means(
    x: Float[np.ndarray, "token dim"], starts: np.ndarray
) -> Float[np.ndarray, "window dim"]:
    """Return the mean of each stretch of rows, in float64."""
    counts = np.diff([*starts, len(x)])
    return np.add.reduceat(x, starts, axis=0, dtype=np.float64) / counts[:, None]
