"""The files of a figure and its tables."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path

import pytest

DRAW = Path(__file__).parents[1] / "src/embspace/draw"
ALONE = ("ledger", "parameter_alignment", "pretraining_dynamics", "pretraining_head_dynamics")
ALONE += ("run_head_pairs", "tuning_words")


def figure_files(noun: str, name: str) -> list[str]:
    """Return the files of a noun's figure, of a model, a pair or `toy`."""
    modules = [*DRAW.glob(f"*/{noun}.py"), DRAW / "layers/profiles.py"]  # else a family of layers
    place = f"figures/{noun}/{name}"
    return drawn_files(place, noun, noun if noun in ALONE else modules[0].parent.name)


def drawn_files(place: str, noun: str, chapter: str) -> list[str]:
    """Return the picture and the Markdown of figures/<noun>/<model>, and what DVC keeps."""
    name = Path(place).name
    kept = (f"data/drawn/{chapter}/{name}/{noun}.{suffix}" for suffix in ("pdf", "svg", "tex"))
    return [f"{place}.png", f"{place}.md", *kept]


def one_noun_by_day(drawings: Mapping[str, object], noun: str) -> pytest.MarkDecorator:
    """Give a test `nouns`: one of a chapter's, and in a test marked slow all of them."""
    whole = pytest.param((*drawings,), marks=pytest.mark.slow, id="all")
    return pytest.mark.parametrize("nouns", [pytest.param((noun,), id=noun), whole])


def keep_nouns(monkeypatch: pytest.MonkeyPatch, chapter: str, nouns: Iterable[str]) -> None:
    """Leave a chapter's `main` these nouns alone to draw."""
    module = import_module(f"embspace.draw.{chapter}.__main__")
    kept = {noun: module.DRAWINGS[noun] for noun in nouns}
    monkeypatch.setattr(module, "DRAWINGS", kept)
