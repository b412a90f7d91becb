from pathlib import Path

import numpy as np
import pytest

from embspace.app.practice import read_again as module
from embspace.app.practice.corpora import CorpusOfTexts
from embspace.app.practice.read_again import read_alone, read_in, token_moments
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


def test_tokens_weigh_as_often_as_texts_have_them(there: Path, monkeypatch: pytest.MonkeyPatch):
    corpus = read_corpus([varied(n) for n in range(9)], model="tiny")
    assert isinstance(corpus, CorpusOfTexts)
    cloud = corpus.at(1, "mean")
    groups = {name: number < 4 for number, name in enumerate(cloud.table["id"])}
    moments = token_moments(corpus, 1, groups, there)
    n_tokens = cloud.table["n_tokens"].to_numpy()
    assert moments[True].weight == n_tokens[:4].sum()
    # A mean over tokens is the mean over texts by their number of tokens.
    expected = np.average(cloud.vectors[:4], axis=0, weights=n_tokens[:4])
    assert moments[True].mean == pytest.approx(expected, abs=1e-5)
    assert (np.linalg.eigvalsh(moments[False].covariance) > -1e-9).all()
    monkeypatch.setattr(module, "MOST_READ", 3)
    fewer = token_moments(corpus, 1, groups, there)
    assert fewer[True].weight + fewer[False].weight == n_tokens[[0, 4, 8]].sum()
