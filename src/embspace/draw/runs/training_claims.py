"""Tells which published claims hold, by run and seed, from `measure_training_claims`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import counted
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.runs.steps import with_runs

STAGE = "measure_training_claims"
DRAWN_IN = "training"
# What each claim is about, with anisotropy for the share of variance along the first axis.
CLAIMS = {
    "flat over layers": "anisotropy is flat over layers",
    "bell-shaped over layers": "anisotropy is a bell over layers",
}


def draw_training_claims(
    results: Results, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return in how many models each claim holds, and tables of verdicts and statistics."""
    title = "Claims on training"
    if results["csv"].empty:
        none = f"{label}: no run models language, and no claim is about another"
        return none, tables_page(title, STAGE, "None.\n")
    table = with_runs(results["csv"], label).sort_values(["section", "claimed_of", "run", "seed"])
    return _finding(table), tables_page(title, STAGE, *_tables(table, digits))


def _finding(table: pd.DataFrame) -> str:
    """Return by claim in how many models of the claimed kind the claim holds."""
    own = table[table["claimed_of"] == table["kind"]]
    claims: dict[str, list[str]] = {}
    for (claim, kind), rows in own.groupby(["claim", "claimed_of"], sort=False):
        held = f"{(rows['verdict'] == 'matches').sum()} of {counted(len(rows), str(kind))}"
        claims[held] = [*claims.get(held, []), f"“{CLAIMS.get(str(claim), str(claim))}”"]
    is_held = own["verdict"].eq("matches").groupby(own["claim"]).min()
    verb = "holds" if is_held.sum() == 1 else "hold"
    words = f"{is_held.sum()} of {counted(len(is_held), 'published claim')} {verb} in every model"
    parts = [f"{' and '.join(names)} in {held}" for held, names in claims.items()]
    return f"{words} ({'; '.join(parts)})"


def _tables(table: pd.DataFrame, digits: int) -> list[str]:
    """Return the verdicts by claim and run, and folded all statistics by seed."""
    counts = table.groupby(["section", "claim", "claimed_of", "run", "verdict"], sort=False).size()
    named = [
        f"{verdict} ({n})"
        for verdict, n in zip(counts.index.get_level_values(-1), counts, strict=True)
    ]
    cells = counts.reset_index().assign(words=named)
    keys = ["section", "claim", "claimed_of"]
    matrix = cells.groupby([*keys, "run"], sort=False)["words"].agg("; ".join).unstack()
    shown = matrix.fillna("not asked").reset_index().astype({"section": str})
    note = (
        "With the number of seeds. Razzhigaev et al. 2024 (arXiv 2311.05928), sections 4.1 to 4.3; "
        "the claims on training are asked of encoders, too. A claim depends on the rule where its "
        "verdict is another if the embeddings are one of the layers; it is undecided where one "
        "checkpoint less, or other batches, would move it across its bound."
    )
    rules = "The rules stand in conf/measure/runs/training_claims.yaml."
    every = markdown_table(table.astype({"section": str}), digits)
    return [
        section("Verdicts, by claim and run", note, markdown_table(shown, digits)),
        section("Statistics, by seed", rules, every),
    ]
