"""Gives all figures their style, heading, panels, legends and numbers in words."""

import logging
import re
from collections.abc import Sequence
from importlib.resources import as_file, files
from string import ascii_lowercase
from textwrap import fill, wrap
from typing import Any, Literal, SupportsFloat, SupportsInt

import numpy as np
import pandas as pd
from cycler import cycler
from matplotlib import rcParams, style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter

from embspace.draw.page.looks import PALETTE, Line, Look
from embspace.files.typeface import add_typeface

# A map of one scale shows a little more than its limits; of that matplotlib would warn.
logging.getLogger("matplotlib.axes._base").setLevel(logging.ERROR)
WIDTH_MM = 160.0  # at 150 mm, type of 7 pt is of 6.6 pt
HIGHEST_MM = 200.0  # height that a page holds together with a caption
INCH_MM = 25.4
ARROW = " → "
SUBTITLE = "subtitle"  # group id that tells the subtitle from other words of a figure
TITLE: dict[str, Any] = {"fontsize": 10, "fontweight": "bold"}
UNDER_TITLE: dict[str, Any] = {"fontsize": 7.5, "color": "0.3"}
LEFT_EDGE = 0.01  # share of the width to the left of a heading
HEADING: dict[str, Any] = {"x": LEFT_EDGE, "ha": "left"}
LONGEST_LINE = 150  # characters of a line that is tried first
TITLE_LINE_MM, SUBTITLE_LINE_MM = 4.6, 3.5
UNBROKEN = "\N{NO-BREAK SPACE}"
FORMULA = re.compile(r"[^$]*\$\\mathdefault\{[^$]*\}\$[^$]*")  # matches a number of matplotlib's
HALO = [withStroke(linewidth=2, foreground="white")]  # around words that lie on lines
LINE = 44  # characters that half a page's width holds
QUANTITIES = {
    "norm": "Euclidean norm",
    "euclidean_distance": "Euclidean distance",
    "dot_product": "dot product",
    "cosine": "cosine",
}


class _Canvas(FigureCanvasAgg):
    """Colors no pixel before a figure is saved.

    seaborn draws the whole figure for every heat map, to find labels that overlap; for this, the
    layout alone is enough.
    """

    def draw(self) -> None:
        """Lay the figure out."""
        self.figure.draw_without_rendering()


def use_style(width_mm: float = WIDTH_MM) -> None:
    """Set embspace's style, whatever the user's matplotlibrc says.

    The style is seaborn's theme `ticks` for papers; embspace.mplstyle repeats the values, because
    importing seaborn takes a second. Figures are `width_mm` wide, with the same sizes of type at
    any width.
    """
    add_typeface()
    style.use("default")
    with as_file(files("embspace.draw.page") / "embspace.mplstyle") as path:
        style.use(str(path))
    rcParams["axes.prop_cycle"] = cycler(color=PALETTE)
    rcParams["figure.figsize"] = (width_mm / INCH_MM, rcParams["figure.figsize"][1])


