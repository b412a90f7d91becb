"""Stage `measure_helix`: the path of the positions in their first three principal components.

Luisto's thesis, figure 19: a helix that turns once in about 22 positions. The thesis counts turns
by eye; its notebook takes a Fourier transform of fewer rows, in a plane chosen by hand. Both
periods stand beside ours, under separate names.
"""

from dataclasses import asdict
from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import Field, NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Table
from embspace.clouds.learned import structured_positions
from embspace.geometry.maps.lines import one_dimensionality
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.positional.helix import (
    advance,
    cumulative_turns,
    dominant_frequency,
    periodogram,
    spectral_peak,
    winding,
    winding_plane,
)
from embspace.measure.positional.helix_measures import N_COMPONENTS, path_measures
from embspace.measure.tables.columns import LINE, against_nulls_columns
from embspace.measure.tables.table_nulls import against_nulls
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

HELIX = Analysis(
    noun="helix",
    question="Do the positions wind, and how fast? Fig. 19",
    reads={
        "matrices": "data/extracted/embeddings/{model}.safetensors",
        "regimes": "results/regimes/positions/{model}.csv",
    },
    tables={
        "path": Table(  # a row for each structured position
            {
                "position": "row",
                "component_1": "moment",
                "component_2": "moment",
                "component_3": "moment",
                "plane_x": "moment",
                "plane_y": "moment",
                "turns": "turning",
            }
        ),
        "periods": Table(
            {
                "definition": ("row", "definition"),
                "first_position": ("count", "first position"),
                "last_position": ("count", "last position"),
                "n": "count",
                "n_turns": ("turning", "turns"),
                "period": ("turning", "period"),
                "coherence": ("turning", "coherence"),
                "power_share": ("turning", "share of power"),
                "null_coherence": ("null_value", "coherence, shuffled"),
                "null_coherence_high": "null_value",
                "null_power_share": ("null_value", "share of power, shuffled"),
                "null_power_share_high": "null_value",
            }
        ),
        "spectrum": Table({"frequency": "row", "power": "share"}),
        "one_dimensionality": Table(  # in the full space and in three components
            {"representation": ("row", "representation"), "n": ("count", "n"), **LINE}
        ),
        # Measures of the path beside those of a smooth path that encodes nothing.
        "nulls": Table({"measure": "row", **against_nulls_columns("turning")}),
    },
    scalars={
        "n_structured": "count",
        "n_positions": "count",
        "advance": "rank_share",  # correlation of position and coordinate along the axis
        "explained_variance_*": "share",
    },
)
FEWEST = 8  # positions, of which one can ask for a period
PlanePoint = Annotated[list[float], Field(min_length=2, max_length=2)]
PositionRange = Annotated[list[NonNegativeInt], Field(min_length=2, max_length=2)]


