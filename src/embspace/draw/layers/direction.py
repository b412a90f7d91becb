"""Draws figure and tables of how alike the vectors of a model's layers point."""

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.layer_profiles import Finding, draw_profiles
from embspace.draw.page.saving import Results

FINDING = Finding("measure_direction", "mean_cosine", "largest", "{vectors} point most alike")


def draw_direction(
    results: Results,
    label: str,
    *,
    measures: list[str],
    nulls: list[str],
    corpus: str,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw a row per measure and a column per space, as `draw_profiles`."""
    return draw_profiles(
        results,
        label,
        FINDING,
        measures=measures,
        nulls=nulls,
        corpus=corpus,
        row_height_mm=row_height_mm,
        digits=digits,
    )
