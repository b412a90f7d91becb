"""The generated language as a whole: topics over sentences, rules over words, words by topic.

A document is a hidden Markov chain. A sentence has one of `n_topics` topics: the first sentence
any, uniformly; a later sentence the topic before with probability `stay`, else a different topic,
uniformly. The rules (embspace.grammar.rules) draw the classes of a sentence's words, the same way
for all topics. A noun, verb or adjective is from the sentence's topic with probability `own_topic`,
else from a different topic, with a rank within class and topic by Zipf's law; a word of a further
class has a rank by Zipf's law within the class.

A sentence has 2 `n_topics` latent states, the topic and the number of the subject, drawn anew in
every sentence. Within a sentence the tree is latent too, but unambiguous: the words determine the
tree wholly, and the topic with some uncertainty.
"""

from bisect import bisect
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.grammar.context_free import ContextFreeGrammar, Node
from embspace.grammar.lexicon import END_MARK, Lexicon, make_lexicon
from embspace.grammar.rules import make_rules
from embspace.settings.corpus import GrammarCorpus

WORDS, DOCUMENTS = 0, 1  # streams of chance
COLUMNS = ["document", "sentence", "topic", "text"]


@dataclass(frozen=True, eq=False)
class Language:
    """A language and the seed of its documents."""

    grammar: ContextFreeGrammar
    lexicon: Lexicon
    n_topics: int
    stay: float
    own_topic: float
    fewest_sentences: int
    most_sentences: int
    seed: int

    @cached_property
    def limits(self) -> dict[str, list[float]]:
        """Return, by class, the cumulative probabilities at which one rank follows another."""
        return {
            word_class: np.cumsum(frequencies)[:-1].tolist()
            for word_class, frequencies in self.lexicon.frequencies.items()
        }

    @property
    def topic_steps(self) -> Float[np.ndarray, "topic next_topic"]:
        """Return P(topic of the next sentence | topic of this one)."""
        return others_alike(self.n_topics, self.stay)

    @property
    def word_topics(self) -> Float[np.ndarray, "topic word_topic"]:
        """Return P(topic of a noun, verb or adjective | topic of its sentence)."""
        return others_alike(self.n_topics, self.own_topic)


def others_alike(n: int, same: float) -> Float[np.ndarray, "n n"]:
    """Stochastic matrix that keeps a state with probability `same`; all further states are alike.

    The matrix is symmetric: the uniform distribution is stationary.
    """
    matrix = np.full((n, n), (1 - same) / (n - 1))
    np.fill_diagonal(matrix, same)
    return matrix


def make_language(corpus: GrammarCorpus) -> Language:
    """The language that a corpus describes; `n_documents` changes nothing."""
    lexicon = make_lexicon(
        n_topics=corpus.n_topics,
        n_nouns=corpus.n_nouns,
        n_verbs=corpus.n_verbs,
        n_adjectives=corpus.n_adjectives,
        n_adverbs=corpus.n_adverbs,
        n_determiners=corpus.n_determiners,
        n_demonstratives=corpus.n_demonstratives,
        n_prepositions=corpus.n_prepositions,
        zipf_exponent=corpus.zipf_exponent,
        generator=_stream(corpus.seed, WORDS),
    )
    return Language(
        grammar=make_rules(corpus.probabilities),
        lexicon=lexicon,
        n_topics=corpus.n_topics,
        stay=corpus.probabilities.stay,
        own_topic=corpus.probabilities.own_topic,
        fewest_sentences=corpus.n_sentences.fewest,
        most_sentences=corpus.n_sentences.most,
        seed=corpus.seed,
    )


def write_sentences(language: Language, first: int, n_documents: int) -> pd.DataFrame:
    """A row a sentence: document, number in the document, topic, text; all numbers from 0.

    Documents have independent chance: documents `first` to before `first + n_documents` do not
    depend on the rest. Documents after the corpus's last are new texts of the language.
    """
    rows = [
        (document, number, topic, " ".join(words))
        for document in range(first, first + n_documents)
        for number, (topic, words) in enumerate(_document(language, document))
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def split_at_marks(text: str) -> list[list[str]]:
    """Return the words of each sentence of a text of the language, end marks included."""
    sentences: list[list[str]] = [[]]
    for word in text.split():
        sentences[-1].append(word)
        if word == END_MARK:
            sentences.append([])
    return [sentence for sentence in sentences if sentence]


def parse(language: Language, words: list[str]) -> Node | None:
    """Return the tree of a sentence; None if it breaks the rules of the language."""
    entries = language.lexicon.entries
    if not all(word in entries for word in words):
        return None
    trees = language.grammar.parses([entries[word].word_class for word in words])
    return trees[0] if trees else None


def _document(language: Language, number: int) -> list[tuple[int, list[str]]]:
    """Topic and words of each sentence."""
    generator = _stream(language.seed, DOCUMENTS, number)
    fewest, most = language.fewest_sentences, language.most_sentences
    n_sentences = int(generator.integers(fewest, most, endpoint=True))
    topic = int(generator.integers(language.n_topics))
    sentences = []
    for sentence in range(n_sentences):
        if sentence:
            topic = _same_or_other(topic, language.stay, language.n_topics, generator)
        classes = language.grammar.derive(generator)
        words = [_word(language, word_class, topic, generator) for word_class in classes]
        sentences.append((topic, words))
    return sentences


def _word(language: Language, word_class: str, topic: int, generator: np.random.Generator) -> str:
    lexicon = language.lexicon
    row = 0
    if lexicon.by_topic(word_class):
        row = _same_or_other(topic, language.own_topic, language.n_topics, generator)
    limits = language.limits[word_class]
    rank = bisect(limits, generator.random()) if limits else 0
    return lexicon.forms[word_class][row][rank]


def _same_or_other(topic: int, same: float, n: int, generator: np.random.Generator) -> int:
    if generator.random() < same:
        return topic
    return (topic + 1 + int(generator.integers(n - 1))) % n


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
