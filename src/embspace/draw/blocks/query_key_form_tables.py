"""Tables of the forms of queries and keys, for readers."""

from typing import Any

import pandas as pd

from embspace.draw.page.markdown import markdown_table, number, section, tables_page
from embspace.draw.page.saving import Results

NAMES = {
    "symmetry": "symmetry",
    "directionality": "directionality",
    "effective_rank": "effective rank",
    "top_share": "share of the largest singular value",
    "positive_share": "eigenvalues of positive real part, share",
    "complex_share": "complex eigenvalues, share",
    "smallest_angle": "smallest angle (°)",
    "median_angle": "median angle (°)",
    "largest_angle": "largest angle (°)",
    "overlap": "overlap of row spaces",
    "key_only_share": "share of the key-only term",
    "mean_query_share": "share of the mean query",
}
KINDS = {"random_initialization": "random weights", "shuffled_entries": "weights shuffled"}
NULLS = ["layer", "measure", "null", "median", "null_mean", "null_smallest", "null_largest"]
NULLS += ["n_below", "n_within", "n_above"]
MOST_LAYERS = 25  # of the first table, the last ones
LAYERS_NOTE = (
    "Of the form that all heads of a layer add up to, without biases. In brackets the range over "
    "random weights."
)
PRINTED_NOTE = (
    "On the scale of the tables of Saponati et al. 2025 (arXiv 2502.10927): 2 s - 1 of symmetry, "
    "the negative of directionality."
)
HEADS_NOTE = (
    "Key only and mean query: shares in the variance of scores over keys, with 95 % intervals over "
    "texts; a dash where queries have no bias, and where positions are rotary. Random weights "
    "begin without a key-only term."
)
NULLS_NOTE = (
    "How many heads lie below, within and above the range over all heads and seeds of the layer "
    "with random weights. Overlap is the mean squared cosine of the angles."
)


def tables_of(results: Results, label: str, digits: int) -> str:
    """Return the page: layers first; behind a fold the published numbers, and the heads."""
    profiles, nulls = results["profiles"], results["nulls"]
    beside = nulls[(nulls["part"] == "head") & nulls["median"].notna()]
    layers = _layers(nulls)
    symmetry = layers[layers["measure"] == NAMES["symmetry"]].tail(MOST_LAYERS)
    at_random = results.for_readers("nulls", beside, NULLS, measure=NAMES, null=KINDS)
    return tables_page(
        f"Queries and keys of {label}",
        "measure_query_key_form",
        section(
            "Symmetry of a layer", _layers_note(results["json"]), markdown_table(symmetry, digits)
        ),
        section("All heads of a layer", "", markdown_table(layers, digits)),
        section("As printed", PRINTED_NOTE, markdown_table(_printed(profiles), digits)),
        section("Heads beside random weights", NULLS_NOTE, markdown_table(at_random, digits)),
        section("Heads", HEADS_NOTE, markdown_table(results.for_readers("heads"), digits)),
    )


def _layers_note(facts: dict[str, Any]) -> str:
    """Return what the form is, where positions are rotary or heads share keys."""
    notes = [LAYERS_NOTE]
    if facts["rotary_positions"]:
        notes.append("Positions are rotary: the form is that of a token and itself.")
    if facts["n_key_heads"] < facts["n_heads"]:
        keys = "the same keys" if facts["n_key_heads"] == 1 else f"{facts['n_key_heads']} keys"
        notes.append(f"The {facts['n_heads']} heads of a layer share {keys}.")
    return " ".join(notes)


def _layers(nulls: pd.DataFrame) -> pd.DataFrame:
    """Return a row per layer and measure: the value, and the ranges of random weights by kind."""
    rows = nulls[nulls["part"] != "head"]
    keys = ["part", "layer", "measure"]
    table = rows.drop_duplicates(keys)[[*keys, "median"]].rename(columns={"median": "value"})
    for kind, name in KINDS.items():
        at_random = rows[rows["null"] == kind]
        ends = zip(at_random["null_smallest"], at_random["null_largest"], strict=True)
        table[name] = [f"[{number(low, 3)}, {number(high, 3)}]" for low, high in ends]
    table["layer"] = _layer_names(table)
    return table.drop(columns="part").assign(measure=table["measure"].map(NAMES))


def _printed(profiles: pd.DataFrame) -> pd.DataFrame:
    rows = profiles[profiles["as_printed"].notna()]
    named = rows.assign(layer=_layer_names(rows))
    wide = named.pivot_table("as_printed", "measure", "layer", sort=False)
    wide.columns = [f"layer {layer}" if layer != "median" else str(layer) for layer in wide]
    return wide.reset_index()


def _layer_names(rows: pd.DataFrame) -> list[str]:
    return ["median" if pd.isna(layer) else str(int(layer)) for layer in rows["layer"]]
