"""The rules of the generated language: which classes of words follow one another.

    Sentence   -> Clause end
    Clause     -> Subject Manner VERB Object                    VERB agrees with Subject's noun
    Subject    -> Nominal
                | Nominal Phrase
                | Nominal complementizer VERB Free              subject relative: VERB agrees with
                                                                the noun of the first Nominal
                | Nominal complementizer Nominal VERB           object relative: VERB agrees with
                                                                the noun of the second Nominal
    Phrase     -> preposition Nominal Further
    Further    -> nothing | Phrase
    Nominal    -> Article Quality NOUN
    Article    -> determiner | DEMONSTRATIVE                    DEMONSTRATIVE agrees with the noun
    Quality    -> nothing | adjective
    Manner     -> nothing | adverb
    Object     -> Free Place
    Place      -> nothing | preposition Free
    Free       -> Nominal of any number

Clause, Subject, Phrase and Further exist for both numbers of the sentence's subject, Nominal and
Article for both numbers of their noun. A noun of a Phrase, and the second noun of an object
relative, is of the other number with a probability that is set, and then is an attractor. Words in
capitals show their number. Read from the left, the number of each verb is certain, though nothing
next to it need tell it. No sentence has two trees.
"""

from embspace.grammar.context_free import ContextFreeGrammar, Rule
from embspace.grammar.lexicon import (
    ADJECTIVE,
    ADVERB,
    COMPLEMENTIZER,
    DEMONSTRATIVE,
    DETERMINER,
    END,
    NOUN,
    NUMBERS,
    OTHER,
    PLURAL,
    PREPOSITION,
    SINGULAR,
    VERB,
)
from embspace.settings.corpus import GrammarProbabilities

SENTENCE, QUALITY, MANNER = "Sentence", "Quality", "Manner"
OBJECT, PLACE, FREE = "Object", "Place", "Free"
CLAUSE, SUBJECT, PHRASE, FURTHER, NOMINAL, ARTICLE = (
    {number: f"{name} {number}" for number in NUMBERS}
    for name in ("Clause", "Subject", "Phrase", "Further", "Nominal", "Article")
)


def make_rules(p: GrammarProbabilities) -> ContextFreeGrammar:
    """The grammar with these probabilities."""
    rules = {
        SENTENCE: _numbered((CLAUSE, END), p.plural),
        FREE: _numbered((NOMINAL,), p.plural),
        QUALITY: _optional(p.adjective, ADJECTIVE),
        MANNER: _optional(p.adverb, ADVERB),
        OBJECT: (Rule(1.0, (FREE, PLACE)),),
        PLACE: _optional(p.adjunct, PREPOSITION, FREE),
    }
    for number in NUMBERS:
        rules |= _agreeing(number, p)
    return ContextFreeGrammar(SENTENCE, rules)


def _agreeing(number: str, p: GrammarProbabilities) -> dict[str, tuple[Rule, ...]]:
    """Return the rules for a subject of this number, and for every symbol below the subject."""
    nominal, verb = NOMINAL[number], VERB[number]
    other = OTHER[number]
    embedded = (nominal, COMPLEMENTIZER)
    between = ((1 - p.attractor, number), (p.attractor, other))
    return {
        CLAUSE[number]: (Rule(1.0, (SUBJECT[number], MANNER, verb, OBJECT)),),
        SUBJECT[number]: (
            Rule(p.bare, (nominal,)),
            Rule(p.prepositional, (nominal, PHRASE[number])),
            Rule(p.subject_relative, (*embedded, verb, FREE)),
            *(
                Rule(p.object_relative * share, (*embedded, NOMINAL[inner], VERB[inner]))
                for share, inner in between
            ),
        ),
        PHRASE[number]: tuple(
            Rule(share, (PREPOSITION, NOMINAL[inner], FURTHER[number])) for share, inner in between
        ),
        FURTHER[number]: _optional(p.stacked, PHRASE[number]),
        NOMINAL[number]: (Rule(1.0, (ARTICLE[number], QUALITY, NOUN[number])),),
        ARTICLE[number]: (
            Rule(1 - p.marked, (DETERMINER,)),
            Rule(p.marked, (DEMONSTRATIVE[number],)),
        ),
    }


def _optional(probability: float, *symbols: str) -> tuple[Rule, ...]:
    return Rule(1 - probability, ()), Rule(probability, symbols)


def _numbered(symbols: tuple[dict[str, str] | str, ...], plural: float) -> tuple[Rule, ...]:
    """The symbols in the singular and in the plural."""
    return tuple(
        Rule(
            share,
            tuple(symbol if isinstance(symbol, str) else symbol[number] for symbol in symbols),
        )
        for share, number in ((1 - plural, SINGULAR), (plural, PLURAL))
    )
