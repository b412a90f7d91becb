"""How dense the space is about types: once each, of whole lists, with an interval over types."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import tokenizers

from embspace.measure.words.token_tracker_tables import Halves
from embspace.measure.words.token_tracker_tracks import density_of
from embspace.measure.words.token_tracker_types import density_rows, types_of
from embspace.models.stream.tracked_vocabulary import TrackedVocabulary
from tests.measure.words.followed import CONTENT, FUNCTION, Tokenizer, vocabulary_of
from tests.models.stream.tiny import tiny

GROUPS = dict.fromkeys(CONTENT, "content") | dict.fromkeys(FUNCTION, "function")
N, DIM = 80, 12


@cache
def bert() -> Any:
    return tiny("bert")


def halves(seed: int = 0) -> Halves:
    return Halves(60, 0.95, np.random.default_rng(seed))


def vocabulary(rows: np.ndarray) -> TrackedVocabulary:
    return TrackedVocabulary(rows.astype(np.float32), None)


def row_of(rows: np.ndarray, n_neighbors: int = 4, seed: int = 0) -> dict[str, Any]:
    """The first half of the tokens are content words, the rest function words."""
    types = {"content": np.arange(N // 2), "function": np.arange(N // 2, N)}
    random = np.random.default_rng(99).normal(size=rows.shape)
    densities = density_rows(
        types, vocabulary(rows), vocabulary(random), halves(seed), n_neighbors=n_neighbors
    )
    (row,) = densities
    return row


def test_density_is_the_mean_cosine_with_the_nearest_others():
    rows = vocabulary_of(bert()).rows.astype(np.float64)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    tokens = np.array([1, 21, 5, 21])
    density = density_of(vocabulary_of(bert()), tokens, 4)
    for value, token in zip(density, tokens, strict=True):
        others = np.delete(unit @ unit[token], token)
        assert value == pytest.approx(np.sort(others)[-4:].mean())


def test_a_type_is_a_word_of_one_token_and_of_one_group():
    types = types_of(GROUPS | {"river paint": "content", "no word of it": "other"}, Tokenizer())
    names = {group: Tokenizer().convert_ids_to_tokens([*ids]) for group, ids in types.items()}
    assert sorted(names["content"]) == sorted(CONTENT)
    assert sorted(names["function"]) == sorted(FUNCTION)


def test_a_word_of_a_tokenizer_that_puts_a_space_before_texts_is_a_type():
    from transformers import PreTrainedTokenizerFast

    words = ["a", "paint", "river", "the"]
    vocabulary = {"<unk>": 0, "▁": 1} | {f"▁{word}": 2 + n for n, word in enumerate(words)}
    spaced = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, "<unk>"))
    spaced.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=spaced, unk_token="<unk>")
    words = {"paint": "content", "river": "content", "unheard": "content", "the": "function"}
    types = types_of(words, tokenizer)  # what is unknown is no type
    assert {group: [*ids] for group, ids in types.items()} == {"content": [3, 4], "function": [5]}


def test_types_in_denser_places_are_found():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(N, DIM))
    rows[: N // 2] = rng.normal(size=DIM) + 0.1 * rng.normal(size=(N // 2, DIM))
    row = row_of(rows)
    assert (row["value"], row["n_tokens"]) == (1, N)
    assert row["low"] > 0.9
    assert 0.2 < row["random_weights_value"] < 0.8
    assert row_of(rows[::-1])["value"] == 0


def test_equal_kinds_are_told_apart_no_more_often_than_the_level_says():
    """The rule asks whether the interval lies above one half, of 20 draws of one cloud."""
    matches = sum(
        row_of(np.random.default_rng(seed).normal(size=(N, DIM)), seed=seed)["low"] > 0.5
        for seed in range(20)
    )
    assert matches <= 3


def test_without_a_type_of_either_group_there_is_no_row():
    types = {"content": np.arange(4), "function": np.arange(0)}
    own = vocabulary(np.eye(6))
    assert list(density_rows(types, own, own, halves(), n_neighbors=2)) == []


def test_every_number_of_the_row_by_hand():
    """Content types lie in two pairs of one direction each, function types at right angles."""
    rows = np.eye(8)[[0, 0, 1, 1, 2, 3, 4, 5]]
    types = {"content": np.arange(4), "function": np.arange(4, 8)}
    (row,) = density_rows(types, vocabulary(rows), vocabulary(rows[::-1]), halves(), n_neighbors=1)
    expected = {"value": 1, "low": 1, "high": 1, "random_weights_value": 0}
    assert {name: row[name] for name in expected} == expected
    assert (row["n_tokens"], row["n_units"]) == (8, 8)
    more = {"content": np.arange(4), "function": np.arange(4, 7)}
    (row,) = density_rows(more, vocabulary(rows), vocabulary(rows), halves(), n_neighbors=3)
    assert row["n_tokens"] == 7 and row["random_weights_value"] == row["value"]
