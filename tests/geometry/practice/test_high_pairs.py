import numpy as np
import pytest

from embspace.geometry.practice import high_pairs as module
from embspace.geometry.practice import unit_blocks
from embspace.geometry.practice.high_pairs import high_pairs, pairs_above


def brute(x: np.ndarray, document: np.ndarray) -> list[tuple[float, int, int]]:
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    n = range(len(x))
    return sorted(
        ((float(unit[i] @ unit[j]), i, j) for i in n for j in n if i < j),
        reverse=True,
    )


@pytest.mark.parametrize("block", [50, unit_blocks.BLOCK_NUMBERS])
def test_all_pairs_of_different_documents_are_counted(block: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(unit_blocks, "BLOCK_NUMBERS", block)
    rng = np.random.default_rng(0)
    x, document = rng.normal(size=(40, 5)), np.arange(40) // 2
    listed = high_pairs(x, document, largest_rate=0.2, n_listed=7, rng=rng)
    apart = [pair for pair in brute(x, document) if pair[1] // 2 != pair[2] // 2]
    assert listed.n_pairs == len(apart) == 760 and listed.n_documents == 20
    assert listed.counts[0] >= 0.4 * 760  # room for intervals
    for edge in (100, 5000, 16000):
        expected = [pair for pair in apart if pair[0] >= listed.edges[edge]]
        assert listed.counts[edge] == len(expected)
    assert [*zip(listed.first, listed.second, strict=True)] == [pair[1:] for pair in apart[:7]]
    assert listed.cosine == pytest.approx([pair[0] for pair in apart[:7]], abs=1e-6)
    high = [pair for pair in apart if pair[0] >= listed.coarse[30]]
    own = [sum(3 in (i // 2, j // 2) for _, i, j in pairs) for pairs in (high, apart)]
    assert [listed.document_counts[3, 30], listed.pairs_of_document[3]] == own


def test_pairs_above_fixed_cosines_are_those_of_brute_force(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(unit_blocks, "BLOCK_NUMBERS", 100)
    x = np.random.default_rng(1).normal(size=(30, 4))
    x[3] = 0
    document = np.arange(30) // 3
    thresholds = np.array([-0.5, 0.0, 0.8])
    kept = np.delete(np.arange(30), 3)
    pairs = [p for p in brute(x[kept], document) if kept[p[1]] // 3 != kept[p[2]] // 3]
    expected = [sum(cosine >= t for cosine, _, _ in pairs) for t in thresholds]
    assert pairs_above(x, document, thresholds).tolist() == expected


def test_rows_without_a_direction_are_left_out_and_told():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(20, 3))
    x[:4] = 0
    pairs = high_pairs(x, np.arange(20), largest_rate=0.1, rng=rng)
    assert (pairs.n_zero, pairs.n_documents, pairs.n_pairs) == (4, 16, 120)
    assert pairs.first.min() >= 4


def test_a_single_document_has_no_pairs():
    rng = np.random.default_rng(3)
    for x in (rng.normal(size=(5, 3)), np.zeros((5, 3))):
        document = np.zeros(5, int) if x.any() else np.arange(5)
        with pytest.raises(ValueError, match="expected two documents or more"):
            high_pairs(x, document, largest_rate=0.1, rng=rng)


def test_sampled_rows_change_no_count(monkeypatch: pytest.MonkeyPatch):
    x = np.random.default_rng(4).normal(size=(80, 4))
    monkeypatch.setattr(module, "N_SAMPLED", 8)
    counts = []
    for seed in range(5):
        pairs = high_pairs(x, np.arange(80), largest_rate=0.05, rng=np.random.default_rng(seed))
        counts.append(pairs.counts[np.searchsorted(pairs.edges, 0.9)] / pairs.n_pairs)
        assert pairs.counts[0] >= 0.1 * pairs.n_pairs
    assert np.ptp(counts) < 1e-3


def test_a_cosine_that_float32_takes_for_the_lowest_edge_is_counted(
    monkeypatch: pytest.MonkeyPatch,
):
    rng = np.random.default_rng(0)
    x, document = rng.normal(size=(20, 4)), np.arange(20)
    listed = high_pairs(x, document, largest_rate=0.2, n_listed=190, rng=rng)
    edge = float(listed.cosine[100]) + 1e-12  # between two numbers of float32, and rounded down
    monkeypatch.setattr(module, "_lowest", lambda *_: edge)
    again = high_pairs(x, document, largest_rate=0.2, n_listed=190, rng=rng)
    assert again.counts[0] == 101 == (listed.cosine >= listed.cosine[100]).sum()


@pytest.mark.parametrize("noise", [0, 1e-5])
def test_rows_whose_cosines_round_to_above_one_are_counted(noise: float):
    rng = np.random.default_rng(0)
    x = (rng.normal(size=64) + noise * rng.normal(size=(40, 64))).astype(np.float32)
    listed = high_pairs(x, np.arange(40), largest_rate=0.01, rng=rng)
    assert listed.edges[0] <= 1 and listed.counts[0] >= 0.01 * listed.n_pairs
    assert (np.diff(listed.counts) <= 0).all()


def test_the_same_pairs_as_sentence_transformers_mines():
    from tests.lazy import sentence_transformers, torch

    x = np.random.default_rng(5).normal(size=(60, 8)).astype(np.float32)
    mined = sentence_transformers.util.paraphrase_mining_embeddings(
        torch.tensor(x), top_k=60, max_pairs=12
    )
    pairs = high_pairs(
        x, np.arange(60), largest_rate=0.01, n_listed=12, rng=np.random.default_rng(0)
    )
    assert [*zip(pairs.first, pairs.second, strict=True)] == [(i, j) for _, i, j in mined[:12]]
    assert pairs.cosine == pytest.approx([score for score, _, _ in mined[:12]], abs=1e-5)


def test_a_mean_is_subtracted_first():
    x, document = np.random.default_rng(6).normal(size=(50, 4)) + 2, np.arange(50)
    given = {"largest_rate": 0.1, "n_listed": 9}
    plain = high_pairs(x - x.mean(axis=0), document, rng=np.random.default_rng(0), **given)
    centered = high_pairs(x, document, mean=x.mean(axis=0), rng=np.random.default_rng(0), **given)
    assert centered.first.tolist() == plain.first.tolist()
    assert centered.cosine == pytest.approx(plain.cosine, abs=1e-6)
