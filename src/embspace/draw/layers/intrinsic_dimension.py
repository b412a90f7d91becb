"""Tells, with tables, the intrinsic dimension of a model's layers."""

from pydantic import NonNegativeInt

from embspace.draw.layers.profile_tables import Finding, profile_page
from embspace.draw.page.saving import Results

DRAWN_IN = "profile"
FINDING = Finding(
    "measure_intrinsic_dimension", "two_nn", "largest", "{vectors} have the most dimensions"
)


def draw_intrinsic_dimension(
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
