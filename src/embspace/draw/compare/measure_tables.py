"""Writes the tables of `compare_measures`: what was measured of two models, side by side."""

import pandas as pd

from embspace.draw.page.markdown import folded, markdown_table, section

POOLING = "mean"
LAYERS = {"at": "layer", "other_at": "layer of the other"}
VALUES = ["model_value", "other_model_value", "difference"]
BOUNDS = ["difference_low", "difference_high", "n_paired"]
SECTIONS = {
    "similarity": ("Learned vectors", "Stage `measure_similarity`: a summary of all pairs."),
    "explained_variance": (
        "Directions that hold the variance",
        "Stage `measure_explained_variance`: as many components as explain the share.",
    ),
    "positions": ("Positions", "Stage `measure_positions`: properties among pairs of offsets."),
}
BOUNDED = {
    ("evolution", "layers"): (
        "Tokens through the layers",
        "Stage `measure_evolution`: one token each of independent texts.",
    ),
    ("evolution", "shared_steps"): (
        "What steps have in common",
        "Stage `measure_evolution`: by the layer from which on, to the last.",
    ),
    ("search", "search"): ("Search", "Stage `measure_search`, by corpus and preparation."),
    ("probing", "accuracy"): (
        "Probes",
        "Stage `measure_probing`: by features, weights, probe and task.",
    ),
    ("homonyms", "layers"): ("Senses apart", "Stage `measure_homonyms`: means over words."),
    ("homonyms", "recovery"): ("Senses told", "Stage `measure_homonyms`: means over words."),
    ("synonyms", "groups"): ("Groups of sentences", "Stage `measure_synonyms`."),
    ("synonyms", "contrasts"): (
        "Meaning or wording",
        "Stage `measure_synonyms`: paraphrases beside each kind of pair.",
    ),
    ("text_clouds", "distributions"): (
        "Texts of corpora",
        "Stage `measure_text_clouds`: means over texts, or over pairs of texts.",
    ),
}


def tables_of(rows: pd.DataFrame, models: str, digits: int) -> str:
    """Return the tables of a pair, the paired differences of sentences first."""
    head = (
        f"# Measures of {models}\n\nStage `compare_measures`. The difference is that of the first "
        "model less the other. Learned matrices are whole populations; bounds are of halves of "
        "the units, texts, words or pairs of sentences, that both models have in common. Layers "
        "go together that lie equally deep, the last with the last, which are shown; of poolings "
        "the mean. All are in the table of results.\n"
    )
    paired = consistencies(rows)[["category", *LAYERS, *VALUES, *BOUNDS]]
    note = f"Consistency of differences, pooling {POOLING}, the last layer of each."
    sentences = section("Sentences", note, markdown_table(_layer_table(paired), digits))
    others = [*_whole(rows, digits), *_bounded(rows, digits)]
    return "\n".join([head, sentences, folded("\n".join(others))])


def consistencies(table: pd.DataFrame) -> pd.DataFrame:
    """Return the paired differences of each category of sentences at the last layer of both."""
    rows = table[(table["noun"] == "differences") & (table["table"] == "categories")]
    rows = rows[rows["difference_low"].notna()]
    pooling, category = (rows["group"].str.split(" / ").str[place] for place in (0, 1))
    rows = rows.assign(category=category)[pooling == POOLING]
    return rows[rows["at"] == rows["at"].max()]


def _layer_table(rows: pd.DataFrame) -> pd.DataFrame:
    integers = dict.fromkeys([*LAYERS.values(), "n_paired"], int)
    layers = rows.rename(columns=LAYERS).astype(integers)
    return _in_words(layers)


def _in_words(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with spaces in the place of underscores in their group and quantity."""
    named = rows.columns.intersection(["group", "quantity"])
    return rows.assign(**{name: rows[name].str.replace("_", " ") for name in named})


def _whole(rows: pd.DataFrame, digits: int) -> list[str]:
    """Return the tables of learned matrices, which have no bounds."""
    text = []
    for noun, (title, note) in SECTIONS.items():
        chosen = rows[(rows["noun"] == noun) & ~rows["table"].isin(["curve", "profiles"])]
        chosen = chosen[~chosen["quantity"].isin(["n", "dim"])]
        shown = chosen[["group", "at", "quantity", *VALUES]].dropna(axis=1, how="all")
        text.append(section(title, note, markdown_table(_in_words(shown), digits)))
    return text


def _bounded(rows: pd.DataFrame, digits: int) -> list[str]:
    """Return the tables of differences with bounds, each at the last layers that have any."""
    text = []
    for (noun, name), (title, note) in BOUNDED.items():
        chosen = rows[(rows["noun"] == noun) & (rows["table"] == name)]
        chosen = chosen[chosen["difference_low"].notna() & chosen["at"].notna()]
        is_other_pooling = chosen["group"].str.contains(r"\b(?:cls|max|bag_of_words)\b")
        chosen = chosen[~is_other_pooling & (chosen["at"] == chosen["at"].max())]
        shown = chosen[["group", *LAYERS, "quantity", *VALUES, *BOUNDS]]
        text.append(section(title, note, markdown_table(_layer_table(shown), digits)))
    return text
