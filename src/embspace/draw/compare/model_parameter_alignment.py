"""Draws figure and tables of `compare_model_parameter_alignment`: layers matched by parameters."""

from textwrap import fill

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from pydantic import NonNegativeInt, PositiveFloat

from embspace.draw.page.canvas import count, new_figure, say_instead
from embspace.draw.page.markdown import folded, for_readers, interval, markdown_table, section
from embspace.draw.page.parameter_groups import GROUPS
from embspace.files.tables import Tables
from embspace.settings.params import models_of

SPACES = {"vocabulary": "Vocabulary", "raw": "Raw space"}
LINE = 90  # characters of a reason in the figure


def draw_model_parameter_alignment(
    results: Tables, label: str, *, row_height_mm: PositiveFloat, digits: NonNegativeInt
) -> tuple[Figure, str]:
    """Draw a map of the layers for each group of parameters, a row for each space, and tables."""
    cells = results["csv"].dropna(subset="group")
    table = cells.drop_duplicates(["group", "space"])
    one, other = models_of(label)
    groups = [group for group in GROUPS if group in set(table["group"])]
    spaces = [space for space in SPACES if space in set(table["space"])]
    figure, axes = new_figure(
        max(1, len(spaces)),
        max(1, len(groups)),
        height_mm=row_height_mm * max(1, len(spaces)) + 30,
        title=_title(table, one, other),
        subtitle=_subtitle(table, one, other),
        stage="compare_model_parameter_alignment",
    )
    head = f"# Layers of {one} and {other} matched by their parameters\n\n"
    head += "Stage `compare_model_parameter_alignment`.\n"
    if table.empty:
        reason = f"Not compared: {'; '.join(results['csv']['reason']) or 'no result'}."
        say_instead(axes, fill(reason, LINE))
        return figure, f"{head}\n{reason}\n"
    for number, space in enumerate(spaces):
        row = axes[len(groups) * number : len(groups) * (number + 1)]
        for ax, group in zip(row, groups, strict=True):
            _map(ax, cells[(cells["space"] == space) & (cells["group"] == group)])
            ax.set_title(GROUPS[group])
        row[0].set_ylabel(f"{SPACES[space]}\nlayer of {one}")
    last = axes[-len(groups)]
    last.set_xlabel(f"{last.get_xlabel()}\nlayer of {other}")
    return figure, f"{head}\n{_text(table, one, other, digits)}"


def _is_true(column: pd.Series) -> pd.Series:
    return column.astype(str) == "True"


def _title(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"The layers of {one} and {other} cannot be matched by their parameters"
    of_space = dict(list(table.groupby("space")))
    above = {space: _is_true(rows["is_above_dealt_rows"]) for space, rows in of_space.items()}
    said = f"{above['vocabulary'].sum()} of {len(above['vocabulary'])} groups of parameters"
    if "raw" in of_space:
        said += f" (raw space: {above['raw'].sum()})"
    ordered = _is_true(of_space["vocabulary"]["is_in_order"]).sum()
    smallest = of_space["vocabulary"]["p_value_in_order"].min()
    return (
        f"Through the vocabulary, layers of {one} and {other} are more alike than dealt rows in "
        f"{said}; which layer is which can be told in {ordered} (smallest p of the order "
        f"{smallest:.2g})"
    )


def _subtitle(table: pd.DataFrame, one: str, other: str) -> str:
    if table.empty:
        return f"{one} · {other} · 0 groups of parameters"
    row = table.iloc[0]
    order = table.groupby("space")["in_order"].mean()
    kept = " and ".join(
        f"{order[space]:.2f} in {name.lower()}" for space, name in SPACES.items() if space in order
    )
    return (
        f"{count(row['n_layers'])} layers of {one} (upwards), {count(row['n_other_layers'])} of "
        f"{other}; "
        f"{count(row['n_tokens'])} tokens · mean |r| of the parameters of two layers, each map "
        "from its lowest to its highest, below it · squares: the assignment · matches in the "
        f"order of both: {kept}, 0.5 at random · dealt rows: {count(row['n_shuffles'])} draws"
    )


def _map(ax: Axes, cells: pd.DataFrame) -> None:
    values = cells.pivot(index="layer", columns="other_layer", values="similarity")
    sns.heatmap(values, cmap="viridis", square=True, cbar=False, ax=ax)
    for _, cell in cells[_is_true(cells["is_assigned"])].iterrows():
        corner = (cell["other_layer"] - 1, cell["layer"] - 1)
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor="white", lw=1.4))
    ax.invert_yaxis()
    ax.tick_params(rotation=0, labelsize=7)
    ax.set(ylabel="")
    low, high = values.min().min(), values.max().max()
    ax.set_xlabel(f"{low:.3g}–{high:.3g}", fontsize=7)


def _text(table: pd.DataFrame, one: str, other: str, digits: int) -> str:
    columns = {
        "group": "parameters",
        "space": "space",
        "matches": f"layer of {other} for each of {one}",
        **interval("null_mean_similarity", "dealt rows"),
        "mean_similarity": "mean similarity of matches",
        "p_value": "p-value",
        "holm_p_value": "p-value, all tests",
        "margin": "margin",
        "is_above_dealt_rows": "above dealt rows",
        "in_order": "in order",
        **interval("null_in_order", "in order, dealt rows"),
        "p_value_in_order": "p-value of the order",
        "holm_p_value_in_order": "p-value of the order, all tests",
    }
    note = (
        "The assignment of layers with the largest total of mean |r|; margin: by how much the "
        "second best has less. P-value of all tests: by Holm's method over all groups and spaces; "
        "above dealt rows where it is at most 0.05. Layers that are alike to all layers of the "
        "other model suffice for that, whichever they are matched with. In order: share of pairs "
        "of matches that stand in one order in both models, which says which layer is which. The "
        "rule was changed after the results, upon a reader's "
        "objection: at first each group was held to the range of dealt rows by itself."
    )
    parts = []
    for number, space in enumerate(each for each in SPACES if each in set(table["space"])):
        rows = for_readers(table[table["space"] == space], columns, group=GROUPS)
        part = section(
            SPACES[space], note if not number else "The same.", markdown_table(rows, digits)
        )
        parts.append(folded(part) if number else part)
    return "\n".join(parts)
