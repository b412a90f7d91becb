"""Writes the tables of `measure_synonyms` for readers."""

from typing import Any

import pandas as pd

from embspace.draw.page.looks import TEXT_POOLINGS
from embspace.draw.page.markdown import interval, markdown_table, same, section

BAG = "bag_of_words"
GROUPS = {
    **same("sentences", "pooling", "layer", "n"),
    "within_cosine": "cosine within",
    "between_cosine": "cosine between",
    "silhouette": "silhouette",
    "null_silhouette": "shuffled",
    "silhouette_p_value": "p",
    "random_weights_silhouette": "silhouette, random weights",
    "purity": "purity",
    "null_purity": "purity, shuffled",
    "nearest_in_group": "nearest is of the group",
    "random_weights_nearest_in_group": "the same, random weights",
}
CONTRASTS = {
    "kind": "pairs",
    **same("pooling", "layer"),
    "n_pairs": "n",
    **interval("cosine", "cosine"),
    "random_weights_cosine": "random weights",
    "paraphrase_minus_kind_cosine": "paraphrases minus these",
    "relative_similarity": "paraphrases between unrelated, 0, and these, 1",
    **interval("auc", "probability that a paraphrase is more alike"),
}
SLOTS = {
    **same("pooling", "layer"),
    "n_changed": "words changed",
    "n_pairs": "n",
    "cosine": "cosine",
    **interval("relative_distance", "distance over that of two frames"),
    "random_weights_relative_distance": "random weights",
    "additivity": "additivity",
}


def frame_of(slots: pd.DataFrame) -> str:
    """Return the name of the last frame, which is the mean of all where there are several."""
    return str(slots["group"].iloc[-1])


def last_layer(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of each pooling's last layer."""
    return table[table["layer"] == table.groupby("pooling")["layer"].transform("max")]


def synonym_tables(results: dict[str, Any], label: str, digits: int) -> str:
    """Return all tables at the last layer."""
    groups = last_layer(results["groups"])
    slots = results["slots"]
    slots = last_layer(slots[(slots["group"] == frame_of(slots)) & (slots["n_changed"] > 0)])
    pairs = last_layer(results["group_pairs"])
    by_pooling = pairs.pivot(index=["group_1", "group_2"], columns="pooling", values="cosine")
    order = [name for name in (*TEXT_POOLINGS, BAG) if name in by_pooling]
    return "\n".join(
        [
            f"# Synonyms in {label}\n\nStage `measure_synonyms`, at the last layer. A bag of words "
            "counts the tokens and knows neither order nor meaning.\n",
            section("Groups", _purity_note(groups), _shown(groups, GROUPS, digits, ["p"])),
            section(
                "Meaning or wording",
                "Mean cosine of pairs. Paraphrases share few words, controls nearly all; the "
                "intervals are of half-samples of meanings and of pairs.",
                _shown(last_layer(results["contrasts"]), CONTRASTS, digits, []),
            ),
            section(
                "Words changed for synonyms",
                "Pairs of one frame, mean of the frames. Additivity: the mean squared distance "
                "over that of one change times the number of changes, 1 if changes add up.",
                _shown(slots, SLOTS, digits, []),
            ),
            section(
                "Groups and each other",
                "Mean cosine of pairs of sentences of two groups, or of one.",
                markdown_table(by_pooling[order].reset_index(), digits),
            ),
        ]
    )


def _purity_note(groups: pd.DataFrame) -> str:
    bag = groups[groups["pooling"] == BAG].set_index("sentences")["purity"]
    return (
        "Clusters are of average linkage, as many as there are groups. The bag of words, which "
        f"knows no meaning, reaches purity {bag['groups']:.2f} in the groups without random ones, "
        f"and {bag['meanings']:.2f} in meanings told in other words: only what goes beyond that "
        "can be a sign of meaning."
    )


def _shown(table: pd.DataFrame, columns: dict[str, str], digits: int, exact: list[str]) -> str:
    return markdown_table(table[[*columns]].rename(columns=columns), digits, exact)
