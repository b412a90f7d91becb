import numpy as np
import pytest

from embspace.grammar.context_free import expected_counts
from embspace.grammar.lexicon import ADJECTIVE, NOUN, OTHER, VERB
from embspace.grammar.rules import make_rules
from embspace.settings.corpus import GrammarProbabilities
from tests.grammar.languages import LOPSIDED, language

# d determiner, a adjective, p preposition, c complementizer, e adverb; in the singular and plural
# t T demonstrative, n N noun, v V verb.
LETTERS = {"d": "determiner", "a": "adjective", "p": "preposition", "c": "complementizer"}
LETTERS |= {"e": "adverb", ".": "end", "n": "noun singular", "N": "noun plural"}
LETTERS |= {"t": "demonstrative singular", "T": "demonstrative plural"}
LETTERS |= {"v": "verb singular", "V": "verb plural"}


def classes(letters: str) -> list[str]:
    return [LETTERS[letter] for letter in letters]


@pytest.mark.parametrize(
    "letters",
    [
        "dnvdN.",
        "dNVdn.",
        "danevdaNpdan.",
        "dnpdNvdn.",
        "dnpdNpdNvdn.",
        "dncvdNvdn.",
        "dNcVdnVdn.",
        "dncdNVvdn.",
        "dNcdnveVdn.",
        "dncdnvvdn.",
        "tanpTNvdn.",
        "TNcdnveVtn.",
    ],
)
def test_sentences_in_agreement_have_one_tree(letters: str):
    assert len(language(**LOPSIDED).grammar.parses(classes(letters))) == 1


@pytest.mark.parametrize(
    "letters",
    [
        "dnVdN.",
        "dNpdnvdn.",
        "dnpdNVdn.",
        "dncVdNvdn.",
        "dncvdNVdn.",
        "dncdNvvdn.",
        "dncdNVVdn.",
        "Tnvdn.",
        "dNVtaN.",
        "dnvdn",
        "nvdn.",
        "dnv.",
        "dnaevdn.",
        "dnvdn.dnvdn.",
    ],
)
def test_others_have_none(letters: str):
    assert language(**LOPSIDED).grammar.parses(classes(letters)) == []


@pytest.mark.parametrize("given", [{}, LOPSIDED], ids=["as it comes", "lopsided"])
def test_all_that_is_derived_agrees_and_has_one_tree(given):
    grammar = language(**given).grammar
    generator = np.random.default_rng(0)
    for _ in range(300):
        derived = grammar.derive(generator)
        assert len(grammar.parses(derived)) == 1
        for place, name in enumerate(derived):
            if name in VERB.values():
                changed = [*derived]
                changed[place] = VERB[OTHER[name.split()[1]]]
                assert grammar.parses(changed) == []


def test_counts_are_those_of_the_settings():
    p = GrammarProbabilities(**LOPSIDED["probabilities"])
    counts = expected_counts(make_rules(p))
    relative = p.subject_relative + p.object_relative
    phrases = p.prepositional / (1 - p.stacked)
    nouns = 2 + phrases + relative + p.adjunct  # subject, object and what comes with them
    assert counts[NOUN["singular"]] + counts[NOUN["plural"]] == pytest.approx(nouns)
    assert counts[VERB["singular"]] + counts[VERB["plural"]] == pytest.approx(1 + relative)
    marked = counts["demonstrative singular"] + counts["demonstrative plural"]
    assert counts["determiner"] == pytest.approx(nouns * (1 - p.marked))
    assert marked == pytest.approx(nouns * p.marked)
    assert counts[ADJECTIVE] == pytest.approx(nouns * p.adjective)
    assert counts["adverb"] == pytest.approx(p.adverb)
    assert counts["preposition"] == pytest.approx(phrases + p.adjunct)
    assert counts["complementizer"] == pytest.approx(relative)
    assert counts["end"] == pytest.approx(1)
    with_subjects_number = 1 + p.subject_relative + p.object_relative * (1 - p.attractor)
    plural = p.plural * with_subjects_number + (1 - p.plural) * p.object_relative * p.attractor
    assert counts[VERB["plural"]] == pytest.approx(plural)


def test_each_probability_may_be_none_or_all():
    for value in (0.0, 1.0):
        given = dict.fromkeys(LOPSIDED["probabilities"], value) | {"stacked": 0.0}
        given |= {"subject_relative": 0.0, "object_relative": 0.0}
        grammar = make_rules(GrammarProbabilities(**given))
        expected = classes("TaNptaneVTaNpTaN." if value else "dnvdn.")
        assert grammar.derive(np.random.default_rng(0)) == expected
