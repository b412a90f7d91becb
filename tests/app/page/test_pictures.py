"""Holds pictures inside a page to being the same ones, and to ending no attribute."""

from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote_to_bytes

from embspace.app.page.pictures import png_uri, shorter_uri, svg_uri

SVG = """<svg xmlns="http://www.w3.org/2000/svg"><style>a{font:8px 'DejaVu Sans'}</style>
<text fill="#0072b2">50 % & \u00e4 \u05d0 &quot;><script>alert(1)</script></text></svg>"""


def source_of(page: str) -> str:
    """The source of the only picture of a page, which holds nothing else."""
    tags: list[tuple[str, list[tuple[str, str | None]]]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append((tag, attrs))

    Reader().feed(page)
    ((tag, attributes),) = tags
    assert tag == "img"
    return str(dict(attributes)["src"])


def test_an_svg_comes_out_as_it_went_in_but_for_its_line_breaks() -> None:
    source = source_of(f'<img src="{svg_uri(SVG.encode())}">')
    assert unquote_to_bytes(source.partition(",")[2]).decode() == SVG.replace("\n", " ")
    assert not set(source) & set('"#&\n')


def test_a_png_comes_out_as_it_went_in() -> None:
    assert b64decode(png_uri(b"\x89PNG").partition(",")[2]) == b"\x89PNG"


def test_the_shorter_one_is_taken(tmp_path: Path) -> None:
    png = tmp_path / "a.png"
    assert shorter_uri(b"<svg/>", png) == "data:image/svg+xml,<svg/>"
    png.write_bytes(b"1")
    assert shorter_uri(b"<svg>" + b"1" * 100, png) == "data:image/png;base64,MQ=="
    png.write_bytes(b"1" * 1000)
    assert shorter_uri(b"<svg/>", png).startswith("data:image/svg+xml,")
