"""Pictures inside a page, in as few bytes as they can be written."""

import re
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

# Of an SVG of Matplotlib: width and height.
VIEW = re.compile(rb'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"')
# What may stand in a URL inside double quotes; a URL loses its line breaks, so they become spaces.
PLAIN = " /:;=,()!$*+-._~?@[]{}|^`\\<>'"


def svg_uri(svg: bytes) -> Markup:
    """Return an SVG as a data URI that can stand in an attribute, a fifth shorter than base64."""
    return Markup("data:image/svg+xml," + quote(svg.replace(b"\n", b" "), safe=PLAIN))  # noqa: S704


def png_uri(png: bytes) -> Markup:
    """Return a PNG as a data URI."""
    return Markup("data:image/png;base64," + b64encode(png).decode("ascii"))  # noqa: S704


def shorter_uri(svg: bytes, png: Path) -> Markup:
    """Return the SVG, or the PNG of the same figure if there is one and it is shorter."""
    drawn = svg_uri(svg)
    return min(drawn, png_uri(png.read_bytes()), key=len) if png.is_file() else drawn


def shape_of(svg: bytes) -> tuple[int, int]:
    """Return width and height of an SVG in points, so that a page keeps its place; (0, 0) without.

    A PNG of the same figure has the same ratio.
    """
    found = VIEW.search(svg)
    return (round(float(found[1])), round(float(found[2]))) if found else (0, 0)
