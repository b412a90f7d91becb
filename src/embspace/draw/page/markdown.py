"""Writes tables as Markdown, which repositories show without running anything."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil, floor, isnan, log10
from typing import Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from tabulate import tabulate

from embspace.draw.page.latex import CODE, POWER, RAISED
from embspace.draw.page.measure_names import VALUES
from embspace.draw.page.own_texts import corpus_called
from embspace.errors import one_line

# Signs with a meaning outside code, which a backslash in front takes away.
ACTIVE = re.compile(r"[\\`*|]|<(?=[A-Za-z/!?])|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])")
NUMERIC = re.compile(rf"(< )?-?[\d.,]+{POWER}( \[.*\])?{POWER}|–")
EXPONENT = str.maketrans("-0123456789", RAISED)
LEAST_EXPONENT = -4  # of an interval without a power of ten
ROUNDED = 1e-5  # relative error of a number in a table of results
NEGATIVE_ZERO = re.compile(r"^-(0(?:\.0*)?)$")
CORPORA = ("corpus", "other_corpus", "other corpus")  # columns
FOLD = ("<details>", "<summary>More</summary>", "</details>")
POINTER = re.compile(r"\*\*(.+)\*\*\nSee also: \[(\w+)\]\(\S+\)\.\n\n")
_BAR = re.compile(r"(?<!\\)\|")
IDENTIFIER = re.compile(r"[a-z0-9_]+")
OF_NAMES = ("pooling", "method", "measure", "embedding", "features", "vectors", "preparation")


def same(*columns: str) -> dict[str, str]:
    """Return columns with their own names as the names for readers."""
    return {column: column for column in columns}


def interval(column: str, name: str) -> dict[str, str]:
    """Return the names of a column and of its bounds, for `markdown_table` to join."""
    return {f"{column}{end}": f"{name}{end}" for end in ("", "_low", "_high")}


def for_readers(
    table: pd.DataFrame, columns: Mapping[str, str], **words: Mapping[Any, str]
) -> pd.DataFrame:
    """Return the columns that readers want, under the names for readers.

    Args:
        table: Rows of results.
        columns: The columns' names for readers.
        words: By column, the words in place of the values.
    """
    named = {name: [of[value] for value in table[name]] for name, of in words.items()}
    return table.assign(**named)[[*columns]].rename(columns=columns)


# The columns of a summary table that a reader wants.
DISTRIBUTION = {
    "n": "n",
    "mean": "mean",
    "standard_deviation": "standard deviation",
    "minimum": "minimum",
    "quantile_0.5": "median",
    "maximum": "maximum",
}


def markdown_table(table: pd.DataFrame, digits: int, exact: Sequence[str] = ()) -> str:
    """Return `table` as Markdown, with the significant digits of the numbers.

    Whole numbers have no digits after the point, also beside gaps. A value with an interval has two
    significant digits of the interval's half-width; any further value has `digits` after the point,
    or fewer with as many before the point. An undefined value is a dash. `x`, `x_low` and `x_high`
    become one column, the value and the interval.

    Args:
        table: Rows to show.
        digits: After the point, for values without an interval.
        exact: Columns that keep three significant digits.

    Raises:
        ValueError: if two columns would have one heading.
    """
    if table.empty:
        return "None."
    table = _with_intervals(_with_words(table))
    headings = [words(str(column).replace("_", " ")).strip() for column in table]
    if len(set(headings)) < len(headings):
        raise ValueError(f"two columns of one heading among {headings}")
    shown = {name: _cells(table[name], digits, name in exact) for name in table}
    return tabulate(
        [*zip(*shown.values(), strict=True)],
        headers=headings,
        tablefmt="github",
        missingval="–",
        disable_numparse=True,
        colalign=["right" if _is_numeric(cells) else "left" for cells in shown.values()],
    )


def _is_numeric(cells: Sequence[object]) -> bool:
    return all(cell is None or NUMERIC.fullmatch(str(cell)) for cell in cells)


def _cells(column: pd.Series, digits: int, is_exact: bool) -> list[object]:
    """Return the cells of a column; what is not defined is None."""
    if not is_numeric_dtype(column) or is_bool_dtype(column):
        return _spoken(column.astype(object).where(column.notna(), None))
    known = column.dropna()
    is_whole = bool((known == known.round()).all()) and not is_exact
    form = significant if is_exact else partial(number, digits=0 if is_whole else digits)
    return [None if isnan(value) else form(value) for value in column.astype(float)]


def _spoken(column: pd.Series) -> list[object]:
    """Return the cells of a column, names of the code in readers' words.

    Names that are words, too, such as `hubness`, are replaced in columns of names alone.
    """
    cells = [*column]  # a column would make a gap a number again
    if not all(IDENTIFIER.fullmatch(cell) for cell in cells if isinstance(cell, str)):
        return cells
    is_named = str(column.name) in OF_NAMES
    known = {name: said for name, said in VALUES.items() if is_named or "_" in name}
    return [known.get(cell, cell) for cell in cells]


def significant(value: float, digits: int = 3) -> str:
    """Return a number with significant digits; one below 0.0001 as `1.4 × 10⁻⁵`, never `-0`."""
    shown, _, exponent = f"{value:.{digits}g}".partition("e")
    if exponent and abs(value) > 1:
        return f"{value:,.0f}"
    return f"{shown}{_times(int(exponent))}" if exponent else NEGATIVE_ZERO.sub(r"\1", shown)


def number(value: float, digits: int) -> str:
    """Return a number with `digits` after the point, less the digits before; never `-0`.

    A number that rounds to 0 has at most two significant digits.
    """
    if value and abs(value) < 0.5 * 10.0**-digits:
        return significant(value, 2)
    before = max(0, floor(log10(abs(value)))) if value else 0
    return NEGATIVE_ZERO.sub(r"\1", f"{value:,.{max(0, digits - before)}f}")


def _times(exponent: int) -> str:
    return f" × 10{str(exponent).translate(EXPONENT)}"


def p_value(value: float, n_draws: int) -> str:
    """Return a p-value of a null with `n_draws` draws; the smallest possible value as a bound."""
    least = 1 / (n_draws + 1)
    is_least = value <= least * (1 + ROUNDED)
    return f"< {_rounded_up(least)}" if is_least else number(value, 3)


def _rounded_up(value: float) -> str:
    place = -floor(log10(value))
    return f"{ceil(value * 10**place) / 10**place:g}"


def _with_words(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its words escaped, for texts, tokens and ids may be anybody's."""
    shown = table.copy()
    for name in table:
        if table[name].dtype.kind == "O":  # strings, objects and categories
            dtype = table[name].dtype if table[name].dtype == "str" else object
            called = corpus_called if name in CORPORA else str
            texts = [words(called(x)) if isinstance(x, str) else x for x in table[name]]
            shown[name] = pd.Series(texts, table.index, dtype)
    return shown


