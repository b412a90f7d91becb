from pathlib import Path

import pytest

from embspace.app.page.section import population_in, section_of
from embspace.errors import InputError


@pytest.mark.parametrize(
    ("subtitle", "counted"),
    [
        (" · 30 texts · shaded: 95 % intervals over texts", "30 texts"),
        (" · raw learned matrix · n = 512 positions, by offset", "n = 512 positions, by offset"),
        (" · layer 6, first token · margin below 0.05 and less", ""),
        ("", ""),
    ],
)
def test_below_a_finding_stands_what_was_counted(subtitle: str, counted: str):
    assert population_in(subtitle) == counted


def test_a_table_or_figure_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(InputError, match=r"similarity/minilm\.md: not found; `dvc repro`"):
        section_of(tmp_path, "similarity", "minilm")
    table = tmp_path / "figures/similarity/minilm.md"
    table.parent.mkdir(parents=True)
    table.write_text("# Similarity of MiniLM-L6\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"minilm/similarity\.svg: not found"):
        section_of(tmp_path, "similarity", "minilm")
