"""Draws all runs from their tables, as the stage does."""

from pathlib import Path

import pytest

from embspace.draw.runs.__main__ import DRAWINGS, main
from embspace.files.tables import save_table
from embspace.settings.stage import StageConfig
from tests.draw.runs.test_checkpoints import table
from tests.draw.runs.test_dynamics import table as dynamics_table
from tests.draw.runs.test_head_dynamics import heads
from tests.draw.runs.test_training import results
from tests.drawn import conf_of, figure_files, files_here, keep_nouns, one_noun_by_day
from tests.measure.runs.test_training_claims import claims


def test_all_nouns_of_the_chapter_are_drawn() -> None:
    nouns = {"training", "checkpoints", "dynamics", "head_dynamics", "training_claims"}
    assert DRAWINGS.keys() == nouns


@one_noun_by_day(DRAWINGS, "dynamics")
@pytest.mark.parametrize("runs", [(), ("mine", "yours")])
def test_all_runs_are_drawn_on_a_page_a_noun(
    nouns: tuple[str, ...],
    runs: tuple[str, ...],
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keep_nouns(monkeypatch, "runs", nouns)
    settings = conf_of(root, "runs", nouns)
    monkeypatch.chdir(tmp_path)
    for run in runs:
        for name, rows in results().items():
            save_table(rows, f"results/training/{name}/{run}.csv")
        save_table(table("pretraining").drop(columns="run"), f"results/checkpoints/{run}.csv")
        dynamics = dynamics_table("pretraining").drop(columns="run")
        save_table(dynamics, f"results/dynamics/{run}.csv")
        save_table(heads().drop(columns="run"), f"results/head_dynamics/{run}.csv")
        save_table(claims(), f"results/training_claims/{run}.csv")
    main(StageConfig("", {}, "", {}, [], [], settings))
    drawn = files_here()
    assert drawn == {file for noun in nouns for file in figure_files(noun, "all_runs")}
    assert all(Path(file).stat().st_size < 800_000 for file in drawn)
    for noun in nouns:
        text = Path(f"figures/{noun}/all_runs.md").read_text()
        assert all(run in text for run in runs)
