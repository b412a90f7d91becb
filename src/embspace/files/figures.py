"""Figures as PNG, SVG and PDF whose bytes depend on nothing but the figure."""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from embspace.files.atomic import write_bytes
from embspace.files.typeface import with_typeface

# No dates and no versions: they would change the file without changing the figure.
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
}


SOURCE = {"png": "Source", "svg": "Source", "pdf": "Subject"}


def save_figure(figure: Figure, paths: Iterable[str], title: str, source: str = "") -> None:
    """Write the figure to each path, whose suffix tells the format.

    Each file contains the `title` and, if given, the `source`: stages and settings. A PNG also has
    a `Description`, the words above the panels.
    """
    # A figure that is to lay itself out is drawn twice for each file; it falls back to the style.
    with rc_context({"figure.constrained_layout.use": False, "figure.autolayout": False}):
        _fix_layout(figure)
        for path in map(Path, paths):
            stream, suffix = io.BytesIO(), path.suffix.removeprefix(".")
            metadata = {**METADATA[suffix], "Title": title}
            if source:
                metadata[SOURCE[suffix]] = source
            if suffix == "png" and (finding := " ".join(figure.get_suptitle().split())):
                metadata["Description"] = finding
            figure.savefig(stream, format=suffix, metadata=metadata)
            content = stream.getvalue()
            write_bytes(path, embedded(content) if suffix == "svg" else content)


def embedded(svg: bytes) -> bytes:
    """Return an SVG with the typeface inside."""
    return with_typeface(svg.decode("utf-8")).encode("utf-8")


def _fix_layout(figure: Figure) -> None:
    """Compute the places of all axes once, round them, and switch the layout off.

    The solver of a constrained layout adds up in the order of memory addresses: another process may
    differ in the last bit of a place, and so in the color of a pixel.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine(None)
    for ax in figure.axes:
        left, bottom, width, height = ax.get_position(original=True).bounds
        ax.set_position((round(left, 6), round(bottom, 6), round(width, 6), round(height, 6)))
