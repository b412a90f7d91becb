"""Draws how well probes read parts of speech off vectors, which `measure_probing` measures."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    counted,
    join_panels,
    legend_below,
    new_figure,
    say_instead,
)
from embspace.draw.page.looks import BLACK, GRAY, PROBES, Look
from embspace.draw.page.markdown import code, folded, markdown_table, section
from embspace.draw.page.saving import Results

STAGE = "measure_probing"
COLUMNS = ["features", "layer", "weights", "n_words", "n_lemmas", "accuracy"]
CLASSES = ["noun", "verb", "adjective"]
SHOWN = "logistic_regression"  # what the title speaks of
INPUT = -1  # left of layer 0
HEIGHTS = [1, 1, 1.1]  # of the rows of panels, in relation
SHIFT = 0.12  # of a layer, between two probes


def draw_probing(
    results: Results, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw accuracy by space and probe, beside spelling, random weights and random classes.

    Below, what probes say of tokens that are of several classes.
    """
    accuracy = results["accuracy"]
    subtitle = f"{label} · words of one token, each read alone"
    if len(accuracy):
        subtitle = (
            f"{label} · {counted(accuracy['n_words'].iloc[0], 'word')} of one token, read off its "
            "vector alone · tested on lemmas that the probe was not fitted on · bars: 95 % "
            "intervals"
        )
    figure, axes = new_figure(
        3, 2, height_mm=height_mm, title=_finding(accuracy), subtitle=subtitle, stage=STAGE
    )
    if accuracy.empty:
        say_instead(axes, "too few lemmas of a part of speech are single tokens of this model")
    else:
        if grid := axes[0].get_gridspec():
            grid.set_height_ratios(HEIGHTS)
        _panels([join_panels(axes[:4:2]), axes[1], axes[3]], accuracy)
        legend_below(figure, axes[:2], ncols=3)
        _tokens(axes[4:], results["tokens"])
    return figure, _tables(results, label, digits)


def _finding(accuracy: pd.DataFrame) -> str:
    """Return the title: the accuracy of one probe on token embeddings and at the last layer."""
    if accuracy.empty:
        return "Too few words of one token to read a part of speech off"
    real = accuracy[(accuracy["task"] == "part_of_speech") & (accuracy["probe"] == SHOWN)]
    trained = real[real["weights"] == "trained"].sort_values("layer", na_position="first")
    first, last = (100 * trained["accuracy"].iloc[place] for place in (0, -1))
    spelling = 100 * real.loc[real["features"] == "spelling", "accuracy"].iloc[0]
    return (
        f"Part of speech: {PROBES[SHOWN].name} is right for {first:.1f} % from token "
        f"embeddings, {last:.1f} % from the last layer; {spelling:.0f} % from spelling"
    )


def _panels(axes: Sequence[Axes], accuracy: pd.DataFrame) -> None:
    """Draw parts of speech at the left; at the right random weights above random classes."""
    table = accuracy.assign(place=accuracy["layer"].fillna(INPUT))
    is_real, is_trained = table["task"] == "part_of_speech", table["weights"] == "trained"
    shown = {
        "Noun, verb or adjective": is_real & is_trained,
        "The same, random weights": is_real & (table["weights"] == "random"),
        "A random class for each lemma": (table["task"] == "control") & is_trained,
    }
    spelling = table[is_real & (table["features"] == "spelling")].iloc[0]
    low, high = spelling["accuracy_low"], spelling["accuracy_high"]
    axes[0].axhspan(low, high, color="0.9", zorder=0, lw=0, label="spelling alone, interval")
    axes[0].axhline(spelling["accuracy"], color=BLACK, ls="--", lw=1, label="spelling alone")
    chance = table.loc[is_real, "null_accuracy"].iloc[0]
    layers = sorted(int(layer) for layer in accuracy["layer"].dropna().unique())
    for ax, (title, is_shown) in zip(axes, shown.items(), strict=True):
        for number, (probe, look) in enumerate(PROBES.items()):
            rows = table[(table["probe"] == probe) & is_shown]
            _points(ax, rows, SHIFT * (number - 1), look)
        if ax is not axes[0]:
            ax.axhline(chance, color=GRAY, ls=":", label="commonest class")
        ax.set_xticks([INPUT, *layers], ["tokens", *map(str, layers)])
        ax.set(ylabel="accuracy", title=title, xlim=(INPUT - 0.5, max(layers, default=0) + 0.5))
    for ax in (axes[0], axes[-1]):
        ax.set_xlabel("token embeddings, then layers")
    ends = [end for ax in axes[1:] for end in ax.get_ylim()]
    for ax in axes[1:]:
        ax.set_ylim(min(ends), max(ends))


def _points(ax: Axes, rows: pd.DataFrame, shift: float, look: Look, **style: Any) -> None:
    value = rows["accuracy"]
    bars = [value - rows["accuracy_low"], rows["accuracy_high"] - value]
    style |= {"color": look.color, "marker": look.marker, "ls": look.line, "ms": 4, "lw": 1}
    ax.errorbar(rows["place"] + shift, value, yerr=bars, label=look.name, **style)


def _tokens(axes: Sequence[Axes], tokens: pd.DataFrame) -> None:
    """Write what two probes say of tokens of several classes, as table 1 of the thesis has it."""
    import seaborn as sns

    probes = list(tokens["probe"].unique())
    for ax, probe in zip(axes, probes, strict=False):
        rows = tokens[tokens["probe"] == probe].set_index("token")[CLASSES]
        colors: dict[str, Any] = {"cmap": "Blues", "vmin": 0, "vmax": 1, "cbar": False}
        words: dict[str, Any] = {"annot": 100 * rows, "fmt": ".0f", "annot_kws": {"fontsize": 7}}
        sns.heatmap(rows, ax=ax, linewidths=0.5, **colors, **words)
        ax.set(title=f"Of one token, %: {PROBES[probe].name}", xlabel="", ylabel="")
        ax.grid(visible=False)
        ax.tick_params(length=0)
        for name in ax.get_yticklabels():
            name.set(rotation=0, parse_math=False)
    for ax in axes[len(probes) :]:
        say_instead([ax], "none of the tokens is one of this model")


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
