"""Draws the layers of a model from its tables, as the stage does."""

from pathlib import Path

import pytest

from embspace.draw.layers.__main__ import DRAWINGS, main
from embspace.files.rows import save_rows
from embspace.files.tables import save_table
from embspace.geometry.measures.declaration import FAMILIES
from embspace.geometry.measures.registry import profiled_measures
from embspace.settings.stage import StageConfig
from tests.analyses import settings_of
from tests.draw.layer_tables import empty_tables, profile_tables
from tests.draw.layers.test_atlas import measures_of
from tests.draw.layers.test_atlas import table as atlas_table
from tests.draw.layers.test_encoders_decoders import CLAIMS
from tests.draw.layers.test_encoders_decoders import table as encoders_decoders_table
from tests.draw.layers.test_layer_maps import layer_maps
from tests.drawn import figure_files, files_here, keep_nouns, one_noun_by_day
from tests.measure.layer_corpora import processes
from tests.measure.layers.test_information_imbalance import planted, table_of


def save(noun: str, *, is_empty: bool) -> None:
    names = [name for name, measure in profiled_measures().items() if measure.family == noun]
    tables = empty_tables() if is_empty else profile_tables(names)
    for name, table in tables.items():
        save_table(table, f"results/{noun}/{name}/mine.csv")


def test_all_nouns_of_the_chapter_are_drawn() -> None:
    nouns = {"profile", "atlas", "encoders_decoders", "information_imbalance", "layer_maps"}
    assert DRAWINGS.keys() == {*nouns, *FAMILIES}


@one_noun_by_day(DRAWINGS, "atlas")
@pytest.mark.parametrize("is_empty", [False, True])
def test_nouns_are_drawn_under_the_name_of_the_model(
    nouns: tuple[str, ...],
    is_empty: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep_nouns(monkeypatch, "layers", nouns)
    settings = {noun: settings_of(DRAWINGS[noun].draw) for noun in nouns}
    monkeypatch.chdir(tmp_path)
    of_all = {"profile", "atlas"}.intersection(nouns)
    for noun in FAMILIES if of_all else {*FAMILIES}.intersection(nouns):
        save(noun, is_empty=is_empty)
    end = 0 if is_empty else None
    save_table(atlas_table()[:end], "results/atlas/mine.csv")
    save_table(measures_of(atlas_table())[:end], "results/atlas/measures/mine.csv")
    beside = encoders_decoders_table()[: 0 if is_empty else None]
    save_table(beside, "results/encoders_decoders/mine.csv")
    save_table(CLAIMS, "results/encoders_decoders/claims/mine.csv")
    imbalance = table_of(planted())[: 0 if is_empty else None]
    save_table(imbalance, "results/information_imbalance/mine.csv")
    maps = layer_maps()
    save_rows(maps["parquet"][:end], "data/projected/layer_maps/mine.parquet")
    save_table(maps["csv"][:end], "results/layer_maps/mine.csv")
    with processes(1):
        main(StageConfig("mine", {"label": "my own model"}, "", {}, [], [], settings))
    drawn = files_here()
    assert drawn == {file for noun in nouns for file in figure_files(noun, "mine")}
    assert all(Path(file).stat().st_size < 800_000 for file in drawn)
    for noun in nouns:
        assert "my own model" in Path(f"figures/{noun}/mine.md").read_text()
