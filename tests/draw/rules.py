"""Rules that figures and their tables keep, each as a function that says what breaks it."""

import re
from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Tick
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from embspace.draw.page.canvas import panels_of

MOST_LINES, MOST_NUMBERS, MOST_PANELS, MOST_ROWS, MOST_COLUMNS = 2, 2, 6, 25, 8
NUMBER = re.compile(r"(?<![\w.])[−+-]?\d[\d,]*(?:\.\d+)?(?![\w])(?: %)?")
IN_NAMES = re.compile(
    r"[±]\d[\d.]*|\b(?:layers?|positions?) \d+(?: (?:of|and) \d+)?|\[\w+\]|k = \d+", re.IGNORECASE
)
CODE = re.compile(r"`+[^`]*`+")


def numbers_in(words: str) -> list[str]:
    """Return the numbers of a sentence, but for those that name a layer or a position."""
    return [number.strip() for number in NUMBER.findall(IN_NAMES.sub("", words))]


def long_title(figure: Figure) -> str:
    """Return a title of more than two lines or two numbers."""
    title = figure.get_suptitle()
    n_lines = len([line for line in title.splitlines() if line.strip()])
    is_long = n_lines > MOST_LINES or len(numbers_in(title)) > MOST_NUMBERS
    return " ".join(title.split()) if is_long else ""


def numbers_nowhere(figure: Figure) -> str:
    """Return the numbers of a title that no panel prints or draws; those of ticks do not count."""
    title = " ".join(figure.get_suptitle().split())
    words = " ".join(word for part in (*figure.axes, *figure.legends) for word in _words_of(part))
    printed = {_bare(number) for number in NUMBER.findall(words)}
    values = np.array([0.0, *(value for ax in figure.axes for value in _values_of(ax))])
    values = values[np.isfinite(values)]
    lacking = []
    for number in numbers_in(title):
        bare = _bare(number)
        drawn = np.round(100 * values if "%" in number else values, len(bare.partition(".")[2]))
        if bare not in printed and float(bare) not in np.abs(drawn):
            lacking.append(number)
    return ", ".join(lacking)


def _bare(number: str) -> str:
    """Return a number without its sign, its thousands' separators and its percent."""
    return number.removesuffix(" %").replace(",", "").lstrip("+−-")


def _words_of(part: Axes | Legend) -> Iterator[str]:
    tick_ids = {id(text) for tick in part.findobj(Tick) for text in tick.findobj(Text)}
    for text in part.findobj(Text):
        if isinstance(text, Text) and id(text) not in tick_ids:
            yield text.get_text()


def _values_of(ax: Axes) -> Iterator[float]:
    for line in ax.lines:
        for part in line.get_data(orig=False):
            yield from np.ravel(np.asarray(part, dtype=float))
    for collection in ax.collections:
        yield from np.ravel(np.ma.filled(collection.get_offsets(), np.nan)).astype(float)
        yield from np.ravel(np.ma.filled(np.ma.asarray(collection.get_array(), float), np.nan))
    for image in ax.images:
        yield from np.ravel(np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan))
    for patch in ax.patches:
        if hasattr(patch, "get_width"):
            yield from map(float, (patch.get_width(), patch.get_height()))


def many_panels(figure: Figure) -> str:
    """Return the number of panels, if more than six."""
    n = len(panels_of(figure))
    return str(n) if n > MOST_PANELS else ""


def looks_of_two(figure: Figure) -> str:
    """Return the names of a figure's legends that share color, marker and line."""
    legends = [part for part in figure.findobj(Legend) if isinstance(part, Legend)]
    named: dict[tuple[str, str, str], set[str]] = {}
    for legend in legends:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            color, marker, line = (
                getattr(handle, get, lambda: "")() for get in ("get_color", "get_marker", "get_ls")
            )
            if isinstance(color, str | tuple) and len(color):
                named.setdefault((to_hex(color), str(marker), str(line)), set()).add(
                    text.get_text()
                )
    return "; ".join(" = ".join(sorted(names)) for names in named.values() if len(names) > 1)


def panels_without_heading(figure: Figure) -> str:
    """Return the letters of panels that have no heading beside their letter."""
    panels = panels_of(figure) if len(panels_of(figure)) > 1 else []
    titles = [ax.get_title("left").strip() for ax in panels]
    return ", ".join(title for title in titles if len(title) <= 1)


def wide_tables(page: str) -> str:
    """Return how a table above the fold is too long or too wide, or has words of code in cells."""
    first = page.partition("<details>")[0]
    said = []
    for table in re.findall(r"(?m)(?:^\|.*\|\n?)+", first):
        rows = table.strip().splitlines()
        if len(rows) > MOST_ROWS + 2:
            said.append(f"{len(rows) - 2} rows")
        plain = [CODE.sub("", row).replace("\\|", "") for row in rows]
        if (n_columns := max(row.count("|") - 1 for row in plain)) > MOST_COLUMNS:
            said.append(f"{n_columns} columns")
        if re.search(r"\| +(True|False) +\|", table):
            said.append("True or False")
    return ", ".join(said)
