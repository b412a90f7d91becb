"""Tells which tokens lie near the mean embedding, with a table, as Luisto's table 3."""

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from embspace.draw.learned.tokens_and_mean import farthest_kind, tokens_and_mean
from embspace.draw.page.looks import TOKEN_KINDS
from embspace.draw.page.markdown import (
    code,
    for_readers,
    markdown_table,
    same,
    section,
    tables_page,
)
from embspace.draw.page.saving import Results

FURTHER_RESULTS = ("data/extracted/embeddings.parquet",)
COLUMNS = {
    **same("extreme", "token"),
    "euclidean_distance": "Euclidean distance",
    "dot_product": "dot product",
    **same("cosine", "norm"),
}
LITTLE = 0.05  # a median cosine, below which a kind does not point where the mean does
DRAWN_IN = "norm_and_mean_cosine"


def draw_mean_embedding(
    results: Results,
    label: str,
    *,
    n_tokens: PositiveInt,
    fewest: PositiveInt,
    digits: NonNegativeInt,
) -> tuple[str, str]:
    """Return the kind of token farthest from words by its cosine with the mean, and a table."""
    finding = _finding(tokens_and_mean(results.tables), fewest)
    return finding, _table(results["tokens"], label, n_tokens, digits)


def _finding(tokens: pd.DataFrame, fewest: int) -> str:
    kind = farthest_kind(tokens, "cosine", fewest)
    medians = tokens.groupby("kind")["cosine"].median()
    if kind is None:
        return f"The median cosine of a token with the mean is {tokens['cosine'].median():.2f}"
    large = medians[tokens["kind"].value_counts() >= fewest]
    if large.abs().max() < LITTLE:
        ends = f"{large.min():z.2f} to {large.max():z.2f}"
        return f"No kind of token points where the mean points: median cosines {ends}"
    return (
        f"Median cosine with the mean: {TOKEN_KINDS[kind].name} {medians[kind]:.2f}, "
        f"words {medians['word']:.2f}"
    )


def _table(tokens: pd.DataFrame, label: str, n_tokens: int, digits: int) -> str:
    rows = tokens[tokens["rank"] <= n_tokens]
    extreme = rows["order"] + " " + rows["quantity"].str.replace("_", " ")
    shown = for_readers(rows.assign(extreme=extreme, token=rows["token"].map(code)), COLUMNS)
    note = (
        "Words of three or more Latin letters; distance, dot product and cosine to the mean of "
        "all token embeddings."
    )
    body = section("Extreme tokens", note, markdown_table(shown, digits))
    return tables_page(f"The mean token embedding of {label}", "measure_mean_embedding", body)
