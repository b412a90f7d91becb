"""Holds rows of attention to values by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from embspace.measure.sequences.sequence_attention_maps import ANY, OWN, SequenceAttention
from embspace.measure.sequences.sequence_attention_rows import layer_rows, place_rows, region_rows
from tests.measure.sequences.small import N_PLACES, planted_sequences

OPTIONS: dict[str, Any] = {"n_resamples": 20, "level": 0.95, "seed": 0}
N = 8


def attention(weights: str, inside: float, seed: int = 0) -> SequenceAttention:
    """One layer and head that gives `inside` to places of a region and 0.1 to others."""
    shape = (2, 1, 1, N)
    values = {ANY: np.full(shape, inside), OWN: np.full(shape, inside)}
    values[OWN][..., ::2] = np.nan
    outside = {region: np.where(np.isnan(each), np.nan, 0.1) for region, each in values.items()}
    states, of_attention = np.full((2, 2, N), 3.0), np.full((4, 1, N), 0.5)
    places = np.full((2, 1, N_PLACES), inside)
    return SequenceAttention(weights, seed, values, outside, states, of_attention, places)


def test_ratios_their_verdict_and_the_largest_at_random() -> None:
    placed, _ = planted_sequences(N)
    models = [
        attention("trained", 0.4),
        attention("random weights", 0.15),
        attention("random weights", 0.2, 1),
    ]
    rows = list(region_rows(models, placed, **OPTIONS))
    assert len(rows) == 3 * 2 * 2
    of_trained = [row for row in rows if row["weights"] == "trained"]
    for row in of_trained:
        assert row["ratio"] == pytest.approx(4)
        assert row["ratio_low"] == pytest.approx(4)  # nothing differs between documents
        assert row["largest_random_ratio"] == pytest.approx(2)
        assert row["looks_there"]
        assert row["n_documents"] == (N if row["region"] == ANY else N // 2)
        assert (row["layer"], row["head"]) == (1, 1)
    assert not any("looks_there" in row for row in rows if row["weights"] != "trained")
    below = [attention("trained", 0.15), attention("random weights", 0.2)]
    found = [row for row in region_rows(below, placed, **OPTIONS) if row["weights"] == "trained"]
    assert not any(row["looks_there"] for row in found)


def two_heads(weights: str, first: float, second: float) -> SequenceAttention:
    """One layer of two heads, of which each gives so many times as much to places of a region."""
    one, other = attention(weights, 0.1 * first), attention(weights, 0.1 * second)
    inside = {key: np.concatenate([each, other.inside[key]], 2) for key, each in one.inside.items()}
    outside = {key: np.concatenate([each, each], 2) for key, each in one.outside.items()}
    return replace(one, inside=inside, outside=outside)


def test_heads_are_held_against_those_of_all_random_weights_together() -> None:
    placed, _ = planted_sequences(N)
    at_random = [two_heads("random weights", 0.5, 3), two_heads("random weights", 0.8, 0.9)]

    def verdicts(first: float, second: float) -> list[tuple[bool, ...]]:
        models = [two_heads("trained", first, second), *at_random]
        names = ("looks_there", "above_random_heads", "below_random_heads")
        rows = region_rows(models, placed, **OPTIONS)
        found = [row for row in rows if row["weights"] == "trained" and row["region"] == ANY]
        assert all(row["smallest_ratio_of_random_heads"] == pytest.approx(0.5) for row in found)
        assert all(row["largest_ratio_of_random_heads"] == pytest.approx(3) for row in found)
        named = [row for row in found if row["reader"] == "first token"]
        return [tuple(row[name] for name in names) for row in named]

    # Above the same head, yet below the largest of all; then above and below all of them.
    assert verdicts(2, 2) == [(True, False, False), (False, False, False)]
    assert verdicts(4, 0.25) == [(True, True, False), (False, False, True)]
    assert verdicts(0.6, 3.5) == [(False, False, False), (True, True, False)]


def test_layers_of_states_begin_with_0_and_those_of_attention_with_1() -> None:
    placed, _ = planted_sequences(N)
    rows = list(layer_rows([attention("trained", 0.4)], placed, **OPTIONS))
    layers = {
        quantity: [row["layer"] for row in rows if row["quantity"] == quantity]
        for quantity in ("cone_index", "row_entropy")
    }
    assert layers == {"cone_index": [0, 1], "row_entropy": [1]}
    assert {row["value"] for row in rows} == {3.0, 0.5}


def test_places_are_the_mean_of_trained_seeds() -> None:
    placed, _ = planted_sequences(N)
    models = [attention("trained", 0.2), attention("trained", 0.4, 1), attention("random", 9.0)]
    rows = list(place_rows(models, placed))
    assert [row["attention"] for row in rows] == pytest.approx([0.3] * 2 * N_PLACES)
    assert sum(row["n_changes"] for row in rows) == 2 * 3
    assert {row["layer"] for row in rows} == {1}  # of one block
