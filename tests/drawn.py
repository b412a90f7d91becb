"""The files of a figure and its tables."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

DRAW = Path(__file__).parents[1] / "src/embspace/draw"
ALONE = ("ledger", "parameter_alignment", "pretraining_dynamics", "pretraining_head_dynamics")
ALONE += ("run_head_pairs", "tuning_words")


def figure_files(noun: str, name: str) -> list[str]:
    """Return the files of a noun's figure, of a model, a pair or `toy`; of tables alone, theirs."""
    [module] = DRAW.glob(f"*/{noun}.py")
    place = f"figures/{noun}/{name}"
    files = drawn_files(place, noun, noun if noun in ALONE else module.parent.name)
    has_figure = "\nDRAWN_IN = " not in module.read_text(encoding="utf-8")
    return files if has_figure else [file for file in files if file.endswith((".md", ".tex"))]


def drawn_files(place: str, noun: str, chapter: str) -> list[str]:
    """Return the picture and the Markdown of figures/<noun>/<model>, and what DVC keeps."""
    name = Path(place).name
    kept = (f"data/drawn/{chapter}/{name}/{noun}.{suffix}" for suffix in ("pdf", "svg", "tex"))
    return [f"{place}.png", f"{place}.md", *kept]


def one_noun_by_day(drawings: Mapping[str, object], noun: str) -> pytest.MarkDecorator:
    """Give a test `nouns`: one of a chapter's, and in a test marked slow all of them."""
    whole = pytest.param((*drawings,), marks=pytest.mark.slow, id="all")
    return pytest.mark.parametrize("nouns", [pytest.param((noun,), id=noun), whole])


def conf_of(root: Path, chapter: str, nouns: Iterable[str]) -> dict[str, Any]:
    """Return the settings in conf/ of a chapter's drawings, by noun."""
    files = {noun: root / f"conf/draw/{chapter}/{noun}.yaml" for noun in nouns}
    return {noun: yaml.safe_load(file.read_text()) for noun, file in files.items()}


def files_here() -> set[str]:
    """Return the files of figures, and what DVC keeps of them, below the current folder."""
    return {str(file) for top in ("figures", "data/drawn") for file in Path(top).rglob("*.*")}


def keep_nouns(monkeypatch: pytest.MonkeyPatch, chapter: str, nouns: Iterable[str]) -> None:
    """Leave a chapter's `main` these nouns alone to draw."""
    module = import_module(f"embspace.draw.{chapter}.__main__")
    kept = {noun: module.DRAWINGS[noun] for noun in nouns}
    monkeypatch.setattr(module, "DRAWINGS", kept)
