"""Figure and tables of `measure_spectrum`."""

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.layer_profiles import Words, draw_profiles

RESULTS = ("profiles.csv", "nulls.csv", "curves.csv")
WORDS = Words(
    stage="measure_spectrum",
    title="Over how many directions is the variance of a layer spread?",
    units={
        "debiased_participation_ratio": "participation ratio,\ndebiased",
        "partition_isotropy_at_unit_norm": "partition isotropy\nat unit norm",
        "top_variance_share": "top variance\nshare",
    },
)


def draw_spectrum(
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
