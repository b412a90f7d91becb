"""`drift`: a shifted half is found and placed; two halves of one corpus are not apart."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice import drift as module
from embspace.app.practice.corpora import CorpusOfVectors, check_one_source
from embspace.app.practice.drift import drift
from embspace.app.practice.reading import read_corpus
from embspace.errors import InputError
from embspace.measure.practice.joined_corpora import BothCorpora, joined
from tests.app.practice.test_reading import there
from tests.app.test_layer import varied
from tests.loaded.folders import tree

__all__ = ["there", "tree"]

DIM = 10


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_PERMUTATIONS", 39)
    monkeypatch.setattr(module, "N_HALF_SAMPLES", 20)


def cloud(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, DIM)) + 1


def test_a_shifted_half_is_apart_and_its_texts_lean():
    second = cloud(60, 1)
    second[30:] += 6 * np.eye(DIM)[0]
    answer = drift(cloud(60, 0), second)
    row = answer.tables["distance"].iloc[0]
    assert row["p_value"] == pytest.approx(1 / 40) and row["auc_low"] > row["null_auc"]
    texts = answer.tables["texts"]
    farthest = texts[~texts["is_first"]]["id"].astype(int).head(20)
    assert (farthest >= 30).mean() > 0.9
    assert (answer.tables["clusters"]["p_value"] <= 0.05).any()
    assert (answer.tables["directions"]["p_value"] <= 0.05).any()
    assert "apart: p = 0.025" in answer.said and "do not" not in answer.sentence


def is_apart(seed: int) -> bool:
    x = cloud(80, seed)
    return bool(drift(x[:40], x[40:]).tables["distance"]["p_value"][0] <= module.SURE)


def test_two_halves_are_seldom_apart():
    assert sum(is_apart(seed) for seed in range(4)) <= 1


@pytest.mark.slow
def test_ninety_of_a_hundred_pairs_of_halves_are_not_apart():
    assert sum(is_apart(seed) for seed in range(100)) <= 10


def corpus_of(
    name: str, x: np.ndarray, texts: list[str], ids: list[str], documents: list[str] | None = None
) -> CorpusOfVectors:
    table = pd.DataFrame(
        {"id": ids, "document": documents or ids, "text": texts, "label": "", "copy_of": ids}
    ).assign(n_tokens=6.0)
    return CorpusOfVectors(name, x.astype(np.float32), table)


def given(monkeypatch: pytest.MonkeyPatch, *corpora: CorpusOfVectors) -> None:
    by_name = {corpus.corpus: corpus for corpus in corpora}
    monkeypatch.setattr(module, "read_corpus", lambda name, **_: by_name[name])


def test_words_behind_a_difference_are_named(monkeypatch: pytest.MonkeyPatch):
    old = ["the tide was out"] * 20 + ["the tide was high"] * 20
    names = [f"row{row}" for row in range(40)]
    x = cloud(40, 2)
    given(
        monkeypatch,
        corpus_of("old", x, old, [f"old{name}" for name in names]),
        corpus_of("new", x + 4 * np.eye(DIM)[1], ["the salt was dear"] * 40, names),
    )
    answer = drift("old", "new")
    words = answer.tables["words"].set_index("word")
    assert words.loc["salt", "log_odds"] > 0 > words.loc["tide", "log_odds"]
    assert "words of more documents of new: dear salt" in answer.said
    assert "a text of old leans more to old than one of new\n  with probability" in answer.said
    assert "a text of old leans more to old than one of new with prob" in answer.sentence


def test_a_word_of_all_texts_of_one_document_is_no_difference(monkeypatch: pytest.MonkeyPatch):
    documents = [f"d{row // 10}" for row in range(80)]
    texts = ["the salt was dear"] * 10 + ["the tide was out"] * 70
    ids = [f"t{row}" for row in range(80)]
    given(
        monkeypatch,
        corpus_of("new", cloud(80, 3), texts, ids, documents),
        corpus_of(
            "old",
            cloud(80, 4),
            ["the tide was out"] * 80,
            [f"o{name}" for name in ids],
            [f"o{name}" for name in documents],
        ),
    )
    answer = drift("new", "old")
    assert answer.tables["distance"][["first_documents", "second_documents"]].iloc[0].tolist() == [
        *(8, 8)
    ]
    words = answer.tables["words"].set_index("word")
    assert "salt" not in words.index and words.loc["tide", "first"] == 7 / 8
    assert (words["p_value"] > 0.05).all()


def documents_of(drifted: BothCorpora) -> int:
    return len(np.unique(drifted.document))


@pytest.mark.parametrize(
    ("ids", "has_names", "n"),
    [
        ([str(row + 1) for row in range(8)], False, 16),
        ([str(row + 1) for row in range(8)], True, 8),
        ([f"post-{row}" for row in range(8)], False, 8),
    ],
)
def test_row_numbers_join_no_documents(ids: list[str], has_names: bool, n: int):
    texts = [f"text {row}" for row in range(8)]
    sides = [corpus_of(name, cloud(8, 5), texts, ids).at() for name in ("old", "new")]
    assert documents_of(joined(*sides, has_names=has_names)) == n


def test_vectors_beside_texts_are_refused(there: Path, tmp_path: Path):
    texts = [varied(row) for row in range(8)]
    np.save(tmp_path / "x.npy", cloud(8, 0))
    message = "texts: found texts read by tiny beside vectors of (x.npy|texts), allowed: vectors on"
    for arguments in ((texts, tmp_path / "x.npy"), (tmp_path / "x.npy", texts)):
        with pytest.raises(InputError, match="found beside the vectors of|found texts read by"):
            drift(*arguments, model="tiny")
    first = read_corpus(texts, model="tiny")
    second = read_corpus(texts, vectors=cloud(8, 0))
    for pair in ((first, second), (second, first)):
        with pytest.raises(InputError, match=message):
            check_one_source(*pair)
    check_one_source(first, first)


def test_of_equal_vectors_nothing_is_said():
    answer = drift(np.ones((20, DIM)), np.ones((20, DIM)))
    assert "nothing can be told: all vectors have one direction" in answer.said
    assert "nothing can be told of a difference" in answer.sentence
    assert "apart" not in str(answer) and "cluster" not in str(answer)
    assert list(answer.tables) == ["distance"]
    assert np.isnan(answer.tables["distance"]["p_value"][0])


def test_other_dimensions_are_refused():
    with pytest.raises(InputError, match="found 4 dimensions, allowed: 10"):
        drift(cloud(20, 0), np.random.default_rng(0).normal(size=(20, 4)))
