"""`drift`: a shifted half is found and placed; two halves of one corpus are not apart."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.app.practice import drift as module
from embspace.app.practice.corpora import CorpusOfVectors
from embspace.app.practice.drift import drift
from embspace.errors import InputError

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


def test_words_behind_a_difference_are_named(monkeypatch: pytest.MonkeyPatch):
    def corpus(name: str, _: Any = None, **options: Any) -> CorpusOfVectors:
        texts = ["the tide was out"] * 20 + ["the tide was high"] * 20
        x = cloud(40, 2)
        if name == "new":
            texts = ["the salt was dear"] * 40
            x += 4 * np.eye(DIM)[1]
        names = [f"{name}{row}" for row in range(40)]
        table = pd.DataFrame(
            {"id": names, "document": names, "text": texts, "label": "", "copy_of": names}
        ).assign(n_tokens=6.0)
        return CorpusOfVectors(name, x.astype(np.float32), table)

    monkeypatch.setattr(module, "read_corpus", corpus)
    answer = drift("old", "new")
    words = answer.tables["words"].set_index("word")
    assert words.loc["salt", "log_odds"] > 0 > words.loc["tide", "log_odds"]
    assert "words of more texts of new: dear salt" in answer.said


def test_other_dimensions_are_refused():
    with pytest.raises(InputError, match="found 4 dimensions, allowed: 10"):
        drift(cloud(20, 0), np.random.default_rng(0).normal(size=(20, 4)))
