"""Draws figure and tables of the hubs among the vectors of a model's layers."""

from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.layers.layer_profiles import Finding, draw_profiles
from embspace.draw.page.saving import Results

FINDING = Finding(
    "measure_hubs",
    "hubness",
    "largest",
    "{vectors} have the strongest hubs",
    "Hubs of {vectors} are no stronger than those of a Gaussian, the strongest",
)


def draw_hubs(
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
