"""Stage `measure_sinusoidal_positions`: positions of sines and cosines, beside learned positions.

Luisto's thesis, section 3.2.4, figure 6, shows the positions of Vaswani et al. (2017), but prints a
formula with twice their exponent. Both formulas are measured, at the model's own number of
positions and dimensions, beside the learned positions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.clouds.learned import structured_positions
from embspace.files.tables import Row
from embspace.files.tensors import save_tensors
from embspace.geometry.maps.lines import one_dimensionality
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.measures.effective_numbers import effective_number
from embspace.geometry.measures.spectrum import (
    components_for,
    covariance_eigenvalues,
    explained_variance,
)
from embspace.geometry.pairs.directions import cosine_matrix, norms
from embspace.geometry.positional.helix import spectral_peak, winding, winding_plane
from embspace.geometry.positional.position_properties import PROPERTIES, properties_by_window
from embspace.geometry.positional.sinusoids import (
    sinusoidal_cosines,
    sinusoidal_positions,
    sinusoidal_positions_as_printed,
)
from embspace.measure.positional.positions_measures import offset_profile
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

SINUSOIDAL_POSITIONS = Analysis(
    noun="sinusoidal_positions",
    question="How do learned positions differ from sines and cosines? Fig. 6",
    reads={
        "matrices": "data/extracted/embeddings/{model}.safetensors",
        "regimes": "results/regimes/positions/{model}.csv",
    },
    tables={
        "profiles": Table(
            {
                "encoding": "row",
                "offset": "row",
                "n_pairs": "count",
                "mean": "moment",
                "standard_deviation": "moment",
                "minimum": "moment",
                "maximum": "moment",
                "expected": "moment",
            }
        ),
        "properties": Table(  # a row for each fact of an encoding
            {
                "encoding": "row",
                "n": "count",
                "dim": "count",
                "property": "row",
                "largest_offset": "row",
                "share": "row",
                "value": "moment",
                "null_value": "null_value",
            }
        ),
    },
    data={"safetensors": save_tensors},  # `<encoding>`, `<encoding>_cosines` of first positions
)
FEWEST = 8  # positions, of which one can ask for a period
SHOWN = ("sinusoidal", "sinusoidal_as_printed", "learned")


@dataclass(frozen=True)
class Encoding:
    """Some position vectors, and the numbers of their positions."""

    vectors: Float[np.ndarray, "n dim"]
    positions: Int[np.ndarray, " n"]


def measure_sinusoidal_positions(
    matrices: dict[str, np.ndarray],
    regimes: pd.DataFrame,
    *,
    base: Annotated[float, Field(gt=1)],
    n_positions: Annotated[int, Field(ge=FEWEST)],
    largest_offsets: list[PositiveInt],
    shares: list[Share],
    n_shuffles: PositiveInt,
    n_shown: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Return cosines by offset and properties of `sinusoidal`, `sinusoidal_as_printed`, `learned`.

    `learned_structured` are the learned positions that `regimes`, the table of positions of
    `measure_regimes`, marks neither as outlying nor as unstructured. For a model without a
    positional matrix there are only sinusoidal positions, `n_positions` in number. `expected` is
    exact: the cosine by the formula of Vaswani et al., without the vectors. `null_value` is the
    mean over shuffled orders.
    """
    encodings = dict(_encodings(matrices, regimes, base, n_positions))
    streams = np.random.default_rng(seed).spawn(len(encodings))
    profiles, properties, tensors = [], [], {}
    for (name, encoding), rng in zip(encodings.items(), streams, strict=True):
        cosines = cosine_matrix(encoding.vectors)
        chosen = ~np.isnan(np.diagonal(cosines))
        profile = offset_profile(cosines, encoding.positions, chosen)
        dim = encoding.vectors.shape[1]
        if name == "sinusoidal" and dim % 2 == 0:
            profile["expected"] = sinusoidal_cosines(profile["offset"].to_numpy(), dim, base=base)
        profiles.append(profile.assign(encoding=name))
        facts = [
            *_norms(encoding.vectors),
            *_properties(cosines, encoding.positions, largest_offsets),
            *_variance(encoding.vectors, shares),
            *_order(encoding, n_shuffles, rng),
            *_wavelengths(name, dim, base),
        ]
        size = {"encoding": name, "n": len(encoding.vectors), "dim": dim}
        properties += [size | fact for fact in facts]
        if name in SHOWN:
            tensors[name] = encoding.vectors[:n_shown]
            tensors[f"{name}_cosines"] = cosines[:n_shown, :n_shown]
    return {
        "profiles": SINUSOIDAL_POSITIONS.tables["profiles"].of(pd.concat(profiles)),
        "properties": SINUSOIDAL_POSITIONS.tables["properties"].of(properties),
        "safetensors": {name: x.astype(np.float32) for name, x in tensors.items()},
    }


