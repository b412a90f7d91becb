"""Draws a model over its published checkpoints, as the stage does."""

from pathlib import Path

import pytest
from embspace.draw.checkpointed import DRAWINGS, RESULTS, main

from embspace.files.tables import save_table
from embspace.settings.stage import StageConfig
from tests.draw.layer_tables import settings_of
from tests.draw.runs.test_pretraining_dynamics import table
from tests.drawn import drawn_files


def test_every_drawing_says_which_results_it_takes() -> None:
    assert DRAWINGS.keys() == RESULTS.keys() == {"pretraining_dynamics"}


@pytest.mark.parametrize("is_empty", [False, True])
def test_a_training_is_drawn_under_the_name_of_the_model(
    is_empty: bool, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {noun: settings_of(root, noun) for noun in DRAWINGS}
    monkeypatch.chdir(tmp_path)
    save_table(table()[: 0 if is_empty else None], "results/pretraining_dynamics/mine.csv")
    main(StageConfig("mine", {"label": "my own model"}, "", {}, [], [], settings))
    drawn = {str(file) for file in Path("figures").rglob("*.*")}
    place = "figures/pretraining_dynamics/mine"
    assert drawn == set(drawn_files(place, "pretraining_dynamics"))
    assert all(Path(file).stat().st_size < 800_000 for file in drawn)
    assert "my own model" in Path(f"{place}/pretraining_dynamics.md").read_text()
