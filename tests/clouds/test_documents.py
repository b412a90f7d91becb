"""Holds the choice of corpora to their documents, whatever is measured of them."""

import numpy as np
import pandas as pd

from embspace.clouds.documents import count_documents, large_enough, some_documents
from tests.measure import layer_corpora
from tests.text_corpora import no_corpora, three_corpora


def test_a_document_counts_once():
    assert count_documents(np.array([3, 3, 0, 7, 0])) == 3
    assert count_documents(np.array(["b", "b", "a"], dtype=object)) == 2
    assert count_documents(np.array([], dtype=object)) == 0


def test_documents_are_counted_not_vectors():
    clouds = three_corpora()
    assert list(large_enough(clouds, 12)) == ["articles", "sentences", "posts"]
    assert list(large_enough(clouds, 13)) == ["posts"]  # 24 sentences, of 12 documents
    assert large_enough(no_corpora(), 1) == {}


def test_corpora_of_too_few_documents_are_left_out():
    assert list(large_enough(layer_corpora.three_corpora(), 9)) == ["many", "pooled"]
    assert list(large_enough(layer_corpora.three_corpora(), 10)) == ["many"]


def test_so_many_documents_are_taken_evenly_with_all_their_texts():
    articles = pd.DataFrame({"id": [f"a{n}" for n in range(228)]}).assign(
        document=lambda table: table["id"]
    )
    sentences = pd.DataFrame({"document": np.repeat(articles["document"], 3).to_numpy()})
    kept = some_documents(articles, 60)
    assert len(kept) == 60 and list(kept.index) == list(range(60))
    assert kept["id"].iloc[0] == "a0" and kept["id"].iloc[-1] == "a227"
    steps = np.diff(kept["id"].str[1:].astype(int))
    assert set(steps) == {3, 4}
    sentence_documents = some_documents(sentences, 60)["document"]
    assert len(sentence_documents) == 180 and set(sentence_documents) == set(kept["document"])


def test_no_more_documents_than_allowed_are_all_taken():
    texts = pd.DataFrame({"document": ["b", "a", "b"]})
    assert some_documents(texts, 2).equals(texts) and some_documents(texts, None).equals(texts)
