from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice.vector_files import holds_vectors
from embspace.errors import InputError


@pytest.mark.parametrize(
    ("table", "are_vectors"),
    [
        ({"label": ["a", "b"], "x": [np.ones(3), np.ones(3)]}, True),
        ({"d0": [0.5, 1.0], "d1": [0.5, 2.0]}, True),
        ({"text": ["a", "b"], "x": [np.ones(3), np.ones(3)]}, False),
        ({"body": ["a", "b"], "stars": [0.5, 1.0]}, False),
    ],
)
def test_a_parquet_is_told_by_its_columns(
    tmp_path: Path, table: dict[str, list[object]], are_vectors: bool
):
    file = tmp_path / "file.parquet"
    pd.DataFrame(table).to_parquet(file)
    assert holds_vectors(file) == are_vectors
    assert not holds_vectors(file, {"text_column": "label"})


def test_other_files_are_told_by_their_ending(tmp_path: Path):
    assert holds_vectors(Path("a.NPY")) and holds_vectors(Path("a.safetensors"))
    assert not holds_vectors(Path("a.csv")) and not holds_vectors(Path("articles"))
    assert not holds_vectors(tmp_path / "not_there.parquet")


def test_half_a_parquet_is_refused(tmp_path: Path):
    (tmp_path / "half.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"half\.parquet: is no whole parquet"):
        holds_vectors(tmp_path / "half.parquet")
