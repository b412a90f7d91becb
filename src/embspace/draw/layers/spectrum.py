"""Draws figure and tables of how far the variance of a model's layers is spread over directions."""

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.layer_profiles import Finding, draw_profiles
from embspace.draw.page.saving import Results

FINDING = Finding(
    "measure_spectrum",
    "debiased_participation_ratio",
    "smallest",
    "variance of {vectors} lies in the fewest directions",
)


def draw_spectrum(
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
