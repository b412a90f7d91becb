"""Holds the models of counts to counts made by hand."""

import numpy as np
import pytest

from embspace.measure.runs.training_count_models import CountModels, Unigram, count_tokens

# Token 0 is special and fills up; 1, 2, 3 are ordinary.
ROWS = np.array([[0, 1, 2, 1, 2], [0, 1, 3, 0, 0]])
N_TOKENS = np.array([5, 3])


@pytest.fixture
def models() -> CountModels:
    return count_tokens(ROWS, N_TOKENS, n_kinds=4, special=[0])


def test_unigrams_are_counts_plus_one_of_ordinary_tokens(models: CountModels) -> None:
    assert models.unigram.probability == pytest.approx([0, 4 / 9, 3 / 9, 2 / 9])
    assert models.unigram.loss(np.array([1])) == pytest.approx([np.log(9 / 4)])
    assert models.unigram.guess() == 1


def test_padding_and_special_targets_are_not_counted(models: CountModels) -> None:
    counts = models.bigram.counts
    assert counts.sum() == 6  # four in the first window, two in the second
    assert counts[:, [0]].sum() == 0
    assert counts.toarray()[0].tolist() == [0, 2, 0, 0]


def test_each_place_has_its_own_counts(models: CountModels) -> None:
    assert models.place.counts.toarray().tolist() == [
        [0, 0, 0, 0],
        [0, 2, 0, 0],
        [0, 0, 1, 1],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
    ]
    assert models.place.guess(np.array([1, 3, 4])).tolist() == [1, 1, 2]


def test_what_was_never_followed_falls_back_to_single_tokens(models: CountModels) -> None:
    previous, target = np.array([3, 3]), np.array([1, 2])
    expected = models.unigram.loss(target)
    assert models.bigram.loss(previous, target) == pytest.approx(expected)
    assert models.bigram.guess(previous).tolist() == [1, 1]


def test_contexts_are_smoothed_as_witten_and_bell_say(models: CountModels) -> None:
    # 1 is followed by 2 twice and by 3 once: n = 3, t = 2.
    loss = models.bigram.loss(np.array([1, 1, 1]), np.array([1, 2, 3]))
    expected = (np.array([0, 2, 1]) + 2 * models.unigram.probability[1:]) / 5
    assert np.exp(-loss) == pytest.approx(expected)
    assert models.bigram.guess(np.array([1])).tolist() == [2]


def test_a_context_seen_once_counts(models: CountModels) -> None:
    # 2 is followed by 1, once: n = t = 1.
    loss = models.bigram.loss(np.array([2, 2]), np.array([1, 2]))
    expected = (np.array([1, 0]) + models.unigram.probability[1:3]) / 2
    assert np.exp(-loss) == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["bigram", "place"])
def test_probabilities_add_up_to_one(models: CountModels, kind: str) -> None:
    model = getattr(models, kind)
    for context in range(model.counts.shape[0]):
        loss = model.loss(np.full(3, context), np.array([1, 2, 3]))
        assert np.exp(-loss).sum() == pytest.approx(1)


def test_the_entropy_is_the_expected_loss_under_the_model_itself(models: CountModels) -> None:
    p = models.unigram.probability[1:]
    expected = (p * models.unigram.loss(np.array([1, 2, 3]))).sum()
    assert models.unigram.entropy() == pytest.approx(expected)
    assert Unigram(np.full(8, 1 / 8)).entropy() == pytest.approx(np.log(8))
