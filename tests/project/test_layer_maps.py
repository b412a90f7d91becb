"""Holds the stage to planted layers: which neighbors change, and what the table says of it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.analysis import Outcome
from embspace.clouds.layers import CorpusStates
from embspace.project.layer_maps import (
    CHANGED,
    COORDINATES,
    changed_shares,
    project_layer_maps,
)
from tests.measure.attention.reading import cached_reader
from tests.measure.layer_corpora import LENGTH, corpus

SETTINGS: dict[str, Any] = {
    "left_out": ["skipped"],
    "most_tokens": 120,
    "smallest_n": 20,
    "n_neighbors": 6,
    "min_dist": 0.1,
    "n_epochs": 30,
    "negative_sample_rate": 5,
    "jitter": 0.01,
    "learning_rate": 0.1,
    "quality_n_neighbors": 5,
    "n_context": 2,
    "n_half_samples": 20,
    "level": 0.95,
    "tokens_per_batch": 512,
    "device": "cpu",
    "seed": 0,
}


FEW = SETTINGS | {"most_tokens": 60}
for given in ("seed", "device"):
    FEW.pop(given)
# Tokens are drawn, and the maps begin at random.
DECIDED_BY_SEED = (
    *("neighbor_recall", "changed_in_space", "changed_in_map", "changed_between_seeds"),
    "random_weights_changed",
    *("n", "n_documents", "chance_neighbor_recall", "chance_changed"),
    *("displacement", "displacement_between_seeds"),
    *COORDINATES,
)


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {
        "corpora": {} if is_empty else {"news": planted(8)},
        "module": cached_reader().module,
        "final_norm": None,
    }


def named(read: CorpusStates) -> CorpusStates:
    """The corpus with a piece of the vocabulary for each token."""
    return replace(read, tokens=read.tokens.assign(token="t" + read.tokens["id"].astype(str)))


def planted(n_documents: int = 14) -> CorpusStates:
    """Layer 1 is layer 0, twice as long and turned; layer 2 has nothing to do with them."""
    read = named(corpus(n_documents, dim=8))
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(8, 8)))[0]
    rng = np.random.default_rng(n_documents)
    first = rng.normal(size=read.states["token"].shape[1:])
    token = np.stack([first, 2 * first @ turn, rng.normal(size=first.shape)]).astype(np.float32)
    return replace(read, states={**read.states, "token": token})


def maps_of(*parts: CorpusStates, **given: Any) -> Outcome:
    corpora = {f"corpus_{number}": part for number, part in enumerate(parts)}
    return project_layer_maps(corpora, None, None, **SETTINGS | given)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return maps_of(planted(), planted(6))


def test_neighbors_stay_under_a_turn_and_go_where_layers_have_nothing_in_common(
    outcome: Outcome,
) -> None:
    table = outcome["csv"]
    assert table["layer"].tolist() == [0, 1, 2]
    assert np.isnan(table["changed_in_space"][0]) and np.isnan(table["changed_in_map"][0])
    assert table["changed_in_space"][1] == 0
    chance = table["chance_changed"][2]
    assert table["changed_in_space"][2] == pytest.approx(chance, abs=0.04)
    assert table["changed_in_map"][2] == pytest.approx(chance, abs=0.04)
    assert chance == pytest.approx(1 - 5 / (table["n"][0] - 1))
    assert table["chance_neighbor_recall"][0] == pytest.approx(1 - chance)
    assert (table["neighbor_recall"] > 3 * table["chance_neighbor_recall"]).all()
    assert (table["changed_between_seeds"] < chance).all()
    assert (table["changed_between_seeds"] > 0).all()  # by another seed, not by the same again
    assert (table["displacement_between_seeds"] > 0).all()
    assert table["displacement"][1] < table["displacement"][2]


def test_random_weights_read_the_same_tokens_and_vectors_alone_have_none(outcome: Outcome) -> None:
    assert outcome["csv"]["random_weights_changed"].isna().all()
    reader = cached_reader()
    read = planted(8)
    made = project_layer_maps({"news": read}, reader.module, None, **SETTINGS)
    changed = made["csv"]["random_weights_changed"]
    assert np.isnan(changed[0]) and changed[1:].between(0, 1).all()
    assert (changed[1:] < made["csv"]["chance_changed"][1:]).all()
    alone = maps_of(read)["csv"]
    pd.testing.assert_frame_equal(
        made["csv"].drop(columns="random_weights_changed"),
        alone.drop(columns="random_weights_changed"),
    )


def test_intervals_hold_their_value_and_are_shares(outcome: Outcome) -> None:
    for name in ("neighbor_recall", *CHANGED):
        rows = outcome["csv"].dropna(subset=name)
        assert (rows[f"{name}_low"] <= rows[name]).all()
        assert (rows[name] <= rows[f"{name}_high"]).all()
        assert rows[f"{name}_low"].min() >= 0 and rows[f"{name}_high"].max() <= 1


def test_the_same_ordinary_tokens_are_on_all_maps(outcome: Outcome) -> None:
    places = outcome["parquet"]
    assert list(places) == COORDINATES
    keys = ["corpus", "window", "position"]
    first = places[places["layer"] == 0]
    assert not first.duplicated(keys).any()
    for layer in (1, 2):
        rows = places[places["layer"] == layer]
        assert rows[keys].to_numpy().tolist() == first[keys].to_numpy().tolist()
    assert first["position"].between(1, LENGTH - 2).all()
    sizes = first.groupby("corpus").size()
    assert sizes["corpus_0"] == 120  # of more; of the second all
    ordinary = planted(6).tokens.query("~special and ~repeated and position > 0")
    assert sizes["corpus_1"] == len(ordinary)
    assert len(set(first["document"])) == outcome["csv"]["n_documents"][0] == 14 + 6


def test_means_of_the_tokens_are_those_of_the_table(outcome: Outcome) -> None:
    means = outcome["parquet"].groupby("layer")[CHANGED].mean()
    expected = outcome["csv"].set_index("layer")[CHANGED]
    assert means.to_numpy(dtype=float) == pytest.approx(expected.to_numpy(), nan_ok=True, abs=1e-6)


def test_a_token_stands_among_those_around_it_in_its_window(outcome: Outcome) -> None:
    tokens = planted(6).tokens
    rows = outcome["parquet"].query("corpus == 'corpus_1' and layer == 0")
    for row in rows.head(30).itertuples():
        window = tokens[tokens["window"] == row.window]["token"].tolist()
        at = int(str(row.position))
        around = [*window[max(at - 2, 0) : at], f"[{window[at]}]", *window[at + 1 : at + 3]]
        assert row.context == " ".join(around)


def test_a_seed_decides_alone() -> None:
    one, other = maps_of(planted(8)), maps_of(planted(8))
    pd.testing.assert_frame_equal(one["parquet"], other["parquet"])
    pd.testing.assert_frame_equal(one["csv"], other["csv"])
    assert not maps_of(planted(8), seed=1)["csv"].equals(one["csv"])


def test_vectors_that_are_equal_at_layer_0_are_on_the_map_once() -> None:
    read = planted(8)
    token = read.states["token"].copy()
    token[0] = token[0][read.tokens["id"].to_numpy()]  # a vector of each word
    same = replace(read, states={**read.states, "token": token})
    table = maps_of(same, smallest_n=8)["csv"]
    assert table["n"][0] <= read.tokens["id"].nunique()


def test_what_two_corpora_have_in_common_is_on_the_map_once() -> None:
    once = maps_of(planted(8), most_tokens=1000)
    twice = maps_of(planted(8), planted(8), most_tokens=1000)
    assert once["csv"]["n"][0] == twice["csv"]["n"][0]
    assert set(twice["parquet"]["corpus"]) == {"corpus_0"}


def test_without_enough_tokens_there_is_no_map(caplog: pytest.LogCaptureFixture) -> None:
    without = replace(planted(), states={"mean": planted().states["mean"]})
    for corpora in ({}, {"skipped": planted()}, {"pooled": without}, {"few": planted(1)}):
        outcome = project_layer_maps(corpora, None, None, **SETTINGS)
        assert outcome["parquet"].empty and outcome["csv"].empty
        assert list(outcome["parquet"]) == COORDINATES
    assert caplog.messages == ["no maps of layers: not enough tokens with states"] * 4


def test_shares_that_are_gone_do_not_depend_on_the_order() -> None:
    one = np.array([[1, 2, 3], [0, 2, 3]])
    other = np.array([[3, 2, 1], [4, 5, 3]])
    assert changed_shares(one, other) == pytest.approx([0, 2 / 3])
    assert changed_shares(one, one[:, ::-1]) == pytest.approx([0, 0])
