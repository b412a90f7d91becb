import numpy as np
import pandas as pd
import pytest

from embspace.app.practice.lines import line_of_clusters
from embspace.app.practice.reading import read_corpus
from embspace.measure.practice import clusters_kept as module
from embspace.measure.practice.clusters_kept import REFITTED, clusters_kept


@pytest.fixture(autouse=True)
def few_halves(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "N_HALF_SAMPLES", 20)
    monkeypatch.setattr(module, "N_REFITTED", 5)


def planted(spread: float, n: int = 120) -> np.ndarray:
    rng = np.random.default_rng(0)
    return 5 * np.eye(6)[np.arange(n) % 6] + spread * rng.normal(size=(n, 6))


def kept(x: np.ndarray, others: dict[str, np.ndarray]) -> pd.DataFrame:
    table = clusters_kept(read_corpus(x).at(), {"float32": x} | others)
    return table.assign(bytes=8.0, kind=["full", *["cut"] * (len(table) - 1)])


def test_planted_clusters_stay_under_noise_and_go_when_texts_are_shuffled():
    x = planted(0.3)
    noise = np.random.default_rng(1).normal(size=x.shape)
    table = kept(x, {"little": x + 0.1 * noise, "shuffled": x[::-1][:, ::-1] + 9 * noise})
    rows = table.set_index("version")
    assert rows.loc["float32", ["value", "low", "high"]].tolist() == [1, 1, 1]
    assert rows.loc["little", "value"] == 1 and rows.loc[REFITTED, "low"] == 1
    assert rows.loc["shuffled", "high"] < 0.5
    assert line_of_clusters(table).endswith("smallest setting above the least: little, 8 bytes")


def test_of_one_blob_halves_keep_little_themselves():
    x = np.random.default_rng(0).normal(size=(120, 8))
    rows = kept(x, {"noise": x + 3}).set_index("version")
    assert rows.loc[REFITTED, "value"] < 0.7
    assert rows.loc[REFITTED, "low"] <= rows.loc[REFITTED, "value"] <= rows.loc[REFITTED, "high"]


def test_without_a_steady_setting_none_is_named():
    x = planted(0.3)
    shuffled = x[np.random.default_rng(2).permutation(len(x))]
    assert line_of_clusters(kept(x, {"shuffled": shuffled})).endswith("above the least: none")
