"""docs/architecture.svg has today's folders."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NO_CHAPTER = {"tables"}  # what the chapters of measure/ share


@pytest.mark.parametrize("inside", [".", "measure", "geometry"])
def test_the_drawing_has_every_folder(inside: str) -> None:
    drawing = (ROOT / "docs/architecture.svg").read_text(encoding="utf-8")
    drawn = set(re.findall(r">([\w.]+?)/?</text>", drawing))
    modules = (ROOT / "src/embspace" / inside).glob("*/__init__.py")
    folders = {module.parent.name for module in modules} - NO_CHAPTER
    assert folders
    assert folders <= drawn
