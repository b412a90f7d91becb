"""Tells, with tables, what vectors of a model's layers owe to their word and their text."""

from pydantic import NonNegativeInt

from embspace.draw.layers.profile_tables import Finding, profile_page
from embspace.draw.page.saving import Results

DRAWN_IN = "profile"
FINDING = Finding(
    "measure_context",
    "adjusted_self_similarity",
    "smallest",
    "{vectors} differ most between texts",
)


def draw_context(
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
