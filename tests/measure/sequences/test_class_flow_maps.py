"""Holds maps of classes to clouds whose shape is known."""

import numpy as np
import pytest

from embspace.measure.sequences.class_flow_maps import Layout, class_maps
from embspace.measure.sequences.sequence_texts import Sequences

LAYOUT = Layout(5.0, 4.0, 5, 20, 0.01, 0)


def given(n: int = 40) -> Sequences:
    return Sequences([""] * n, ["a", "b"], np.arange(n) % 2, np.arange(n))


def test_a_plane_is_kept_by_pca_and_layers_are_spread_to_the_last() -> None:
    rng = np.random.default_rng(0)
    plane = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 5))
    cls = np.stack([plane * scale for scale in (1, 1, 2, 3, 4)]).astype(np.float32)
    maps, quality = class_maps(cls, given(), LAYOUT, n_layers=2, n_neighbors=5)
    assert sorted(maps["layer"].unique()) == [1, 4]
    pca = quality[quality["method"] == "pca"]
    shares = pca["explained_variance_1"] + pca["explained_variance_2"]
    assert shares.to_numpy() == pytest.approx(1)
    assert pca["trustworthiness"].to_numpy() == pytest.approx(1, abs=1e-3)
    assert quality["chance_trustworthiness"].between(0.4, 0.6).all()
    assert set(maps["class"]) == {"a", "b"}


def test_one_vector_for_all_or_too_few_texts_have_no_map() -> None:
    same = np.ones((3, 40, 5), dtype=np.float32)
    for cls, n in ((same, 40), (np.random.default_rng(0).normal(size=(3, 8, 5)), 8)):
        maps, quality = class_maps(cls, given(n), LAYOUT, n_layers=2, n_neighbors=5)
        assert maps.empty and quality.empty
