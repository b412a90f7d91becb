"""Writes the tables of `measure_synonyms` for readers."""

import pandas as pd

from embspace.draw.page.looks import TEXT_POOLINGS
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results

BAG = "bag_of_words"
GROUPS = (
    *("sentences", "pooling", "layer", "n", "within_cosine", "between_cosine", "silhouette"),
    *("null_silhouette", "silhouette_p_value", "random_weights_silhouette", "purity"),
    *("null_purity", "nearest_in_group", "random_weights_nearest_in_group"),
)


def frame_of(slots: pd.DataFrame) -> str:
    """Return the name of the last frame, the mean of all frames if there are several."""
    return str(slots["group"].iloc[-1])


def last_layer(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the last layer by pooling."""
    return table[table["layer"] == table.groupby("pooling")["layer"].transform("max")]


def synonym_tables(results: Results, label: str, digits: int) -> str:
    """Return all tables at the last layer."""
    groups = last_layer(results["groups"])
    slots = results["slots"]
    slots = last_layer(slots[(slots["group"] == frame_of(slots)) & (slots["n_changed"] > 0)])
    contrasts, pairs = (last_layer(results[name]) for name in ("contrasts", "group_pairs"))
    by_pooling = pairs.pivot(index=["group_1", "group_2"], columns="pooling", values="cosine")
    order = [name for name in (*TEXT_POOLINGS, BAG) if name in by_pooling]
    return "\n".join(
        [
            f"# Synonyms in {label}\n\nStage `measure_synonyms`, at the last layer. A bag of words "
            "counts the tokens and knows neither order nor meaning.\n",
            section("Groups", _purity_note(groups), _groups(results, groups, digits)),
            section(
                "Meaning or wording",
                "Mean cosine of pairs. Paraphrases share few words, controls nearly all; the "
                "intervals are of half-samples of meanings and of pairs.",
                markdown_table(results.for_readers("contrasts", contrasts), digits),
            ),
            section(
                "Words changed for synonyms",
                "Pairs of one frame, mean of the frames. Additivity: the mean squared distance "
                "over that of one change times the number of changes, 1 if changes add up.",
                markdown_table(results.for_readers("slots", slots), digits),
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


def _groups(results: Results, groups: pd.DataFrame, digits: int) -> str:
    return markdown_table(results.for_readers("groups", groups, GROUPS), digits, ["p"])
