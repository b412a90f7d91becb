"""Tells the accuracy of a light classifier by layer, from `measure_text_classification`."""

import pandas as pd
from pydantic import NonNegativeInt

from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import side_by_side
from embspace.draw.texts.layer_lines import EMBEDDINGS

STAGE = "measure_text_classification"
DRAWN_IN = "tasks"
WORDS = "bag_of_words"
COLUMNS = ["features", "layer", "weights", "accuracy", "less_bag_of_words", "permuted_accuracy"]
COLUMNS += ["permuted_accuracy_smallest", "permuted_accuracy_largest"]
SHOWN = "mean"  # what the sentence speaks of, as of all that sentence-transformers have


def draw_text_classification(
    results: Results, label: str, *, digits: NonNegativeInt
) -> tuple[str, str]:
    """Return the accuracy of the last layer beside words alone, and that of all layers."""
    table = results["csv"]
    shown, more = (
        markdown_table(results.for_readers("csv", rows, COLUMNS, features=EMBEDDINGS), digits)
        for rows in (table[table["weights"] != "random"], table[table["weights"] == "random"])
    )
    reads = (table["weights"] != "none").any()
    about = section(
        "Accuracy",
        ("" if reads else "The model reads no text, so that words stand alone. ")
        + "On texts of groups that the classifier was not fitted on. The difference from words "
        "alone is on the same texts, its interval over the same halves of the groups; labels are "
        "permuted for the same fit.",
        shown,
    )
    at_random = section("Random weights", "The same at random weights.", more)
    title = f"Classification of texts by {label}"
    return _finding(table), tables_page(title, STAGE, about, at_random)


def _finding(table: pd.DataFrame) -> str:
    """Return the accuracy of the last layer's mean pooling, and of words alone."""
    words = table[table["features"] == WORDS].iloc[0]
    trained = table[(table["features"] == SHOWN) & (table["weights"] == "trained")]
    if trained.empty:
        return f"Words alone label {100 * words['accuracy']:.0f} % of texts correctly"
    last = trained.iloc[-1]
    is_more, is_less = last["less_bag_of_words_low"] > 0, last["less_bag_of_words_high"] < 0
    verdict = "more than" if is_more else "less than" if is_less else "no clear difference from"
    both = [100 * float(last["accuracy"]), 100 * float(words["accuracy"])]
    correct, by_words = side_by_side(both, 0, differ=bool(is_more or is_less))
    return (
        f"Mean pooling of the last layer labels {correct} % of texts correctly: {verdict} words "
        f"alone ({by_words} %){_beside_random(table, last)}"
    )


def _beside_random(table: pd.DataFrame, last: pd.Series) -> str:
    """Return whether the last layer labels more texts correctly than with random weights."""
    is_random = (table["features"] == SHOWN) & (table["weights"] == "random")
    if not is_random.any():
        return ""
    random = table.loc[is_random, "accuracy"].iloc[-1]
    many = "more" if last["accuracy_low"] > random else "no more"
    return f", {many} than with random weights ({100 * random:.0f} %)"
