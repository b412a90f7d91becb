import base64
import io
import re

from fontTools.ttLib import TTFont
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont

from embspace.draw.page.canvas import use_style
from embspace.files.figures import embedded
from embspace.files.typeface import FONTS, with_typeface

SVG = '<svg><style>*{}</style><text x="1">−3 &lt; b</text></svg>'


def fonts_in(svg: str) -> list[str]:
    return re.findall(r"base64,([^)]+)\)", svg)


def test_figures_are_set_in_the_typeface_of_the_package():
    use_style()
    assert findfont("Source Sans 3").endswith("SourceSans3-Regular.ttf")
    assert findfont("Source Sans 3:bold").endswith("SourceSans3-Bold.ttf")
    assert "SIL OPEN FONT LICENSE" in (FONTS / "SourceSans3-LICENSE.md").read_text(encoding="utf-8")


def test_an_svg_has_the_letters_that_it_shows_and_no_others():
    regular, bold = fonts_in(with_typeface(SVG))
    assert len(bold) < 8_000
    font = TTFont(io.BytesIO(base64.b64decode(regular)))
    assert {chr(point) for point in font.getBestCmap()} == set("−3 <b")


def test_letters_of_a_figure_are_inside_its_svg_and_the_bytes_are_stable():
    use_style()
    figure, stream = Figure(), io.BytesIO()
    figure.text(0.1, 0.5, "Qualität", fontweight="bold")
    figure.savefig(stream, format="svg", metadata={"Date": None})
    svg = embedded(stream.getvalue())
    assert svg == embedded(stream.getvalue())
    _, bold = fonts_in(svg.decode())
    font = TTFont(io.BytesIO(base64.b64decode(bold)))
    assert {"Q", "ä"} <= {chr(point) for point in font.getBestCmap()}
