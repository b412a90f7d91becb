"""Tells where heads look and how widely, from `measure_head_features`."""

from typing import Any

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.attention.head_names import FEATURE_NAMES, head_name
from embspace.draw.page.canvas import count, percent
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

STAGE = "measure_head_features"
DRAWN_IN = "attention_patterns"
FURTHER_RESULTS = ("conf/measure/attention/head_features.yaml",)
SETTINGS = FURTHER_RESULTS[0]
REST = "value_without_first_key"
N_TOP = 3
NO_TEXT = "the model reads no text, or gives no attention of every layer"
NEAR_RANDOM = 0.02  # of tokens, within which heads spread their attention as random ones do
HALF = 0.5  # of the attention of the median head, from which on the title is about the first token
TIMES_RANDOM = 1.5  # the mass of random weights, from which on a head is named


def draw_head_features(results: Results, label: str, *, digits: NonNegativeInt) -> tuple[str, str]:
    """Return how widely heads look, and tables of all features of attention."""
    table, settings = results["heads"], results[SETTINGS]
    finding = _finding(table, settings["mass_share"])
    if table.empty:
        return finding, tables_page(f"Heads of {label}", STAGE, f"{NO_TEXT.capitalize()}.\n")
    return finding, _tables(results, label, digits)


def _finding(table: pd.DataFrame, mass_share: float) -> str:
    if table.empty:
        return f"No heads: {NO_TEXT}"
    previous = table[table["feature"] == "previous_mass"]
    best = previous.nlargest(1, "value").iloc[0]
    named = (
        f"; head {head_name(best['layer'], best['head'])} gives {percent(best['value'])} to the "
        "previous token"
    )
    if best["value"] < TIMES_RANDOM * best["random_weights"]:
        named = ""
    first, first_at_random = _median(table, "first_token_mass")
    if first >= HALF and not first < TIMES_RANDOM * first_at_random:
        said = f"The first token gets {percent(first)} of the attention of the median head"
        return f"{said}{_at_random(first_at_random, '')}{named}"
    median, random = _median(table, "k_share")
    spread = f"{percent(mass_share)} of their attention in {percent(median)} of the tokens or fewer"
    at_random = _at_random(random, "in ")
    if not named and abs(median - random) < NEAR_RANDOM:
        return f"Heads spread their attention as with random weights: half hold {spread}{at_random}"
    return f"Half of the heads hold {spread}{at_random}{named}"


def _median(table: pd.DataFrame, feature: str) -> tuple[float, float]:
    """Return the median of a feature over heads, and the mean of random weights."""
    rows = table[table["feature"] == feature]
    return float(rows["value"].median()), float(rows["random_weights"].mean())


def _at_random(value: float, before: str) -> str:
    return "" if pd.isna(value) else f", with random weights {before}{percent(value)}"


def _tables(results: Results, label: str, digits: int) -> str:
    first, *more = (
        pd.concat([_extremes(results, feature, n) for feature in FEATURE_NAMES]) for n in (1, N_TOP)
    )
    columns = ["feature", "head", "value", "value_low", "value_high", *map(str, first)]
    columns = [*dict.fromkeys(column for column in columns if "without" not in column)]
    features = section(
        "Features",
        "For each feature the head with the largest value, the mean over texts with its interval "
        "over texts, and the median over heads. With random weights any two heads of a layer are "
        "alike: the mean and the central range are over heads and seeds. A feature that no text "
        f"has is not defined, as that of a separator in a model that sets none. "
        f"{_counted(results['json'])}",
        markdown_table(first[columns], digits),
    )
    without = section(
        "More heads of each feature",
        "Beside the value stands that of the maps without the first token, whose rows sum to 1 "
        "again.",
        markdown_table(more[0], digits),
    )
    near = results["offsets"]
    clear = results.for_readers("offsets", near.loc[near.groupby("offset")["mass"].idxmax()])
    offsets = section(
        "Profile by distance",
        "For each offset from the query to the key the head with most mass there.",
        markdown_table(clear, digits),
    )
    return tables_page(f"Heads of {label}", STAGE, features, without, offsets)


def _extremes(results: Results, feature: str, n: int) -> pd.DataFrame:
    """Return the `n` heads with the largest values of a feature, after the median of all."""
    rows = results["heads"][results["heads"]["feature"] == feature]
    top = rows.nlargest(n, "value")
    shown = results.for_readers("heads", top)
    places = zip(top["layer"], top["head"], strict=True)
    shown.insert(0, "head", [head_name(*place) for place in places])
    shown.insert(0, "median without the first token's key", rows[REST].median())
    shown.insert(0, "median of heads", rows["value"].median())
    shown.insert(0, "feature", FEATURE_NAMES[feature])
    return shown


def _counted(counts: dict[str, Any]) -> str:
    n_texts, n_signs = counts["n_texts"], counts["n_texts_with_punctuation"]
    return (
        f"Of {count(n_texts)} texts {count(counts['n_texts_with_separator'])} end in a separator, "
        f"{count(n_signs)} have punctuation."
    )
