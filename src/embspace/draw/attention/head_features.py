"""Draws the atlas of heads: their main features by layer, from `measure_head_features`."""

from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.attention.head_names import FEATURE_NAMES, draw_grid, grid_of, head_name
from embspace.draw.page.canvas import count, new_figure, percent, say_instead
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import side_by_side

STAGE = "measure_head_features"
FURTHER_RESULTS = ("conf/measure/attention/head_features.yaml",)
SETTINGS = FURTHER_RESULTS[0]
SHOWN = (
    "previous_mass",
    "next_mass",
    "self_mass",
    "first_token_mass",
    "separator_mass",
    "punctuation_mass",
    "backward_mass",
    "row_entropy",
    "k_share",
    "effective_rank_share",
    "block_excess",
    "article_excess",
)
REST = "value_without_first_key"
BY_REST = ("backward_mass",)  # the first token is before all others, whatever a head looks for
SIGNED = ("block_excess", "article_excess")
ALIKE = 0.05  # heads whose values differ by less, as a share of the largest, are not drawn
N_COLUMNS, N_TOP = 3, 3
NO_TEXT = "the model reads no text, or gives no attention of every layer"
NEAR_RANDOM = 0.02  # of tokens, within which heads spread their attention as random ones do
TIMES_RANDOM = 1.5  # the mass of random weights, from which on a head is named


def draw_head_features(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw features of all heads, a map of layers and heads for each."""
    table, settings = results["heads"], results[SETTINGS]
    title, n_rows = _finding(table, settings["mass_share"]), len(SHOWN) // N_COLUMNS
    subtitle = _subtitle(results["json"], label, settings)
    figure, axes = new_figure(
        n_rows, N_COLUMNS, height_mm=height_mm, title=title, subtitle=subtitle, stage=STAGE
    )
    if table.empty:
        say_instead(axes, NO_TEXT)
        return figure, tables_page(f"Heads of {label}", STAGE, f"{NO_TEXT.capitalize()}.\n")
    for ax, feature in zip(axes, SHOWN, strict=True):
        _panel(ax, table[table["feature"] == feature], feature, settings["mass_share"])
    return figure, _tables(results, label, digits)


def _finding(table: pd.DataFrame, mass_share: float) -> str:
    if table.empty:
        return f"No heads: {NO_TEXT}"
    keys = table[table["feature"] == "k_share"]
    median, random = keys["value"].median(), keys["random_weights"].mean()
    previous = table[table["feature"] == "previous_mass"]
    best = previous.nlargest(1, "value").iloc[0]
    at_random = "" if pd.isna(random) else f", with random weights in {percent(random)}"
    spread = f"{percent(mass_share)} of their attention in {percent(median)} of the tokens or fewer"
    named = (
        f"; head {head_name(best['layer'], best['head'])} gives {percent(best['value'])} to the "
        "previous token"
    )
    if best["value"] < TIMES_RANDOM * best["random_weights"]:
        named = ""
    if not named and abs(median - random) < NEAR_RANDOM:
        return f"Heads spread their attention as with random weights: half hold {spread}{at_random}"
    return f"Half of the heads hold {spread}{at_random}{named}"


def _subtitle(counts: dict[str, Any], label: str, settings: dict[str, Any]) -> str:
    if not counts["n_texts"]:
        return label
    n = counts["n_nouns_with_article"]
    articles = f", which have {count(n)} nouns with an article" if n else ""
    return (
        f"{label} · means over {count(counts['n_texts'])} texts of {_lengths(counts)} tokens from "
        f"{settings['texts']}{articles} · each panel has its own "
        "colors; blocks and articles above what distance alone gives; earlier tokens without the "
        "first one's key, which is before all others"
    )


def _lengths(counts: dict[str, Any]) -> str:
    fewest, most = counts["fewest_tokens"], counts["most_tokens"]
    return str(most) if fewest == most else f"{fewest} to {most}"


def _panel(ax: Axes, rows: pd.DataFrame, feature: str, mass_share: float) -> None:
    title = FEATURE_NAMES[feature]
    if feature == "k_share":
        title = f"keys that hold {percent(mass_share)}"
    column = REST if feature in BY_REST else "value"
    if feature in BY_REST:
        title = f"{title.removeprefix('mass ')} but the first"
    if rows[column].isna().all():
        ax.set_title(title)
        say_instead([ax], fill("no text has what this feature asks for", 30))
        return
    values = grid_of(rows, column)
    low, high = rows[column].min(), rows[column].max()
    if feature not in SIGNED and len(rows) > 1 and high - low <= ALIKE * high:
        ax.set_title(title)
        least, most = side_by_side([low, high], 3, differ=True)
        say_instead([ax], fill(f"alike in all heads: {least} to {most}", 30))
        return
    if feature in SIGNED:
        largest = float(values.abs().max().max()) or 1.0
        colors: dict[str, Any] = {"cmap": "vlag", "vmin": -largest, "vmax": largest}
    else:
        colors = {"cmap": "mako_r", "vmin": 0}
    draw_grid(ax, values, title, **colors)


def _tables(results: Results, label: str, digits: int) -> str:
    extremes = pd.concat([_extremes(results, feature) for feature in FEATURE_NAMES])
    first = section(
        "Features",
        "For each feature the median over heads and the heads with the largest values, each the "
        "mean over texts with its interval over texts. With random weights any two heads of a "
        "layer are alike: the mean and the central range are over heads and seeds. A feature that "
        "no text has is not defined, as that of a separator in a model that sets none. Beside the "
        "value stands that of the maps without the first token, whose rows sum to 1 again. "
        + _counted(results["json"]),
        markdown_table(extremes, digits),
    )
    near = results["offsets"]
    clear = results.for_readers("offsets", near.loc[near.groupby("offset")["mass"].idxmax()])
    offsets = section(
        "Profile by distance",
        "For each offset from the query to the key the head with most mass there.",
        markdown_table(clear, digits),
    )
    return tables_page(f"Heads of {label}", STAGE, first, offsets)


def _extremes(results: Results, feature: str) -> pd.DataFrame:
    """Return the heads with the largest values of a feature, after the median of all."""
    rows = results["heads"][results["heads"]["feature"] == feature]
    top = rows.nlargest(N_TOP, "value")
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
