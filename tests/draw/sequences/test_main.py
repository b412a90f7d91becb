"""Draws all runs from their tables, as the stage does."""

from pathlib import Path

import pytest

from embspace.draw.sequences.__main__ import DRAWINGS, main
from embspace.files.tables import Tables, save_table
from embspace.settings.stage import StageConfig
from tests.draw.sequences.tables import attribution, class_flow, sequence_attention, stitching
from tests.drawn import conf_of, figure_files, files_here, keep_nouns, one_noun_by_day

TABLES: dict[str, Tables] = {
    "attribution": attribution(),
    "class_flow": class_flow(),
    "sequence_attention": sequence_attention(),
    "stitching": stitching(),
}


@one_noun_by_day(DRAWINGS, "stitching")
@pytest.mark.parametrize("runs", [(), ("mine", "yours")])
def test_all_runs_are_drawn_on_a_page_a_noun(
    nouns: tuple[str, ...],
    runs: tuple[str, ...],
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert DRAWINGS.keys() == TABLES.keys()
    keep_nouns(monkeypatch, "sequences", nouns)
    settings = conf_of(root, "sequences", nouns)
    monkeypatch.chdir(tmp_path)
    for run in runs:
        for noun, tables in TABLES.items():
            for name, table in tables.items():
                if "/" not in name:  # of another noun
                    save_table(table, f"results/{noun}/{name}/{run}.csv")
    main(StageConfig("", {}, "", {}, [], [], settings))
    drawn = files_here()
    assert drawn == {file for noun in nouns for file in figure_files(noun, "all_runs")}
    for noun in nouns:
        text = Path(f"figures/{noun}/all_runs.md").read_text()
        assert all(run in text for run in runs)
