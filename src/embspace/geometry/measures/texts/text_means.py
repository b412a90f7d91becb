"""Sums of a value over texts, which add up over further texts."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class TextMeans:
    """The sum of a value over texts, and the number of texts with a value."""

    n_texts: int
    total: float

    @property
    def mean(self) -> float:
        """The mean over the texts that have a value; NaN if none has one."""
        return self.total / self.n_texts if self.n_texts else float("nan")


def text_means_of(values: Iterable[float]) -> TextMeans:
    """Return the sum of texts' values, over texts with a value."""
    known = list(values)
    return TextMeans(len(known), float(sum(known)))
