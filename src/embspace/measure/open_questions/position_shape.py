"""Stage `measure_position_shape`: the loops and dimensions of the positions, seen as a curve.

The third question of Luisto's thesis, section 5.2, by the rules of docs/open_questions.md.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Table
from embspace.clouds.learned import structured_positions
from embspace.geometry.positional.sinusoids import sinusoidal_positions
from embspace.geometry.positional.smooth_nulls import NULLS
from embspace.measure.open_questions.position_shape_values import Search, Shape, shape_of
from embspace.measure.tables.columns import shown, with_bounds
from embspace.measure.tables.nulls import mean_and_range
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

FEWEST = 32  # positions that have a shape worth asking for
SURROGATES = ("random_walk", "stationary")
STANDS, FALLS, UNDEFINED = "stands", "within the surrogates", "undefined"
UPWARD = ("longest_loop", "parts")  # of which more than the surrogates have is asked
Read = Callable[[Shape], Float[np.ndarray, " value"]]
BESIDE: dict[str, Column] = {
    "sinusoids": ("turning", "sinusoids"),
    **with_bounds("random_walk", "null_value", "random walks"),
    **with_bounds("stationary", "null_value", "stationary tables"),
}
POSITION_SHAPE = Analysis(
    noun="position_shape",
    question="What shape have the positions, as a curve: loops, turns by plane, dimension?",
    over="profiled",
    reads={
        "matrices": "data/extracted/embeddings/{model}.safetensors",
        "regimes": "results/regimes/positions/{model}.csv",
    },
    tables={
        "loops": Table(
            {
                "space": ("row", "space"),
                "rank": ("row", "loop"),
                **shown("turning", "birth", "death", "length"),
                "shorter_random_walks": ("p_value", "random walks that are shorter"),
                "shorter_stationary": ("p_value", "stationary tables that are shorter"),
                "verdict": ("name", "verdict"),
            }
        ),
        "planes": Table(
            {
                "plane": ("row", "plane"),
                "explained_variance": ("share", "share of variance"),
                **shown("turning", "turns", "period"),
                "power_share": ("turning", "share of power at the period"),
                **BESIDE,
            }
        ),
        "scales": Table(
            {
                **shown("row", "space", "method", "scale"),
                "slope": ("turning", "slope"),
                **BESIDE,
            }
        ),
        "values": Table(
            {
                **shown("row", "space", "measure"),
                "value": ("turning", "value"),
                **shown("turning", "smallest_scale", "largest_scale"),
                **BESIDE,
                "n_random_walk": ("count", "random walks with a value"),
                "n_stationary": ("count", "stationary tables with a value"),
                "verdict": ("name", "verdict"),
            }
        ),
    },
    scalars={"n_structured": "count", "n_positions": "count", "n_surrogates": "count"},
)


def measure_position_shape(
    matrices: dict[str, np.ndarray],
    regimes: pd.DataFrame,
    *,
    n_surrogates: PositiveInt,
    level: Probability,
    n_planes: PositiveInt,
    n_bars: PositiveInt,
    scales: Annotated[list[PositiveFloat], Field(min_length=2, max_length=2)],
    n_scales: Annotated[int, Field(ge=5)],
    tolerance: Probability,
    factor: Annotated[float, Field(gt=1)],
    parts_gap: PositiveFloat,
    smallest_part: Probability,
    base: PositiveFloat,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure the structured positions as a curve, beside surrogates and sinusoids.

    `regimes` is the table of positions of `measure_regimes`. Lengths and scales are in units of the
    root mean square distance from the mean, in all dimensions (`full`) or in three principal
    components. The bounds of surrogates hold a share `level` of them. Verdicts are by
    docs/open_questions.md.
    """
    x = matrices.get("positional")
    kept = structured_positions(regimes)
    counts = {"n_structured": len(kept), "n_positions": 0 if x is None else len(x)}
    if x is None or len(kept) < FEWEST:
        return POSITION_SHAPE.empty(**counts, n_surrogates=0)
    rows = x[kept].astype(np.float64)
    grid = np.geomspace(scales[0], scales[1], n_scales)
    how = Search(n_planes, n_bars, grid, tolerance, factor, parts_gap, smallest_part)
    streams = np.random.default_rng(seed).spawn(len(SURROGATES))
    drawn = {
        name: [shape_of(table, kept, how) for table in NULLS[name](rows, kept, n_surrogates, rng)]
        for name, rng in zip(SURROGATES, streams, strict=True)
    }
    waves = sinusoidal_positions(len(x), rows.shape[1], base=base)[kept]
    own, beside = shape_of(rows, kept, how), shape_of(waves, kept, how)
    shapes = (own, beside, drawn, level)
    declared = POSITION_SHAPE.tables
    return {
        "loops": declared["loops"].of(_loops(own, drawn, level)),
        "planes": declared["planes"].of(_planes(*shapes)),
        "scales": declared["scales"].of(_scales(grid, *shapes)),
        "values": declared["values"].of(_values(*shapes)),
        "json": {**counts, "n_surrogates": n_surrogates},
    }


