"""Tells how far content and function words drift, which `measure_token_tracker` measures."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.canvas import percent
from embspace.draw.page.looks import BLUE, ORANGE, Look
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_token_tracker"
DRAWN_IN = "token_paths"
GROUPS = {
    "content": Look("content words", BLUE, "o", "-"),
    "function": Look("function words", ORANGE, "s", "-"),
}
RANDOM = "random_weights_value"
OTHERWISE = "not clearly otherwise than at random weights"
NO_TEXT = "No text with words of both lists was read."


def draw_token_tracker(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return how many words are nearest to their own token at the last layer, and all tables."""
    return _finding(results["layers"]), _tables(results, label, digits)


def at_sum(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows at the source's point, the sum after attention, with the vocabulary as it is.

    Where the sum cannot be rebuilt, the rows of layer outputs.
    """
    point = "attention_sum" if (table["point"] == "attention_sum").any() else "output"
    points = table["point"].isin(["embedding", point])
    return table[points & (table["positions"] == "none")]


def _finding(layers: pd.DataFrame) -> str:
    """Return how many words of every group are nearest to their own token at the last layer."""
    if layers.empty:
        return "No words to follow"
    last = layers["layer"].max()
    rows = at_sum(layers[(layers["layer"] == last) & (layers["quantity"] == "nearest")])
    rows = rows.drop_duplicates("group").set_index("group").loc[[*GROUPS]]
    content, function = map(share_of_words, rows["value"])
    return (
        f"At layer {last}, {content} of content and {function} of function words are still nearest "
        f"to their own token{_beside(rows)}"
    )


def _beside(rows: pd.DataFrame) -> str:
    """Return the shares at random weights, and whether both are near the intervals; else ""."""
    if rows[RANDOM].isna().any():
        return ""
    untrained = " and ".join(map(share_of_words, rows[RANDOM]))
    if _is_near(rows).all():
        return f", {OTHERWISE} ({untrained})"
    return f" (random weights: {untrained})"


def _is_near(rows: pd.DataFrame) -> pd.Series:
    """Return where random weights are at most the width of a known interval beyond the interval.

    The interval is over texts alone; networks with random weights differ, too.
    """
    width = rows["high"] - rows["low"]
    return rows[RANDOM].between(rows["low"] - width, rows["high"] + width)


def share_of_words(value: float) -> str:
    """Return a share in percent, also one of zero."""
    return percent(value) if value else "0 %"


def _tables(results: Results, label: str, digits: int) -> str:
    """Return the statistics of the claims and, behind a fold, contrasts and groups by layer."""
    statistics = section(
        "Statistics",
        "Own ranks after attention and residual, before LayerNorm, if the blocks of the "
        "architecture can be rebuilt; intervals over texts, of homonyms over words. What each is "
        "compared with: data/published/avery_token_tracker.yaml. Classes dealt anew: which types "
        "of words are content words and which function words, with the range of the draws and the "
        "probability of a value as large.",
        _shown(results, "summary", digits),
    )
    contrasts = section(
        "Contrasts by layer",
        "The probability that a token of the first group has the larger rank, or cosine, 0.5 if "
        "the groups are alike; and differences of the means, first less second.",
        _shown(results, "contrasts", digits),
    )
    layers = section(
        "Groups by layer",
        "Means over tokens: log10(1 + rank), cosine, distance, share whose own token is nearest. "
        "`output`: where the sum after attention cannot be rebuilt, the layer's output.",
        _shown(results, "layers", digits),
    )
    movement = section(
        "Where tokens move",
        "Shares of the layers in the way of the block outputs, and in all changes of log rank and "
        "cosine after attention.",
        _shown(results, "movement", digits),
    )
    title = f"Drift of tokens from their own embeddings in {label}"
    return tables_page(title, STAGE, statistics, contrasts, layers, movement)


def _shown(results: Results, name: str, digits: int) -> str:
    """Return a table in Markdown, of several vocabularies the rows of the plain one."""
    table = results[name]
    plain = table[table["positions"] == "none"] if "positions" in table else table
    shown = results.for_readers(name, plain)
    named = [str(name) for name in shown if shown[name].dtype.kind in "OT"]
    spaced = shown.assign(**{name: shown[name].str.replace("_", " ") for name in named})
    return markdown_table(spaced, digits)
