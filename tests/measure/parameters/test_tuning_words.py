"""Holds the words of tuning to changes that write the list, and to some that write nothing."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.errors import InputError
from embspace.measure.parameters.tuning_words import SETTINGS, measure_tuning_words
from embspace.measure.parameters.tuning_words_rows import require_enough
from embspace.measure.parameters.tuning_words_runs import TunedSeed, Vocabulary
from tests.analyses import settings_of
from tests.measure.parameters.known_tuning import (
    at_random,
    known_tuning,
    known_vocabulary,
    toward_sentiment,
)

FEW: dict[str, Any] = {
    "n_tokens": 20,
    "n_random_vectors": 400,
    "n_turns": 30,
    "n_turned": 30,
    "n_lists": 40,
    "n_nearest": 20,
    "least_words": 20,
    "n_shown": 5,
}
DECIDED_BY_SEED = ("least_listed", "share", "p_value_lists", "p_value_turned")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    """Queries write the list, values of the MLP write nothing, as the paper has it."""
    seeds = [
        known_tuning(seed, attention_query=toward_sentiment, feed_forward_value=at_random)
        for seed in (0, 1)
    ]
    return {"seeds": [] if is_empty else seeds, "vocabulary": known_vocabulary()}


def measured(*seeds: TunedSeed, vocabulary: Vocabulary | None = None, **change: Any) -> Outcome:
    settings = settings_of(measure_tuning_words, **FEW | change)
    return measure_tuning_words(seeds, vocabulary or known_vocabulary(), **settings)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return measured(*inputs(is_empty=False)["seeds"])


def rows_of_group(table: pd.DataFrame, group: str) -> pd.DataFrame:
    return table[table["group"] == group]


def test_there_is_a_row_a_seed_group_and_layer_that_has_changed(outcome: Outcome) -> None:
    assert len(outcome["csv"]) == len(outcome["cards"]) == 2 * 2 * 2
    assert set(outcome["csv"]["layer"]) == {2, 3}
    assert len(outcome["claims"]) == 2 * 2
    assert set(outcome["csv"]["n_vectors"]) == {40} and set(outcome["csv"]["n_rows"]) == {40}


def test_changes_that_write_the_list_are_found(outcome: Outcome) -> None:
    rows = rows_of_group(outcome["csv"], "attention_query")
    assert (rows["share"] == 1).all()
    assert (rows["p_value_lists"] < 0.05).all() and (rows["p_value_turned"] < 0.05).all()
    assert set(rows_of_group(outcome["claims"], "attention_query")["verdict"]) == {"matches"}


def test_random_changes_give_the_share_of_the_null(outcome: Outcome) -> None:
    rows = rows_of_group(outcome["csv"], "feed_forward_value")
    assert rows["share"].mean() < 0.12
    assert rows["null_turned"].to_numpy() == pytest.approx(rows["mean_listed"].to_numpy(), rel=0.2)
    assert (outcome["csv"]["null_vectors"] <= 0.05).all()
    assert set(rows_of_group(outcome["claims"], "feed_forward_value")["verdict"]) == {"matches"}


def test_values_that_write_the_list_differ_from_the_paper() -> None:
    tuned = known_tuning(0, attention_query=at_random, feed_forward_value=toward_sentiment)
    assert set(measured(tuned)["claims"]["verdict"]) == {"differs"}


def test_each_class_is_read_as_the_words_of_its_own_polarity(outcome: Outcome) -> None:
    own = outcome["classes"][outcome["classes"]["label"] == outcome["classes"]["polarity"]]
    other = outcome["classes"][outcome["classes"]["label"] != outcome["classes"]["polarity"]]
    assert (own["n_listed"] >= 12).all() and (own["p_value"] < 0.01).all()
    assert (other["n_listed"] <= 1).all()


def test_cards_show_the_end_with_the_listed_words(outcome: Outcome) -> None:
    rows = rows_of_group(outcome["cards"], "attention_query")
    for tokens in rows["tokens"]:
        assert np.mean([int(token[1:]) < 30 for token in tokens.split()]) == 1
    assert (rows["n_listed"] > 10).all()


def test_words_that_are_no_token_are_counted(outcome: Outcome) -> None:
    facts = outcome["lists"].iloc[0]
    assert facts["n_words"] == 31 and facts["n_missing"] == 1
    assert facts["n_listed_tokens"] == 30 and facts["missing"] == "unheardof"
    assert facts["n_read_tokens"] == 399 and facts["is_measured"]


def test_another_seed_of_the_run_moves_no_number(outcome: Outcome) -> None:
    alone = measured(
        known_tuning(0, attention_query=toward_sentiment, feed_forward_value=at_random)
    )
    first = outcome["csv"][outcome["csv"]["seed"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone["csv"], first)


def test_without_words_the_tables_are_empty() -> None:
    tuned = known_tuning(0, attention_query=at_random)
    tables = measured(tuned, vocabulary=known_vocabulary(n_listed=5))
    assert tables["csv"].empty and tables["classes"].empty
    assert not tables["lists"]["is_measured"].any()


def test_a_run_on_other_classes_has_empty_tables() -> None:
    """A run on topics gets no verdict on words of sentiment."""
    tuned = known_tuning(0, attention_query=toward_sentiment)
    topics = replace(tuned, head_after=replace(tuned.head_after, labels=["sport", "politics"]))
    tables = measured(topics)
    assert tables["claims"].empty and not tables["lists"]["is_measured"].any()


def test_more_words_of_a_change_than_there_are_tokens_are_refused() -> None:
    tuned = known_tuning(0, attention_query=toward_sentiment)
    with pytest.raises(InputError, match="key 'n_tokens': found 300, allowed: up to 199"):
        measured(tuned, n_tokens=300)


def test_random_lists_need_as_many_other_words() -> None:
    vocabulary = known_vocabulary()
    kinds = ["word"] * 50 + ["piece"] * (len(vocabulary.kinds) - 50)
    tuned = known_tuning(0, attention_query=toward_sentiment)
    with pytest.raises(InputError, match="found 20 words that are read and not listed"):
        measured(tuned, vocabulary=replace(vocabulary, kinds=kinds))


def test_half_of_the_tokens_and_as_many_others_as_are_listed_are_enough() -> None:
    vocabulary = known_vocabulary()
    is_read = vocabulary.not_of(["special"])
    n_read = int(is_read.sum())
    n_listed = int(vocabulary.of("positive", "negative").sum())
    require_enough(vocabulary, is_read, n_read - n_listed, n_read // 2, SETTINGS)
    with pytest.raises(InputError, match=f"found {n_read // 2 + 1}, allowed: up to {n_read // 2}"):
        require_enough(vocabulary, is_read, n_listed, n_read // 2 + 1, SETTINGS)
    with pytest.raises(InputError, match=f"expected {n_read - n_listed + 1} or more"):
        require_enough(vocabulary, is_read, n_read - n_listed + 1, 1, SETTINGS)
