"""The questions that the sections of a page answer, and how to read the figures."""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from embspace.settings.schema import read_yaml

FILE = "questions.yaml"
# How Markdown of figures begins, for who looks for the code of a figure.
STAGE = re.compile(r"<p>Stages? (?:<code>)?(\w+(?:, \w+)*)(?:</code>)?(?:\.\s*|[,:] (\w))")


class Question(NamedTuple):
    """The question of a section, and a sentence on its figure."""

    question: str
    read: str
    """A sentence on how to read its figure."""


@cache
def questions() -> dict[str, Question]:
    """Return the questions of all analyses that a page may have."""
    content = read_yaml(Path(str(files("embspace.app.page").joinpath(FILE))))
    return {noun: Question(**entry) for noun, entry in content.items()}


def stage_apart(tables: str) -> tuple[str, str]:
    """Return the HTML of a figure's tables without the stage in front, and the stage."""
    stage = STAGE.search(tables)
    if stage is None:
        return tables, ""
    rest = f"<p>{(stage[2] or '').upper()}{tables[stage.end() :]}"
    return tables[: stage.start()] + rest.replace("<p></p>\n", "", 1), stage[1]
