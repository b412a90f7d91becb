import numpy as np
import pytest

from embspace.measure.tables.all_pairs import AllPairs, compare_all_pairs, token_sets
from tests.measure.vectors import random_matrices, vocabulary_of

MATRICES, VOCABULARY = random_matrices(), vocabulary_of(120)


@pytest.fixture(scope="module")
def pairs() -> AllPairs:
    return compare_all_pairs(MATRICES, VOCABULARY, n_bins=4096, n_pairs=3, device="cpu")


def test_every_pair_of_each_space_is_counted_once(pairs: AllPairs):
    counts = {space: by_quantity["cosine"].n for space, by_quantity in pairs.distributions.items()}
    within = {"input": 120 * 119 // 2, "positional": 30 * 29 // 2}
    assert counts == within | {"token_position": 120 * 30, "joint": 150 * 149 // 2}


def test_norms_are_exact_and_those_of_the_joint_cloud_are_those_of_both(pairs: AllPairs):
    lengths = {space: np.linalg.norm(MATRICES[space], axis=1) for space in ("input", "positional")}
    lengths["joint"] = np.concatenate(list(lengths.values()))
    assert pairs.norms.keys() == lengths.keys()
    for space, expected in lengths.items():
        assert np.allclose(pairs.norms[space], expected, rtol=1e-6)


def test_the_summary_has_a_row_for_each_quantity_and_the_moments_of_a_direct_count(
    pairs: AllPairs,
):
    table = pairs.summary([0.5]).set_index(["space", "quantity"])
    assert len(table) == 3 + 1 + 4 * 3
    x = MATRICES["input"].astype(float)
    direct = (x @ x.T)[np.triu_indices(120, k=1)]
    row = table.loc[("input", "dot_product")]
    assert row["mean"] == pytest.approx(direct.mean(), rel=1e-5)
    assert row["maximum"] == pytest.approx(direct.max(), rel=1e-5)
    assert row["quantile_0.5"] == pytest.approx(np.median(direct), abs=row["resolution"])


def test_without_positions_there_is_one_space():
    alone = {"input": MATRICES["input"]}
    compared = compare_all_pairs(alone, VOCABULARY, n_bins=64, n_pairs=1, device="cpu")
    assert set(compared.norms) == set(compared.distributions) == {"input"}


def test_special_and_unused_tokens_are_not_ordinary():
    vocabulary = vocabulary_of(4).assign(kind=["special", "unused", "word", "piece"])
    assert token_sets(vocabulary).tolist() == [
        [False, False, True, True],
        [False, False, True, False],
    ]
