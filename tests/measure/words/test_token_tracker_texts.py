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
    found = running_texts(windows, table_of(strings), texts, GROUPS, n_texts=5, n_words_of_text=9)
    assert [each.tolist() for each in found.ids] == [[2, 10, 11, 13]]  # the others lack a group
    assert found.position.tolist() == [1, 2, 3]
    assert found.group.tolist() == ["content", "content", "function"]
    assert found.token.tolist() == [10, 11, 13] and found.n_units == 1


def test_documents_and_words_are_taken_evenly():
    found = running_texts(*corpus(9), GROUPS, n_texts=3, n_words_of_text=2)
    every = running_texts(*corpus(9), GROUPS, n_texts=9, n_words_of_text=99)
    assert len(found.ids) == 3 and found.unit.tolist() == [0, 1, 2]
    for number, place in enumerate((0, 4, 8)):
        assert found.ids[number].tolist() == every.ids[place].tolist()
    counts = pd.crosstab(found.text, found.group)
    assert counts.to_numpy().max() == 2 and counts.to_numpy().min() >= 1
    for text in range(3):
        at = found.position[(found.text == text) & (found.group == "content")]
        of_all = every.position[(every.text == (0, 4, 8)[text]) & (every.group == "content")]
        assert {at.min(), at.max()} <= {of_all[0], of_all[-1]}


def test_homonyms_stand_beside_other_nouns():
    stimuli = pd.DataFrame(
        {
            "word": ["river", "river", "paint", "paint"],
            "text": ["the River table", "of the and", "table paint", "river of paint"],
        }
    )
    tokens = table_of([each.lower() for each in stimuli["text"]])
    found = homonym_texts(stimuli, tokens, {"table"})
    assert found.group.tolist() == ["homonym", "one_sense", "homonym", "one_sense", "homonym"]
    assert found.unit_of_token.tolist() == [0, 0, 1, 1, 1]
    assert len(found.ids) == 3 and found.n_units == 2


def test_nothing_is_found_in_nothing():
    empty = FollowedTexts(
        [], *(np.array([], dtype=np.int64),) * 3, *(np.array([], dtype=object),) * 2, []
    )
    assert empty.n_units == 0 and not len(empty.token)
    windows, tokens, texts = corpus(2)
    none = running_texts(windows, tokens, texts, {}, n_texts=2, n_words_of_text=2)
    assert none.ids == []
