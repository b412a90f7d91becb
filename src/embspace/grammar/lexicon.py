"""Invented words, by class, topic and rank, and how often each is used.

All words can be spoken, none occurs twice, and the ending tells the class: stems are of the shape
consonant, vowel, consonant, vowel, consonant. A singular noun or verb is a bare stem; plural nouns
end in -i, plural verbs in -u, adjectives in -o, adverbs in -e. Determiners, demonstratives,
prepositions and the complementizer are a consonant and a vowel; plural demonstratives end in -n. No
topic shows in a word's form.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

SINGULAR, PLURAL = NUMBERS = ("singular", "plural")
OTHER = {SINGULAR: PLURAL, PLURAL: SINGULAR}
NOUN = {number: f"noun {number}" for number in NUMBERS}
VERB = {number: f"verb {number}" for number in NUMBERS}
DEMONSTRATIVE = {number: f"demonstrative {number}" for number in NUMBERS}
ADJECTIVE, ADVERB, END = "adjective", "adverb", "end"
DETERMINER, PREPOSITION, COMPLEMENTIZER = "determiner", "preposition", "complementizer"

END_MARK = "."
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
# Those of these shapes that are English.
ENGLISH = """
    be bi do fa go la ma me mi no pa pi re so ta ti to ban bin bun den din don fan fin fun gin gun
    kin man men nun pan pen pin pun ran run sin son sun tan ten tin ton van zen basil basin baton
    beget begin bigot bison bogus bonus bused demon denim devil digit divan felon fetal final
    fined gamut given kebab label lapel laser later lemon level linen liven loser lunar mason
    medal melon merit metal meter miner minor minus miser mogul moral motel motor mural nasal
    natal naval never nomad novel paler panel parol pedal penal peril petal petit pilot pinot
    pivot polar rabid radar rapid ravel raven razor relit remit renal repel reset revel rigid
    risen rival river rivet robin robot rosin rotor ruler rumor saber salad salon salut satin
    sedan semen serum seven sever sinus siren sisal sober solar solid sonar tabor talon taper
    tapir tenet tenor tonal torus total totem tulip tumor tuner tutor valet valid vapor venal
    venom vigil vigor viral virus visit visor vital vivid vomit zonal bikini debate define donate
    finite minute refine remote rotate senate tomato
"""


class Entry(NamedTuple):
    """A word's entry. `topic` is None in classes that all topics share."""

    word_class: str
    topic: int | None
    rank: int  # from 0, the most frequent of its class and topic


@dataclass(frozen=True)
class Lexicon:
    """`forms[word_class][topic][rank]`; a class that all topics share has one row.

    Of a class and topic, the word of rank r, from 0, occurs with a probability that is in
    proportion to (r + 1) ^ -`zipf_exponent`. A stem has the same topic and rank in both numbers.
    """

    forms: dict[str, list[list[str]]]
    zipf_exponent: float

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """Each word of the language."""
        return {
            word: Entry(word_class, topic if len(rows) > 1 else None, rank)
            for word_class, rows in self.forms.items()
            for topic, row in enumerate(rows)
            for rank, word in enumerate(row)
        }

    def by_topic(self, word_class: str) -> bool:
        """Whether the words of a class are dealt out to the topics."""
        return len(self.forms[word_class]) > 1

    @cached_property
    def frequencies(self) -> dict[str, Float[np.ndarray, " rank"]]:
        """Return, by class, the probability of each rank, given the word's topic."""
        return {
            word_class: zipf(len(rows[0]), self.zipf_exponent)
            for word_class, rows in self.forms.items()
        }

    def in_other_number(self, word: str) -> str:
        """The plural of a singular noun, verb or demonstrative, and the other way round."""
        word_class, topic, rank = self.entries[word]
        kind, number = word_class.split()
        return self.forms[f"{kind} {OTHER[number]}"][topic or 0][rank]


def zipf(n_words: int, exponent: float) -> Float[np.ndarray, " rank"]:
    """P(rank r) in proportion to r ^ -exponent, r = 1 to `n_words`."""
    weights = np.arange(1, n_words + 1, dtype=np.float64) ** -exponent
    return weights / weights.sum()


def make_lexicon(
    *,
    n_topics: int,
    n_nouns: int,
    n_verbs: int,
    n_adjectives: int,
    n_adverbs: int,
    n_determiners: int,
    n_demonstratives: int,
    n_prepositions: int,
    zipf_exponent: float,
    generator: np.random.Generator,
) -> Lexicon:
    """Return a lexicon: nouns, verbs and adjectives by topic, the other classes shared by all."""
    stems, particles = _invented("CVCVC", generator), _invented("CV", generator)

    def dealt(n_words: int) -> list[list[str]]:
        return [[next(stems) for _ in range(n_words)] for _ in range(n_topics)]

    def ending(rows: list[list[str]], letter: str) -> list[list[str]]:
        return [[stem + letter for stem in row] for row in rows]

    nouns, verbs = dealt(n_nouns), dealt(n_verbs)
    demonstratives = [[next(particles) for _ in range(n_demonstratives)]]
    forms = {
        DETERMINER: [[next(particles) for _ in range(n_determiners)]],
        DEMONSTRATIVE[SINGULAR]: demonstratives,
        DEMONSTRATIVE[PLURAL]: ending(demonstratives, "n"),
        ADJECTIVE: ending(dealt(n_adjectives), "o"),
        NOUN[SINGULAR]: nouns,
        NOUN[PLURAL]: ending(nouns, "i"),
        PREPOSITION: [[next(particles) for _ in range(n_prepositions)]],
        COMPLEMENTIZER: [[next(particles)]],
        ADVERB: ending([[next(stems) for _ in range(n_adverbs)]], "e"),
        VERB[SINGULAR]: verbs,
        VERB[PLURAL]: ending(verbs, "u"),
        END: [[END_MARK]],
    }
    return Lexicon(forms, zipf_exponent)


def _invented(shape: str, generator: np.random.Generator) -> Iterator[str]:
    """Yield all words of a shape in random order, without those that are English."""
    letters = [{"C": CONSONANTS, "V": VOWELS}[letter] for letter in shape]
    words = ["".join(word) for word in product(*letters)]
    english = frozenset(ENGLISH.split())
    for number in generator.permutation(len(words)):
        word = words[number]
        if not any(word + end in english for end in ("", "n", *VOWELS)):
            yield word
