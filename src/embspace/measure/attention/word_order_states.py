"""Distances between the states of a text and of the same text with its tokens permuted."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.safe_ratio import ratio


@dataclass(frozen=True, eq=False)
class Moved:
    """How far states move from the states of the same tokens in the original text, by layer."""

    cosine: Float[np.ndarray, "*text layer"]
    """The mean over tokens."""
    distance: Float[np.ndarray, "*text layer"]
    """The mean distance, relative to the norm of the state in the original text."""
    largest: Float[np.ndarray, "*text layer"]
    """The largest of these distances."""
    between: Float[np.ndarray, "*text layer"]
    """The same for two tokens of the original text, half a text apart; NaN for a single token."""

    @classmethod
    def stacked(cls, texts: "Sequence[Moved]") -> "Moved":
        """Return the values of several texts, stacked."""
        names = [field.name for field in fields(cls)]
        return cls(*(np.stack([getattr(text, name) for text in texts]) for name in names))

    def undefined(self) -> "Moved":
        """Return the same number of undefined values."""
        return Moved(*(np.full_like(self.cosine, np.nan) for _ in fields(self)))


def moved_states(
    as_is: Float[np.ndarray, "layer token dim"],
    permuted: Float[np.ndarray, "layer token dim"],
    order: Int[np.ndarray, " token"],
) -> Moved:
    """Return how far the states of every layer move when the tokens of a text are permuted.

    Token t of the permuted text is token `order[t]` of the original text.
    """
    own = as_is[:, order].astype(np.float64)
    other = permuted.astype(np.float64)
    lengths = np.linalg.norm(own, axis=-1)
    cosines = ratio((own * other).sum(axis=-1), lengths * np.linalg.norm(other, axis=-1))
    distances = ratio(np.linalg.norm(other - own, axis=-1), lengths)
    return Moved(
        cosines.mean(axis=-1),
        distances.mean(axis=-1),
        distances.max(axis=-1),
        _between(own, lengths),
    )


def _between(
    states: Float[np.ndarray, "layer token dim"], lengths: Float[np.ndarray, "layer token"]
) -> Float[np.ndarray, " layer"]:
    """Return the mean distance of two tokens half a text apart, over the norm of one of them."""
    n = states.shape[1]
    if n < 2:
        return np.full(len(states), np.nan)
    others = np.roll(states, n // 2, axis=1)
    return np.asarray(ratio(np.linalg.norm(others - states, axis=-1), lengths).mean(axis=-1))
