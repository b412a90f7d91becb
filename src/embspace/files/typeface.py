"""Gives figures Source Sans 3, a narrow open typeface shipped with embspace."""

import base64
import io
import re
from functools import cache
from html import unescape
from importlib.resources import as_file, files

FAMILY = "Source Sans 3"
FALLBACK = "DejaVu Sans"  # matplotlib ships it; for letters that the first lacks
FONTS = files("embspace.files")
FACES = {"SourceSans3-Regular.ttf": 400, "SourceSans3-Bold.ttf": 700, "SourceSans3-It.ttf": 400}
EMBEDDED = ("SourceSans3-Regular.ttf", "SourceSans3-Bold.ttf")
LAYOUT = ("GDEF", "GPOS", "GSUB")  # kerning and the like, which matplotlib does not apply
WORDS = re.compile(r"<text [^>]*>([^<]*)<|<tspan[^>]*>([^<]*)<")


@cache
def add_typeface() -> None:
    """Make the typeface known to matplotlib, once a process."""
    from matplotlib.font_manager import fontManager

    for name in FACES:
        with as_file(FONTS / name) as path:
            fontManager.addfont(path)


def with_typeface(svg: str) -> str:
    """Return the SVG with its letters inside, for equal looks on any machine.

    A reader without the typeface would see wider letters run over neighboring words.
    """
    letters = "".join(sorted({*unescape("".join(map("".join, WORDS.findall(svg))))}))
    faces = "".join(
        f"@font-face{{font-family:'{FAMILY}';font-weight:{FACES[name]};"
        f"src:url(data:font/woff;base64,{_subset(name, letters)})}}"
        for name in EMBEDDED
    )
    return svg.replace("</style>", f"{faces}</style>", 1)


def _subset(name: str, letters: str) -> str:
    """Return a font of some letters alone, in base64."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    options = Options(hinting=False, bidi_closure=False)
    with as_file(FONTS / name) as path, TTFont(path, recalcTimestamp=False) as font:
        for table in LAYOUT:  # to read them takes ten times as long as all the rest
            del font[table]
        subsetter = Subsetter(options)
        subsetter.populate(text=letters)
        subsetter.subset(font)
        font.flavor = "woff"
        written = io.BytesIO()
        font.save(written)
    return base64.b64encode(written.getvalue()).decode("ascii")
