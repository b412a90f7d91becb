"""Pictures inside a page, in as few bytes as possible."""

import re
from base64 import b64encode
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

# In a figure's SVG: what stands beside the panels, and of that the lines of the title.
OUTSIDE = re.compile(r'\n  <g id="text_\d+">(.*?)\n  </g>', re.DOTALL)
TITLE_LINE = re.compile(r'<text style="font-weight: 700;[^>]*>([^<]*)</text>')
SUBTITLE = re.compile(r'<g id="subtitle">(.*?)\n  </g>', re.DOTALL)
LINE = re.compile(r"<text [^>]*>([^<]*)</text>")
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
    """Return the SVG, or the PNG of the same figure if present and shorter."""
    drawn = svg_uri(svg)
    return min(drawn, png_uri(png.read_bytes()), key=len) if png.is_file() else drawn


def shape_of(svg: bytes) -> tuple[int, int]:
    """Return width and height of an SVG in points, for a page to reserve space; (0, 0) if unknown.

    A PNG of the same figure has the same ratio.
    """
    match = VIEW.search(svg)
    return (round(float(match[1])), round(float(match[2]))) if match else (0, 0)


def title_in(picture: str) -> str:
    """Return the title in the SVG of a figure: the bold text outside of all panels."""
    groups = OUTSIDE.findall(picture)
    titles = (TITLE_LINE.findall(group) for group in groups)
    return unescape(" ".join(map(str.strip, next(filter(None, titles), []))))


def subtitle_in(picture: str) -> str:
    """Return the subtitle of a figure from the SVG, or nothing."""
    match = SUBTITLE.search(picture)
    return unescape(" ".join(map(str.strip, LINE.findall(match[1])))) if match else ""


def fitted(pictures: dict[str, str], images: dict[str, Path], spare: int) -> dict[str, str]:
    """Return data URIs of at most `spare` letters together, if images allow.

    From the largest on, pictures become PNG in 256 colors, until the sum is small enough.
    """
    uris = dict(pictures)
    total = sum(map(len, uris.values()))
    for name in sorted(uris, key=lambda name: -len(uris[name])):
        if total <= spare:
            break
        if images[name].is_file():
            smaller = min(uris[name], _in_few_colors(images[name]), key=len)
            total -= len(uris[name]) - len(smaller)
            uris[name] = smaller
    return uris


def _in_few_colors(png: Path) -> str:
    from PIL import Image

    written = BytesIO()
    with Image.open(png) as image:
        # Coverage, and not the median cut: a color that few points have is a meaning, too.
        few = image.convert("RGB").quantize(
            256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
        )
        few.save(written, "PNG", optimize=True)
    return png_uri(written.getvalue())
