"""Tables as Markdown, which repositories show without running anything."""

from collections.abc import Sequence
from math import isnan

import pandas as pd
from tabulate import tabulate


def same(*columns: str) -> dict[str, str]:
    """Columns that readers know by their own names."""
    return {column: column for column in columns}


def interval(column: str, name: str) -> dict[str, str]:
    """A column's name for readers, and those of its bounds, which `markdown_table` joins to it."""
    return {f"{column}{end}": f"{name}{end}" for end in ("", "_low", "_high")}


# Of a summary table, the columns that a reader wants, and their names.
DISTRIBUTION = {
    "n": "n",
    "mean": "mean",
    "standard_deviation": "standard deviation",
    "minimum": "minimum",
    "quantile_0.5": "median",
    "maximum": "maximum",
}


def markdown_table(table: pd.DataFrame, digits: int, exact: Sequence[str] = ()) -> str:
    """`table` with `digits` after the point; columns in `exact` keep three significant digits.

    A number that is not defined is a dash. `x`, `x_low` and `x_high` become one column, the value
    and its interval.
    """
    if table.empty:
        return "None."
    table, exact = _with_intervals(table, digits, exact)
    formats = ["" if column in exact else f".{digits}f" for column in table]
    shown = table.assign(**{name: [f"{x:.3g}" for x in table[name]] for name in exact})
    return tabulate(
        # As objects: in an array of numbers alone, counts would become decimals.
        shown.astype(object).where(shown.notna(), None).to_numpy().tolist(),
        headers=[str(column).replace("_", " ") for column in table],
        tablefmt="github",
        floatfmt=formats,
        missingval="–",
        disable_numparse=[index for index, name in enumerate(shown) if shown[name].dtype == "str"],
    )


def _with_intervals(
    table: pd.DataFrame, digits: int, exact: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """The table with intervals beside their values, and what is left of `exact`."""
    names = [str(name) for name in table]
    named = [name for name in names if {f"{name}_low", f"{name}_high"} <= set(names)]
    joined = {}
    for name in named:
        form = ".3g" if name in exact else f".{digits}f"
        columns = table[[name, f"{name}_low", f"{name}_high"]].to_numpy(dtype=float)
        texts = [_interval(value, low, high, form) for value, low, high in columns]
        joined[name] = pd.Series(texts, table.index, "str")
    bounds = [f"{name}{end}" for name in named for end in ("_low", "_high")]
    gone = {*named, *bounds}
    return table.assign(**joined).drop(columns=bounds), [each for each in exact if each not in gone]


def _interval(value: float, low: float, high: float, form: str) -> str:
    if isnan(value):
        return "–"
    return f"{value:{form}}" if isnan(low) else f"{value:{form}} [{low:{form}}, {high:{form}}]"


def code(token: str) -> str:
    """A token as a code span that survives in a table's cell."""
    fence = "``" if "`" in token else "`"
    pad = " " if "`" in token else ""
    return f"{fence}{pad}{token}{pad}{fence}".replace("|", "\\|")


def section(title: str, note: str, body: str) -> str:
    """A heading, a sentence and a table."""
    return f"## {title}\n\n{note}\n\n{body}\n"
