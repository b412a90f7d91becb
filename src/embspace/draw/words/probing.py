"""Figure of `measure_probing`: how well a part of speech is read off vectors, by layer."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, say_instead
from embspace.draw.page.markdown import code, markdown_table, section
from embspace.files.tables import Tables

RESULTS = ("accuracy.csv", "tokens.csv")
PROBES = {
    "logistic_regression": ("logistic regression", "C0"),
    "one_hidden_layer": ("one hidden layer", "C1"),
    "gradient_boosting": ("gradient boosting", "C2"),
}
INPUT = -1  # left of layer 0


def draw_probing(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Accuracy by space and probe, beside spelling, random weights, control task and chance."""
    accuracy = results["accuracy"]
    words = f"{counted(accuracy['n_words'].iloc[0], 'word')} of one token" if len(accuracy) else ""
    figure, (ax,) = new_figure(
        1,
        1,
        height_mm=height_mm,
        title="Noun, verb or adjective? Read off the vector of a word alone",
        subtitle=" · ".join(filter(None, [label, words, "folds by lemma", "bars: 95 % intervals"])),
        stage="measure_probing",
    )
    if accuracy.empty:
        say_instead([ax], "too few of the words are single tokens of this model")
    else:
        _lines(ax, accuracy)
        legend_below(figure, [ax], ncols=4)
    return figure, _tables(accuracy, results["tokens"], label, digits)


def _lines(ax: Axes, accuracy: pd.DataFrame) -> None:
    table = accuracy.assign(place=accuracy["layer"].fillna(INPUT))
    real, control = (table[table["task"] == task] for task in ("part_of_speech", "control"))
    for number, (probe, (words, color)) in enumerate(PROBES.items()):
        shift = 0.12 * (number - 1)
        rows = real[(real["probe"] == probe) & (real["weights"] == "trained")]
        _points(ax, rows, shift, color, words, marker="o")
        rows = real[(real["probe"] == probe) & (real["weights"] == "random")]
        _points(ax, rows, shift, color, "random weights", marker="x")
        rows = control[(control["probe"] == probe) & (control["weights"] == "trained")]
        _points(ax, rows, shift, "0.6", "control task", marker=".")
    spelling = real.loc[real["features"] == "spelling"].iloc[0]
    ax.axhline(spelling["accuracy"], color="black", linestyle="--", label="spelling alone")
    ax.axhspan(
        spelling["accuracy_low"], spelling["accuracy_high"], color="0.9", zorder=0, linewidth=0
    )
    ax.axhline(real["null_accuracy"].iloc[0], color="0.7", label="commonest class")
    layers = sorted(int(layer) for layer in accuracy["layer"].dropna().unique())
    ax.set_xticks([INPUT, *layers], ["input\nembedding", *(f"layer {layer}" for layer in layers)])
    ax.set(ylabel="accuracy on held-out lemmas", ylim=(0.2, 1.02))


def _points(
    ax: Axes, rows: pd.DataFrame, shift: float, color: str, words: str, marker: str
) -> None:
    value = rows["accuracy"]
    ax.errorbar(
        rows["place"] + shift,
        value,
        yerr=[value - rows["accuracy_low"], rows["accuracy_high"] - value],
        color=color,
        marker=marker,
        markersize=4,
        linestyle="none",
        linewidth=1,
        label=words,
    )


def _tables(accuracy: pd.DataFrame, tokens: pd.DataFrame, label: str, digits: int) -> str:
    shown = tokens.assign(token=[code(str(token)) for token in tokens["token"]])
    return "\n".join(
        [
            f"# Parts of speech in {label}\n\nStage `measure_probing`.\n",
            section(
                "Accuracy",
                "On held-out lemmas. The control task gives each lemma a random class; the null "
                "is always the commonest class.",
                markdown_table(accuracy, digits),
            ),
            section(
                "What the input embedding of a token says",
                "Probabilities by probes that were not fitted on the token; table 1 of the thesis.",
                markdown_table(shown, digits),
            ),
        ]
    )