def _encodings(
    matrices: dict[str, np.ndarray], regimes: pd.DataFrame, base: float, n_positions: int
) -> Iterator[tuple[str, Encoding]]:
    learned = matrices.get("positional")
    n = n_positions if learned is None else len(learned)
    dim = matrices["input"].shape[1] if learned is None else learned.shape[1]
    numbers = np.arange(n)
    yield "sinusoidal", Encoding(sinusoidal_positions(n, dim, base=base), numbers)
    printed = sinusoidal_positions_as_printed(n, dim, base=base)
    yield "sinusoidal_as_printed", Encoding(printed, numbers)
    if learned is None:
        return
    yield "learned", Encoding(learned, numbers)
    kept = structured_positions(regimes)
    if FEWEST <= len(kept) < n:
        yield "learned_structured", Encoding(learned[kept], kept)


def _fact(name: str, value: float, **more: float) -> Row:
    return {"property": name, "value": value, **more}


def _norms(x: Float[np.ndarray, "n dim"]) -> Iterator[Row]:
    lengths = norms(x)
    yield _fact("mean_norm", float(lengths.mean()))
    yield _fact("norm_standard_deviation", float(lengths.std()))
    yield _fact("smallest_norm", float(lengths.min()))
    yield _fact("largest_norm", float(lengths.max()))


def _properties(
    cosines: Float[np.ndarray, "n n"], positions: Int[np.ndarray, " n"], largest_offsets: list[int]
) -> Iterator[Row]:
    """Yield the properties of `measure_positions`, over pairs up to each largest offset."""
    window_properties = properties_by_window(cosines, positions, largest_offsets)
    for largest_offset, values in zip(largest_offsets, window_properties, strict=True):
        for name, value in zip(PROPERTIES, values, strict=True):
            yield _fact(name, float(value), largest_offset=largest_offset)


def _variance(x: Float[np.ndarray, "n dim"], shares: list[float]) -> Iterator[Row]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        eigenvalues = covariance_eigenvalues(x)
    three = float(explained_variance(eigenvalues)[:3].sum())
    yield _fact("explained_variance_of_three_components", three)
    for share in shares:
        n = components_for(eigenvalues, share)
        yield _fact("components_for_share", np.nan if n is None else n, share=share)
    yield _fact("participation_ratio", effective_number(eigenvalues))


def _order(encoding: Encoding, n_shuffles: int, rng: np.random.Generator) -> Iterator[Row]:
    """Yield how closely positions follow a line, and wind; nothing if all vectors are equal."""
    x, positions = encoding.vectors, encoding.positions
    if len(x) < FEWEST or not np.ptp(x, axis=0).any():
        return
    order = one_dimensionality(x, positions, n_shuffles=n_shuffles, rng=rng)
    null_order, null_share = order.null_order_correlation, order.null_adjacent_neighbor_share
    yield _fact("order_correlation", order.order_correlation, null_value=null_order)
    yield _fact("adjacent_neighbor_share", order.adjacent_neighbor_share, null_value=null_share)
    # In three principal components, as `measure_helix` does.
    plane = winding_plane(principal_components(x, n_components=3).coordinates, positions)
    turning, peak = winding(plane, positions), spectral_peak(plane, positions)
    yield _fact("winding_period", turning.period)
    yield _fact("winding_coherence", turning.coherence)
    yield _fact("spectral_period", peak.period)
    yield _fact("normalized_power", peak.power_share)


def _wavelengths(name: str, dim: int, base: float) -> Iterator[Row]:
    """Yield the shortest and the longest period of a formula: a geometric sequence from 2 pi on."""
    last = {"sinusoidal": 2 * ((dim - 1) // 2) / dim, "sinusoidal_as_printed": 2 * (dim - 1) / dim}
    if name in last:
        yield _fact("shortest_wavelength", 2 * np.pi)
        yield _fact("longest_wavelength", float(2 * np.pi * base ** last[name]))


main = SINUSOIDAL_POSITIONS.main(measure_sinusoidal_positions)

if __name__ == "__main__":
    run_stage(main, measure_sinusoidal_positions)