def _with_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with intervals beside their values."""
    names = [str(name) for name in table]
    named = [name for name in names if {f"{name}_low", f"{name}_high"} <= set(names)]
    joined = {}
    for name in named:
        columns = table[[name, f"{name}_low", f"{name}_high"]].to_numpy(dtype=float)
        texts = [with_interval(value, low, high) for value, low, high in columns]
        joined[name] = pd.Series(texts, table.index, "str")
    bounds = [f"{name}{end}" for name in named for end in ("_low", "_high")]
    return table.assign(**joined).drop(columns=bounds)


def with_interval(value: float, low: float, high: float) -> str:
    """Return a value and its interval, to two significant digits of the interval's half-width."""
    if isnan(value):
        return "–"
    if isnan(low) or isnan(high):
        return number(value, 3)
    half = abs(high - low) / 2
    if not half:
        return f"{number(value, 3)} [{number(low, 3)}, {number(high, 3)}]"
    largest = floor(log10(max(abs(low), abs(high), abs(value))))
    power = largest if largest < LEAST_EXPONENT else 0
    digits = max(0, 1 - floor(log10(half)) + power)
    shown = (f"{x / 10.0**power:,.{digits}f}" for x in (value, low, high))
    value_shown, low_shown, high_shown = (NEGATIVE_ZERO.sub(r"\1", string) for string in shown)
    return f"{value_shown} [{low_shown}, {high_shown}]{_times(power) if power else ''}"


def code(token: str) -> str:
    """Return a token as a code span that survives in a table's cell."""
    runs = [len(run) for run in re.findall("`+", token)]
    fence = "`" * (max(runs, default=0) + 1)
    pad = " " if runs else ""
    return f"{fence}{pad}{one_line(token)}{pad}{fence}".replace("|", "\\|")


def words(text: str) -> str:
    """Return anybody's words with all signs of Markdown escaped, except in code spans.

    The result has no picture or link, no HTML, no further cell of a table.
    """
    parts, start, text = [], 0, one_line(text)
    for span in CODE.finditer(text):
        parts += [ACTIVE.sub(r"\\\g<0>", text[start : span.start()]), _BAR.sub(r"\|", span[0])]
        start = span.end()
    return "".join([*parts, ACTIVE.sub(r"\\\g<0>", text[start:])])


def harmless(page: str) -> str:
    """Return a page of `markdown_table`s with `words` for its headings and sentences."""
    lines = page.split("\n")
    kept = ("|", *FOLD)
    return "\n".join(
        [line if line.startswith("|") or line in kept else _line(line) for line in lines]
    )


def _line(line: str) -> str:
    marks = re.match("#* *", line)
    start = marks.end() if marks else 0
    return line[:start] + words(line[start:])


def section(title: str, note: str, body: str) -> str:
    """Return a heading, a note and a table as one section."""
    return "\n\n".join(filter(None, (f"## {title}", note, f"{body}\n")))


def folded(page: str) -> str:
    """Return a part of a page behind a fold, which a click opens."""
    opened, summary, closed = FOLD
    return f"{opened}\n{summary}\n\n{page.strip()}\n\n{closed}\n"


def tables_page(title: str, stage: str, first: str, *more: str) -> str:
    """Return a page with the stage, the first section, and all further sections behind a fold."""
    rest = [folded("\n".join(more))] if more else []
    return "\n".join([f"# {title}\n\nStage `{stage}`.\n", first, *rest])


def with_pointer(page: str, finding: str, noun: str, name: str) -> str:
    """Return a page of tables with the finding and the figure's place below the heading."""
    heading, rest = page.split("\n", 1)
    figure = f"See also: [{noun}](../{noun}/{name}.png).\n"
    return f"{heading}\n\n**{words(finding)}.**\n{figure}{rest}"


def pointer_apart(page: str) -> tuple[str, str, str]:
    """Return a page without what `with_pointer` added, the finding, and the figure's noun.

    If nothing was added, finding and noun are empty.
    """
    match = POINTER.search(page)
    if match is None:
        return page, "", ""
    finding = re.sub(r"\\(.)", r"\1", match[1].removesuffix("."))
    return page[: match.start()] + page[match.end() :], finding, match[2]
