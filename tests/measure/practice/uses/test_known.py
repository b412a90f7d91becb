import numpy as np

from embspace.measure.practice.uses.known import known_uses, purity_of, told_apart
from embspace.measure.practice.uses.occurrences import Chosen, occurrences_of
from tests.measure.practice.uses.planted import planted
from tests.measure.practice.uses.test_contexts import HOW


def some_pairs(n: int):
    texts = planted()["texts"]
    occurrences = occurrences_of(texts, Chosen(10, 1.0, 20, 30, 6), np.random.default_rng(0))
    return known_uses(occurrences, texts.read.tokens, n, 6)


def test_the_first_word_stands_in_half_its_own_places_and_half_the_other_words():
    pairs = some_pairs(4)
    assert len(pairs) == 4
    for pair in pairs:
        assert pair.is_other.mean() == 0.5
        ids = {int(place.window.ids[place.position]) for place in pair.places}
        assert ids == {int(pair.word[1:]) + 8}
    assert len(some_pairs(99)) == 10  # of twenty words


def test_words_of_two_topics_are_told_and_words_of_one_are_not():
    pairs = some_pairs(10)
    parted = told_apart(planted()["module"], pairs, HOW, 4, 39, np.random.default_rng(0))
    differ = [int(pair.word[1:]) % 2 != int(pair.other_word[1:]) % 2 for pair in pairs]
    kept = [
        number for number, pair in enumerate(pairs) if {pair.word, pair.other_word} != {"w0", "w1"}
    ]
    last = parted.purity[-1]
    apart = np.array([last[number] for number in kept if differ[number]])
    alike = np.array([last[number] for number in kept if not differ[number]])
    assert (apart > 0.9).all()
    assert (alike < 0.9).all()
    assert parted.dealt_purity.shape[::2] == parted.purity.shape
    assert parted.is_sure[-1][np.array(differ)].mean() > 0.5


def test_purity_does_not_ask_which_part_is_which():
    labels = np.array([True, True, False, False])
    assert purity_of(labels, labels[None])[0] == purity_of(~labels, labels[None])[0] == 1
    assert purity_of(labels, np.array([[True, False, True, False]]))[0] == 0.5
