from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp

from embspace.grammar.context_free import entropy
from embspace.grammar.entropy import (
    entropy_bounds,
    log_probability,
    sentence_entropy,
    topic_log_likelihoods,
    word_frequencies,
    words_per_sentence,
)
from embspace.grammar.language import Language, split_at_marks, write_sentences
from tests.grammar.languages import LOPSIDED, language

# A noun and a verb of each of two topics, one determiner: 2^2 words in two numbers, twice a noun.
TINY = {
    "n_sentences": {"fewest": 2, "most": 2},
    "n_topics": 2,
    "probabilities": {
        **dict.fromkeys(LOPSIDED["probabilities"], 0.0),
        **{"stay": 0.8, "own_topic": 0.7, "plural": 0.4},
    },
}
TINY |= dict.fromkeys(["n_nouns", "n_verbs", "n_adjectives", "n_adverbs"], 1)
TINY |= dict.fromkeys(["n_determiners", "n_demonstratives", "n_prepositions"], 1)


@pytest.fixture(scope="module", params=[{}, LOPSIDED], ids=["as it comes", "lopsided"])
def spoken(request: pytest.FixtureRequest) -> tuple[Language, pd.DataFrame]:
    """A language and texts in it; treat both as read-only."""
    made = language(**request.param)
    return made, write_sentences(made, 0, 250)


def documents(sentences: pd.DataFrame) -> pd.Series:
    return sentences.groupby("document")["text"].agg(" ".join)


def all_sentences(made: Language) -> list[list[str]]:
    """All sentences of TINY."""
    forms = made.lexicon.forms
    nouns, verbs = (
        {number: [row[0] for row in forms[f"{kind} {number}"]] for number in ("singular", "plural")}
        for kind in ("noun", "verb")
    )
    (the,), (mark,) = forms["determiner"][0], forms["end"][0]
    return [
        [the, noun, verb, the, other, mark]
        for number, another in product(nouns, nouns)
        for noun, verb, other in product(nouns[number], verbs[number], nouns[another])
    ]


def test_sentences_of_a_tiny_language_have_the_probability_of_their_parts():
    made = language(**TINY)
    sentences = all_sentences(made)
    log_likelihoods = np.array([topic_log_likelihoods(words, made) for words in sentences])
    np.testing.assert_allclose(np.exp(log_likelihoods).sum(axis=0), 1)
    # The first: all in the singular, all of the first topic.
    np.testing.assert_allclose(np.exp(log_likelihoods[0]), [0.6**2 * 0.7**3, 0.6**2 * 0.3**3])
    for log_p in log_likelihoods.T:
        assert entropy(np.exp(log_p)) == pytest.approx(sentence_entropy(made))


def test_documents_of_a_tiny_language_have_an_entropy_between_the_bounds():
    made = language(**TINY)
    pairs = product([" ".join(words) for words in all_sentences(made)], repeat=2)
    log_p = np.array([log_probability(" ".join(pair), made) for pair in pairs])
    assert np.exp(log_p).sum() == pytest.approx(1)
    below, above = entropy_bounds(made)
    assert below < entropy(np.exp(log_p)) / 12 < above
    topics = entropy([0.5, 0.5]) + entropy([0.8, 0.2])
    assert (above - below) * 12 == pytest.approx(topics)


def test_the_probability_of_a_document_is_the_sum_over_all_its_topics():
    made = language(**LOPSIDED)
    for text in documents(write_sentences(made, 0, 20)):
        log_likelihoods = [topic_log_likelihoods(words, made) for words in split_at_marks(text)]
        paths = []
        for path in product(range(made.n_topics), repeat=len(log_likelihoods)):
            steps = [made.topic_steps[a, b] for a, b in zip(path, path[1:], strict=False)]
            words = sum(log_p[topic] for log_p, topic in zip(log_likelihoods, path, strict=True))
            paths.append(np.log([1 / made.n_topics, *steps]).sum() + words)
        assert log_probability(text, made) == pytest.approx(logsumexp(paths))


def test_the_entropy_of_a_sentence_is_the_mean_of_what_is_written(spoken):
    made, texts = spoken
    log_p = np.array(
        [
            topic_log_likelihoods(text.split(), made)[topic]
            for text, topic in zip(texts["text"], texts["topic"], strict=True)
        ]
    )
    error = log_p.std() / np.sqrt(len(log_p))
    assert abs(-log_p.mean() - sentence_entropy(made)) < 4 * error


def test_sentences_are_as_long_as_the_rules_say(spoken):
    made, texts = spoken
    n_words = texts["text"].str.split().map(len)
    error = n_words.std() / np.sqrt(len(n_words))
    assert abs(n_words.mean() - words_per_sentence(made)) < 4 * error


def test_the_loss_of_who_knows_the_language_lies_between_the_bounds(spoken):
    made, texts = spoken
    whole = documents(texts)
    log_p = np.array([log_probability(text, made) for text in whole])
    n_words = whole.str.split().map(len).to_numpy()
    loss = -log_p.sum() / n_words.sum()
    # Of a ratio of means, to first order.
    error = np.std(log_p + loss * n_words) / n_words.mean() / np.sqrt(len(whole))
    below, above = entropy_bounds(made)
    assert below - 4 * error < loss < above + 4 * error
    assert loss < entropy(word_frequencies(made)["probability"].to_numpy())


def test_words_are_as_frequent_as_the_rules_say(spoken):
    made, texts = spoken
    table = word_frequencies(made)
    assert table["probability"].sum() == pytest.approx(1)
    counts = pd.DataFrame([Counter(text.split()) for text in documents(texts)]).fillna(0)
    assert set(counts) <= set(table["word"])
    expected = np.outer(counts.sum(axis=1), table["probability"])
    deviation = counts.reindex(columns=table["word"], fill_value=0).to_numpy() - expected
    often = expected.sum(axis=0) > 100  # else a word's spread is not known
    # Words of a document hang together; documents do not.
    error = deviation.std(axis=0) * np.sqrt(len(counts))
    assert often.sum() > 10
    assert np.all(np.abs(deviation.sum(axis=0))[often] < 5 * error[often])


def test_a_class_and_topic_obeys_zipfs_law_exactly():
    made = language(**LOPSIDED)
    table = word_frequencies(made)
    for _, words in table.groupby(["word_class", "topic"], dropna=False):
        slopes = np.diff(np.log(words["probability"])) / np.diff(np.log(words["rank"]))
        np.testing.assert_allclose(slopes, -0.7)


def test_what_cannot_be_has_the_probability_zero_without_a_warning(recwarn):
    given = {**TINY, "probabilities": {**TINY["probabilities"], "own_topic": 1.0, "stay": 1.0}}
    made = language(**given)
    first, second = (row[0] for row in made.lexicon.forms["noun singular"])
    words = next(words for words in all_sentences(made) if {first, second} < set(words))
    assert log_probability(" ".join(words), made) == -np.inf
    assert not recwarn.list


def test_a_sentence_that_breaks_the_rules_is_named():
    with pytest.raises(ValueError, match="no sentence of the language: cat"):
        log_probability("cat", language())
