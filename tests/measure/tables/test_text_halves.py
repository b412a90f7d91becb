from pathlib import Path

import numpy as np
import pandas as pd

from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors
from embspace.measure.tables.text_halves import load_halves

SENTENCES = "The ship is at sea. It is far from a port. The wind is still. Nobody sings."


def test_halves_that_were_read_are_loaded_and_a_corpus_without_any_is_left_out(tmp_path: Path):
    states, texts = tmp_path / "states", tmp_path / "texts"
    states.mkdir()
    texts.mkdir()
    about = {"domain": "", "subject": "", "text": SENTENCES}
    ids = pd.DataFrame({"id": ["a", "b"], "document": ["a", "b"], "copy_of": ["a", "b"]})
    for name in ("ships", "ports"):
        save_rows(ids.assign(**about), str(texts / f"{name}.parquet"))
    read = ["a.half1", "a.half2"]  # nothing of b
    windows = pd.DataFrame({"text": read, "window": 0, "n_tokens": 9})
    save_rows(windows, str(states / "ships.halves.windows.parquet"))
    save_rows(windows[:0], str(states / "ports.halves.windows.parquet"))
    x = np.arange(16, dtype=np.float32).reshape(2, 2, 4)
    save_tensors(dict.fromkeys(("cls", "mean", "max"), x), str(states / "ships.halves.safetensors"))
    halves = load_halves(str(states), str(texts), ["ships", "ports"])
    assert [*halves] == ["ships"]
    assert halves["ships"].texts["id"].tolist() == read
    assert halves["ships"].texts["half"].tolist() == [1, 2]
    assert (
        np.array_equal(halves["ships"].by_pooling["mean"], x) and halves["ships"].sentences is None
    )
