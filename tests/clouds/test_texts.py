from pathlib import Path

import numpy as np
import pandas as pd

from embspace.clouds.pooling import POOLINGS
from embspace.clouds.texts import COLUMNS, load_text_clouds, text_cloud
from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors

TEXTS = pd.DataFrame(
    {
        "id": ["a.1", "a.2", "b"],
        "document": ["a", "a", "b"],
        "domain": ["science", "science", "places"],
        "subject": ["x", "x", "y"],
        "text": ["", "", ""],
    }
)


def test_windows_know_their_document_and_domain_in_their_own_order():
    windows = pd.DataFrame(
        {
            "text": ["b", "b", "a.2"],
            "window": [0, 1, 0],
            "n_tokens": [9, 4, 7],
            "first_token": [0, 9, 13],
        }
    )
    cloud = text_cloud({"cls": np.zeros((1, 3, 2), np.float32)}, windows, TEXTS)
    assert list(cloud.windows) == COLUMNS
    assert cloud.windows["document"].tolist() == ["b", "b", "a"]
    assert cloud.windows["domain"].tolist() == ["places", "places", "science"]
    assert cloud.windows["subject"].tolist() == ["y", "y", "x"]
    assert cloud.n_documents == 2  # of three windows


def test_a_corpus_without_windows_keeps_its_columns():
    windows = pd.DataFrame(columns=["text", "window", "n_tokens", "first_token"])
    cloud = text_cloud({"cls": np.zeros((2, 0, 3), np.float32)}, windows, TEXTS)
    assert list(cloud.windows) == COLUMNS
    assert cloud.n_documents == 0


def test_clouds_are_loaded_by_corpus(tmp_path: Path):
    states = {pooling: np.ones((2, 1, 3), np.float32) for pooling in POOLINGS}
    windows = pd.DataFrame({"text": ["b"], "window": [0], "n_tokens": [9], "first_token": [0]})
    save_tensors(states, f"{tmp_path}/states/news.safetensors")
    save_rows(windows, f"{tmp_path}/states/news.windows.parquet")
    save_rows(TEXTS, f"{tmp_path}/texts/news.parquet")
    clouds = load_text_clouds(f"{tmp_path}/states", f"{tmp_path}/texts", ["news"])
    assert list(clouds) == ["news"]
    assert clouds["news"].states.keys() == states.keys()
    assert clouds["news"].windows["domain"].tolist() == ["places"]
