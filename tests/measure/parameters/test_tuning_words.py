"""Holds the words of tuning to changes that write the list, and to some that write nothing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.measure.parameters.tuning_words import (
    TuningWords,
    _require_enough,
    measure_tuning_words,
)
from embspace.measure.parameters.tuning_words_rows import CARDS, CLAIMS, CLASSES, SHARES
from tests.measure.parameters.known_tuning import (
    at_random,
    known_tuning,
    known_vocabulary,
    of_sentiment,
)

SETTINGS: dict[str, Any] = {
    "n_tokens": 20,
    "n_random_vectors": 400,
    "level": 0.95,
    "n_turns": 30,
    "n_turned": 30,
    "n_lists": 40,
    "n_nearest": 20,
    "least_words": 20,
    "left_out": ["special"],
    "n_shown": 5,
    "seed": 0,
}


@pytest.fixture(scope="module")
def found() -> TuningWords:
    """Queries write the list, values of the MLP write nothing, as the paper has it."""
    seeds = [
        known_tuning(seed, attention_query=of_sentiment, feed_forward_value=at_random)
        for seed in (0, 1)
    ]
    return measure_tuning_words(seeds, known_vocabulary(), **SETTINGS)


def of_group(table: pd.DataFrame, group: str) -> pd.DataFrame:
    return table[table["group"] == group]


def test_there_is_a_row_a_seed_group_and_layer_that_has_changed(found: TuningWords) -> None:
    for table, columns in (
        (found.shares, SHARES),
        (found.claims, CLAIMS),
        (found.cards, CARDS),
        (found.classes, CLASSES),
    ):
        assert list(table) == columns
    assert len(found.shares) == len(found.cards) == 2 * 2 * 2
    assert set(found.shares["layer"]) == {2, 3}
    assert len(found.claims) == 2 * 2
    assert set(found.shares["n_vectors"]) == {40} and set(found.shares["n_rows"]) == {40}


def test_changes_that_write_the_list_are_found(found: TuningWords) -> None:
    rows = of_group(found.shares, "attention_query")
    assert (rows["share"] == 1).all()
    assert (rows["p_value_lists"] < 0.05).all() and (rows["p_value_turned"] < 0.05).all()
    assert set(of_group(found.claims, "attention_query")["verdict"]) == {"matches"}


def test_random_changes_give_the_share_of_the_null(found: TuningWords) -> None:
    rows = of_group(found.shares, "feed_forward_value")
    assert rows["share"].mean() < 0.12
    assert rows["null_turned"].to_numpy() == pytest.approx(rows["mean_listed"].to_numpy(), rel=0.2)
    assert (found.shares["null_vectors"] <= 0.05).all()
    assert set(of_group(found.claims, "feed_forward_value")["verdict"]) == {"matches"}


def test_values_that_write_the_list_differ_from_the_paper() -> None:
    seeds = [known_tuning(0, attention_query=at_random, feed_forward_value=of_sentiment)]
    claims = measure_tuning_words(seeds, known_vocabulary(), **SETTINGS).claims
    assert set(claims["verdict"]) == {"differs"}


def test_each_class_is_read_as_the_words_of_its_own_polarity(found: TuningWords) -> None:
    own = found.classes[found.classes["label"] == found.classes["polarity"]]
    other = found.classes[found.classes["label"] != found.classes["polarity"]]
    assert (own["n_listed"] >= 12).all() and (own["p_value"] < 0.01).all()
    assert (other["n_listed"] <= 1).all()


def test_cards_show_the_end_with_the_listed_words(found: TuningWords) -> None:
    rows = of_group(found.cards, "attention_query")
    for tokens in rows["tokens"]:
        assert np.mean([int(token[1:]) < 30 for token in tokens.split()]) == 1
    assert (rows["n_listed"] > 10).all()


def test_words_that_are_no_token_are_counted(found: TuningWords) -> None:
    facts = found.lists.iloc[0]
    assert facts["n_words"] == 31 and facts["n_missing"] == 1
    assert facts["n_listed_tokens"] == 30 and facts["missing"] == "unheardof"
    assert facts["n_read_tokens"] == 399 and facts["is_measured"]


def test_the_same_seed_gives_the_same_tables(found: TuningWords) -> None:
    seeds = [known_tuning(0, attention_query=of_sentiment, feed_forward_value=at_random)]
    again = measure_tuning_words(seeds, known_vocabulary(), **SETTINGS)
    first = found.shares[found.shares["seed"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(again.shares, first)


@pytest.mark.parametrize("n_seeds", [0, 1])
def test_without_tuning_or_words_the_tables_are_empty(n_seeds: int) -> None:
    seeds = [known_tuning(0, attention_query=at_random)][:n_seeds]
    found = measure_tuning_words(seeds, known_vocabulary(n_listed=5), **SETTINGS)
    assert found.shares.empty and list(found.shares) == SHARES
    assert found.classes.empty and not found.lists["is_measured"].any()


def test_a_run_on_other_classes_has_empty_tables() -> None:
    """A run on topics gets no verdict on words of sentiment."""
    tuned = known_tuning(0, attention_query=of_sentiment)
    topics = replace(tuned, head_after=replace(tuned.head_after, labels=["sport", "politics"]))
    found = measure_tuning_words([topics], known_vocabulary(), **SETTINGS)
    assert found.claims.empty and not found.lists["is_measured"].any()


def test_more_words_of_a_change_than_there_are_tokens_are_refused() -> None:
    seeds = [known_tuning(0, attention_query=of_sentiment)]
    with pytest.raises(InputError, match="key 'n_tokens': found 300, allowed: up to 199"):
        measure_tuning_words(seeds, known_vocabulary(), **SETTINGS | {"n_tokens": 300})


def test_random_lists_need_as_many_other_words() -> None:
    vocabulary = known_vocabulary()
    kinds = ["word"] * 50 + ["piece"] * (len(vocabulary.kinds) - 50)
    seeds = [known_tuning(0, attention_query=of_sentiment)]
    with pytest.raises(InputError, match="found 20 words that are read and not listed"):
        measure_tuning_words(seeds, replace(vocabulary, kinds=kinds), **SETTINGS)


def test_half_of_the_tokens_and_as_many_others_as_are_listed_are_enough() -> None:
    vocabulary = known_vocabulary()
    is_read = vocabulary.not_of(["special"])
    n_read = int(is_read.sum())
    n_listed = int(vocabulary.of("positive", "negative").sum())
    _require_enough(vocabulary, is_read, n_read - n_listed, n_read // 2)
    with pytest.raises(InputError, match=f"found {n_read // 2 + 1}, allowed: up to {n_read // 2}"):
        _require_enough(vocabulary, is_read, n_listed, n_read // 2 + 1)
    with pytest.raises(InputError, match=f"expected {n_read - n_listed + 1} or more"):
        _require_enough(vocabulary, is_read, n_read - n_listed + 1, 1)
