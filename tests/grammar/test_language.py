from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from embspace.grammar.language import (
    Language,
    others_alike,
    parse,
    split_at_marks,
    write_sentences,
)
from embspace.grammar.lexicon import NOUN
from tests.grammar.languages import LOPSIDED, language

N_DOCUMENTS = 400


@pytest.fixture(scope="module", params=[{}, LOPSIDED], ids=["as it comes", "lopsided"])
def spoken(request: pytest.FixtureRequest) -> tuple[Language, pd.DataFrame]:
    """A language and texts in it; treat both as read-only."""
    made = language(**request.param)
    return made, write_sentences(made, 0, N_DOCUMENTS)


def assert_as_frequent(observed: np.ndarray, expected: np.ndarray) -> None:
    """No count of independent draws is one that comes less than once in a million times."""
    n = int(observed.sum())
    below = binom.cdf(observed, n, expected)
    above = binom.sf(observed - 1, n, expected)
    assert np.minimum(below, above).min() > 1e-6


def test_the_same_seed_writes_the_same_texts_and_another_others():
    first, second = (write_sentences(language(seed=5), 0, 20) for _ in range(2))
    assert first.to_csv().encode() == second.to_csv().encode()
    assert not first.equals(write_sentences(language(seed=6), 0, 20))


def test_a_document_is_the_same_whatever_else_is_written(spoken):
    made, texts = spoken
    part = write_sentences(made, 7, 3)
    expected = texts[texts["document"].between(7, 9)].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, expected)


def test_documents_are_different(spoken):
    _, texts = spoken
    documents = texts.groupby("document")["text"].agg(" ".join)
    assert documents.nunique() > 0.98 * N_DOCUMENTS  # a short one may come twice


def test_documents_have_as_many_sentences_as_they_may(spoken):
    made, texts = spoken
    n = texts.groupby("document").size()
    assert (n.min(), n.max()) == (made.fewest_sentences, made.most_sentences)
    n_lengths = made.most_sentences - made.fewest_sentences + 1
    observed = np.bincount(n)[made.fewest_sentences :]
    assert_as_frequent(observed, np.full(n_lengths, 1 / n_lengths))


def test_every_topic_is_as_frequent_at_every_place(spoken):
    made, texts = spoken
    for _, topics in texts.groupby("sentence")["topic"]:
        observed = np.bincount(topics, minlength=made.n_topics)
        assert_as_frequent(observed, np.full(made.n_topics, 1 / made.n_topics))


def test_topics_follow_one_another_as_the_chain_says(spoken):
    made, texts = spoken
    topics = texts.groupby("document")["topic"]
    following = topics.shift(-1)
    steps = pd.crosstab(texts["topic"], following).to_numpy()
    for observed, expected in zip(steps, made.topic_steps, strict=True):
        assert_as_frequent(observed, expected)


def test_words_are_of_their_sentences_topic_as_often_as_set(spoken):
    made, texts = spoken
    counts = np.zeros((made.n_topics, made.n_topics))
    for topic, text in zip(texts["topic"], texts["text"], strict=True):
        for word in text.split():
            entry = made.lexicon.entries[word]
            if entry.topic is not None:
                counts[topic, entry.topic] += 1
    for observed, expected in zip(counts, made.word_topics, strict=True):
        assert_as_frequent(observed, expected)


def test_frequencies_fall_with_the_rank_by_zipfs_law(spoken):
    made, texts = spoken
    entries = made.lexicon.entries
    words = Counter(" ".join(texts["text"]).split())
    for word_class, frequencies in made.lexicon.frequencies.items():
        observed = np.zeros(len(frequencies))
        for word, n in words.items():
            if entries[word].word_class == word_class:
                observed[entries[word].rank] += n
        assert_as_frequent(observed, frequencies)
    nouns = np.zeros(len(made.lexicon.frequencies[NOUN["plural"]]))
    for word, n in words.items():
        if entries[word].word_class in NOUN.values():
            nouns[entries[word].rank] += n
    log_rank = np.log(np.arange(1, len(nouns) + 1))
    slope, _ = np.polyfit(log_rank, np.log(nouns), 1, w=np.sqrt(nouns))
    error = 1 / np.sqrt(nouns.sum() * np.cov(log_rank, fweights=nouns.astype(int)))
    assert abs(slope + made.lexicon.zipf_exponent) < 4 * error


def test_every_sentence_can_be_parsed_and_ends_in_its_mark(spoken):
    made, texts = spoken
    for text in texts["text"][:500]:
        words = text.split()
        assert split_at_marks(text) == [words]
        assert parse(made, words) is not None
        assert parse(made, words[:-1]) is None


def test_words_that_the_language_lacks_are_no_sentence_of_it():
    made = language()
    words = write_sentences(made, 0, 1)["text"].iloc[0].split()
    assert parse(made, ["cat", *words[1:]]) is None


def test_texts_are_cut_at_their_marks():
    assert split_at_marks("a b . c . d") == [["a", "b", "."], ["c", "."], ["d"]]
    assert split_at_marks("") == []


def test_all_other_states_are_alike_and_the_uniform_distribution_is_stationary():
    steps = others_alike(4, 0.7)
    np.testing.assert_allclose(steps.sum(axis=1), 1)
    np.testing.assert_allclose(np.diag(steps), 0.7)
    np.testing.assert_allclose(steps[~np.eye(4, dtype=bool)], 0.1)
    np.testing.assert_allclose(np.full(4, 0.25) @ steps, 0.25)
