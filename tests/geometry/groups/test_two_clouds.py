import numpy as np
import pytest

from embspace.geometry.groups import two_clouds
from embspace.geometry.groups.two_clouds import (
    TwoClouds,
    compare_clouds,
    dealt_anew,
    p_values_of_all,
)

FEW = {"n_permutations": 19, "n_half_samples": 2}


def compared(x: np.ndarray, is_first: np.ndarray, *more: np.ndarray, seed: int = 0, **settings):
    return compare_clouds(x, is_first, *more, **(FEW | settings), rng=np.random.default_rng(seed))


def texts_of_documents(rng: np.random.Generator, n: int, n_texts: int) -> tuple[np.ndarray, ...]:
    """Texts that lie about the center of their document, as the windows of an article do."""
    document = np.repeat(np.arange(n), n_texts)
    centers = rng.normal(size=(n, 8))
    return centers[document] + 0.3 * rng.normal(size=(n * n_texts, 8)), document


def by_hand(x: np.ndarray, is_first: np.ndarray, document: np.ndarray) -> float:
    def mean(one: np.ndarray, other: np.ndarray) -> float:
        pairs = [
            np.linalg.norm(x[i] - x[j])
            for i in np.flatnonzero(one)
            for j in np.flatnonzero(other)
            if document[i] != document[j]
        ]
        return float(np.mean(pairs))

    between = mean(is_first, ~is_first)
    return (2 * between - mean(is_first, is_first) - mean(~is_first, ~is_first)) / (2 * between)


def test_the_distance_is_the_mean_over_pairs_of_different_documents():
    rng = np.random.default_rng(0)
    x, document = rng.normal(size=(40, 3)), rng.permutation(40) % 9
    # Documents 0 and 1 are of both corpora, the rest of one.
    is_first = np.where(document < 2, rng.random(40) < 0.5, document < 5)
    comparison = compared(x, is_first, document)
    assert comparison.unbiased == pytest.approx(by_hand(x, is_first, document))
    assert comparison.n_documents == (5, 6)


def test_known_value_of_two_gaussians():
    from scipy.special import erf

    rng = np.random.default_rng(0)
    is_first = np.arange(1500) < 700
    x = rng.normal(size=(1500, 1)) + 0.7 * is_first[:, np.newaxis]
    # E|X - Y| of a Gaussian of variance 2 about 0.7, and about 0.
    apart = 2 / np.sqrt(np.pi) * np.exp(-(0.7**2) / 4) + 0.7 * erf(0.7 / 2)
    expected = 1 - 2 / np.sqrt(np.pi) / apart
    comparison = compared(x, is_first, n_half_samples=40)
    assert expected == pytest.approx(0.11, abs=0.005)
    assert comparison.distance == pytest.approx(expected, abs=0.03)
    assert comparison.distance_low < expected < comparison.distance_high
    # Of two values, that of the first corpus is the larger: the lean is a rising function.
    assert comparison.auc == pytest.approx((1 + erf(0.7 / 2)) / 2, abs=0.03)


def test_half_of_the_distance_is_the_mean_lean_of_either_corpus():
    rng = np.random.default_rng(0)
    is_first = np.arange(60) < 20
    x = rng.normal(size=(60, 4)) * np.where(is_first, 1.0, 3.0)[:, np.newaxis] + is_first[:, None]
    comparison = compared(x, is_first)
    between = np.linalg.norm(x[is_first][:, None] - x[~is_first], axis=2).mean()
    half = comparison.unbiased * between
    assert comparison.lean[is_first].mean() == pytest.approx(half)
    assert comparison.lean[~is_first].mean() == pytest.approx(-half)


def test_a_text_put_between_leans_to_neither_and_one_in_the_wrong_corpus_to_the_other():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 5))
    is_first = np.arange(100) < 50
    x[~is_first, 0] += 8
    x[7], x[9, 0] = [4, 0, 0, 0, 0], 8
    lean = compared(x, is_first).lean
    assert np.argmin(np.abs(lean)) == 7
    assert np.flatnonzero((lean > 0) != is_first).tolist() in ([9], [7, 9])


@pytest.mark.parametrize("n_texts", [1, 4])
def test_two_halves_of_one_corpus_are_seldom_apart(n_texts: int):
    rng = np.random.default_rng(0)
    p_values = []
    for draw in range(60):
        x, document = texts_of_documents(rng, 24, n_texts)
        p_values.append(compared(x, document % 2 == 0, document, seed=draw).p_value)
    # Exact at 0.05 with 19 deals: 3 of 60 on average; 8 or more of binomial(60, 0.05) is 1.4 %.
    assert np.mean(np.array(p_values) <= 0.05) <= 7 / 60
    assert 0.35 < np.mean(p_values) < 0.7


