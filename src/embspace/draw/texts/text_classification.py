"""Draws the accuracy of a light classifier by layer, from `measure_text_classification`."""

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, say_instead
from embspace.draw.page.looks import BLACK, GRAY, OWN_VECTOR, TEXT_POOLINGS
from embspace.draw.page.markdown import markdown_table, section
from embspace.draw.page.saving import Results
from embspace.draw.page.wording import side_by_side
from embspace.draw.texts.layer_lines import draw_by_layer, draw_random_by_layer

STAGE = "measure_text_classification"
FURTHER_RESULTS = ("conf/measure/texts/text_classification.yaml",)
MEASURED_WITH = FURTHER_RESULTS[0]
WORDS, OWN = "bag_of_words", "sentence"
COLUMNS = ["features", "layer", "weights", "accuracy", "less_bag_of_words", "permuted_accuracy"]
COLUMNS += ["permuted_accuracy_smallest", "permuted_accuracy_largest"]
SHOWN = "mean"  # what the title speaks of, as of all that sentence-transformers have


def draw_text_classification(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw accuracy by layer, beside random weights, words alone and permuted labels."""
    table = results["csv"]
    of_model = table[table["weights"] != "none"]
    words = table[table["features"] == WORDS].iloc[0]
    size = f"{counted(words['n'], 'text')} of {counted(words['n_groups'], 'group')}"
    source = results[MEASURED_WITH]
    subtitle = (
        f"{label}, frozen · {_words(source['label_column'])} of {Path(source['texts']).stem} by "
        f"logistic regression, tested on {size} (same {_words(source['group_column'])}) that it "
        "was not fitted on · "
        f"bands: {100 * words['level']:g} % intervals over groups"
    )
    figure, (ax,) = new_figure(
        1, 1, height_mm=height_mm, title=_finding(of_model, words), subtitle=subtitle, stage=STAGE
    )
    if of_model.empty:
        say_instead([ax], "the model reads no text")
    else:
        _levels(ax, table, words)
        _lines(ax, of_model)
        legend_below(figure, [ax], ncols=2)
    return figure, _table(results, label, digits)


def _words(column: str) -> str:
    return column.replace("_", " ")


def _finding(of_model: pd.DataFrame, words: pd.Series) -> str:
    """Return the title: the accuracy of the last layer's mean pooling, and of words alone."""
    trained = of_model[(of_model["features"] == SHOWN) & (of_model["weights"] == "trained")]
    if trained.empty:
        return f"Words alone label {100 * words['accuracy']:.0f} % of texts correctly"
    last = trained.iloc[-1]
    is_more, is_less = last["less_bag_of_words_low"] > 0, last["less_bag_of_words_high"] < 0
    verdict = "that is more" if is_more else "that is less" if is_less else "no clear difference"
    both = [100 * float(last["accuracy"]), 100 * float(words["accuracy"])]
    correct, by_words = side_by_side(both, 0, differ=bool(is_more or is_less))
    return (
        f"Mean pooling of the last layer labels {correct} % of texts correctly, "
        f"words alone {by_words} %: {verdict}"
    )


def _levels(ax: Axes, table: pd.DataFrame, words: pd.Series) -> None:
    low, high = words["accuracy_low"], words["accuracy_high"]
    ax.axhspan(low, high, color="0.88", zorder=0, lw=0, label="words alone, interval")
    ax.axhline(words["accuracy"], color=BLACK, linestyle="--", linewidth=1, label="words alone")
    lowest = table["permuted_accuracy_smallest"].min()
    highest = table["permuted_accuracy_largest"].max()
    band: dict[str, Any] = {"facecolor": "none", "edgecolor": GRAY, "hatch": "////", "lw": 0.4}
    ax.axhspan(lowest, highest, label="permuted labels, range", **band)


def _lines(ax: Axes, of_model: pd.DataFrame) -> None:
    is_own = of_model["features"] == OWN
    for value in of_model.loc[is_own, "accuracy"]:
        ax.axhline(
            value, color=BLACK, linestyle=OWN_VECTOR.line, linewidth=1, label=OWN_VECTOR.name
        )
    for (kind, weights), rows in of_model[~is_own].groupby(["features", "weights"], sort=False):
        draw = draw_by_layer if weights == "trained" else draw_random_by_layer
        draw(ax, rows, "accuracy", TEXT_POOLINGS[str(kind)])
    ax.set(xlabel="layer (0: embedding output)", ylabel="accuracy on held-out texts")
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


def _table(results: Results, label: str, digits: int) -> str:
    names = {name: look.name for name, look in TEXT_POOLINGS.items()}
    names |= {WORDS: "words alone", OWN: OWN_VECTOR.name}
    shown = results.for_readers("csv", columns=COLUMNS, features=names)
    reads = (results["csv"]["weights"] != "none").any()
    about = section(
        "Accuracy",
        ("" if reads else "The model reads no text, so that words stand alone. ")
        + "On texts of groups that the classifier was not fitted on. The difference from words "
        "alone is on the same texts, its interval over the same halves of the groups; labels are "
        "permuted for the same fit.",
        markdown_table(shown, digits),
    )
    heading = f"# Classification of texts by {label}\n\nStage `measure_text_classification`.\n"
    return f"{heading}\n{about}"
