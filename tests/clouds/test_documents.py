"""Holds the choice of corpora to their documents, whatever is measured of them."""

import numpy as np

from embspace.clouds.documents import count_documents, large_enough
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
