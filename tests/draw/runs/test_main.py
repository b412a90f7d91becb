"""Draws a run from its tables, as the stage does."""

from pathlib import Path

import pytest
import yaml

from embspace.draw.runs.__main__ import DRAWINGS, main
from embspace.files.tables import save_table
from embspace.settings.stage import StageConfig
from tests.draw.runs.test_checkpoints import table
from tests.draw.runs.test_dynamics import table as dynamics_table
from tests.draw.runs.test_training import results
from tests.drawn import figure_files
from tests.measure.runs.test_training_claims import claims


def test_all_nouns_of_the_chapter_are_drawn() -> None:
    nouns = {"training", "checkpoints", "dynamics", "training_claims"}
    assert DRAWINGS.keys() == nouns


def test_a_run_is_drawn_under_its_own_name(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = {noun: root / f"conf/draw/runs/{noun}.yaml" for noun in DRAWINGS}
    settings = {noun: yaml.safe_load(file.read_text()) for noun, file in conf.items()}
    monkeypatch.chdir(tmp_path)
    for name, each in results().items():
        save_table(each, f"results/training/{name}/mine.csv")
    save_table(table("pretraining"), "results/checkpoints/mine.csv")
    save_table(dynamics_table("pretraining"), "results/dynamics/mine.csv")
    save_table(claims(), "results/training_claims/mine.csv")
    run = {"label": "my own model"}
    main(StageConfig("", {}, "", {}, [], [], settings, train_name="mine", train=run))
    drawn = {str(file) for top in ("figures", "data/drawn") for file in Path(top).rglob("*.*")}
    nouns = ("checkpoints", "dynamics", "training", "training_claims")
    assert drawn == {file for noun in nouns for file in figure_files(noun, "mine")}
    assert all(Path(file).stat().st_size < 800_000 for file in drawn)