def new_figure(
    n_rows: int, n_columns: int, *, height_mm: float, title: str, subtitle: str, stage: str
) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure of page width and its grid of axes, row by row.

    Args:
        n_rows: Rows of the grid.
        n_columns: Columns of the grid.
        height_mm: Height of the figure, of which a second line of title or subtitle takes some.
        title: The finding, a sentence filled from numbers.
        subtitle: Model, n and protocol.
        stage: The stage of the results, which the metadata of the files name.
    """
    width = rcParams["figure.figsize"][0]
    figure = Figure(figsize=(width, height_mm / INCH_MM))
    axes = np.ravel(figure.subplots(n_rows, n_columns, squeeze=False))
    titles, subtitles = _lines(figure, title, TITLE), _lines(figure, subtitle, UNDER_TITLE)
    # The heading keeps the room of the subtitle free, which is written into it.
    figure.suptitle("\n".join(titles) + "\n" * len(subtitles), **TITLE, **HEADING)
    top = 1 - (2.2 + TITLE_LINE_MM * len(titles)) / height_mm
    words = figure.text(y=top, s="\n".join(subtitles), va="top", **UNDER_TITLE, **HEADING)
    words.set_parse_math(False)
    words.set_gid(SUBTITLE)
    figure.set_label(stage)
    return figure, list(axes)


def _lines(figure: Figure, words: str, look: dict[str, Any]) -> list[str]:
    """Return words in lines that are as long as the width of the figure allows."""
    shown = figure.text(0, 0, "", parse_math=False, **look)
    n_characters, lines = LONGEST_LINE, [words]
    while n_characters:
        kept = words.replace(" %", f"{UNBROKEN}%")  # no line begins with a sign of percent
        lines = wrap(kept, n_characters, break_on_hyphens=False)
        lines = [line.replace(UNBROKEN, " ") for line in lines]
        shown.set_text("\n".join(lines))
        share = _share_of_width(figure, shown)
        if share <= 1 - 2 * LEFT_EDGE:
            break
        n_characters = min(n_characters - 1, int(n_characters / share))
    shown.remove()
    return lines


def join_panels(axes: Sequence[Axes]) -> Axes:
    """Return the first panel of a block, widened to the whole block; the last is the corner."""
    places = [place for ax in axes if (place := ax.get_subplotspec())]
    rows = slice(places[0].rowspan.start, places[-1].rowspan.stop)
    columns = slice(places[0].colspan.start, places[-1].colspan.stop)
    axes[0].set_subplotspec(places[0].get_gridspec()[rows, columns])
    for ax in axes[1:]:
        ax.remove()
    return axes[0]


def panels_of(figure: Figure) -> list[Axes]:
    """Return all axes of a figure that show something and are no color bar."""
    return [ax for ax in figure.axes if ax.axison or ax.has_data() if not _is_color_bar(ax)]


def _is_color_bar(ax: Axes) -> bool:
    return hasattr(ax, "_colorbar") or ax.get_label() == "<colorbar>"


def letter_panels(figure: Figure) -> None:
    """Write a, b, c, … before the titles of the panels if a figure has several."""
    panels = _in_reading_order(panels_of(figure))
    for letter, ax in zip(ascii_lowercase, panels if len(panels) > 1 else [], strict=False):
        title = ax.get_title("left") or ax.get_title("center")
        ax.set_title("", loc="center")
        ax.set_title(f"{letter}   {title}".rstrip(), loc="left")


def _in_reading_order(panels: list[Axes]) -> list[Axes]:
    """Return the panels by row and column; a figure lists a panel that replaced another last."""
    places = [ax.get_subplotspec() for ax in panels]
    known = [place.get_topmost_subplotspec() for place in places if place]
    if len(known) < len(panels):
        return panels
    starts = [(place.rowspan.start, place.colspan.start) for place in known]
    return [panels[number] for number in sorted(range(len(panels)), key=starts.__getitem__)]


def stage_of(figure: Figure) -> str:
    """Return the stage whose results a figure shows."""
    return str(figure.get_label())


def take_heading(figure: Figure) -> str:
    """Remove title and subtitle of a figure; return title and subtitle as its caption."""
    subtitle = next(text for text in figure.texts if text.get_gid() == SUBTITLE)
    title = " ".join(figure.get_suptitle().split())
    caption = f"{title}. {' '.join(subtitle.get_text().split())}."
    subtitle.remove()
    figure.suptitle("")
    return caption


def without_math(figure: Figure) -> None:
    """Show dollar signs in words as dollar signs; only matplotlib's tick labels are formulas."""
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            if isinstance(axis.get_major_formatter(), FuncFormatter):  # ticks with words
                axis.get_ticklabels()
    for text in figure.findobj(Text):
        if (
            isinstance(text, Text)
            and "$" in text.get_text()
            and not FORMULA.fullmatch(text.get_text())
        ):
            text.set_parse_math(False)


def _share_of_width(figure: Figure, part: Text) -> float:
    """Return how much of the figure's width words take in the files."""
    _Canvas(figure)
    return float(part.get_window_extent().width / figure.bbox.width)


def count(number: SupportsInt) -> str:
    """Return an integer with thousands separators."""
    return f"{int(number):,}"


def percent(share: float) -> str:
    """Return a share in percent, to two significant digits."""
    return f"{float(f'{100 * share:.2g}'):g} %"


