import numpy as np
import pytest

from embspace.grammar.lexicon import (
    ADJECTIVE,
    ADVERB,
    DEMONSTRATIVE,
    DETERMINER,
    END_MARK,
    ENGLISH,
    NOUN,
    PLURAL,
    SINGULAR,
    VERB,
    Lexicon,
    make_lexicon,
    zipf,
)

SIZES = {"n_nouns": 35, "n_verbs": 12, "n_adjectives": 25, "n_adverbs": 30}
SIZES |= {"n_determiners": 4, "n_demonstratives": 2}


def lexicon(seed: int = 0, **given: int) -> Lexicon:
    sizes = {"n_topics": 8, **SIZES, "n_prepositions": 8, **given}
    return make_lexicon(**sizes, zipf_exponent=1.0, generator=np.random.default_rng(seed))


def test_no_word_stands_twice():
    for made in (lexicon(), lexicon(n_topics=100, n_nouns=100, n_verbs=100, n_adjectives=100)):
        forms = [word for rows in made.forms.values() for row in rows for word in row]
        assert len(forms) == len(set(forms)) == len(made.entries)


def test_there_are_as_many_words_as_asked_for():
    shapes = {name: np.shape(rows) for name, rows in lexicon().forms.items()}
    assert shapes == {
        "determiner": (1, 4),
        "demonstrative singular": (1, 2),
        "demonstrative plural": (1, 2),
        "adjective": (8, 25),
        "noun singular": (8, 35),
        "noun plural": (8, 35),
        "preposition": (1, 8),
        "complementizer": (1, 1),
        "adverb": (1, 30),
        "verb singular": (8, 12),
        "verb plural": (8, 12),
        "end": (1, 1),
    }


def test_words_are_invented():
    # So many stems that English ones would be among them.
    made = lexicon(n_topics=100, n_nouns=100, n_verbs=100, n_adjectives=100, n_demonstratives=10)
    assert len(made.entries) > 50_000
    assert made.entries.keys().isdisjoint(ENGLISH.split())
    assert all(word.isalpha() and word.islower() for word in made.entries.keys() - {END_MARK})


def test_the_ending_tells_the_class():
    made = lexicon()
    endings = {NOUN[PLURAL]: "i", VERB[PLURAL]: "u", ADJECTIVE: "o", ADVERB: "e"}
    for word, entry in made.entries.items():
        if entry.word_class in endings:
            assert len(word) == 6
            assert word.endswith(endings[entry.word_class])
        elif entry.word_class in (NOUN[SINGULAR], VERB[SINGULAR]):
            assert len(word) == 5
            assert word[-1] not in "aeiou"


def test_the_other_number_has_the_same_stem_topic_and_rank():
    made = lexicon()
    for kind, ending in ((NOUN, "i"), (VERB, "u"), (DEMONSTRATIVE, "n")):
        for row in made.forms[kind[SINGULAR]]:
            for word in row:
                other = made.in_other_number(word)
                assert other == word + ending
                assert made.in_other_number(other) == word
                assert made.entries[other][1:] == made.entries[word][1:]


def test_only_classes_by_topic_have_a_topic():
    made = lexicon()
    assert made.by_topic(ADJECTIVE)
    assert not made.by_topic(DETERMINER)
    assert made.entries[made.forms[ADJECTIVE][3][7]] == (ADJECTIVE, 3, 7)
    assert made.entries[END_MARK].topic is None


def test_the_same_seed_makes_the_same_words_and_another_others():
    assert lexicon(seed=3) == lexicon(seed=3)
    assert len(set(lexicon(seed=3).entries) & set(lexicon(seed=4).entries)) < 100


@pytest.mark.parametrize("exponent", [0.0, 0.8, 1.5])
def test_zipf_falls_on_a_line_in_logarithms(exponent: float):
    p = zipf(50, exponent)
    assert p.sum() == pytest.approx(1)
    slopes = np.diff(np.log(p)) / np.diff(np.log(np.arange(1, 51)))
    np.testing.assert_allclose(slopes, -exponent, atol=1e-9)
