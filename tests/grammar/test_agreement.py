import numpy as np
import pandas as pd
import pytest

from embspace.grammar.agreement import (
    CLAUSES,
    ITEM_COLUMNS,
    agreement_distances,
    agreement_items,
    attractor_counts,
)
from embspace.grammar.language import Language, write_sentences
from embspace.grammar.lexicon import END_MARK, NOUN, OTHER, VERB
from tests.grammar.languages import LOPSIDED, language


@pytest.fixture(scope="module", params=[{}, LOPSIDED], ids=["as it comes", "lopsided"])
def asked_items(request: pytest.FixtureRequest) -> tuple[Language, pd.DataFrame, pd.DataFrame]:
    """A language, texts in it and what is asked of them; treat all as read-only."""
    made = language(**request.param)
    sentences = write_sentences(made, 0, 300)
    texts = sentences.groupby("document", as_index=False)["text"].agg(" ".join)
    texts = texts.rename(columns={"document": "id"})
    return made, texts, agreement_items(texts, made)


def spelled(made: Language, classes: str) -> str:
    """A sentence of the most frequent words: n N v V nouns and verbs, d determiner and so on."""
    names = {"n": NOUN["singular"], "N": NOUN["plural"], "v": VERB["singular"]}
    names |= {"V": VERB["plural"], "d": "determiner", "a": "adjective", "e": "adverb"}
    names |= {"p": "preposition", "c": "complementizer", ".": "end"}
    return " ".join(made.lexicon.forms[names[letter]][0][0] for letter in classes)


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ("dnvdN.", [("main", "singular", 1, 2, 0, 0)]),
        ("daNpdnpdNeVdn.", [("main", "plural", 2, 10, 2, 1)]),
        (
            "dncvdNvdn.",
            [("subject relative", "singular", 1, 3, 0, 0)] + [("main", "singular", 1, 6, 1, 1)],
        ),
        (
            "dNcdnvVdn.",
            [("object relative", "singular", 4, 5, 0, 0)] + [("main", "plural", 1, 6, 1, 1)],
        ),
        (
            "dncdnvvdn.",
            [("object relative", "singular", 4, 5, 0, 0)] + [("main", "singular", 1, 6, 1, 0)],
        ),
    ],
)
def test_items_of_a_sentence_by_hand(classes: str, expected: list[tuple[object, ...]]):
    made = language(**LOPSIDED)
    texts = pd.DataFrame({"id": ["x"], "text": [spelled(made, classes)]})
    items = agreement_items(texts, made)
    assert list(items) == ITEM_COLUMNS
    columns = ["clause", "number", "noun_index", "verb_index", "n_nouns_between", "n_attractors"]
    rows = items.sort_values("verb_index")[columns].itertuples(index=False, name=None)
    assert list(rows) == expected


def test_places_count_the_words_of_the_whole_text():
    made = language(**LOPSIDED)
    text = f"{spelled(made, 'dnvdN.')} {spelled(made, 'daNVdn.')}"
    items = agreement_items(pd.DataFrame({"id": ["x"], "text": [text]}), made)
    assert items["sentence"].tolist() == [0, 1]
    assert items["verb_index"].tolist() == [2, 9]
    assert items["noun_index"].tolist() == [1, 8]


def test_a_text_that_breaks_the_rules_is_named():
    made = language(**LOPSIDED)
    texts = pd.DataFrame({"id": ["x"], "text": [spelled(made, "dnVdN.")]})
    with pytest.raises(ValueError, match="x: no sentence of the language: "):
        agreement_items(texts, made)


def test_items_are_what_stands_in_the_texts(asked_items):
    made, texts, items = asked_items
    entries = made.lexicon.entries
    words_of = texts.set_index("id")["text"].str.split()
    for item in items.itertuples():
        words = words_of[item.id]
        assert words[item.verb_index] == item.right
        assert entries[item.right].word_class == VERB[item.number]
        assert entries[item.wrong].word_class == VERB[OTHER[item.number]]
        assert entries[words[item.noun_index]].word_class == NOUN[item.number]
        between = [
            entries[word].word_class for word in words[item.noun_index + 1 : item.verb_index]
        ]
        assert item.distance == len(between) + 1
        assert item.n_attractors == between.count(NOUN[OTHER[item.number]])
        assert item.n_nouns_between == item.n_attractors + between.count(NOUN[item.number])


def test_every_verb_is_asked_for_once_and_every_sentence_has_a_main_one(asked_items):
    made, texts, items = asked_items
    words = texts["text"].str.split().explode()
    is_verb = words.map(lambda word: made.lexicon.entries[word].word_class in VERB.values())
    assert len(items) == is_verb.sum()
    assert not items.duplicated(["id", "verb_index"]).any()
    n_main = (items["clause"] == "main").sum()
    assert n_main == len(items.drop_duplicates(["id", "sentence"])) == (words == END_MARK).sum()
    assert set(items["clause"]) == set(CLAUSES)


def test_distances_are_those_that_the_rules_give(asked_items):
    made, _, items = asked_items
    main = items[items["clause"] == "main"]
    for values, expected in (
        (main["distance"], agreement_distances(made, 12)),
        (main["n_attractors"], attractor_counts(made, 4)),
    ):
        observed = np.bincount(values, minlength=len(expected))[: len(expected)]
        error = np.sqrt(len(values) * expected * (1 - expected))
        assert np.all(np.abs(observed - len(values) * expected) <= 4 * error)


def test_distributions_sum_to_one_if_they_are_long_enough(asked_items):
    made, _, _ = asked_items
    assert agreement_distances(made, 300).sum() == pytest.approx(1)
    assert attractor_counts(made, 60).sum() == pytest.approx(1)


def test_distances_in_relative_clauses_are_fixed(asked_items):
    _, _, items = asked_items
    distances = items.groupby("clause")["distance"].unique().map(list).to_dict()
    assert distances["object relative"] == [1]
    assert distances["subject relative"] == [2]


def test_attractors_are_as_frequent_as_set():
    # Every subject with one phrase of one noun.
    given = {"prepositional": 1.0, "subject_relative": 0.0, "object_relative": 0.0}
    given |= {"stacked": 0.0, "attractor": 0.3}
    np.testing.assert_allclose(
        attractor_counts(language(probabilities=given), 2), [0.7, 0.3, 0], atol=1e-12
    )
