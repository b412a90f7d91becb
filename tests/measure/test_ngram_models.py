"""Holds the unigram and bigram models to counts made by hand."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from embspace.measure.ngram_models import NgramModels, count_ngrams

# Token 0 is special and fills up; 1, 2, 3 are ordinary.
ROWS = np.array([[0, 1, 2, 1, 2], [0, 1, 3, 0, 0]])
N_TOKENS = np.array([5, 3])


@pytest.fixture
def models() -> NgramModels:
    return count_ngrams(ROWS, N_TOKENS, n_kinds=4, special=[0])


def test_unigrams_are_counts_plus_one_of_ordinary_tokens(models: NgramModels) -> None:
    assert models.unigram == pytest.approx([0, 4 / 9, 3 / 9, 2 / 9])
    assert models.unigram_loss(np.array([1])) == pytest.approx([np.log(9 / 4)])
    assert models.unigram_guess() == 1


def test_padding_and_special_targets_are_not_counted(models: NgramModels) -> None:
    assert models.bigram.sum() == 6  # four in the first window, two in the second
    assert models.bigram[:, [0]].sum() == 0
    assert models.bigram.toarray()[0].tolist() == [0, 2, 0, 0]


def test_what_was_never_followed_falls_back_to_single_tokens(models: NgramModels) -> None:
    previous, target = np.array([3, 3]), np.array([1, 2])
    assert models.bigram_loss(previous, target) == pytest.approx(models.unigram_loss(target))
    assert models.bigram_guess(previous).tolist() == [1, 1]


def test_bigrams_are_smoothed_as_witten_and_bell_say(models: NgramModels) -> None:
    # 1 is followed by 2 twice and by 3 once: n = 3, t = 2.
    found = models.bigram_loss(np.array([1, 1, 1]), np.array([1, 2, 3]))
    expected = (np.array([0, 2, 1]) + 2 * models.unigram[1:]) / 5
    assert np.exp(-found) == pytest.approx(expected)
    assert models.bigram_guess(np.array([1])).tolist() == [2]


def test_probabilities_add_up_to_one(models: NgramModels) -> None:
    for previous in range(4):
        loss = models.bigram_loss(np.full(3, previous), np.array([1, 2, 3]))
        assert np.exp(-loss).sum() == pytest.approx(1)


def test_the_entropy_is_the_expected_loss_under_the_model_itself(models: NgramModels) -> None:
    p = models.unigram[1:]
    assert models.unigram_entropy() == pytest.approx(
        (p * models.unigram_loss(np.array([1, 2, 3]))).sum()
    )
    even = NgramModels(np.full(8, 1 / 8), csr_array((8, 8), dtype=np.int64))
    assert even.unigram_entropy() == pytest.approx(np.log(8))
