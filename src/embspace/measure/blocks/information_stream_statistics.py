"""Statistics of the vectors of a text at every point of the stream, text by text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.coordinates.normality import (
    excess_kurtosis,
    largest_standardized,
    normality,
    typical_largest,
)
from embspace.geometry.measures.direction_sums import direction_sums_of
from embspace.geometry.measures.mean_direction import (
    cone_index,
    mean_cosine,
    mean_resultant_length,
)
from embspace.measure.blocks.information_stream_points import points_of
from embspace.measure.blocks.text_streams import TokenIds, text_streams

DIRECTION_MEASURES = ("mean_cosine", "mean_resultant_length", "cone_index", "mean_norm")
MEASURES = (
    *DIRECTION_MEASURES,
    "column_sum_excess_kurtosis",
    "largest_column_sum",
    "coordinate_excess_kurtosis",
    "coordinate_distance_from_normal",
)
StreamPlace = tuple[int, str]
"""Layer and point."""


@dataclass(frozen=True, eq=False)
class StreamStatistics:
    """The measures at every point, with one value per text and head."""

    values: dict[StreamPlace, Float[np.ndarray, "text head measure"]]
    """In the order of the stream."""
    n_dimensions: dict[StreamPlace, int]
    n_tokens: Int[np.ndarray, " text"]

    def head_means(self, place: StreamPlace) -> Float[np.ndarray, "text measure"]:
        """Return the mean over heads, which is the value itself at a point without heads."""
        return np.asarray(self.values[place].mean(axis=1))


def stream_statistics(
    module: Any, texts: Sequence[TokenIds], tokens_per_batch: int, device: str
) -> StreamStatistics:
    """Return the measures of a model's stream on every text, at every point of every layer."""
    values: dict[StreamPlace, np.ndarray] = {}
    dimensions: dict[StreamPlace, int] = {}
    for number, stream in text_streams(module, texts, tokens_per_batch, device):
        for point, x in points_of(stream).items():
            place = (stream.layer, point)
            if place not in values:
                values[place] = np.full((len(texts), len(x), len(MEASURES)), np.nan)
                dimensions[place] = x.shape[-1]
            values[place][number] = measures_of_point(x)
    return StreamStatistics(values, dimensions, np.array([len(ids) for ids in texts]))


def measures_of_point(
    x: Float[np.ndarray, "head token dim"],
) -> Float[np.ndarray, "head measure"]:
    """Return the measures of every head's vectors, in the order of `MEASURES`.

    Column sums are sums of the vectors, not of unit vectors: one number per dimension.
    """
    sums = [direction_sums_of(vectors) for vectors in x]
    columns = np.stack([head.total for head in sums])
    coordinates = normality(x.reshape(len(x), -1))
    measures = [
        [mean_cosine(head) for head in sums],
        [mean_resultant_length(head) for head in sums],
        [cone_index(head) for head in sums],
        [head.total_norm / head.n for head in sums],
        excess_kurtosis(columns),
        largest_standardized(columns),
        coordinates.excess_kurtosis,
        coordinates.distance,
    ]
    return np.array(measures, dtype=np.float64).T


ISOTROPIC: dict[str, Callable[[np.ndarray, int], float]] = {
    "mean_cosine": lambda n_tokens, dim: 0.0,
    "mean_resultant_length": lambda n_tokens, dim: float((n_tokens**-0.5).mean()),
    "cone_index": lambda n_tokens, dim: float((n_tokens**0.5).mean()),
    "mean_norm": lambda n_tokens, dim: float("nan"),
    "column_sum_excess_kurtosis": lambda n_tokens, dim: 0.0,
    "largest_column_sum": lambda n_tokens, dim: typical_largest(dim),
    "coordinate_excess_kurtosis": lambda n_tokens, dim: 0.0,
    "coordinate_distance_from_normal": lambda n_tokens, dim: 0.0,
}
"""By measure, its value for independent normal vectors, given the texts' lengths and dim.

For the cone index it is the root mean square, sqrt(n), for the largest column sum the median, and
for measures of the distribution the value of many coordinates. Norms have no such value.
"""
