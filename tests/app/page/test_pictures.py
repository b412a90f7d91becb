"""Holds pictures inside a page to being the same ones, and to ending no attribute."""

from base64 import b64decode
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote_to_bytes

import numpy as np
from PIL import Image

from embspace.app.page.pictures import fitted, png_uri, shape_of, shorter_uri, svg_uri

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


def test_the_shape_is_that_of_the_view() -> None:
    assert shape_of(b'<svg height="1pt" viewBox="0 0 510.236 269.4">') == (510, 269)
    assert shape_of(b"<svg/>") == (0, 0)


def test_the_largest_pictures_are_in_fewer_colors_where_all_are_too_large(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (60, 60, 3)).astype(np.uint8)
    noise[5:7, 5:7] = rare = (213, 94, 0)
    noise[..., 1] //= 4  # nothing else is orange
    noise[5:7, 5:7, 1] = rare[1]
    for name in ("large", "small"):
        Image.fromarray(noise[:, : 60 if name == "large" else 10]).save(tmp_path / f"{name}.png")
    images = {name: tmp_path / f"{name}.png" for name in ("large", "small")} | {"none": tmp_path}
    pictures = {
        "large": str(png_uri(images["large"].read_bytes())),
        "small": str(png_uri(images["small"].read_bytes())),
        "none": "data:image/svg+xml," + "a" * 99_999,
    }
    total = sum(map(len, pictures.values()))
    assert fitted(pictures, images, total) == pictures
    smaller = fitted(pictures, images, total - 1)
    assert smaller["small"] == pictures["small"] and smaller["none"] == pictures["none"]
    assert len(smaller["large"]) < len(pictures["large"])
    png = b64decode(smaller["large"].partition(",")[2])
    with Image.open(BytesIO(png)) as image:
        assert image.size == (60, 60) and image.mode == "P"
        shown = np.array(image.convert("RGB"), dtype=int)[5, 5]
    assert np.abs(shown - rare).max() <= 40  # not one of the many colors around it
    smaller = fitted(pictures, images, 0)
    assert len(smaller["small"]) <= len(pictures["small"]) and smaller["none"] == pictures["none"]
