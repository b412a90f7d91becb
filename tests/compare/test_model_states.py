from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.compare.model_states import load_corpus_states
from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors


@pytest.mark.parametrize("kinds", [("mean",), ("mean", "token")])
def test_states_of_tokens_are_loaded_where_they_are(kinds: tuple[str, ...], tmp_path: Path):
    x = np.ones((1, 2, 3), dtype=np.float32)
    save_tensors(dict.fromkeys([*kinds, "max"], x), str(tmp_path / "news.safetensors"))
    for table in ("windows", "tokens"):
        save_rows(pd.DataFrame({"id": [0, 1]}), str(tmp_path / f"news.{table}.parquet"))
    states = load_corpus_states(str(tmp_path), ["news"]).corpora["news"].states
    assert tuple(states) == kinds
