"""Tells where heads look along the gene, from `measure_sequence_attention`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import counted
from embspace.draw.page.markdown import for_readers, interval, markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.sequences.sequence_looks import first_run, in_words, rows_of_run

STAGE = "measure_sequence_attention"
DRAWN_IN = "attribution"
ANY, OWN = "defining sites of any class", "defining sites of its class"
FIRST = "first token"
SHOWN = [
    *("run", "model_seed", "layer", "head", "region", "ratio", "ratio_low", "ratio_high"),
    *("largest_ratio_of_random_heads", "above_random_heads"),
]


def draw_sequence_attention(
    results: Results, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return how many heads of the first run look at defining sites, and tables of all runs."""
    run = first_run(results["regions"])
    rows = rows_of_run(results["regions"], run) if run else results["regions"]
    tables = _tables(results, digits) if len(rows) else ["None.\n"]
    return _finding(rows), tables_page("Attention along the gene", STAGE, *tables)


def _finding(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "No run classifies simulated sequences"
    heads = rows[(rows["weights"] == "trained") & (rows["reader"] == FIRST)]
    any_site, own_site = (heads[heads["region"] == region] for region in (ANY, OWN))
    n_seeds = heads["model_seed"].nunique()
    seeds = f"{counted(n_seeds, 'seed')} × {len(any_site) // n_seeds}"
    return (
        f"{_n_true(any_site, 'above_random_heads')} of {len(any_site)} heads ({seeds}) have [CLS] "
        "look at defining sites of any class more than every random head does, "
        f"{_n_true(any_site, 'below_random_heads')} away from them; at the sequence's own sites: "
        f"{_n_true(own_site, 'above_random_heads')}"
    )


def _n_true(heads: pd.DataFrame, verdict: str) -> int:
    return int((heads[verdict].astype(str) == "True").sum())


def _tables(results: Results, digits: int) -> list[str]:
    regions, layers = results["regions"], results["layers"]
    keys = {"run": "run"} if "run" in regions else {}
    keys |= {"weights": "weights", "model_seed": "seed", "layer": "layer"}
    columns = {
        **keys,
        "head": "head",
        "reader": "reader",
        "region": "region",
        "n_documents": "sequences",
        **interval("ratio", "ratio"),
        "largest_random_ratio": "largest of random weights",
        "looks_there": "looks there",
        "smallest_ratio_of_random_heads": "smallest of all random heads",
        "largest_ratio_of_random_heads": "largest of these",
        "above_random_heads": "above them",
        "below_random_heads": "below them",
    }
    trained = regions[(regions["weights"] == "trained") & (regions["reader"] == FIRST)]
    top = trained.sort_values("ratio", ascending=False).groupby("region", sort=False).head(8)
    words = (
        "Ratio: attention to a place in the region over that to a place outside of it, 1 where it "
        "is even. A head looks there if the interval is above 1 and above the same head of all "
        "random weights, a rule that was fixed before. Many heads with random weights have an "
        "interval without 1, for sequences share their places; so it is also said, by a rule that "
        "was added after the results, which heads are above every head of all random weights, or "
        "below every one and 1. The eight largest of [CLS] by region."
    )
    short = {name: shown for name, shown in columns.items() if name in SHOWN}
    short["largest_ratio_of_random_heads"] = "largest of all random heads"
    top = top.assign(above_random_heads=in_words(top["above_random_heads"]))
    first = section("Heads", words, markdown_table(for_readers(top, short), digits))
    heads = regions[regions["weights"] == "trained"]
    every = section("All heads", "", markdown_table(for_readers(heads, columns), digits))
    shown = {**keys, "quantity": "quantity", "n_documents": "sequences"}
    shown |= interval("value", "value")
    named = layers.assign(quantity=layers["quantity"].str.replace("_", " "))
    by_layer = section("Layers", "", markdown_table(for_readers(named, shown), digits))
    return [first, by_layer, every]
