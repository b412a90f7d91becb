import numpy as np

from embspace.measure.practice.uses.occurrences import (
    Chosen,
    load_words_of_texts,
    occurrences_of,
)
from tests.measure.practice.uses.planted import N_TEXTS, planted


def test_a_word_has_one_occurrence_a_text_and_the_most_frequent_come_first():
    texts = planted()["texts"]
    table = occurrences_of(texts, Chosen(10, 1.0, 5, 30, 6), np.random.default_rng(0))
    assert table["word"].nunique() == 5
    assert table["word"].iloc[0] == "w0"  # in all texts
    assert (table.groupby("word")["document"].nunique() == table.groupby("word").size()).all()
    assert table.groupby("word").size().max() == 30
    assert (texts.word[table["row"]] == table["word"]).all()
    position = texts.read.tokens["position"].to_numpy()[table["row"]]
    assert position.min() == 7 and position.max() <= 38 - 1 - 7


def test_words_of_most_texts_and_of_few_are_left_out():
    texts = planted()["texts"]
    table = occurrences_of(texts, Chosen(10, 0.9, 50, 200, 6), np.random.default_rng(0))
    assert not {"w0", "w1"} & {*table["word"]}
    assert table.groupby("word").size().max() <= 0.9 * N_TEXTS
    assert occurrences_of(texts, Chosen(121, 1.0, 50, 100, 6), np.random.default_rng(0)).empty


def test_tokens_that_differ_by_capitals_are_two_words():
    texts = planted()["texts"]
    word = np.where(texts.word == "w1", "w0", texts.word)
    one_name = type(texts)(texts.corpus, texts.read, word)
    table = occurrences_of(one_name, Chosen(61, 1.0, 50, 100, 6), np.random.default_rng(0))
    assert [*table["word"].unique()] == ["t8", "t9"]


def test_without_corpora_there_are_no_words():
    assert load_words_of_texts("nowhere", "nowhere", []) is None
