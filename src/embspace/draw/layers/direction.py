"""Tells, with tables, how alike the vectors of a model's layers point."""

from pydantic import NonNegativeInt

from embspace.draw.layers.profile_tables import Finding, profile_page
from embspace.draw.page.saving import Results

DRAWN_IN = "profile"
FINDING = Finding("measure_direction", "mean_cosine", "largest", "{vectors} point most alike")


def draw_direction(
    results: Results,
    label: str,
    *,
    measures: list[str],
    nulls: list[str],
    corpus: str,
    digits: NonNegativeInt,
) -> tuple[str, str]:
    """Return a sentence and tables, as `profile_page`."""
    return profile_page(
        results, label, FINDING, measures=measures, nulls=nulls, corpus=corpus, digits=digits
    )
