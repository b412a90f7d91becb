"""Stage `measure_interrelations`: how tokens, positions and segments lie to each other.

Luisto's thesis, section 4.2.5, tables 4 and 5.
"""

from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.clouds.learned import one_space
from embspace.geometry.pairs.directions import cosine_bound, cosine_matrix, cosine_tail, norms
from embspace.measure.tables.columns import SUMMARY
from embspace.measure.tables.summary import summary_of
from embspace.settings.stage import run_stage
from embspace.settings.types import Listed, Probability

INTERRELATIONS = Analysis(
    noun="interrelations",
    question="How do tokens, positions and segments lie to each other? Tables 4, 5",
    reads={
        "matrices": "data/extracted/embeddings/{model}.safetensors",
        "vocabulary": "data/extracted/embeddings/{model}.parquet",
    },
    tables={
        "histogram": Table(
            {"bin_left": "moment", "bin_right": "moment", "count": "count", "expected": "moment"}
        ),
        "token_position": Table(
            {
                "rank": "row",
                "id": "id",
                "token": ("name", "token"),
                "position": ("id", "position"),
                "cosine": ("moment", "cosine"),
                "beyond_threshold": ("count", "beyond the threshold"),
                "beyond_bound": ("count", "beyond the bound"),
            }
        ),
        "segments": Table({"segment": ("row", "segment"), "space": ("row", "space"), **SUMMARY}),
    },
    scalars={
        "n_*": "count",
        "threshold": "setting",
        "level": "setting",
        "bound": "moment",
        "expected_*": "moment",
        "norm_*": "moment",
        "cosine": "moment",
        "cosine_*": "moment",
        "dot_product_*": "moment",
        "euclidean_distance": "moment",
        "euclidean_distance_*": "moment",
        "chebyshev_distance": "moment",
    },
)
Cosine = Annotated[float, Field(gt=0, lt=1)]


def measure_interrelations(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    *,
    threshold: Cosine,
    level: Cosine,
    n_listed: PositiveInt,
    n_histogram_bins: Listed,
    quantiles: list[Probability],
) -> Outcome:
    """Return cosines of all token-position pairs, and of segments to everything, in float64.

    `n_outside` counts the token-position cosines beyond ±`threshold`; `expected_outside` is the
    number expected for random independent directions. Under this null, no pair exceeds `bound` with
    probability 1 - `level` at least (Bonferroni). `token_position` lists pairs beyond the threshold
    or the bound, and says beyond which of them, the largest absolute cosines first, `n_listed` at
    most. `histogram` has the expected count beside the measured count. A pair with a zero vector
    has no cosine and is not counted.
    """
    matrices = one_space(matrices)
    scalars: dict[str, Any] = {}
    dim = matrices["input"].shape[1]
    cosines, bound = np.empty((len(matrices["input"]), 0)), 1.0
    if "positional" in matrices:
        cosines = cosine_matrix(matrices["input"], matrices["positional"])
        n_pairs = int(np.isfinite(cosines).sum())
        bound = float(cosine_bound(level / n_pairs, dim))
        scalars["token_position"] = {
            "n_pairs": n_pairs,
            "threshold": threshold,
            "n_outside": int(np.sum(np.abs(cosines) > threshold)),
            "expected_outside": float(n_pairs * cosine_tail(threshold, dim)),
            "level": level,
            "bound": bound,
            "n_beyond_bound": int(np.sum(np.abs(cosines) > bound)),
        }
        scalars |= _first_token(matrices, vocabulary)
    if "segment" in matrices:
        scalars["segment"] = _segment_scalars(matrices["segment"])
    return {
        "json": scalars,
        "histogram": _histogram(cosines, dim, n_histogram_bins),
        "token_position": _list_pairs(vocabulary, cosines, threshold, bound, n_listed),
        "segments": _segment_table(matrices, quantiles),
    }


def _histogram(cosines: Float[np.ndarray, "n m"], dim: int, n_histogram_bins: int) -> pd.DataFrame:
    cosines = cosines[np.isfinite(cosines)]
    limit = np.abs(cosines).max(initial=0.0)
    counts, edges = np.histogram(cosines, bins=n_histogram_bins, range=(-limit, limit))
    # P(cosine > e) of a random direction, from the two-sided tail and the symmetry about 0.
    beyond = np.where(edges > 0, 0.5, -0.5) * cosine_tail(np.abs(edges), dim) + (edges <= 0)
    return pd.DataFrame(
        {
            "bin_left": edges[:-1],
            "bin_right": edges[1:],
            "count": counts,
            "expected": cosines.size * -np.diff(beyond),
        }
    )


def _list_pairs(
    vocabulary: pd.DataFrame,
    cosines: Float[np.ndarray, "n m"],
    threshold: float,
    bound: float,
    n_listed: int,
) -> pd.DataFrame:
    token, position = np.nonzero(np.abs(cosines) > min(threshold, bound))
    value = cosines[token, position]
    first = np.argsort(-np.abs(value), kind="stable")[:n_listed]
    return pd.DataFrame(
        {
            "rank": np.arange(1, len(first) + 1),
            "id": token[first],
            "token": vocabulary["token"].to_numpy()[token[first]],
            "position": position[first],
            "cosine": value[first],
            "beyond_threshold": np.abs(value[first]) > threshold,
            "beyond_bound": np.abs(value[first]) > bound,
        }
    )


def _first_token(matrices: dict[str, np.ndarray], vocabulary: pd.DataFrame) -> dict[str, Any]:
    """Compare the token that opens every text with position 0, its only place."""
    opening = vocabulary.loc[vocabulary["role"] == "cls", "id"]
    if opening.empty:
        return {}
    pair = np.array([matrices["input"][opening.iloc[0]], matrices["positional"][0]], np.float64)
    return {
        "cls_position_0": {
            "norm_cls": float(norms(pair)[0]),
            "norm_position_0": float(norms(pair)[1]),
            "cosine": float(cosine_matrix(pair[:1], pair[1:])[0, 0]),
            "euclidean_distance": float(np.linalg.norm(pair[0] - pair[1])),
            "chebyshev_distance": float(np.abs(pair[0] - pair[1]).max()),
        }
    }


def _segment_scalars(segments: Float[np.ndarray, "segment dim"]) -> dict[str, float]:
    vectors = segments.astype(np.float64)
    scalars = {f"norm_{number}": float(norm) for number, norm in enumerate(norms(vectors))}
    for second in range(1, len(vectors)):
        for first in range(second):
            pair = vectors[[first, second]]
            scalars[f"cosine_{first}_{second}"] = float(cosine_matrix(pair[:1], pair[1:])[0, 0])
            scalars[f"dot_product_{first}_{second}"] = float(pair[0] @ pair[1])
            scalars[f"euclidean_distance_{first}_{second}"] = float(
                np.linalg.norm(pair[0] - pair[1])
            )
    return scalars


def _segment_table(matrices: dict[str, np.ndarray], quantiles: list[Probability]) -> pd.DataFrame:
    """Return a row per segment and space: the segment's cosines with all vectors of the space."""
    rows = []
    for space in ("positional", "input"):
        if space not in matrices or "segment" not in matrices:
            continue
        cosines = cosine_matrix(matrices["segment"], matrices[space])
        rows += [
            {"segment": number, "space": space, **summary_of(values, quantiles)}
            for number, values in enumerate(cosines)
        ]
    return INTERRELATIONS.tables["segments"].of(rows)


main = INTERRELATIONS.main(measure_interrelations)

if __name__ == "__main__":
    run_stage(main, measure_interrelations)
