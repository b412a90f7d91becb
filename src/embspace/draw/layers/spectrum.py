"""Tells, with tables, how far the variance of a model's layers is spread over directions."""

from pydantic import NonNegativeInt

from embspace.draw.layers.profile_tables import Finding, profile_page
from embspace.draw.page.saving import Results

DRAWN_IN = "profile"
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
    digits: NonNegativeInt,
) -> tuple[str, str]:
    """Return a sentence and tables, as `profile_page`."""
    return profile_page(
        results, label, FINDING, measures=measures, nulls=nulls, corpus=corpus, digits=digits
    )