def _loops(own: Shape, drawn: dict[str, list[Shape]], level: float) -> Iterator[dict[str, Any]]:
    """Yield the longest loops, with the share of surrogates whose longest loop is shorter."""
    for space, bars in own.bars.items():
        longest = {
            name: np.array([shape.values[space, "longest_loop"][0] for shape in shapes])
            for name, shapes in drawn.items()
        }
        for rank, (birth, death) in enumerate(bars[np.isfinite(bars[:, 0])], start=1):
            shorter = {
                name: float((lengths < death - birth).mean()) for name, lengths in longest.items()
            }
            yield {
                **{"space": space, "rank": rank, "birth": birth, "death": death},
                "length": death - birth,
                "shorter_random_walks": shorter["random_walk"],
                "shorter_stationary": shorter["stationary"],
                "verdict": STANDS if min(shorter.values()) >= level else FALLS,
            }


def _beside(
    read: Read, beside: Shape, drawn: dict[str, list[Shape]], level: float
) -> dict[str, Float[np.ndarray, " value"]]:
    """Return the columns of `BESIDE` for the values that `read` takes from a shape."""
    columns = {"sinusoids": read(beside)}
    for name, shapes in drawn.items():
        ends = mean_and_range(np.array([read(shape) for shape in shapes]), level)
        columns |= {f"{name}{end}": y for end, y in zip(("", "_low", "_high"), ends, strict=True)}
    return columns


def _planes(own: Shape, beside: Shape, drawn: dict[str, list[Shape]], level: float) -> pd.DataFrame:
    columns = ["explained_variance", "turns", "period", "power_share"]
    table = pd.DataFrame(own.planes, columns=columns)
    table.insert(0, "plane", np.arange(1, len(table) + 1))
    return table.assign(**_beside(lambda shape: shape.planes[:, 1], beside, drawn, level))


def _slopes_at(place: tuple[str, str], shape: Shape) -> Float[np.ndarray, " scale"]:
    return shape.slopes[place]


def _value_at(place: tuple[str, str], shape: Shape) -> Float[np.ndarray, "1"]:
    return shape.values[place][:1]


def _scales(
    grid: Float[np.ndarray, " scale"],
    own: Shape,
    beside: Shape,
    drawn: dict[str, list[Shape]],
    level: float,
) -> pd.DataFrame:
    parts = []
    for place, slope in own.slopes.items():
        space, method = place
        columns = _beside(partial(_slopes_at, place), beside, drawn, level)
        parts.append(
            pd.DataFrame({"scale": grid, "slope": slope, **columns}).assign(
                space=space, method=method
            )
        )
    return pd.concat(parts, ignore_index=True)


def _values(
    own: Shape, beside: Shape, drawn: dict[str, list[Shape]], level: float
) -> list[dict[str, Any]]:
    rows = []
    for place, (value, low, high) in own.values.items():
        columns = _beside(partial(_value_at, place), beside, drawn, level)
        draws = [np.array([_value_at(place, shape)[0] for shape in drawn[name]]) for name in drawn]
        rows.append(
            {
                **{"space": place[0], "measure": place[1], "value": value},
                **{"smallest_scale": low, "largest_scale": high},
                **{name: column[0] for name, column in columns.items()},
                **{f"n_{name}": _n_defined(shapes, place) for name, shapes in drawn.items()},
                "verdict": _verdict(place[1], value, draws, level),
            }
        )
    return rows


def _verdict(
    measure: str, value: float, drawn: list[Float[np.ndarray, " surrogate"]], level: float
) -> str:
    """Return whether a value lies outside of a share `level` of each kind of surrogates.

    Loops and parts stand only above theirs. Undefined without a value, and where fewer surrogates
    of a kind than this share have one.
    """
    if np.isnan(value) or any(np.isfinite(draws).mean() < level for draws in drawn):
        return UNDEFINED
    if measure in UPWARD:
        return STANDS if all((draws < value).mean() >= level for draws in drawn) else FALLS
    low, high = np.nanquantile(np.array(drawn), [(1 - level) / 2, (1 + level) / 2], axis=1)
    return STANDS if ((value < low) | (value > high)).all() else FALLS


def _n_defined(shapes: Sequence[Shape], place: tuple[str, str]) -> int:
    return sum(bool(np.isfinite(shape.values[place][0])) for shape in shapes)


main = POSITION_SHAPE.main(measure_position_shape)

if __name__ == "__main__":
    run_stage(main, measure_position_shape)
