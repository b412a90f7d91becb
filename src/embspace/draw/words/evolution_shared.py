"""Draws the energy that steps of different tokens share, which `measure_evolution` measures."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import counted, legend_below, new_figure, say_instead, shade
from embspace.draw.page.looks import NULLS, Look, corpus_looks, text_looks
from embspace.draw.words.evolution_tables import NO_TOKENS, shared_tables
from embspace.files.tables import Tables

STAGE = "measure_evolution"
RESULTS = ("evolution/shared_steps.csv", "evolution/views.csv")
VALUE, RANDOM_VALUE, NULL = "shared_energy", "random_weights_shared_energy", "null_shared_energy"
RANDOM, ROTATED = NULLS["random_initialization"], NULLS["rotated_paths"]


def draw_evolution_shared(
    results: Tables, label: str, *, height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw the energy that steps of different tokens share, by layer and over the whole way."""
    table = results["evolution/shared_steps"]
    subtitle = f"{label} · {_population(table)}"
    figure, axes = new_figure(
        1, 2, height_mm=height_mm, title=_finding(table), subtitle=subtitle, stage=STAGE
    )
    if table.empty:
        say_instead(axes, NO_TOKENS)
        return figure, shared_tables(results, label, digits)
    is_step = table["last_layer"] - table["first_layer"] == 1
    _by_step(axes[0], table[is_step])
    _whole_way(axes[1], table[~is_step])
    legend_below(figure, axes, ncols=3)
    return figure, shared_tables(results, label, digits)


def _finding(table: pd.DataFrame) -> str:
    """Return the title: the range over the steps of the first text and of each corpus."""
    steps = table[(table["last_layer"] - table["first_layer"] == 1)]
    if steps.empty:
        return "No two tokens whose steps could be compared"
    own = steps[steps["tokens"] == steps["tokens"].iloc[0]]
    others = steps[steps[f"{VALUE}_low"].notna()].groupby("tokens", sort=False)[VALUE]
    looks = _looks(steps)
    ranges = [f", those of {looks[str(name)].name} {_range(values)}" for name, values in others]
    n_less = int((own[VALUE] < own[RANDOM_VALUE]).sum())
    return (
        f"Tokens of {next(iter(looks.values())).name} share {_range(own[VALUE])} of the energy of "
        f"a step{''.join(ranges)}; random weights: {_range(own[RANDOM_VALUE])}, more in "
        f"{n_less} of {counted(len(own), 'step')}"
    )


def _range(shares: pd.Series) -> str:
    low, high = (
        f"{100 * each + 0.0:.0f}".replace("-0", "0") for each in (shares.min(), shares.max())
    )
    return f"{low} %" if low == high else f"{low} to {high} %"


def _population(table: pd.DataFrame) -> str:
    if table.empty:
        return "no tokenizer, n = 0 tokens"
    looks = _looks(table)
    sizes = table.groupby("tokens", sort=False)["n_tokens"].max()
    parts = [f"{looks[str(name)].name}: {counted(n, 'token')}" for name, n in sizes.items()]
    note = "energy: mean squared length; shared: 0 if steps are independent, 1 if they are equal"
    note += f" · gray in a: {next(iter(looks.values())).name}"
    has_corpus = table[f"{VALUE}_low"].notna().any()
    return " · ".join([*parts, note, *(["bands: 95 % intervals"] if has_corpus else [])])


def _looks(table: pd.DataFrame) -> dict[str, Look]:
    """Return the looks of texts and corpora; only corpora have intervals, over their texts."""
    corpora = set(table.loc[table[f"{VALUE}_low"].notna(), "tokens"])
    names = [str(name) for name in table["tokens"].unique()]
    texts = text_looks(name for name in names if name not in corpora)
    return texts | corpus_looks(name for name in names if name in corpora)


def _by_step(ax: Axes, steps: pd.DataFrame) -> None:
    looks = _looks(steps)
    for number, (name, rows) in enumerate(steps.groupby("tokens", sort=False)):
        look = looks[str(name)]
        line: dict[str, Any] = {"color": look.color, "marker": look.marker, "ls": look.line}
        ax.plot(rows["last_layer"], rows[VALUE], ms=4, label=f"tokens of {look.name}", **line)
        if rows[f"{VALUE}_low"].notna().any():
            shade(ax, rows, "last_layer", VALUE, color=look.color, alpha=0.3)
        if number == 0:
            shade(ax, rows, "last_layer", NULL, color=ROTATED.color, zorder=1, label=ROTATED.name)
            line = {"color": RANDOM.color, "ls": RANDOM.line, "label": RANDOM.name}
            ax.plot(rows["last_layer"], rows[RANDOM_VALUE], marker="x", ms=4, **line)
    ax.set(title="Steps of one layer", xlabel="layer where the step ends", ylabel="shared energy")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _whole_way(ax: Axes, ways: pd.DataFrame) -> None:
    """Draw one row for each set of tokens and stretch of layers, with null and random weights."""
    looks = _looks(ways)
    names = []
    for place, row in enumerate(ways.to_dict(orient="records")):
        look = looks[row["tokens"]]
        names.append(f"{look.name}, {row['first_layer']} to {row['last_layer']}")
        null = [row[f"{NULL}_low"], row[f"{NULL}_high"]]
        ax.plot(null, [place] * 2, color=ROTATED.color, lw=5, solid_capstyle="butt", zorder=1)
        ax.plot(row[RANDOM_VALUE], place, "x", color=RANDOM.color, ms=5)
        ax.plot([row[f"{VALUE}_low"], row[f"{VALUE}_high"]], [place] * 2, color=look.color, lw=1)
        ax.plot(row[VALUE], place, look.marker, color=look.color, ms=5)
    ax.set_yticks(range(len(names)), names)
    ax.set(title="Steps of several layers", xlabel="shared energy", ylim=(len(names) - 0.5, -0.5))
