"""The questions that the sections of a page answer, and how to read the figures."""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from embspace.settings.schema import read_yaml

FILE = "questions.yaml"
# How Markdown of figures begins, for who looks for the code of a figure.
STAGE = re.compile(r"<p>Stage <code>(\w+)</code>(?:\.\s*|[,:] (\w))")


class Question(NamedTuple):
    """What a section answers."""

    question: str
    read: str
    """How to read the figure, a sentence."""


@cache
def questions() -> dict[str, Question]:
    """Return the question of each analysis that a page can have."""
    content = read_yaml(Path(str(files("embspace.app.page").joinpath(FILE))))
    return {noun: Question(**entry) for noun, entry in content.items()}


def stage_apart(tables: str) -> tuple[str, str]:
    """Return the HTML of a figure's tables without the stage in front, and the stage."""
    found = STAGE.search(tables)
    if found is None:
        return tables, ""
    rest = f"<p>{(found[2] or '').upper()}{tables[found.end() :]}"
    return tables[: found.start()] + rest.replace("<p></p>\n", "", 1), found[1]
