"""Draws the steps of tokens between layers that `measure_evolution` took: Luisto's figure 22."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, new_figure, say_instead
from embspace.draw.page.looks import GREEN, NULLS, corpus_looks, text_looks
from embspace.draw.page.wording import side_by_side
from embspace.draw.words.evolution_tables import NO_TOKENS, step_tables
from embspace.files.tables import Tables

STAGE = "measure_evolution"
RESULTS = ("evolution/steps.csv", "evolution/layers.csv")
QUANTITIES = {  # title and axis of each panel
    "euclidean_distance": ("Length of a step", "Euclidean distance"),
    "cosine": ("State and previous state", "cosine"),
    "step_cosine": ("Step and previous step", "cosine"),
    "norm": ("Length of a state", "Euclidean norm"),
    "radial_share": ("Radial part of a step", "share of length²"),
}
ENDS = "layer where the step ends"
FROM_ZERO = ("euclidean_distance", "norm", "radial_share")
RANDOM = NULLS["random_initialization"]


def draw_evolution_steps(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw each quantity by layer: tokens of the first text, means, and random weights."""
    steps, layers = results["evolution/steps"], results["evolution/layers"]
    subtitle = f"{label} · {_population(steps, layers)}"
    figure, axes = new_figure(
        2, 3, height_mm=height_mm, title=_finding(layers), subtitle=subtitle, stage=STAGE
    )
    if steps.empty:
        say_instead(axes, NO_TOKENS)
        return figure, step_tables(steps, layers, label, digits)
    for ax, quantity in zip(axes, QUANTITIES, strict=False):
        _by_layer(ax, quantity, steps, layers[layers["quantity"] == quantity])
    named = dict(zip(*reversed(axes[3].get_legend_handles_labels()), strict=True))
    axes[5].set_axis_off()
    axes[5].legend(named.values(), named.keys(), loc="center left")
    return figure, step_tables(steps, layers, label, digits)


def _finding(layers: pd.DataFrame) -> str:
    """Return the title: the longest step on average, beside the others and random weights."""
    lengths = layers[layers["quantity"] == "euclidean_distance"].dropna(subset="mean")
    if lengths.empty:
        return "No token whose steps could be measured"
    own = lengths[lengths["tokens"] == lengths["tokens"].iloc[0]].set_index("layer")
    longest = own["mean"].idxmax()
    others = own["mean"].drop(longest)
    values = [own["mean"].max(), own["random_weights_mean"].mean()]
    values += [others.mean()] if len(others) else []
    most, random, *rest = side_by_side(values, 1, differ=False)
    beside = f", the others {rest[0]}" if rest else ""
    name = text_looks([lengths["tokens"].iloc[0]])[lengths["tokens"].iloc[0]].name
    finding = f"Tokens of {name} go furthest in the step to layer {longest}: {most} on average"
    if [most] == rest:
        finding = f"No step of tokens of {name} stands out: {most} on average to layer {longest}"
    return f"{finding}{beside}; with random weights {random}"


def _population(steps: pd.DataFrame, layers: pd.DataFrame) -> str:
    if steps.empty:
        return "no tokenizer, n = 0 tokens"
    first, *corpora = _sets(steps, layers)
    sizes = [f"“{first}”: {counted(layers.loc[layers['tokens'] == first, 'n'].max(), 'token')}"]
    for name in corpora:
        n = layers.loc[layers["tokens"] == name, "n"].max()
        sizes.append(f"{corpus_looks([name])[name].name}: {counted(n, 'token')} of as many texts")
    radial = "radial: along the state where the step begins"
    return " · ".join([*sizes, radial, "layer 0: embedding output"])


def _sets(steps: pd.DataFrame, layers: pd.DataFrame) -> list[str]:
    """Return the names of the first text and of the corpora."""
    texts = list(steps["text"].unique())
    return [texts[0], *(name for name in layers["tokens"].unique() if name not in texts)]


def _by_layer(ax: Axes, quantity: str, steps: pd.DataFrame, layers: pd.DataFrame) -> None:
    first, *corpora = _sets(steps, layers)
    text, looks = text_looks([first])[first], corpus_looks(corpora)
    tokens = steps[steps["text"] == first]
    for _, path in tokens.groupby("position"):
        name = f"a token of {text.name}"
        ax.plot(path["layer"], path[quantity], color=text.color, lw=0.5, alpha=0.5, label=name)
    own = layers[layers["tokens"] == first]
    ax.plot(own["layer"], own["mean"], color=text.color, lw=2, label=f"mean of {text.name}")
    for corpus, look in looks.items():
        rows = layers[layers["tokens"] == corpus]
        line: dict[str, Any] = {"color": look.color, "ls": look.line, "marker": look.marker}
        ax.plot(rows["layer"], rows["mean"], ms=4, label=f"mean of {look.name}", **line)
    line = {"color": RANDOM.color, "ls": RANDOM.line, "label": f"{RANDOM.name}, {text.name}"}
    ax.plot(own["layer"], own["random_weights_mean"], **line)
    if quantity == "norm" and tokens["layer_norm_scale"].notna().any():
        scales = tokens.drop_duplicates("layer")
        name = "length that LayerNorm sets"
        ax.plot(scales["layer"], scales["layer_norm_scale"], color=GREEN, ls=":", label=name)
    title, words = QUANTITIES[quantity]
    ax.set(title=title, xlabel="layer" if quantity == "norm" else ENDS, ylabel=words)
    _scale(ax, quantity, layers.dropna(subset=["mean"])["layer"])


def _scale(ax: Axes, quantity: str, layers: pd.Series) -> None:
    """Set limits and ticks, and show points where there is one layer, which makes no line."""
    if quantity in FROM_ZERO:
        ax.set_ylim(bottom=0)
    if quantity == "cosine":
        ax.ticklabel_format(useOffset=False)
        bottom = ax.get_ylim()[0]
        ax.set_ylim(bottom, 1 + min(0.02, 0.05 * (1 - bottom)))  # room above 1, as states turn
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if layers.nunique() == 1:
        ax.set_xticks(layers.unique())
        for line in ax.lines:
            line.set_marker(".")
    if quantity == "step_cosine":
        ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
