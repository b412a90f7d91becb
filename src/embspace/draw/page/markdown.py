"""Tables as Markdown, which repositories show without running anything."""

import re
from collections.abc import Sequence
from math import isnan

import pandas as pd
from tabulate import tabulate

from embspace.draw.page.latex import CODE
from embspace.errors import one_line

# What has a meaning outside code: all of it takes a backslash in front.
ACTIVE = re.compile(r"[\\`*|]|<(?=[A-Za-z/!?])|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])")
_BAR = re.compile(r"(?<!\\)\|")


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
    table, exact = _with_intervals(_with_words(table), digits, exact)
    formats = ["" if column in exact else f".{digits}f" for column in table]
    shown = table.assign(**{name: [f"{x:.3g}" for x in table[name]] for name in exact})
    return tabulate(
        # As objects: in an array of numbers alone, counts would become decimals.
        shown.astype(object).where(shown.notna(), None).to_numpy().tolist(),
        headers=[words(str(column).replace("_", " ")) for column in table],
        tablefmt="github",
        floatfmt=formats,
        missingval="–",
        disable_numparse=[index for index, name in enumerate(shown) if shown[name].dtype == "str"],
    )


def _with_words(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with harmless words: each text, token or id may be anybody's."""
    shown = table.copy()
    for name in table:
        if table[name].dtype.kind == "O":  # strings, objects and categories
            dtype = table[name].dtype if table[name].dtype == "str" else object
            texts = [words(x) if isinstance(x, str) else x for x in table[name]]
            shown[name] = pd.Series(texts, table.index, dtype)
    return shown


def _with_intervals(
    table: pd.DataFrame, digits: int, exact: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return the table with intervals beside their values, and what is left of `exact`."""
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
    """Return a token as a code span that survives in a table's cell."""
    runs = [len(run) for run in re.findall("`+", token)]
    fence = "`" * (max(runs, default=0) + 1)
    pad = " " if runs else ""
    return f"{fence}{pad}{one_line(token)}{pad}{fence}".replace("|", "\\|")


def words(text: str) -> str:
    """Return words that anybody wrote, so that they stand in Markdown as they are; code spans stay.

    No picture or link comes of them, no HTML, no further cell of a table.
    """
    parts, start, text = [], 0, one_line(text)
    for span in CODE.finditer(text):
        parts += [ACTIVE.sub(r"\\\g<0>", text[start : span.start()]), _BAR.sub(r"\|", span[0])]
        start = span.end()
    return "".join([*parts, ACTIVE.sub(r"\\\g<0>", text[start:])])


def harmless(page: str) -> str:
    """Return a page of `markdown_table`s with `words` for its headings and sentences."""
    lines = page.split("\n")
    return "\n".join([line if line.startswith("|") else _line(line) for line in lines])


def _line(line: str) -> str:
    marks = re.match("#* *", line)
    start = marks.end() if marks else 0
    return line[:start] + words(line[start:])


def section(title: str, note: str, body: str) -> str:
    """Return a heading, a sentence and a table."""
    return f"## {title}\n\n{note}\n\n{body}\n"
