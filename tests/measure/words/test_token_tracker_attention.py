"""What words receive: planted attention is seen, and frequent types alone are not."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.geometry.inference.resampling import probability_of_larger
from embspace.measure.words import token_tracker_attention
from embspace.measure.words.token_tracker_attention import (
    STATISTICS,
    attention_of_words,
    attention_rows,
    by_classes,
    occurrences_of,
)
from embspace.measure.words.token_tracker_tables import Halves
from embspace.measure.words.token_tracker_texts import FollowedTexts, running_texts
from tests.measure.words.followed import GROUPS, corpus

N_TEXTS, N_DEALT = 12, 400
N_CONTENT, N_FUNCTION = 60, 20  # types


def texts_of_words(seed: int) -> FollowedTexts:
    """Texts of 30 words, half of them function words, of which a few make up most occurrences."""
    rng = np.random.default_rng(seed)
    often = 1 / np.arange(1, N_FUNCTION + 1)
    ids, words = [], list[str]()
    for _ in range(N_TEXTS):
        content = rng.integers(N_CONTENT, size=15)
        function = rng.choice(N_FUNCTION, size=15, p=often / often.sum())
        words += [f"c{number}" for number in content] + [f"f{number}" for number in function]
        ids.append(np.concatenate([[0], content + 1, function + N_CONTENT + 1, [0]]))
    group = np.array(["content" if word[0] == "c" else "function" for word in words], object)
    place = np.arange(1, 31)
    return FollowedTexts(
        ids,
        np.arange(N_TEXTS),
        np.repeat(np.arange(N_TEXTS), 30),
        np.tile(place, N_TEXTS),
        group,
        np.array(words, object),
        [(numbers == 0) for numbers in ids],
    )


def rows_of(texts: FollowedTexts, received: np.ndarray, seed: int = 0) -> pd.DataFrame:
    halves = Halves(40, 0.95, np.random.default_rng(seed))
    flat = np.ones(len(received))
    rows = attention_rows(texts, received, flat, halves, n_dealt=N_DEALT)
    return pd.DataFrame(rows).set_index("statistic")


def received_by_type(texts: FollowedTexts, seed: int) -> np.ndarray:
    """What a type receives by its own nature, whatever its class, and some noise."""
    rng = np.random.default_rng(1000 + seed)
    words = occurrences_of(texts)
    own = np.exp(rng.normal(scale=0.5, size=words.type_number.max() + 1))
    return own[words.type_number] * np.exp(rng.normal(scale=0.2, size=len(words.unit)))


def test_planted_heed_of_content_words_is_seen():
    texts = texts_of_words(0)
    received = received_by_type(texts, 0) * np.where(texts.group == "content", 3, 1)
    rows = rows_of(texts, received)
    assert list(rows.index) == list(STATISTICS)
    assert (rows["value"] > rows["dealt_high"]).all()
    assert (rows["p_value"] < 0.01).all()
    content = texts.group == "content"
    expected = probability_of_larger(received[content], received[~content])
    assert rows.loc[STATISTICS[0], "value"] == pytest.approx(float(expected))
    expected_ratio = received[content].mean() / received[~content].mean()
    assert rows.loc[STATISTICS[1], "value"] == pytest.approx(expected_ratio)
    assert rows["random_weights_value"].tolist() == [0.5, 1]
    assert (rows["low"] < rows["value"]).all() and (rows["value"] < rows["high"]).all()


def test_planted_heed_of_function_words_is_no_heed_of_content_words():
    texts = texts_of_words(1)
    received = received_by_type(texts, 1) * np.where(texts.group == "content", 1, 3)
    rows = rows_of(texts, received)
    assert (rows["p_value"] > 0.9).all()
    assert rows.loc[STATISTICS[0], "value"] < 0.5


def test_types_that_differ_whatever_their_class_match_in_three_of_twenty_draws_at_most():
    """Without a null by types the few frequent function words would decide far more often."""
    n_matches, n_by_occurrence = np.zeros(len(STATISTICS)), 0
    for seed in range(20):
        texts = texts_of_words(seed)
        received = received_by_type(texts, seed)
        rows = rows_of(texts, received, seed)
        n_matches += (rows["value"] > rows["dealt_high"]).to_numpy()
        n_by_occurrence += int(rows.loc[STATISTICS[0], "low"] > 0.5)
    assert (n_matches <= 3).all()
    assert n_by_occurrence > 3


def test_sums_over_types_give_the_statistics_of_the_true_classes():
    texts = texts_of_words(2)
    words = occurrences_of(texts)
    received = np.round(received_by_type(texts, 2), 1)  # with ties
    (statistics,) = by_classes(received, words, words.content_types[None])
    content = texts.group == "content"
    larger = probability_of_larger(received[content], received[~content])
    expected = [float(larger), received[content].mean() / received[~content].mean()]
    assert statistics == pytest.approx(expected)
    assert np.isnan(by_classes(received, words, words.content_types[None] & False)).all()


def test_all_occurrences_of_a_word_are_one_type():
    texts = running_texts(*corpus(9), GROUPS, n_texts=9, n_words_of_text=99)
    words = occurrences_of(texts)
    assert words.type_number.max() + 1 == len(GROUPS)
    assert words.content_types.sum() == 3
    assert [is_special.tolist().count(True) for is_special in texts.special] == [1] * 9


def test_planted_maps_give_each_word_its_share(monkeypatch: pytest.MonkeyPatch):
    """Every query gives [CLS] one half, and each content word thrice what a function word has."""
    import torch

    texts = running_texts(*corpus(9), GROUPS, n_texts=4, n_words_of_text=99)

    def planted(_: Any, ids: Any, mask: Any) -> list[Any]:
        assert ids.shape == mask.shape == (1, 9)
        heed = torch.as_tensor(np.where(ids[0] == 2, 0, np.where(ids[0] < 13, 3.0, 1.0)))
        row = heed / heed.sum() / 2 + torch.as_tensor(ids[0] == 2) / 2
        return [row.expand(1, 2, 9, 9)] * 3

    monkeypatch.setattr(token_tracker_attention, "attention_maps", planted)
    received = attention_of_words(None, texts)
    for number in range(4):
        in_text = texts.text == number
        content = in_text & (texts.group == "content")
        function = in_text & (texts.group == "function")
        assert received[content] == pytest.approx(3 * received[function][0])
        assert received[in_text].mean() == pytest.approx(1)


def test_every_number_of_the_rows_by_hand():
    """Three types in four texts that are alike: a content word and two function words."""
    words = ["c", "f", "g"] * 4
    texts = FollowedTexts(
        ids=[np.array([1, 2, 3])] * 4,
        unit=np.arange(4),
        text=np.repeat(np.arange(4), 3),
        position=np.tile(np.arange(3), 4),
        group=np.array(["content", "function", "function"] * 4, object),
        word=np.array(words, object),
        special=[np.zeros(3, bool)] * 4,
    )
    received, random = np.tile([3.0, 1, 2], 4), np.tile([2.0, 1, 3], 4)
    halves = Halves(9, 0.5, np.random.default_rng(0))
    rows = list(attention_rows(texts, received, random, halves, n_dealt=999))
    assert [row["statistic"] for row in rows] == list(STATISTICS)
    for end in ("value", "low", "high"):  # all texts are alike
        assert [row[end] for row in rows] == pytest.approx([1, 2])
    assert [row["random_weights_value"] for row in rows] == pytest.approx([0.5, 1])
    # A content word of three types: above both, none or one of the others, each a third.
    assert [row["dealt"] for row in rows] == pytest.approx([0.5, (2 + 2 / 5 + 1) / 3], abs=0.05)
    assert [row["dealt_low"] for row in rows] == pytest.approx([0, 0.4])
    assert [row["dealt_high"] for row in rows] == pytest.approx([1, 2])
    assert [row["p_value"] for row in rows] == pytest.approx([1 / 3] * 2, abs=0.05)
    assert [(row["n_tokens"], row["n_units"]) for row in rows] == [(12, 4)] * 2
