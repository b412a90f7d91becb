"""Whether the first coordinates keep more neighbors than random ones, as in a Matryoshka model."""

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.geometry.practice.compression import nearest_by_scores, scores_of_neighbors_kept
from embspace.geometry.practice.paired import paired_means
from embspace.measure.practice.scored_versions import LEVEL, N_HALF_SAMPLES, SEED, K, cosines
from embspace.measure.practice.text_vectors import TextVectors

N_ORDERS = 20
MOST = 2000  # texts that are compared; of more, texts are drawn
GAIN = 0.05  # of the neighbors: less is no gain
MORE, NO_MORE, NOT_TOLD = "more", "no more", "not told"


def sizes_below(dim: int) -> list[int]:
    """Return 8, 16, 32, … below the number of coordinates."""
    return [2**power for power in range(3, 20) if 2**power < dim]


def first_against_random(cloud: TextVectors, seed: int = SEED) -> pd.DataFrame:
    """Return a row per size up to half of the coordinates, and a last row of the mean.

    `first` and `random` are shares of the 10 nearest texts that are kept, `random` the mean over 20
    orders of the coordinates. `low` and `high` hold `difference` for further documents and for
    further orders, of which the given order may be one.
    """
    rng = np.random.default_rng(seed)
    chosen = np.zeros(len(cloud), dtype=bool)
    chosen[rng.permutation(len(cloud))[:MOST]] = True
    some, dim = cloud.among(chosen), cloud.vectors.shape[1]
    sizes = [size for size in sizes_below(dim) if 2 * size <= dim]
    if not sizes:
        return pd.DataFrame(columns=["size", "first", "random", "difference", "low", "high"])
    orders = [np.arange(dim), *(rng.permutation(dim) for _ in range(N_ORDERS))]
    exact = nearest_by_scores(some.vectors, some.documents, cosines, K)
    scores = np.empty((len(sizes) + 1, len(orders), len(some)))
    for place, size in enumerate(sizes):
        for number, order in enumerate(orders):
            cut = some.vectors[:, order[:size]]
            kept = nearest_by_scores(cut, some.documents, cosines, K)
            scores[place, number] = scores_of_neighbors_kept(exact, kept)
    scores[-1] = scores[:-1].mean(axis=0)
    rows = [_row(kept, some, seed) for kept in scores]
    return pd.DataFrame(rows).assign(size=[*map(str, sizes), "mean"], n=len(some))


def _row(
    scores: Float[np.ndarray, "order text"], cloud: TextVectors, seed: int
) -> dict[str, float]:
    paired = paired_means(
        np.stack([scores[1:].mean(axis=0), scores[0]]),
        cloud.documents,
        n_half_samples=N_HALF_SAMPLES,
        level=LEVEL,
        rng=np.random.default_rng(seed),
    )
    random, n = scores[1:].mean(axis=1), len(scores) - 1
    # Were the given order a random one, its share would vary as theirs do, and so does their mean.
    reach_of_orders = _student(n) * random.std(ddof=1) * np.sqrt(1 + 1 / n)
    difference = float(paired.difference[1])
    reach = float(np.hypot(paired.difference_high[1] - difference, reach_of_orders))
    return {
        "first": float(paired.value[1]),
        "random": float(paired.value[0]),
        "difference": difference,
        "low": difference - reach,
        "high": difference + reach,
    }


def _student(n: int) -> float:
    from scipy.special import stdtrit  # scipy.stats takes seconds to import

    return float(stdtrit(n - 1, (1 + LEVEL) / 2))


def verdict_of_first(table: pd.DataFrame) -> str:
    """Return `more`, `no more` (surely less than 0.05 of the neighbors), or `not told`."""
    if not len(table) or np.isnan(table["low"].iloc[-1]):
        return NOT_TOLD
    if table["low"].iloc[-1] > 0:
        return MORE
    return NO_MORE if table["high"].iloc[-1] < GAIN else NOT_TOLD
