"""Computes how well the generated language can be predicted: exact frequencies and entropies."""

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy.special import logsumexp

from embspace.grammar.context_free import Node, entropy, expected_counts, rule_entropy
from embspace.grammar.language import Language, parse, split_at_marks

FREQUENCY_COLUMNS = ["word", "word_class", "topic", "rank", "probability"]


def words_per_sentence(language: Language) -> float:
    """Return the mean number of words in a sentence, the end mark included."""
    counts = expected_counts(language.grammar)
    return sum(counts[name] for name in language.grammar.terminals)


def word_frequencies(language: Language) -> pd.DataFrame:
    """A row a word, in the order of the lexicon: class, topic, rank (from 1), probability.

    The probability is for a random word of a text. All topics are equally likely, and the
    probability falls with the rank within a class and topic by Zipf's law. `topic` is missing in
    classes common to all topics.
    """
    counts = expected_counts(language.grammar)
    n_words = words_per_sentence(language)
    lexicon = language.lexicon
    rows = [
        (
            word,
            word_class,
            topic,
            rank + 1,
            counts[word_class]
            / n_words
            * lexicon.frequencies[word_class][rank]
            / len(lexicon.forms[word_class]),
        )
        for word, (word_class, topic, rank) in lexicon.entries.items()
    ]
    return pd.DataFrame(rows, columns=FREQUENCY_COLUMNS).astype({"topic": "Int64"})


def sentence_entropy(language: Language) -> float:
    """Return the entropy of a sentence of known topic, in nats.

    The sum over all symbols of the mean count times the entropy of the symbol's rules or words. No
    sentence has two trees: the entropy of tree and words is the entropy of the words.
    """
    counts = expected_counts(language.grammar)
    symbols = sum(counts[name] * rule_entropy(language.grammar, name) for name in counts)
    words = sum(counts[name] * _word_entropy(language, name) for name in language.grammar.terminals)
    return symbols + words


def entropy_bounds(language: Language) -> tuple[float, float]:
    """Bounds of the entropy of the language, in nats a word.

    The entropy is per document with a known number of sentences, over the number of words, both on
    average. The lower bound supposes known topics; the upper bound adds the entropy of the topics,
    as if words did not reveal topics.

    No model can have an expected loss a word below the lower bound when predicting the words of new
    texts from any words before; for tokens that are pieces of words, sum the losses of a word's
    pieces. The bound does not hold for models that see words on both sides (masked language
    models), nor for the training loss on repeated texts.
    """
    n_sentences = (language.fewest_sentences + language.most_sentences) / 2
    step = entropy(language.topic_steps[0])
    topics = (np.log(language.n_topics) + (n_sentences - 1) * step) / n_sentences
    known, n_words = sentence_entropy(language), words_per_sentence(language)
    return known / n_words, float((known + topics) / n_words)


def log_probability(text: str, language: Language) -> float:
    """Log P of a document's words, in nats, given the number of sentences; exact.

    Summed over all topics of the sentences, by the forward algorithm. Over many documents, the sum
    over the number of words is minus the entropy between `entropy_bounds`: the loss of a model that
    knows the whole language and reads from the document's first word.

    Raises:
        ValueError: for a sentence that breaks the rules of the language.
    """
    steps = _log(language.topic_steps)
    ahead = np.full(language.n_topics, -np.log(language.n_topics))
    total = np.empty(0)
    for words in split_at_marks(text):
        total = ahead + topic_log_likelihoods(words, language)
        ahead = logsumexp(total[:, None] + steps, axis=0)
    return float(logsumexp(total))


def topic_log_likelihoods(words: list[str], language: Language) -> Float[np.ndarray, " topic"]:
    """Return log P(words of a sentence | its topic), for each topic.

    Raises:
        ValueError: for a sentence that breaks the rules of the language.
    """
    tree = parse(language, words)
    if tree is None:
        raise ValueError(f"no sentence of the language: {' '.join(words)}")
    lexicon = language.lexicon
    topic_logs = _log(language.word_topics)
    total = np.full(language.n_topics, _log_rules(tree))
    for word_class, topic, rank in (lexicon.entries[word] for word in words):
        total += np.log(lexicon.frequencies[word_class][rank])
        if topic is not None:
            total += topic_logs[:, topic]
    return total


def _word_entropy(language: Language, word_class: str) -> float:
    """Return the entropy of a word whose class and topic are known."""
    rank = entropy(language.lexicon.frequencies[word_class])
    by_topic = language.lexicon.by_topic(word_class)
    return rank + (entropy(language.word_topics[0]) if by_topic else 0.0)


def _log_rules(node: Node) -> float:
    """Log of the product of the probabilities of all rules in a tree."""
    return float(np.log(node.probability)) + sum(map(_log_rules, node.children))


def _log(p: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    """Return the logarithm; minus infinity for what is impossible."""
    with np.errstate(divide="ignore"):
        return np.log(p)
