from pathlib import Path

import pytest

from embspace.app.practice.corpora import CorpusOfTexts
from embspace.app.practice.read_again import read_alone, read_in
from embspace.app.practice.reading import read_corpus
from tests.app.practice.test_reading import there
from tests.app.test_layer import varied
from tests.lazy import torch
from tests.loaded.folders import tree

__all__ = ["there", "tree"]


def test_texts_read_one_by_one_are_the_same_but_for_rounding(there: Path):
    corpus = read_corpus([varied(n) for n in range(9)], model="tiny")
    assert isinstance(corpus, CorpusOfTexts)
    alone = read_alone(corpus, 4, there).at(1, "mean")
    assert alone.table["id"].tolist() == ["1", "3", "6", "9"]
    assert alone.vectors == pytest.approx(corpus.at(1, "mean").vectors[[0, 2, 5, 8]], abs=1e-4)


def test_the_model_itself_keeps_its_number_type(there: Path):
    corpus = read_corpus([varied(n) for n in range(9)], model="tiny")
    assert isinstance(corpus, CorpusOfTexts)
    again = read_in(corpus, "bfloat16", there)
    assert again.loaded.description.batches == "equal_lengths"  # or padding would be refused
    other = again.at(1, "mean")
    assert (other.vectors != corpus.at(1, "mean").vectors).any()
    assert next(corpus.loaded.module.parameters()).dtype == torch.float32
