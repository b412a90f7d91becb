"""The texts of the token tracker: the windows of most content words, homonyms."""

import numpy as np
import pandas as pd

from embspace.measure.words.token_tracker_texts import (
    FollowedTexts,
    homonym_texts,
    running_texts,
)
from tests.measure.words.followed import GROUPS, corpus, table_of


def test_of_each_document_the_window_of_most_content_words_is_taken():
    strings = ["of river of", "river table of", "table river the", "river river", "of the"]
    texts = pd.DataFrame(
        {"id": list("abcde"), "document": ["1", "1", "1", "2", "3"], "text": strings}
    )
    windows = pd.DataFrame({"text": list("abcde")})
    chosen = running_texts(windows, table_of(strings), texts, GROUPS, n_texts=5, n_words_of_text=9)
    assert [ids.tolist() for ids in chosen.ids] == [[2, 10, 11, 13]]  # the others lack a group
    assert chosen.position.tolist() == [1, 2, 3]
    assert chosen.group.tolist() == ["content", "content", "function"]
    assert chosen.token.tolist() == [10, 11, 13] and chosen.n_units == 1


def test_documents_and_words_are_taken_evenly():
    chosen = running_texts(*corpus(9), GROUPS, n_texts=3, n_words_of_text=2)
    every = running_texts(*corpus(9), GROUPS, n_texts=9, n_words_of_text=99)
    assert len(chosen.ids) == 3 and chosen.unit.tolist() == [0, 1, 2]
    for number, place in enumerate((0, 4, 8)):
        assert chosen.ids[number].tolist() == every.ids[place].tolist()
    counts = pd.crosstab(chosen.text, chosen.group)
    assert counts.to_numpy().max() == 2 and counts.to_numpy().min() >= 1
    for text in range(3):
        at = chosen.position[(chosen.text == text) & (chosen.group == "content")]
        places = every.position[(every.text == (0, 4, 8)[text]) & (every.group == "content")]
        assert {at.min(), at.max()} <= {places[0], places[-1]}


def test_homonyms_stand_beside_other_nouns():
    stimuli = pd.DataFrame(
        {
            "word": ["river", "river", "paint", "paint"],
            "text": ["the River table", "of the and", "table paint", "river of paint"],
        }
    )
    tokens = table_of([text.lower() for text in stimuli["text"]])
    chosen = homonym_texts(stimuli, tokens, {"table"})
    assert chosen.group.tolist() == ["homonym", "one_sense", "homonym", "one_sense", "homonym"]
    assert chosen.unit_of_token.tolist() == [0, 0, 1, 1, 1]
    assert len(chosen.ids) == 3 and chosen.n_units == 2


def test_nothing_is_found_in_nothing():
    empty = FollowedTexts(
        [], *(np.array([], dtype=np.int64),) * 3, *(np.array([], dtype=object),) * 2, []
    )
    assert empty.n_units == 0 and not len(empty.token)
    windows, tokens, texts = corpus(2)
    none = running_texts(windows, tokens, texts, {}, n_texts=2, n_words_of_text=2)
    assert none.ids == []
