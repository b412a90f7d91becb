"""Draws which of two models holds more of the other, which `compare_model_imbalance` found."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import (
    count,
    legend_below,
    new_figure,
    percent,
    say_instead,
    sentence_case,
)
from embspace.draw.page.looks import BLUE, GRAY, VERMILION, corpus_looks
from embspace.draw.page.markdown import interval, markdown_table, same, section, tables_page
from embspace.settings.params import models_of

STAGE = "compare_model_imbalance"
N_NUMBERED = 8  # layers along a side, at most
NO_TEXT = "Both models have read too few texts in common"
COLUMNS = {
    **same("layer", "other_layer"),
    **interval("to_other", "to the other model"),
    **interval("from_other", "from the other model"),
    **interval("asymmetry", "difference"),
    "null_smallest": "least of shuffled texts",
}


def draw_model_imbalance(
    results: dict[str, pd.DataFrame],
    label: str,
    *,
    row_height_mm: PositiveFloat,
    digits: NonNegativeInt,
) -> tuple[Figure, str]:
    """Draw one row a corpus: the difference of both directions, and the last layers both ways.

    `label` is the name of the pair.
    """
    table, (one, other) = results["csv"], models_of(label)
    corpora = list(dict.fromkeys(table["corpus"]))
    figure, axes = new_figure(
        max(len(corpora), 1),
        2,
        height_mm=row_height_mm * max(len(corpora), 1) + 36,
        title=_finding(table, one, other),
        subtitle=f"{one} and {other} · n in the titles · information imbalance: mean rank of the "
        f"nearest neighbor, 0: all is held, 1: nothing · lines: with the last layer of {other} · "
        f"difference: below 0, {one} holds more · bands: {_level(table)} intervals over texts",
        stage=STAGE,
    )
    if not corpora:
        say_instead(axes, NO_TEXT)
    for row, corpus in enumerate(corpora):
        of_corpus = table[table["corpus"] == corpus]
        name = sentence_case(corpus_looks(corpora)[corpus].name)
        _map(axes[2 * row], of_corpus, one, other)
        axes[2 * row].set_title(f"{name}, {count(of_corpus['n'].iloc[0])} texts: difference")
        _lines(axes[2 * row + 1], of_corpus, one, other)
        axes[2 * row + 1].set_title(f"{name}: both directions")
    if corpora:
        legend_below(figure, axes, ncols=2)
    return figure, _tables(table, one, other, digits)


def _level(table: pd.DataFrame) -> str:
    return "95 %" if table.empty else percent(table["level"].iloc[0])


def _last(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of both last layers."""
    is_last = table["layer"] == table["layer"].max()
    return table[is_last & (table["other_layer"] == table["other_layer"].max())]


def _finding(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"{one} and {other} cannot be compared"
    last = _last(table)
    sampled = last[last["asymmetry_low"].notna()]
    clear = {
        (one, other): sampled[sampled["asymmetry_high"] < 0],
        (other, one): sampled[sampled["asymmetry_low"] > 0],
    }
    found = [
        f"{holder} holds more of {held} than the other way round: "
        f"{', '.join(corpus_looks([each])[each].name for each in rows['corpus'])}"
        for (holder, held), rows in clear.items()
        if len(rows)
    ]
    if not found:
        return f"At the last layer, neither {one} nor {other} clearly holds more of the other"
    return f"At the last layer, {'; '.join(found)}"


def _map(ax: Axes, rows: pd.DataFrame, one: str, other: str) -> None:
    import seaborn as sns

    values = rows.pivot(index="layer", columns="other_layer", values="asymmetry")
    reach = max(float(np.abs(values.to_numpy()).max()), 0.05)
    every, every_other = (-(-n // N_NUMBERED) for n in values.shape)
    sns.heatmap(
        values,
        ax=ax,
        cmap="RdBu_r",
        vmin=-reach,
        vmax=reach,
        xticklabels=every_other,
        yticklabels=every,
        cbar_kws={"label": "difference"},
    )
    ax.invert_yaxis()
    ax.tick_params(rotation=0)
    ax.grid(visible=False)
    ax.set(xlabel=f"layer of {other}", ylabel=f"layer of {one}")


def _lines(ax: Axes, rows: pd.DataFrame, one: str, other: str) -> None:
    against = rows[rows["other_layer"] == rows["other_layer"].max()]
    looks = {"to_other": (f"from {one} to {other}", BLUE, "o", "-")}
    looks["from_other"] = (f"from {other} to {one}", VERMILION, "s", "--")
    for quantity, (name, color, marker, line) in looks.items():
        ax.plot(
            against["layer"],
            against[quantity],
            color=color,
            marker=marker,
            ls=line,
            ms=4,
            label=name,
        )
        low, high = (against[f"{quantity}{end}"] for end in ("_low", "_high"))
        ax.fill_between(against["layer"], low, high, color=color, alpha=0.2, linewidth=0)
    ax.axhline(against["null_mean"].mean(), color=GRAY, linewidth=1, label="texts shuffled")
    ax.set(xlabel=f"layer of {one}", ylabel="information imbalance")
    ax.set_ylim(0, max(1.05, ax.get_ylim()[1]))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _tables(table: pd.DataFrame, one: str, other: str, digits: int) -> str:
    title = f"Information imbalance of {one} and {other}"
    if table.empty:
        return tables_page(title, STAGE, f"{NO_TEXT}.\n")
    note = (
        f"`layer` is of {one}, `other_layer` of {other}. The difference is of the two directions: "
        f"below 0 {one} holds more of {other} than {other} of it. Sentences made for other stages "
        "have no interval."
    )
    columns = {"corpus": "corpus", "n": "n", **COLUMNS}
    parts = [
        section("Last layers", note, markdown_table(_shown(_last(table), columns), digits)),
        *(
            section(
                f"{sentence_case(corpus_looks([str(corpus)])[str(corpus)].name)}: all layers",
                "",
                markdown_table(_shown(rows, COLUMNS), digits),
            )
            for corpus, rows in table.groupby("corpus", sort=False)
        ),
    ]
    return tables_page(title, STAGE, *parts)


def _shown(rows: pd.DataFrame, columns: dict[str, str]) -> pd.DataFrame:
    return rows[[*columns]].rename(columns=columns)
