"""Finds the declarations of analyses, by noun and by chapter."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import embspace
from embspace.analysis import Analysis

SOURCE = Path(embspace.__file__).parent
VERBS = ("measure", "project", "compare")
PAGED = ("models", "profiled")  # lists whose analyses are sections of a model's page
ALL_RUNS = "all_runs"  # as in draw/page/saving.py, which imports matplotlib


class Declared(NamedTuple):
    """A declaration and the place of its module."""

    analysis: Analysis
    function: Callable[..., Any]
    chapter: str

    @property
    def settings(self) -> str:
        """The settings file."""
        parts = self.function.__module__.split(".")[1:]
        return f"conf/{'/'.join(parts)}.yaml"


@cache
def modules() -> dict[str, str]:
    """Return the dotted names of modules with a declaration, by noun; imports no module."""
    paths = sorted(path for verb in VERBS for path in (SOURCE / verb).rglob("*.py"))
    return {
        path.stem: path.relative_to(SOURCE.parent).with_suffix("").as_posix().replace("/", ".")
        for path in paths
        if " = Analysis(\n" in path.read_text(encoding="utf-8")
    }


def declared() -> list[Declared]:
    """Return all declarations, sorted by module."""
    return [declaration(noun) for noun in modules()]


@cache
def declaration(noun: str) -> Declared:
    """Return the declaration of a noun.

    Raises:
        ValueError: if declaration and module differ in the stage, or the module lacks the function.
    """
    name = modules()[noun]
    module = import_module(name)
    analysis = next(value for value in vars(module).values() if isinstance(value, Analysis))
    function = getattr(module, analysis.stage, None)
    if function is None or analysis.stage != f"{name.split('.')[1]}_{noun}":
        raise ValueError(f"{name}: declares {analysis.stage}, and has no function of this name")
    return Declared(analysis, function, _chapter(name))


def _chapter(name: str) -> str:
    """Return the chapter of a module: the folder or, for `project`, the folder of the drawing."""
    *folders, noun = name.split(".")[2:]
    return folders[0] if folders else next((SOURCE / "draw").glob(f"*/{noun}.py")).parent.name


def chapters() -> dict[str, list[Declared]]:
    """Return the declarations by chapter."""
    chapters: dict[str, list[Declared]] = {}
    for member in declared():
        chapters.setdefault(member.chapter, []).append(member)
    return chapters


def drawings_of(chapter: str, name: str) -> dict[str, Any]:
    """Return what the stage draws that is named after a chapter, or after a noun drawn alone."""
    module = "__main__" if name == chapter else name
    drawings: dict[str, Any] = import_module(f"embspace.draw.{chapter}.{module}").DRAWINGS
    return drawings


def drawing_of(member: Declared) -> Any:
    """Return the drawing of an analysis, which its chapter or a separate stage draws."""
    noun, chapter = member.analysis.noun, member.chapter
    together = drawings_of(chapter, chapter)
    return (together if noun in together else drawings_of(chapter, noun))[noun]


def plain_question(analysis: Analysis) -> str:
    """Return the question of an analysis alone: figures, links and conditions follow it."""
    question, mark, _ = analysis.question.partition("?")
    return question + mark
