from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from embspace.draw.canvas import new_figure
from embspace.draw.results import draw_and_save, load_results
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.files.tensors import save_tensors
from tests.measure.vectors import vocabulary_of


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_results_are_found_by_noun_table_and_model():
    save_table(vocabulary_of(3), "results/noun/pairs/tiny.csv")
    save_table(vocabulary_of(4), "results/noun/tiny.csv")
    save_scalars({"n": 3}, "results/noun/tiny.json")
    save_tensors({"x": np.ones((2, 2))}, "data/measured/noun/tiny.safetensors")
    save_rows(vocabulary_of(5), "data/projected/noun/tiny.parquet")
    names = ("json", "pairs.csv", "csv", "safetensors", "parquet")
    loaded = load_results("noun", "tiny", names)
    assert list(loaded) == ["json", "pairs", "csv", "safetensors", "parquet"]
    assert loaded["json"] == {"n": 3}
    assert [len(loaded[name]) for name in ("pairs", "csv", "parquet")] == [3, 4, 5]
    assert loaded["safetensors"]["x"].tolist() == [[1, 1], [1, 1]]


def test_a_missing_result_is_named():
    with pytest.raises(InputError, match="results/noun/pairs/tiny.csv: not found"):
        load_results("noun", "tiny", ("pairs.csv",))


def drawing(results: dict[str, Any], label: str, *, words: str) -> tuple[Figure, str]:
    figure, axes = new_figure(1, 1, height_mm=40, title=words, subtitle=label, stage="measure_noun")
    axes[0].plot(results["csv"]["id"])
    return figure, f"{label}: {words}, {len(results['csv'])}"


def test_each_noun_is_drawn_with_its_results_and_settings_and_saved_under_the_name():
    for noun, n in (("one", 3), ("two", 4)):
        save_table(pd.DataFrame({"id": range(n)}), f"results/{noun}/toy.csv")
    nouns = ("one", "two")
    settings = {"one": {"words": "uno"}, "two": {"words": "due"}}
    given = dict.fromkeys(nouns, drawing), dict.fromkeys(nouns, ("csv",))
    draw_and_save(*given, "toy", "a label", settings)
    assert Path("figures/one/toy.md").read_text() == "a label: uno, 3"
    assert Path("figures/two/toy.md").read_text() == "a label: due, 4"
    for noun in nouns:
        assert Path(f"figures/{noun}/toy.tex").is_file()
        for suffix in ("png", "svg", "pdf"):
            # The file itself says which stage to look at.
            assert b"measure_noun@toy" in Path(f"figures/{noun}/toy.{suffix}").read_bytes()