def counted(number: SupportsInt, noun: str) -> str:
    """Return a count with its noun; the plural ends in s: `1 pair`, `2 pairs`."""
    return f"{count(number)} {noun if int(number) == 1 else f'{noun}s'}"


def sentence_case(words: str) -> str:
    """Return words with a capital first letter and all further letters unchanged."""
    return words[:1].upper() + words[1:]


def step(ax: Axes, rows: pd.DataFrame, name: str, color: str, line: Line = "-") -> None:
    """Draw the density of a histogram, the rows of `measure.tables.summary.histogram_rows`."""
    if rows.empty:
        return
    edges = [*rows["bin_left"], rows["bin_right"].iloc[-1]]
    ax.stairs(rows["density"], edges, color=color, alpha=0.25, fill=True)
    ax.stairs(rows["density"], edges, color=color, linestyle=line, label=name)


def write_beside(
    ax: Axes,
    words: str,
    place: tuple[SupportsFloat, SupportsFloat],
    offset: tuple[int, int],
    **look: Any,
) -> None:
    """Write small words beside a place in a panel, at an offset in points."""
    x, y = map(float, place)
    ax.annotate(words, (x, y), offset, textcoords="offset points", fontsize=7, **look)


def shade(ax: Axes, rows: pd.DataFrame, x: str, quantity: str, **look: Any) -> None:
    """Shade the interval of a quantity over the column `x`, from `_low` to `_high`."""
    ax.fill_between(rows[x], rows[f"{quantity}_low"], rows[f"{quantity}_high"], linewidth=0, **look)


def draw_line(
    ax: Axes, rows: pd.DataFrame, x: str, quantity: str, look: Look, band: float = 0.2, **style: Any
) -> None:
    """Draw a quantity over the column `x` in a look, and shade its interval if it has one.

    Args:
        ax: The panel.
        rows: The table, in the order of `x`.
        x: The column of the axis.
        quantity: The column of the heights.
        look: Color, marker, line and name.
        band: Opacity of the interval; 0 draws none.
        style: Of matplotlib's lines, in place of the look's.
    """
    own = {"color": look.color, "marker": look.marker, "ls": look.line, "label": look.name, "ms": 4}
    ax.plot(rows[x], rows[quantity], **own | style)
    if band and f"{quantity}_low" in rows:
        shade(ax, rows, x, quantity, color=look.color, alpha=band)


def legend_below(figure: Figure, axes: Sequence[Axes], **look: Any) -> None:
    """Draw a legend below all panels, with every label once."""
    named = {
        name: handle
        for ax in axes
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True)
    }
    figure.legend(named.values(), named.keys(), loc="outside lower left", **look)


def without_axes(ax: Axes) -> None:
    """Remove ticks and spines from a map, and give both axes the same scale."""
    ax.set(aspect="equal", xticks=[], yticks=[])
    ax.set_adjustable("datalim")
    ax.spines[:].set_visible(False)


def quantile_range(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the limits of an axis without the outermost 1 % at either end.

    Where no quantile is known, as with a single huge vector, nothing is left out.
    """
    low, high = rows["quantile_0.01"].min(), rows["quantile_0.99"].max()
    if np.isnan([low, high]).any():
        low, high = rows["minimum"].min(), rows["maximum"].max()
    margin = 0.1 * (high - low) or 0.5  # equal limits would leave no axis
    return low - margin, high + margin


def absent(label: str, space: Literal["positional", "segment"]) -> str:
    """Return the sentence that a model lacks a learned table."""
    return f"{label} has no learned {space} table: its file in conf/model says `{space}: null`."


def say_absent(axes: Sequence[Axes], label: str, space: Literal["positional", "segment"]) -> None:
    """Write in the first panel that the model lacks a learned table; hide the remaining panels."""
    say_instead(axes, fill(absent(label, space).replace("`", ""), LINE))


def say_instead(axes: Sequence[Axes], reason: str) -> None:
    """Write in the first panel why nothing is drawn, and hide the remaining panels."""
    for ax in axes:
        ax.set_axis_off()
    axes[0].text(0, 0.5, reason, transform=axes[0].transAxes)
