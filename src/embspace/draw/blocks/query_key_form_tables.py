"""Tables of the forms of queries and keys, for readers."""

from typing import Any

import pandas as pd

from embspace.draw.page.markdown import (
    interval,
    markdown_table,
    number,
    same,
    section,
    tables_page,
)

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
NULLS = {
    **same("layer"),
    "measure": "measure",
    "null": "random",
    **same("median"),
    "null_mean": "mean at random",
    "null_smallest": "smallest at random",
    "null_largest": "largest at random",
    "n_below": "below",
    "n_within": "within",
    "n_above": "above",
}
HEADS = {
    **same("layer", "head", "symmetry", "directionality"),
    "effective_rank": "effective rank",
    "positive_share": "positive real part",
    "smallest_angle": "smallest angle (°)",
    "median_angle": "median angle (°)",
    "overlap": "overlap",
    **interval("key_only_share", "key only"),
    **interval("mean_query_share", "mean query"),
}
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
    "texts; a dash where queries have no bias, and where positions are rotary. The gray range "
    "beside them in the figure is of the mean query; random weights begin without a key-only term."
)
NULLS_NOTE = (
    "How many heads lie below, within and above the range over all heads and seeds of the layer "
    "with random weights. Overlap is the mean squared cosine of the angles."
)


def tables_of(results: dict[str, Any], label: str, digits: int) -> str:
    """Return the page: layers first; behind a fold what others print, and the heads."""
    profiles, nulls, heads = results["profiles"], results["nulls"], results["heads"]
    return tables_page(
        f"Queries and keys of {label}",
        "measure_query_key_form",
        section("All heads of a layer", LAYERS_NOTE, markdown_table(_layers(nulls), digits)),
        section("As printed", PRINTED_NOTE, markdown_table(_printed(profiles), digits)),
        section("Heads beside random weights", NULLS_NOTE, markdown_table(_nulls(nulls), digits)),
        section("Heads", HEADS_NOTE, markdown_table(heads[[*HEADS]].rename(columns=HEADS), digits)),
    )


def _layers(nulls: pd.DataFrame) -> pd.DataFrame:
    """Return a row a layer and measure, its value with the range of each kind of random weights."""
    rows = nulls[nulls["part"] != "head"]
    keys = ["part", "layer", "measure"]
    table = rows.drop_duplicates(keys)[[*keys, "median"]].rename(columns={"median": "value"})
    for kind, name in KINDS.items():
        of_kind = rows[rows["null"] == kind]
        ends = zip(of_kind["null_smallest"], of_kind["null_largest"], strict=True)
        table[name] = [f"[{number(low, 3)}, {number(high, 3)}]" for low, high in ends]
    table["layer"] = _layer_names(table)
    return table.drop(columns="part").assign(measure=table["measure"].map(NAMES))


def _printed(profiles: pd.DataFrame) -> pd.DataFrame:
    rows = profiles[profiles["as_printed"].notna()]
    named = rows.assign(layer=_layer_names(rows))
    wide = named.pivot_table("as_printed", "measure", "layer", sort=False)
    wide.columns = [f"layer {each}" if each != "median" else str(each) for each in wide]
    return wide.reset_index()


def _layer_names(rows: pd.DataFrame) -> list[str]:
    return ["median" if pd.isna(layer) else str(int(layer)) for layer in rows["layer"]]


def _nulls(nulls: pd.DataFrame) -> pd.DataFrame:
    rows = nulls[(nulls["part"] == "head") & nulls["median"].notna()]
    named = rows.assign(measure=rows["measure"].map(NAMES), null=rows["null"].map(KINDS))
    return named[[*NULLS]].rename(columns=NULLS)
