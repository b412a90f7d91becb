"""Draws the figure and the tables of `measure_architecture`: parameters by component."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    counted,
    new_figure,
    percent,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import PALETTE
from embspace.draw.page.markdown import markdown_table, section, tables_page
from embspace.draw.page.saving import Results

# The axis is this many times as long as the longest bar, so that the numbers have room.
ROOM = {"n_parameters_of_all": 1.65, "n_parameters": 1.45}
BESIDE = 0.01  # of the longest bar, between a bar and its number
UNLIKE = 50  # how many times the largest component of one model is that of another, at most
WORDS = {
    "intermediate": "feed-forward, up",
    "output": "feed-forward, down",
    "output without LayerNorm": "feed-forward, down",
    "output LayerNorm": "feed-forward LayerNorm",
}


def draw_architecture(
    results: Results, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the parameters of the components of the model and of one layer, beside references."""
    table, sizes = results["csv"], results["json"]
    if table.empty:
        return _nothing(label, row_height_mm)
    labels = {name: label if number == 0 else name for number, name in enumerate(sizes)}
    whole, layer = _whole(table), table[(table["place"] == "inside") & (table["is_leaf"] == 1)]
    n_rows = max(rows["component"].nunique() for rows in (whole, layer))
    figure, axes = new_figure(
        1,
        2,
        height_mm=row_height_mm * n_rows + 25 + 4 * len(sizes),
        title=_finding(whole, label),
        subtitle=f"{label} · {_sizes(sizes)} · from the config alone · without a "
        "head that predicts words · a parameter that is shared counts once",
        stage="measure_architecture",
    )
    largest = whole.groupby("architecture")["n_parameters_of_all"].max()
    is_unlike = largest.max() > UNLIKE * largest.min()
    for ax, rows, quantity, title in (
        (axes[0], whole, "n_parameters_of_all", "The whole model, all layers together"),
        (axes[1], layer, "n_parameters", _layer_phrase(layer)),
    ):
        _bars(ax, rows, labels, quantity)
        ax.set(title=title, xlabel="millions of parameters")
        if is_unlike:
            _on_logarithm(ax, rows, quantity)
    _legend(figure, axes[0], sizes, labels)
    return figure, _tables(results, labels, digits)


def _nothing(label: str, row_height_mm: float) -> tuple[Figure, str]:
    reason, stage = f"{label} has no architecture: it is vectors alone", "measure_architecture"
    height_mm = row_height_mm + 25
    figure, axes = new_figure(1, 1, height_mm=height_mm, title=reason, subtitle=label, stage=stage)
    say_instead(axes, f"{reason}.")
    return figure, tables_page(f"Architecture of {label}", stage, f"{reason}.\n")


def _finding(whole: pd.DataFrame, label: str) -> str:
    """Return the title: the component with most parameters, its share, and that of a reference."""
    rows = whole[whole["architecture"] == whole["architecture"].iloc[0]]
    row = rows.loc[rows["n_parameters_of_all"].idxmax()]
    part = WORDS.get(row["component"], row["component"])
    said = f"{sentence_case(part)}: {percent(row['share'])} of the parameters of {label}"
    others = whole[whole["architecture"] != row["architecture"]]
    for _, other in others[others["component"] == row["component"]].head(1).iterrows():
        said += f", {percent(other['share'])} of {other['architecture']}"
    return said


def _layer_phrase(layer: pd.DataFrame) -> str:
    """Return the heading of one layer: the feed-forward share of the parameters."""
    if layer.empty:
        return "One layer"
    rows = layer[layer["architecture"] == layer["architecture"].iloc[:1].max()]
    inside = rows["component"].replace(WORDS).str.startswith("feed-forward")
    share = rows.loc[inside, "n_parameters"].sum() / max(rows["n_parameters"].sum(), 1)
    return f"One layer (blue): {percent(share)} feed-forward" if share else "One layer"


def _sizes(sizes: dict[str, Any]) -> str:
    size = sizes[next(iter(sizes))]
    return f"{_millions(size['n_parameters'])} parameters, {counted(size['n_layers'], 'layer')}"


def _millions(number: float) -> str:
    """Return a number of parameters to three digits, with its unit."""
    if number >= 1e9:
        return f"{number / 1e9:.3g} B"
    if number >= 1e6:
        return f"{number / 1e6:.3g} M"
    return f"{number / 1e3:.3g} k" if number >= 1e3 else count(number)


