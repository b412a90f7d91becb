"""Figure and tables of `measure_context`."""

import pandas as pd
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.layer_profiles import Words, draw_profiles

RESULTS = ("profiles.csv", "nulls.csv", "curves.csv")
WORDS = Words(
    stage="measure_context",
    title="What does a vector owe to its word, and what to its text?",
    units={
        "adjusted_self_similarity": "adjusted\nself-similarity",
        "intra_sentence_similarity": "intra-sentence\nsimilarity",
        "maximum_explainable_variance": "maximum explainable\nvariance",
    },
)


def draw_context(
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
