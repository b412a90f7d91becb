"""Draws how well probes read parts of speech off vectors, which `measure_probing` measures."""

from typing import Any

import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    HALO,
    counted,
    new_figure,
    say_instead,
    sentence_case,
    write_beside,
)
from embspace.draw.page.direct_labels import name_lines
from embspace.draw.page.looks import PROBES, Look
from embspace.draw.page.markdown import code, folded, markdown_table, section
from embspace.draw.page.saving import Results

STAGE = "measure_probing"
COLUMNS = ["features", "layer", "weights", "n_words", "n_lemmas", "accuracy"]
CLASSES = ["noun", "verb", "adjective"]
SHOWN = "logistic_regression"  # what the title speaks of
INPUT = -1  # left of layer 0
WIDTHS = [2.2, 1]  # of the panels, in relation
DARKEST = 1.7  # probability of the darkest color: black words can be read on all lighter ones
SHIFT = 0.12  # of a layer, between two probes


def draw_probing(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw accuracy by space and probe, above bands of spelling and of the controls.

    Beside it stands what one probe predicts for tokens of several classes.
    """
    accuracy = results["accuracy"]
    subtitle = f"{label} · words of one token, each read alone"
    if len(accuracy):
        subtitle = (
            f"{label} · {counted(accuracy['n_words'].iloc[0], 'word')} of one token, read off its "
            "vector alone · tested on lemmas that the probe was not fitted on · bars, in places "
            f"within the marks: 95 % intervals · b: {PROBES[SHOWN].name} of token embeddings; "
            "gray: no more than chance"
        )
    figure, axes = new_figure(
        1, 2, height_mm=height_mm, title=_finding(accuracy), subtitle=subtitle, stage=STAGE
    )
    if accuracy.empty:
        say_instead(axes, "too few lemmas of a part of speech are single tokens of this model")
    else:
        if grid := axes[0].get_gridspec():
            grid.set_width_ratios(WIDTHS)
        _by_layer(axes[0], accuracy)
        _tokens(axes[1], results["tokens"])
    return figure, _tables(results, label, digits)


def _finding(accuracy: pd.DataFrame) -> str:
    """Return the title: the accuracy of a probe over layers, beside spelling and random weights."""
    if accuracy.empty:
        return "Too few words of one token to read a part of speech off"
    rows, random = _title_rows(accuracy), _title_rows(accuracy, "random")
    spelling = accuracy[accuracy["features"] == "spelling"].iloc[0]
    if len(random) and not (rows["accuracy_low"] > random["accuracy"].max()).any():
        best, beside = rows.nlargest(1, "accuracy").iloc[0], random.nlargest(1, "accuracy").iloc[0]
        return (
            f"The part of speech is read off no layer better than with random weights: "
            f"{_percent(best)} right at most, {_percent(beside)} there"
        )
    lowest = _lowest(accuracy)
    is_beyond = lowest["accuracy_low"] > spelling["accuracy_high"]
    return (
        f"{sentence_case(PROBES[SHOWN].name)} reads the part of speech off every layer, "
        f"{_percent(lowest)} right or more; off spelling alone {_percent(spelling)}"
        + ("" if is_beyond else ", which is no less")
    )


def _percent(row: pd.Series) -> str:
    return f"{100 * row['accuracy']:.1f} %"


def _lowest(accuracy: pd.DataFrame) -> pd.Series:
    """Return the row of the title's probe with the lowest accuracy."""
    return _title_rows(accuracy).nsmallest(1, "accuracy").iloc[0]


def _title_rows(accuracy: pd.DataFrame, weights: str = "trained") -> pd.DataFrame:
    """Return the rows of one probe of parts of speech, token embeddings first."""
    chosen = (accuracy["task"] == "part_of_speech") & (accuracy["probe"] == SHOWN)
    rows = accuracy[chosen & (accuracy["weights"] == weights)]
    return rows.sort_values("layer", na_position="first")


def _by_layer(ax: Axes, accuracy: pd.DataFrame) -> None:
    """Draw the accuracy of every probe, and as bands the accuracy of spelling and of controls."""
    table = accuracy.assign(place=accuracy["layer"].fillna(INPUT))
    is_real, is_trained = table["task"] == "part_of_speech", table["weights"] == "trained"
    controls = (is_real & (table["weights"] == "random")) | (table["task"] == "control")
    spelling = table[table["features"] == "spelling"].iloc[0]
    for name, low, high, value in (
        ("random weights, random classes", *_ends(table[controls]), None),
        (
            f"spelling alone {_percent(spelling)}",
            *_ends(spelling.to_frame().T),
            spelling["accuracy"],
        ),
    ):
        ax.axhspan(low, high, color="0.85", zorder=0, lw=0)
        middle = (low + high) / 2 if value is None else value
        line = "None" if value is None else "--"
        ax.axhline(middle, color="0.3", ls=line, lw=1, label=name)
    for number, (probe, look) in enumerate(PROBES.items()):
        rows = table[(table["probe"] == probe) & is_real & is_trained]
        _points(ax, rows, SHIFT * (number - 1), look)
    row = _lowest(table)
    words: dict[str, Any] = {"ha": "center", "path_effects": HALO}
    at = row["place"] - SHIFT, row["accuracy"]
    write_beside(ax, _percent(row), at, (0, 8), **words)
    layers = sorted(int(layer) for layer in accuracy["layer"].dropna().unique())
    ax.set_xticks([INPUT, *layers], ["E", *map(str, layers)])
    ax.set(ylabel="accuracy", title="Noun, verb or adjective", xlabel="layer (E: token embeddings)")
    ax.set(xlim=(INPUT - 0.5, max(layers, default=0) + 0.5), ylim=(0.2, 1.06))
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    name_lines(ax)


def _ends(rows: pd.DataFrame) -> tuple[float, float]:
    return float(rows["accuracy_low"].min()), float(rows["accuracy_high"].max())


def _points(ax: Axes, rows: pd.DataFrame, shift: float, look: Look, **style: Any) -> None:
    value = rows["accuracy"]
    bars = [value - rows["accuracy_low"], rows["accuracy_high"] - value]
    style |= {"color": look.color, "marker": look.marker, "ls": look.line, "ms": 4, "lw": 1}
    ax.errorbar(rows["place"] + shift, value, yerr=bars, **style)
    ax.lines[-1].set_label(look.name)


def _tokens(ax: Axes, tokens: pd.DataFrame) -> None:
    """Write a probe's predictions for tokens of several classes, as in table 1 of the thesis."""
    import seaborn as sns

    if tokens.empty:
        say_instead([ax], "none of the tokens\nis one of this model")
        return
    probe = SHOWN if (tokens["probe"] == SHOWN).any() else tokens["probe"].iloc[0]
    rows = tokens[tokens["probe"] == probe].set_index("token")[CLASSES]
    cmap = colormaps["Blues"].with_extremes(under="0.92")
    colors: dict[str, Any] = {"cmap": cmap, "vmin": 1 / len(CLASSES), "vmax": DARKEST}
    look = {"fontsize": 7, "color": "black"}
    words: dict[str, Any] = {"annot": 100 * rows, "fmt": ".0f", "annot_kws": look}
    sns.heatmap(rows, ax=ax, linewidths=0.5, cbar=False, **colors, **words)
    ax.set(title="Probability, %", xlabel="", ylabel="")
    ax.grid(visible=False)
    ax.tick_params(length=0)
    for name in ax.get_yticklabels():
        name.set(rotation=0, parse_math=False)


def _spaced(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with spaces in the place of underscores."""
    named = table.select_dtypes(exclude="number").columns.difference(["token"])
    return table.assign(**{name: table[name].str.replace("_", " ") for name in named})


def _tables(results: Results, label: str, digits: int) -> str:
    accuracy, tokens = results["accuracy"], results.for_readers("tokens")
    is_first = (accuracy["probe"] == SHOWN) & (accuracy["task"] == "part_of_speech")
    shown = results.for_readers("accuracy", accuracy[is_first], COLUMNS)
    every = results.for_readers("accuracy", columns=[*COLUMNS, "probe", "task", "null_accuracy"])
    coded = tokens.assign(token=[code(str(token)) for token in tokens["token"]])
    first = section(
        "Accuracy",
        "Logistic regression, on held-out lemmas.",
        markdown_table(_spaced(shown), digits),
    )
    by_token = section(
        "What the token embedding of a token says",
        "Probabilities by probes that were not fitted on the token; table 1 of the thesis.",
        markdown_table(_spaced(coded), digits),
    )
    more = section(
        "All probes, and their controls",
        "The control task gives each lemma a random class; the null is always the commonest class.",
        markdown_table(_spaced(every), digits),
    )
    heading = f"# Parts of speech in {label}\n\nStage `measure_probing`.\n"
    return "\n".join([heading, first, by_token, folded(more)])
