"""Makes the explorer's part of a page: markup, style, scripts and data."""

import json
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path

from embspace.app.explorer.gather import gathered
from embspace.app.explorer.packing import Pack
from embspace.app.page.fragment import Fragment

# In this order: a function stands before those that call it when the page starts.
SCRIPTS = (
    "data",
    "words",
    "places",
    "labels",
    "webgl",
    "canvas",
    "camera",
    "lists",
    "trails",
    "layers",
    "main",
)


def explorer_of(folder: Path, model: str, nouns: Collection[str] | None = None) -> Fragment | None:
    """Return the explorer of a model with a tree in `folder`; None without a map.

    `nouns` limits the maps to these analyses, for further maps may be of different texts.

    The script runs from a file without a network, and makes no code from texts: a content policy
    with the script's hash is enough.
    """
    pack = Pack()
    content = gathered(folder, model, pack, nouns)
    if content is None:
        return None
    content["arrays"] = pack.shapes
    here = files("embspace.app.explorer")
    parts = [here.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS]
    data = (
        f'<script type="application/json" id="explorer-data">{as_inert_json(content)}</script>\n'
        f'<script type="text/plain" id="explorer-arrays">{pack.text()}</script>\n'
    )
    return Fragment(
        html=here.joinpath("explorer.html").read_text(encoding="utf-8"),
        style=here.joinpath("explorer.css").read_text(encoding="utf-8"),
        scripts=['(() => {\n"use strict";\n' + "\n".join(parts) + "})();\n"],
        data=data,
    )


def as_inert_json(content: object) -> str:
    """Return JSON without any token that could end the surrounding script element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Of "<", ">" and "&" the code point alone; JSON.parse gives the letter back.
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
