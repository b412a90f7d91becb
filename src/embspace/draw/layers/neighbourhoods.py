"""Figure and tables of `measure_neighbourhoods`."""

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.layer_profiles import Words, draw_profiles

RESULTS = ("profiles.csv", "nulls.csv", "curves.csv")
WORDS = Words(
    stage="measure_neighbourhoods",
    title="Who is whose neighbour at a layer?",
    units={
        "local_distance_variation": "variation of\nlocal distances",
    },
)


def draw_neighbourhoods(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    shown: list[str],
    corpus: str,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """The measures in `shown` over the layers, by space; see `draw_profiles`."""
    return draw_profiles(
        results,
        label,
        WORDS,
        shown=shown,
        corpus=corpus,
        row_height_mm=row_height_mm,
        digits=digits,
    )
