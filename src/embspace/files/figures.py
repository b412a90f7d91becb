"""Figures as PNG, SVG and PDF whose bytes depend on nothing but the figure."""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from embspace.files.atomic import write_bytes

# No dates and no versions: they would change the file without changing the figure.
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}


def save_figure(figure: Figure, paths: Iterable[str], title: str) -> None:
    """Write the figure to each path, whose suffix tells the format, with `title` inside it."""
    # A figure that is to lay itself out is drawn twice for each file; it falls back to the style.
    with rc_context({"figure.constrained_layout.use": False, "figure.autolayout": False}):
        _fix_layout(figure)
        for path in map(Path, paths):
            stream, suffix = io.BytesIO(), path.suffix.removeprefix(".")
            metadata = {**METADATA[suffix], "Title": title}
            figure.savefig(stream, format=suffix, metadata=metadata)
            write_bytes(path, stream.getvalue())


def _fix_layout(figure: Figure) -> None:
    """Compute the places of all axes once, round them, and lay out no more.

    The solver of a constrained layout adds up in the order of memory addresses: another process
    may differ in the last bit of a place, and so in the color of a pixel.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine(None)
    for ax in figure.axes:
        left, bottom, width, height = ax.get_position(original=True).bounds
        ax.set_position((round(left, 6), round(bottom, 6), round(width, 6), round(height, 6)))
