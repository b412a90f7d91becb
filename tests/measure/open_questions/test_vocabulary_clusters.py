from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.measure.open_questions.vocabulary_clusters import measure_vocabulary_clusters
from tests.analyses import settings_of
from tests.measure.vectors import vocabulary_of

DIM = 12
FEW = {"n_neighbors": 30, "smallest": [4, 40], "n_half_samples": 6, "n_clouds": 2, "n_listed": 3}
DECIDED_BY_SEED = ("matched", "jaccard")  # of halves; parts that are planted stand with any seed


def tokens(*, shift: float, n: int = 60, seed: int = 0) -> np.ndarray:
    """Return three clouds of tokens about centers on the sphere, and as many scattered tokens."""
    rng = np.random.default_rng(seed)
    centers = np.repeat(np.vstack([np.eye(3, DIM), np.zeros((1, DIM))]), n, axis=0)
    noise = rng.normal(size=centers.shape) / np.sqrt(DIM)
    noise[: 3 * n] *= 0.3 if shift else 1
    return (shift * centers + noise).astype(np.float32)


def vocabulary(n: int) -> pd.DataFrame:
    table = vocabulary_of(n)
    return table.assign(kind=np.where(np.arange(n) < n // 4, "digit", "word"))


def inputs(*, is_empty: bool) -> dict[str, Any]:
    x = tokens(shift=1.0)[: 10 if is_empty else None]
    return {"matrices": {"input": x}, "vocabulary": vocabulary(len(x))}


def measured(x: np.ndarray, **change: Any) -> Outcome:
    settings = settings_of(measure_vocabulary_clusters, **FEW | {"smallest": [16, 40]} | change)
    return measure_vocabulary_clusters({"input": x}, vocabulary(len(x)), **settings)


@pytest.fixture(scope="module")
def planted() -> Outcome:
    return measured(tokens(shift=1.0))


def test_planted_clouds_stand_and_a_part_has_its_kind_and_its_words(planted: Outcome):
    parts = planted["parts"].query("smallest == 16")
    assert parts["stands"].tolist() == ["yes"] * 3
    assert set(planted["parts"].query("smallest == 40")["is_repeated"]) == {"yes"}
    assert planted["json"] == {"n_tokens": 240, "n_parts": 3}
    digits = parts[parts["kind"] == "digit"]
    assert len(digits) == 1
    assert digits["kind_share"].item() > 0.8
    assert len(digits["tokens"].item().split()) == FEW["n_listed"]


def test_kinds_sizes_and_plane_count_the_same_tokens(planted: Outcome):
    kinds = planted["kinds"].query("smallest == 16").groupby("part")["n_tokens"].sum()
    parts = planted["parts"].query("smallest == 16").set_index("part")["n_tokens"]
    assert kinds.drop(0).tolist() == parts.tolist()
    assert kinds.sum() == len(planted["parquet"]) == 240
    assert planted["parquet"]["part_16"].value_counts()[1] == parts[1]
    row = planted["sizes"].iloc[0]
    assert row["share_standing"] == row["share_clustered"] == pytest.approx(0.75, abs=0.1)
    assert 0.2 < row["adjusted_rand_index"] < 0.9


def test_no_part_of_a_gaussian_cloud_stands():
    for seed in range(4):
        outcome = measured(tokens(shift=0.0, seed=seed), seed=seed, smallest=[16])
        assert outcome["json"]["n_parts"] == 0


def test_a_cloud_with_one_long_axis_has_two_poles_at_unit_length_and_no_part_stands():
    x = np.random.default_rng(5).normal(size=(400, DIM)) * np.append(4, np.ones(DIM - 1))
    outcome = measured(x.astype(np.float32), smallest=[40])
    row = outcome["sizes"].iloc[0]
    assert (row["n_parts"], row["n_standing"]) == (2, 0)
    assert outcome["clouds"]["n_parts"].tolist() == [0, 2]
    assert outcome["clouds"]["n_standing"].tolist() == [0, 2]
