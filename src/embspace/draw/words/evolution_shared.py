"""Tells the energy shared by steps of different tokens, from `measure_evolution`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.looks import Look, corpus_looks, text_looks
from embspace.draw.words.evolution_tables import shared_tables
from embspace.files.tables import Tables

STAGE = "measure_evolution"
DRAWN_IN = "token_paths"
RESULTS = ("evolution/shared_steps.csv", "evolution/views.csv")
VALUE, RANDOM_VALUE = "shared_energy", "random_weights_shared_energy"


def draw_evolution_shared(
    results: Tables, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return the energy shared by steps of different tokens, and the tables."""
    return _finding(results["evolution/shared_steps"]), shared_tables(results, label, digits)


def _finding(table: pd.DataFrame) -> str:
    """Return the range over the steps of the first text and of each corpus.

    A range within that of random weights is no finding.
    """
    steps = table[(table["last_layer"] - table["first_layer"] == 1)]
    if steps.empty:
        return "No two tokens whose steps could be compared"
    own = steps[steps["tokens"] == steps["tokens"].iloc[0]]
    others = steps[steps[f"{VALUE}_low"].notna()].groupby("tokens", sort=False)[VALUE]
    looks = _looks(steps)
    ranges = [f", those of {looks[str(name)].name} {_range(values)}" for name, values in others]
    first = (
        f"Tokens of {next(iter(looks.values())).name} share {_range(own[VALUE])} of the energy of "
        "a step"
    )
    at_random = own[RANDOM_VALUE]
    if own[VALUE].between(at_random.min(), at_random.max()).all():
        return f"{first}, as with random weights: {_range(at_random)}{''.join(ranges)}"
    beside = ", more at each step" if (own[VALUE] < at_random).all() else ""
    beside = ", less at each step" if (own[VALUE] > at_random).all() else beside
    return f"{first}{''.join(ranges)}; random weights: {_range(at_random)}{beside}"


def _range(shares: pd.Series) -> str:
    """Return the smallest and the largest share; shares of opposite steps are below 0."""
    ends = (f"{100 * share:z.0f}" for share in (shares.min(), shares.max()))
    low, high = (end.replace("-", "\N{MINUS SIGN}") for end in ends)
    return f"{low} %" if low == high else f"{low} to {high} %"


def _looks(table: pd.DataFrame) -> dict[str, Look]:
    """Return the looks of texts and corpora; only corpora have intervals, over their texts."""
    corpora = set(table.loc[table[f"{VALUE}_low"].notna(), "tokens"])
    names = [str(name) for name in table["tokens"].unique()]
    texts = text_looks(name for name in names if name not in corpora)
    return texts | corpus_looks(name for name in names if name in corpora)
