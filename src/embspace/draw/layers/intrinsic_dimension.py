"""Figure and tables of `measure_intrinsic_dimension`."""

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.layer_profiles import Words, draw_profiles

RESULTS = ("profiles.csv", "nulls.csv", "curves.csv")
WORDS = Words(
    stage="measure_intrinsic_dimension",
    title="How many numbers say where a layer's vectors are?",
    units={
        "two_nn": "TwoNN",
        "two_nn_lowest_fifth_as_coded": "TwoNN, lowest fifth\nas coded",
        "mle_dimension": "MLE, 20 neighbours",
        "correlation_dimension": "correlation\ndimension",
    },
)


def draw_intrinsic_dimension(
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
