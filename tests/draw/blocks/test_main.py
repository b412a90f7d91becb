"""Draws the blocks of a model from its tables, as the stage does."""

from pathlib import Path

import pytest

from embspace.draw.blocks.__main__ import DRAWINGS, main
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.settings.stage import StageConfig
from tests.draw.blocks.test_information_stream import POST, tables
from tests.draw.blocks.test_layer_roles import tables as roles
from tests.draw.blocks.test_query_key_form import results as forms
from tests.drawn import conf_of, figure_files, files_here, keep_nouns, one_noun_by_day


def test_all_nouns_of_the_chapter_are_drawn() -> None:
    assert DRAWINGS.keys() == {"information_stream", "layer_roles", "query_key_form"}


@one_noun_by_day(DRAWINGS, "layer_roles")
@pytest.mark.parametrize("is_empty", [False, True])
def test_nouns_are_drawn_under_the_name_of_the_model(
    nouns: tuple[str, ...],
    is_empty: bool,
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep_nouns(monkeypatch, "blocks", nouns)
    settings = conf_of(root, "blocks", nouns)
    monkeypatch.chdir(tmp_path)
    of_forms = forms(known=not is_empty)
    save_scalars(of_forms.pop("json"), "results/query_key_form/mine.json")
    made_of = {"information_stream": tables(POST), "layer_roles": roles()}
    for noun, made in (made_of | {"query_key_form": of_forms}).items():
        for name, table in made.items():
            folder = f"results/{noun}" if name == "csv" else f"results/{noun}/{name}"
            save_table(table[: 0 if is_empty else None], f"{folder}/mine.csv")
    main(StageConfig("mine", {"label": "my own model"}, "", {}, [], [], settings))
    drawn = files_here()
    assert drawn == {file for noun in nouns for file in figure_files(noun, "mine")}
    for noun in nouns:
        assert "my own model" in Path(f"figures/{noun}/mine.md").read_text()