def measure_helix(
    matrices: dict[str, np.ndarray],
    regimes: pd.DataFrame,
    *,
    n_shuffles: PositiveInt,
    n_null_tables: PositiveInt,
    level: Share,
    n_spectrum_bins: PositiveInt,
    notebook_plane: Annotated[list[PlanePoint], Field(min_length=3, max_length=3)],
    notebook_positions: PositionRange,
    notebook_positions_as_coded: PositionRange,
    notebook_samples: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Return turns, period and one-dimensionality of the structured positions.

    `regimes` is the table of positions of `measure_regimes`. `nulls` has the same measures for
    smooth paths that encode nothing: `n_null_tables` tables per null, with the range that holds a
    share `level`.
    """
    x = matrices.get("positional")
    kept = structured_positions(regimes)
    if x is None or len(kept) < FEWEST:
        return HELIX.empty(n_structured=len(kept), n_positions=0 if x is None else len(x))
    components = principal_components(x[kept], n_components=N_COMPONENTS)
    plane = winding_plane(components.coordinates, kept)
    for_order, for_shuffles, for_nulls = np.random.default_rng(seed).spawn(3)
    periods = [
        *_own_periods(components.coordinates, kept, n_shuffles, for_shuffles),
        _thesis_text(plane, kept),
    ]
    for definition, (first, end) in {
        "notebook": notebook_positions,
        "notebook_as_coded": notebook_positions_as_coded,
    }.items():
        rows = np.arange(first, min(end, len(x)))
        periods.append(_notebook(definition, x, rows, notebook_plane, notebook_samples))
    path = [kept, components.coordinates, plane.real, plane.imag, cumulative_turns(plane)]
    columns = [*HELIX.tables["path"].columns]
    representations = {"full_space": x[kept], "components": components.coordinates}
    return {
        "path": pd.DataFrame(np.column_stack(path), columns=columns).astype({"position": int}),
        "periods": pd.DataFrame(periods),
        "spectrum": _spectrum(plane, kept, n_spectrum_bins),
        "one_dimensionality": _lines(representations, kept, n_shuffles, for_order),
        "nulls": against_nulls(
            x[kept],
            kept,
            partial(path_measures, positions=kept),
            ["measure"],
            n_tables=n_null_tables,
            level=level,
            rng=for_nulls,
        ),
        "json": {
            "n_structured": len(kept),
            "advance": advance(components.coordinates, kept),
            **{
                f"explained_variance_{number}": float(share)
                for number, share in enumerate(components.explained_variance, start=1)
            },
        },
    }


def _lines(
    representations: dict[str, Float[np.ndarray, "n _"]],
    positions: Int[np.ndarray, " n"],
    n_shuffles: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Return a row per representation: how closely the positions follow a line."""
    streams = rng.spawn(len(representations))
    rows = [
        {
            "representation": name,
            **asdict(one_dimensionality(x, positions, n_shuffles=n_shuffles, rng=stream)),
        }
        for (name, x), stream in zip(representations.items(), streams, strict=True)
    ]
    return pd.DataFrame(rows)


def _period(
    definition: str,
    positions: Int[np.ndarray, " n"],
    period: float,
    *,
    n_turns: float = np.nan,
    coherence: float = np.nan,
    power_share: float = np.nan,
) -> dict[str, object]:
    """Return a row of the table `periods`, without nulls."""
    return {
        "definition": definition,
        "first_position": float(positions[0]) if len(positions) else np.nan,
        "last_position": float(positions[-1]) if len(positions) else np.nan,
        "n": len(positions),
        "n_turns": n_turns,
        "period": period,
        "coherence": coherence,
        "power_share": power_share,
    }


def _own_periods(
    path: np.ndarray, positions: np.ndarray, n_shuffles: int, rng: np.random.Generator
) -> list[dict[str, object]]:
    plane = winding_plane(path, positions)
    turning, peak = winding(plane, positions), spectral_peak(plane, positions)
    shuffled = [winding_plane(rng.permutation(path), positions) for _ in range(n_shuffles)]
    coherences = [winding(null_plane, positions).coherence for null_plane in shuffled]
    shares = [spectral_peak(null_plane, positions).power_share for null_plane in shuffled]
    winding_row = _period(
        "winding_number",
        positions,
        turning.period,
        n_turns=turning.n_turns,
        coherence=turning.coherence,
    )
    spectrum_row = _period("spectrum", positions, peak.period, power_share=peak.power_share)
    return [
        winding_row | _null("coherence", coherences),
        spectrum_row | _null("power_share", shares),
    ]


def _null(name: str, shuffled: list[float]) -> dict[str, float]:
    high = float(np.quantile(shuffled, 0.975))
    return {f"null_{name}": float(np.mean(shuffled)), f"null_{name}_high": high}


def _thesis_text(plane: np.ndarray, positions: np.ndarray) -> dict[str, object]:
    """Return the period as the thesis counts it: positions from 0 to the last over whole turns.

    In the thesis, 384 positions over 17 turns.
    """
    n_turns = int(abs(winding(plane, positions).n_turns))
    period = (int(positions[-1]) + 1) / n_turns if n_turns else np.nan
    return _period("thesis_text", positions, period, n_turns=n_turns)


def _notebook(
    definition: str,
    x: Float[np.ndarray, "n dim"],
    positions: Int[np.ndarray, " row"],
    notebook_plane: list[list[float]],
    notebook_samples: int,
) -> dict[str, object]:
    """Return the period of the horizontal axis, with every row scaled to length 1 in the plane.

    The period is 1 over the dominant frequency. The sign of a principal component is free, and the
    plane mixes two components: the opposite relative sign gives a different plane. Undefined if the
    model has too few positions.
    """
    if len(positions) < FEWEST:
        return _period(definition, positions, np.nan)
    components = principal_components(x[positions], n_components=N_COMPONENTS)
    seen = components.coordinates @ np.array(notebook_plane)
    seen = seen - seen.mean(axis=0)
    seen /= np.linalg.norm(seen, axis=1, keepdims=True)
    return _period(definition, positions, 1 / dominant_frequency(seen[:notebook_samples, 0]))


def _spectrum(plane: np.ndarray, positions: np.ndarray, n_spectrum_bins: int) -> pd.DataFrame:
    """Return the spectrum of both directions of turning together; the powers sum to 1."""
    power, frequencies = periodogram(plane, positions)
    edges = np.linspace(0, 0.5, n_spectrum_bins + 1)
    binned, _ = np.histogram(np.abs(frequencies), bins=edges, weights=power / power.sum())
    return pd.DataFrame({"frequency": (edges[:-1] + edges[1:]) / 2, "power": binned})


main = HELIX.main(measure_helix)

if __name__ == "__main__":
    run_stage(main, measure_helix)
