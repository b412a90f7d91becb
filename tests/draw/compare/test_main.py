import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from embspace.compare import (
    alignment,
    measures,
    model_changes,
    model_imbalance,
    model_parameter_alignment,
    vocabularies,
)
from embspace.draw.compare.__main__ import DRAWINGS, main
from embspace.files.tables import save_table
from embspace.settings.stage import StageConfig
from tests.drawn import figure_files

PAIR = "minilm--minilm_random"
COLUMNS = {
    "alignment": alignment.COLUMNS,
    "measures": measures.COLUMNS,
    "model_changes": model_changes.COLUMNS,
    "model_imbalance": model_imbalance.COLUMNS,
    "model_parameter_alignment": model_parameter_alignment.COLUMNS,
    "vocabularies": vocabularies.COLUMNS,
}
MORE = {
    "model_changes/words": model_changes.WORDS,
    "model_changes/tokens": model_changes.MOVED_TOKENS,
    "model_changes/states": model_changes.STATES,
}


def test_all_nouns_of_the_chapter_are_drawn():
    assert DRAWINGS.keys() == COLUMNS.keys()


def test_a_pair_has_figures_of_its_own(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    conf = {noun: root / f"conf/draw/compare/{noun}.yaml" for noun in DRAWINGS}
    settings = {noun: yaml.safe_load(file.read_text()) for noun, file in conf.items()}
    shutil.copytree(root / "conf/model", tmp_path / "conf/model")
    monkeypatch.chdir(tmp_path)
    for table, columns in {**COLUMNS, **MORE}.items():
        save_table(pd.DataFrame(columns=columns), f"results/{table}/{PAIR}.csv")
    main(StageConfig("", {}, "", {}, [], [], settings, pair=PAIR))
    drawn = {str(file) for top in ("figures", "data/drawn") for file in Path(top).rglob("*.*")}
    assert drawn == {file for noun in DRAWINGS for file in figure_files(noun, PAIR)}
    svg = Path(f"data/drawn/compare/{PAIR}/alignment.svg").read_bytes()
    assert f"<title>compare_alignment@{PAIR}</title>".encode() in svg
    text = Path(f"figures/measures/{PAIR}.md").read_text()
    assert text.startswith("# Measures of MiniLM-L6 and MiniLM-L6 (random weights)")
