"""Scores of first halves of texts as candidates for second halves as queries."""

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from embspace.geometry.pairs.directions import unit_rows


def copies_of_queries(texts: pd.DataFrame) -> Bool[np.ndarray, "query candidate"]:
    """Return which first halves are right for each second half: its own, and those of copies."""
    name = texts["copy_of"].to_numpy()
    half = texts["half"].to_numpy()
    return np.asarray(name[half == 2][:, np.newaxis] == name[half == 1])


def best_cosines(
    x: Float[np.ndarray, "window dim"], text: np.ndarray, is_candidate: Bool[np.ndarray, " window"]
) -> Float[np.ndarray, "query candidate"]:
    """Return the largest cosine between windows of every query and candidate.

    Windows of a text stand together.
    """
    unit = unit_rows(x)
    # The same bits whatever the number of threads, so that ties stay ties.
    cosine = np.round(unit[~is_candidate] @ unit[is_candidate].T, 12)
    return _largest_by_text(cosine, text, is_candidate)


def _largest_by_text(
    cosine: Float[np.ndarray, "query_window candidate_window"],
    text: np.ndarray,
    is_candidate: np.ndarray,
) -> Float[np.ndarray, "query candidate"]:
    """Return the largest cosine of each pair of texts; windows of a text stand together."""
    starts = [
        np.flatnonzero(np.append(True, text[rows][1:] != text[rows][:-1]))
        for rows in (~is_candidate, is_candidate)
    ]
    by_query = np.maximum.reduceat(cosine, starts[0], axis=0)
    return np.maximum.reduceat(by_query, starts[1], axis=1)
