"""The table of known models is written from results."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from embspace.app.reporting.reference import COLUMNS, reference_table
from embspace.errors import InputError
from embspace.geometry.measures.declaration import FAMILIES


def rows(value: float, **more: object) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "corpus": ["posts", "posts", "posts", "sentences"],
            "space": ["token", "cls", "token", "mean"],
            "change": ["as_is", "as_is", "standardized", "as_is"],
            "layer": 0,
            "measure": "mean_cosine",
            "n": [300, 10, 300, 10],
            "n_texts": 10,
        }
    )
    return table.assign(value=value, **more)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shown = {family: [] for family in FAMILIES} | {"direction": ["mean_cosine"]}
    files = {
        f"conf/draw/layers/{family}.yaml": yaml.safe_dump({"measures": measures})
        for family, measures in shown.items()
    }
    files |= {
        "conf/model/a.yaml": "label: A\n",
        "conf/model/b.yaml": "label: B\n",
        "results/direction/profiles/a.csv": rows(0.1).to_csv(index=False),
        "results/direction/nulls/a.csv": rows(
            0.1, null="random_initialization", null_mean=0.4
        ).to_csv(index=False),
    }
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
    return tmp_path


def test_tokens_as_they_are_of_the_model_and_its_random_twin(root: Path):
    table = reference_table(root, ["a"])
    assert table.to_dict("list") == {
        "corpus": ["posts"] * 2,
        "tokens_per_text": [30.0] * 2,
        "model": ["A", "random A"],
        "space": ["token"] * 2,
        "measure": ["mean_cosine"] * 2,
        "layer": [0] * 2,
        "value": [0.1, 0.4],
    }
    assert list(table) == COLUMNS


def test_a_model_without_profiles_is_named(root: Path):
    with pytest.raises(InputError, match="found no profiles of b, allowed: a profiled model"):
        reference_table(root, ["a", "b"])
