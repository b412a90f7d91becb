from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from embspace.measure.open_questions.opposite_texts_search import Search, all_pass
from embspace.measure.open_questions.opposite_texts_sentences import (
    Sentence,
    Words,
    read_sentences,
)
from tests.measure.open_questions.bag_of_words import DIM, bag_of_words

TEXTS = ["the cat sat on a mat, and it was in the sun.", "a boat of salt and bread and rain."]
AXIS = np.eye(DIM)[0]
PLANTED = {"boat": -9 * AXIS, "rain": -6 * AXIS, "bread": 6 * AXIS}


def search(n_changes: int = 3, n_tried: int = 3, n_checked: int = 40) -> tuple[Search, Sentence]:
    space = bag_of_words(PLANTED)
    (sentence, _), words = read_sentences(TEXTS, space.reader.tokenizer, 40, 3, 12)
    return Search(space, words, n_changes, n_tried, n_checked), sentence


def best_change(searcher: Search, sentence: Sentence, words: Words) -> float:
    """Return the smallest cosine of all texts with one other word."""
    (unit,) = searcher.space.vectors([sentence.text])
    numbers = range(len(sentence.places))
    texts = [
        sentence.with_word(number, word, int(token)).text
        for number, (word, token) in product(numbers, zip(words.texts, words.ids, strict=True))
    ]
    return float((searcher.space.vectors(texts) @ unit).min())


def test_the_first_change_is_the_best_of_all_and_the_planted_word_is_taken():
    searcher, sentence = search()
    steps = searcher.descend(sentence, all_pass)
    assert steps[1][1] == pytest.approx(best_change(searcher, sentence, searcher.words))
    assert [text.text.count("boat") for text, _ in steps] == [0, 1, 2, 3]
    cosines = [cosine for _, cosine in steps]
    assert cosines == sorted(cosines, reverse=True)
    assert cosines[-1] < -0.3 < cosines[0]


def test_texts_that_do_not_pass_are_passed_over():
    searcher, sentence = search()

    def without_boat(texts: Sequence[str]) -> np.ndarray:
        return np.array(["boat" not in text for text in texts])

    steps = searcher.descend(sentence, without_boat)
    assert "rain" in steps[1][0].text
    assert not any("boat" in text.text for text, _ in steps)
    nothing = searcher.descend(sentence, lambda texts: np.zeros(len(texts), dtype=bool))
    assert nothing == [(sentence, 1.0)]


def test_only_so_many_texts_are_checked():
    searcher, sentence = search(n_checked=5)
    seen: list[str] = []

    def see(texts: Sequence[str]) -> np.ndarray:
        seen.extend(texts)
        return np.zeros(len(texts), dtype=bool)

    searcher.descend(sentence, see)
    assert len(seen) == 5


def test_gradients_are_slopes_of_the_cosine_from_the_start():
    searcher, sentence = search()
    space, start = searcher.space, np.full(DIM, 0.3, dtype=np.float32)
    (unit,) = space.vectors(["a boat of salt."])
    table = space.reader.module.embeddings.weight.numpy().astype(np.float64)
    (gradient,) = space.gradients(sentence, [1], unit, start)

    def cosine(vector: np.ndarray) -> float:
        states = table[sentence.ids].copy()
        states[sentence.places[1]] = vector
        mean = states.mean(axis=0)
        return float(mean @ unit / np.linalg.norm(mean))

    slopes = [(cosine(start + 1e-4 * d) - cosine(start - 1e-4 * d)) / 2e-4 for d in np.eye(DIM)]
    assert gradient == pytest.approx(np.array(slopes), abs=1e-4)


def test_random_words_change_as_many_places():
    searcher, sentence = search(n_changes=4)
    values = searcher.random_cosines(sentence, 20, np.random.default_rng(0))
    assert len(values) == 5
    assert values[0] == 1
    assert (np.diff(values) < 0).all()
