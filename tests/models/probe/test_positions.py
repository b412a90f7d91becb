from pathlib import Path

import pytest

from embspace.models.probe.positions import adds_positions
from tests.models.probe.loaded import load_tiny


@pytest.mark.parametrize(
    ("kind", "adds"),
    [("bert", True), ("gpt2", True), ("xglm", True), ("llama", False), ("t5", False)],
)
def test_positions_are_added_by_a_table_or_a_formula_or_not(kind: str, adds: bool, tmp_path: Path):
    assert adds_positions(load_tiny(kind, tmp_path), 9) == adds
