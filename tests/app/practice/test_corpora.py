from pathlib import Path

import numpy as np
import pytest

from embspace.app.practice.corpora import CorpusOfTexts
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError
from embspace.loaded.model import load
from embspace.loaded.states import read_states
from tests.app.practice.test_reading import there
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["there", "tree"]


def test_all_layers_and_poolings_are_places(there: Path):
    texts = [varied(n) for n in range(5)]
    corpus = read_corpus(texts, model="tiny")
    assert corpus.places() == [(n, pool) for pool in ("cls", "mean", "max") for n in range(3)]
    assert corpus.at().place == "tiny, layer 2 of 2, mean"
    assert corpus.at(-1, "first_last").layer is None
    assert not corpus.at().has_labels
    assert corpus.halves_at() is None  # too few
    with pytest.raises(InputError, match="--layer: found 3, allowed: 0 to 2"):
        corpus.at(3)


def test_the_second_half_of_a_text_asks_for_its_first(there: Path):
    texts = [varied(n) for n in range(24)] + ["A cat.", varied(0)]
    corpus = read_corpus(texts, model="tiny")
    halves = corpus.halves_at(2, "mean")
    assert halves is not None and isinstance(corpus, CorpusOfTexts)
    assert halves.queries.shape == halves.candidates.shape == (25, 32)
    assert halves.relevant.sum(axis=1).tolist() == [2, *[1] * 23, 2]
    assert halves.documents.tolist() == [*range(24), 0]
    first = varied(7).split(". ")[:2]
    alone = read_states(load("tiny", there), [". ".join(first) + "."], there, {})
    assert np.allclose(halves.candidates[7], alone.tensors["mean"][2][0], atol=1e-5)


def test_a_layer_of_vectors_is_refused():
    with pytest.raises(InputError, match="--layer: found beside vectors"):
        read_corpus(np.eye(5)).at(3)
    with pytest.raises(InputError, match="--pooling: found beside vectors"):
        read_corpus(np.eye(5)).at(pooling="mean")
