"""Holds what is known of k-mers and invented words to vocabularies written by hand."""

from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.grammar.language import make_language
from embspace.measure.parameters.head_pairs_words import Words
from embspace.measure.parameters.run_head_pairs_words import _places, is_known, run_words
from embspace.settings.corpus import BuiltinCorpus, FastaCorpus
from tests.grammar.languages import corpus as grammar

# Codons aaa, aag: lysine; ccc: proline. Six bases every three, so that a codon overlaps.
KMERS = ["[CLS]", "aaaccc", "aagccc", "cccaaa", "aaannn", "aagaaa"]
TEXTS = ["aaaccc cccaaa", "aagccc cccaaa", "aaaccc cccaaa aaannn aagaaa", "aaaccc"]


def kmers(**changed: Any) -> FastaCorpus:
    given = {"label": "a", "license": "b", "language": "c", "source": "fasta", "path": "a.fasta"}
    return FastaCorpus.model_validate(
        {**given, "k": 6, "stride": 3, "deduplicate": True, **changed}
    )


def words(**changed: Any) -> Words:
    return run_words(kmers(**changed), TEXTS, KMERS, least_count=1, near_places=1)


def holds(known: Words, name: str, first: str, second: str) -> bool:
    one, other = (np.array([known.shown.index(word)]) for word in (first, second))
    return bool(known.relations[name](one, other).item())


@pytest.mark.parametrize(
    ("name", "first", "second", "expected"),
    [
        ("place", "aaaccc", "aagccc", True),
        ("place", "aaaccc", "cccaaa", False),
        ("place", "[CLS]", "[CLS]", False),
        ("near_place", "cccaaa", "aaannn", True),
        ("near_place", "aaaccc", "aagccc", False),  # at one place
        ("near_place", "aaaccc", "aaannn", False),  # two apart
        ("near_place", "[CLS]", "aaaccc", False),
        ("follows", "aaaccc", "cccaaa", True),
        ("follows", "cccaaa", "aaaccc", True),  # wherever they stand
        ("follows", "aaaccc", "aagccc", False),
        ("follows", "aaannn", "aaaccc", False),
        ("precedes", "cccaaa", "aagccc", True),
        ("precedes", "aagccc", "aaaccc", False),
        ("amino_acid", "aaaccc", "aagaaa", True),
        ("amino_acid", "aaaccc", "aagccc", False),  # variants of one place
        ("amino_acid", "aaaccc", "cccaaa", False),
    ],
)
def test_kmers(name: str, first: str, second: str, expected: bool) -> None:
    assert holds(words(), name, first, second) == expected


def test_tokens_that_are_rare_are_not_among_those_that_are_asked() -> None:
    known = run_words(kmers(), TEXTS, KMERS, least_count=3, near_places=1)
    assert [known.shown[token] for token in known.ordinary] == ["aaaccc", "cccaaa"]
    assert known.n_words["place"] == 2
    assert words().n_words["follows"] == 4  # `aaannn` ends unknown
    with pytest.raises(InputError, match="key 'least_count': found 4, but 0 of 6 tokens"):
        run_words(kmers(), TEXTS, KMERS, least_count=4, near_places=1)


def test_kmers_that_do_not_overlap_or_lose_the_frame_have_fewer_categories() -> None:
    assert list(words(stride=6).relations) == ["place", "near_place", "amino_acid"]
    assert "follows" in words(stride=5).relations  # by a single base
    assert list(words(stride=2).relations) == ["place", "near_place", "follows", "precedes"]


def test_invented_words_have_the_classes_of_their_lexicon() -> None:
    language = grammar()
    forms = make_language(language).lexicon.forms
    nouns, plurals, verbs = (
        forms[form] for form in ("noun singular", "noun plural", "verb plural")
    )
    tokens = ["[CLS]", nouns[0][0], nouns[1][0], plurals[0][0], verbs[1][0], ".", "determiner"]
    known = run_words(language, [" ".join(tokens)], tokens, least_count=1, near_places=1)

    def true(name: str) -> list[tuple[int, int]]:
        pairs = [(a, b) for a in range(len(tokens)) for b in range(a)]
        first, second = np.array(pairs).T
        held = known.relations[name](first, second)
        return [pair for pair, is_held in zip(pairs, held, strict=True) if is_held]

    assert true("part_of_speech") == [(2, 1), (3, 1), (3, 2)]
    assert true("topic") == [(3, 1), (4, 2)]
    assert true("same_number") == [(2, 1), (4, 3)]
    assert true("stem") == [(3, 1)]
    assert known.n_words == {"part_of_speech": 5, "topic": 4, "same_number": 4, "stem": 4}


def test_of_words_of_a_language_nothing_is_known_here() -> None:
    texts = BuiltinCorpus(
        label="a", license="b", language="English", source="builtin", path="a.jsonl"
    )
    assert not is_known(texts)
    assert is_known(kmers()) and is_known(grammar())


def test_the_place_of_a_token_is_where_it_stands_most_often_and_first():
    texts = ["a b", "a b", "b a", "c", "d c"]
    assert _places(texts, ["a", "b", "c", "e"]).tolist() == [0, 1, 0, -1]