def _whole(table: pd.DataFrame) -> pd.DataFrame:
    """Return the components outside the layers, and the outermost components of a layer."""
    depth = table[table["place"] == "inside"].groupby("architecture")["depth"].min()
    first = (table["place"] == "inside") & (table["depth"] == table["architecture"].map(depth))
    return table[first | ((table["place"] == "outside") & (table["is_leaf"] == 1))]


def _bars(ax: Axes, table: pd.DataFrame, labels: dict[str, str], quantity: str) -> None:
    """Draw a row per component, with numbered bars of the architectures with the component."""
    places = {name: place for place, name in enumerate(dict.fromkeys(table["component"]))}
    # Of an architecture among those that have the component; the bars stand around the middle.
    order = table.groupby("component").cumcount()
    n_bars = table.groupby("component")["component"].transform("size")
    height = 0.8 / len(labels)
    y = table["component"].map(places) + (order - (n_bars - 1) / 2) * height
    largest = table[quantity].max() / 1e6
    for number, name in enumerate(labels):
        rows = table[table["architecture"] == name]
        color = PALETTE[number % len(PALETTE)]
        ax.barh(y[rows.index], rows[quantity] / 1e6, 0.9 * height, color=color, label=name)
        for place, value, share in zip(y[rows.index], rows[quantity], rows["share"], strict=True):
            words = _millions(value)
            if quantity == "n_parameters_of_all":
                words += f", {percent(share)}"
            ax.text(value / 1e6 + BESIDE * largest, place, words, va="center", fontsize=7)
    ax.set_yticks(range(len(places)), [WORDS.get(name, name) for name in places])
    ax.set(xlim=(0, ROOM[quantity] * largest), ylim=(len(places) - 0.45, -0.55))
    ax.grid(visible=False)


def _on_logarithm(ax: Axes, table: pd.DataFrame, quantity: str) -> None:
    """Show bars of models of very different sizes, the smaller of which are no bars otherwise."""
    known = table.loc[table[quantity] > 0, quantity] / 1e6
    room = (known.max() / known.min()) ** (ROOM[quantity] - 1)
    ax.set(xscale="log", xlim=(known.min() / 2, known.max() * room), xlabel="parameters")
    ax.xaxis.set_major_formatter(lambda millions, _: _millions(1e6 * millions))
    ax.minorticks_off()
    for words in ax.texts:
        value = words.get_position()[0] - BESIDE * known.max()
        words.set_x(1.1 * max(value, known.min() / 2))


def _legend(figure: Figure, ax: Axes, sizes: dict[str, Any], labels: dict[str, str]) -> None:
    handles, names = ax.get_legend_handles_labels()
    words = [
        f"{labels[name]}: {counted(sizes[name]['n_parameters'], 'parameter')}, "
        f"{sizes[name]['megabytes']:.1f} MB in float32, {counted(sizes[name]['n_layers'], 'layer')}"
        for name in names
    ]
    figure.legend(handles, words, loc="outside lower left")


def _tables(results: Results, labels: dict[str, str], digits: int) -> str:
    table, sizes = results["csv"], results["json"]
    shown = pd.DataFrame.from_dict(sizes, orient="index").convert_dtypes()
    shown = shown.rename(index=labels).rename_axis("architecture").reset_index()
    note = "MB are 10^6 bytes, mebibytes 2^20, of parameters in float32."
    sections = [section("Sizes", note, markdown_table(shown, digits))]
    note = "From the whole to its parts, each `·` one step further in."
    for name, rows in table.groupby("architecture", sort=False):
        body = markdown_table(_components(results, rows), digits)
        sections.append(section(f"Components of {labels[str(name)]}", note, body))
    title = f"Architecture of {labels[next(iter(labels))]}"
    return tables_page(title, "measure_architecture", *sections)


def _components(results: Results, rows: pd.DataFrame) -> pd.DataFrame:
    components = [WORDS.get(name, name) for name in rows["component"]]
    names = zip(rows["depth"], components, rows["module"], strict=True)
    described = [f"{'· ' * depth}{name} (`{path}`)" for depth, name, path in names]
    shown = results.for_readers("csv", rows.assign(share=100 * rows["share"]))
    shown.insert(0, "component", described)
    return shown
