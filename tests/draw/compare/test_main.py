import shutil
from pathlib import Path

import pytest
import yaml

from embspace.draw.compare.__main__ import DRAWINGS, main
from embspace.graph.declarations import declaration
from embspace.settings.stage import StageConfig
from tests.drawn import figure_files

PAIR = "minilm--minilm_random"


def test_a_pair_has_figures_of_its_own(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    conf = {noun: root / f"conf/draw/compare/{noun}.yaml" for noun in DRAWINGS}
    settings = {noun: yaml.safe_load(file.read_text()) for noun, file in conf.items()}
    shutil.copytree(root / "conf/model", tmp_path / "conf/model")
    monkeypatch.chdir(tmp_path)
    for analysis in (declaration(noun).analysis for noun in DRAWINGS):
        analysis.save(analysis.empty(), PAIR)
    main(StageConfig("", {}, "", {}, [], [], settings, pair=PAIR))
    drawn = {str(file) for top in ("figures", "data/drawn") for file in Path(top).rglob("*.*")}
    assert drawn == {file for noun in DRAWINGS for file in figure_files(noun, PAIR)}
    svg = Path(f"data/drawn/compare/{PAIR}/measures.svg").read_bytes()
    assert f"<title>compare_measures@{PAIR}</title>".encode() in svg
    text = Path(f"figures/measures/{PAIR}.md").read_text()
    assert text.startswith("# Measures of MiniLM-L6 and MiniLM-L6 (random weights)")
