from pathlib import Path

import numpy as np
import pandas as pd
from safetensors.numpy import save_file

from embspace.clouds.token_corpus import load_token_corpus


def write_corpus(folder: Path, name: str, n_tokens: int, *, keeps_tokens: bool = True) -> None:
    for part in ("extracted", "prepared"):
        (folder / part).mkdir(exist_ok=True)
    texts = pd.DataFrame({"id": ["a"], "document": ["a"]})
    texts.to_parquet(folder / f"prepared/{name}.parquet")
    windows = pd.DataFrame({"text": ["a"], "window": [0]})
    windows.to_parquet(folder / f"extracted/{name}.windows.parquet")
    tokens = pd.DataFrame({"window": [0] * n_tokens, "position": range(n_tokens)})
    tokens.to_parquet(folder / f"extracted/{name}.tokens.parquet")
    states = {kind: np.zeros((2, 1, 4), np.float32) for kind in ("cls", "mean")}
    if keeps_tokens:
        states["token"] = np.zeros((2, n_tokens, 4), np.float32)
    save_file(states, folder / f"extracted/{name}.safetensors")


def test_of_the_corpora_with_states_by_token_the_largest_is_taken(tmp_path: Path):
    for name, n_tokens in (("few", 3), ("many", 7)):
        write_corpus(tmp_path, name, n_tokens)
    write_corpus(tmp_path, "pooled", 9, keeps_tokens=False)
    folders = (f"{tmp_path}/extracted", f"{tmp_path}/prepared")
    loaded = load_token_corpus(*folders, ["few", "many", "pooled"])
    assert loaded is not None and loaded[0] == "many"
    assert load_token_corpus(*folders, ["pooled"]) is None


def test_without_corpora_there_is_none():
    assert load_token_corpus("nowhere", "nowhere", []) is None
