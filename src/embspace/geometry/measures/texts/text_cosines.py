"""Cosines of vectors with the mean of their text; the sums add up over texts."""

from dataclasses import dataclass

import numpy as np

from embspace.geometry.groups.grouped_vectors import Groups, checked_groups
from embspace.geometry.pairs.directions import norms
from embspace.geometry.pairs.types import Vectors


@dataclass(frozen=True, eq=False)
class TextCosines:
    """The cosines of texts with a mean direction and a vector with a direction."""

    n_texts: int
    total: float
    """Sum over texts of the mean cosine of a text's vectors with the text's mean."""


def text_cosines_of(x: "Vectors | TextCosines", group: Groups) -> TextCosines:
    """Return sums over the rows of `x`, with texts numbered by `group`; or `x`, if it is sums."""
    if isinstance(x, TextCosines):
        return x
    from scipy.sparse import csr_array

    number = np.unique(checked_groups(x, group), return_inverse=True)[1]
    ones = (np.ones(len(x)), (number, np.arange(len(x))))
    sums = csr_array(ones) @ x
    length, sum_length = norms(x), norms(sums)[number]
    kept = (length > 0) & (sum_length > 0)
    dots = np.einsum("ij,ij->i", x, sums[number])
    cosines = dots[kept] / (length[kept] * sum_length[kept])
    n_kept = np.bincount(number[kept], minlength=len(sums))
    text_sums = np.bincount(number[kept], cosines, minlength=len(sums))
    known = n_kept > 0
    return TextCosines(int(known.sum()), float((text_sums[known] / n_kept[known]).sum()))