def test_texts_dealt_out_one_by_one_would_call_halves_apart():
    rng = np.random.default_rng(0)
    p_values = []
    for draw in range(20):
        x, document = texts_of_documents(rng, 24, 4)
        is_first = document % 2 == 0
        p_values.append(compared(x, is_first, seed=draw).p_value)
    assert np.mean(np.array(p_values) <= 0.05) > 0.5


def test_a_planted_shift_is_apart_and_so_is_a_change_of_spread_alone():
    rng = np.random.default_rng(0)
    is_first = np.arange(80) < 40
    for change in ({"shift": 1.0, "scale": 1.0}, {"shift": 0.0, "scale": 2.0}):
        x = rng.normal(size=(80, 6))
        x[is_first] = x[is_first] * change["scale"] + change["shift"]
        comparison = compared(x, is_first, n_half_samples=40)
        assert comparison.p_value == 0.05
        assert comparison.distance_low > 0
        assert comparison.auc_low > comparison.null_auc


def test_whole_documents_change_their_label():
    documents = np.repeat(np.arange(30), 4)
    label = documents < 10
    shuffled = dealt_anew(label, documents, np.random.default_rng(0))
    by_document = shuffled.reshape(30, 4)
    assert (by_document.all(axis=1) | ~by_document.any(axis=1)).all()
    assert shuffled.sum() == label.sum()
    assert (shuffled != label).any()


def test_one_shared_document_leaves_no_other_its_true_label():
    documents = np.repeat(np.arange(201), 2)
    label = documents < 100
    label[-1] = True  # the last document is of both
    shuffled = dealt_anew(label, documents, np.random.default_rng(0))
    assert 0.35 < np.mean(shuffled[:-2] == label[:-2]) < 0.65
    assert shuffled[-2:].sum() == 1
    assert shuffled[:-2].sum() == label[:-2].sum()


def test_a_document_of_both_corpora_deals_its_own_labels_out():
    rng = np.random.default_rng(0)
    documents = rng.permutation(np.repeat(np.arange(30), 5))
    label = np.zeros(150, dtype=bool)
    label[np.unique(documents, return_index=True)[1]] = True  # one of five
    shuffled = dealt_anew(label, documents, rng)
    assert (np.bincount(documents, shuffled) == 1).all()
    assert 0.05 < (shuffled & label).sum() / 30 < 0.4


def test_the_interval_holds_the_distance_of_many_texts():
    rng = np.random.default_rng(0)
    is_first = np.arange(60) < 30

    def clouds(n: int) -> np.ndarray:
        return np.concatenate([rng.normal(size=(n, 4)) + 1, rng.normal(size=(n, 4))])

    truth = compared(clouds(1000), np.arange(2000) < 1000, n_permutations=0).unbiased
    held = 0
    for draw in range(40):
        comparison = compared(clouds(30), is_first, seed=draw, n_permutations=0, n_half_samples=100)
        held += comparison.distance_low <= truth <= comparison.distance_high
    assert held >= 34  # 38 at 95 %; 33 or fewer of binomial(40, 0.95) is 1.4 %


def test_joined_documents_change_the_deals_but_neither_distance_nor_lean(monkeypatch):
    rng = np.random.default_rng(0)
    x, document = texts_of_documents(rng, 30, 2)
    is_first = document % 3 == 0
    whole = compared(x, is_first, document)
    monkeypatch.setattr(two_clouds, "MOST_UNITS", 12)
    joined = compared(x, is_first, document)
    assert joined.unbiased == pytest.approx(whole.unbiased)
    assert joined.lean == pytest.approx(whole.lean)
    assert joined.null != pytest.approx(whole.null)


def test_equal_vectors_are_not_apart_but_undefined():
    comparison = compared(np.ones((12, 3)), np.arange(12) < 6)
    assert np.isnan([comparison.distance, comparison.p_value]).all()
    assert np.isnan(p_values_of_all([comparison])).all()


def test_one_of_many_layers_is_not_apart_by_their_number():
    rng = np.random.default_rng(0)
    is_first = np.arange(30) < 15
    smallest = []
    for draw in range(30):
        layers = [compared(rng.normal(size=(30, 3)), is_first, seed=draw) for _ in range(5)]
        smallest.append((min(one.p_value for one in layers), p_values_of_all(layers).min()))
    alone, together = (np.array(smallest) <= 0.05).mean(axis=0)
    assert alone > 0.15
    assert together <= 5 / 30
    planted = [
        *layers,
        compared(rng.normal(size=(30, 3)) + 3 * is_first[:, None], is_first, seed=draw),
    ]
    assert p_values_of_all(planted)[-1] == 0.05


def test_too_few_documents_are_named():
    with pytest.raises(
        ValueError, match="expected 4 documents or more on either side, found 3 and 9"
    ):
        compared(np.eye(12), np.arange(12) < 3)
    assert isinstance(compared(np.eye(12), np.arange(12) < 4), TwoClouds)
