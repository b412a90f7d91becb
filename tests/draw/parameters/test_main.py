"""Draws the parameters of a model from its tables, as the stage does."""

from pathlib import Path

import pytest
import yaml

from embspace.draw.parameters.__main__ import DRAWINGS, main
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.settings.stage import StageConfig
from tests.draw.parameters.results import keep_k_results, related_results, vector_results
from tests.draw.parameters.test_head_pairs import MEASURED
from tests.draw.parameters.test_head_pairs import results as of_pairs
from tests.drawn import figure_files, keep_nouns, one_noun_by_day

MADE = {
    "keep_k": keep_k_results,
    "parameter_vectors": vector_results,
    "related_parameters": related_results,
    "head_pairs": of_pairs,
}
OF_PAIRS = Path("conf/measure/parameters/head_pairs.yaml")
OF_RELATED = Path("conf/measure/parameters/related_parameters.yaml")


@one_noun_by_day(DRAWINGS, "keep_k")
@pytest.mark.parametrize("known", [True, False])
def test_nouns_are_drawn_under_the_name_of_the_model(
    nouns: tuple[str, ...], known: bool, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert DRAWINGS.keys() == MADE.keys()
    keep_nouns(monkeypatch, "parameters", nouns)
    settings = {
        noun: yaml.safe_load((root / f"conf/draw/parameters/{noun}.yaml").read_text())
        for noun in nouns
    }
    monkeypatch.chdir(tmp_path)
    OF_PAIRS.parent.mkdir(parents=True)
    OF_PAIRS.write_text(yaml.safe_dump(MEASURED))
    OF_RELATED.write_text(yaml.safe_dump({"related_from": 0.15}))
    for noun in nouns:
        results = MADE[noun](known=known)
        results.pop(str(OF_PAIRS), None)
        save_scalars(results.pop("json"), f"results/{noun}/mine.json")
        for name, table in results.items():
            folder = f"results/{noun}" if name == "csv" else f"results/{noun}/{name}"
            save_table(table, f"{folder}/mine.csv")
    main(StageConfig("mine", {"label": "my own model"}, "", {}, [], [], settings))
    drawn = {str(file) for top in ("figures", "data/drawn") for file in Path(top).rglob("*.*")}
    assert drawn == {file for noun in nouns for file in figure_files(noun, "mine")}
    for noun in nouns:
        assert "my own model" in Path(f"figures/{noun}/mine.md").read_text()
