"""Holds rows of attention to values by hand."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from embspace.measure.sequences.sequence_attention_maps import ANY, OWN, SequenceAttention
from embspace.measure.sequences.sequence_attention_rows import (
    _ratios,
    layer_rows,
    place_rows,
    region_rows,
)
from tests.measure.sequences.small import N_PLACES, planted_sequences

OPTIONS: dict[str, Any] = {"n_resamples": 20, "level": 0.95, "seed": 0}
N = 8


def attention(weights: str, inside: float, seed: int = 0) -> SequenceAttention:
    """One layer and head that gives `inside` to places of a region and 0.1 to others."""
    shape = (2, 1, 1, N)
    values = {ANY: np.full(shape, inside), OWN: np.full(shape, inside)}
    values[OWN][..., ::2] = np.nan
    outside = {region: np.where(np.isnan(mass), np.nan, 0.1) for region, mass in values.items()}
    states, measures = np.full((2, 2, N), 3.0), np.full((4, 1, N), 0.5)
    places = np.full((2, 1, N_PLACES), inside)
    return SequenceAttention(weights, seed, values, outside, states, measures, places)


def test_ratios_their_verdict_and_the_largest_at_random() -> None:
    placed, _ = planted_sequences(N)
    models = [
        attention("trained", 0.4),
        attention("random weights", 0.15),
        attention("random weights", 0.2, 1),
    ]
    rows = list(region_rows(models, placed, **OPTIONS))
    assert len(rows) == 3 * 2 * 2
    trained = [row for row in rows if row["weights"] == "trained"]
    for row in trained:
        assert row["ratio"] == pytest.approx(4)
        assert row["ratio_low"] == pytest.approx(4)  # nothing differs between documents
        assert row["largest_random_ratio"] == pytest.approx(2)
        assert row["looks_there"]
        assert row["n_documents"] == (N if row["region"] == ANY else N // 2)
        assert (row["layer"], row["head"]) == (1, 1)
    assert not any("looks_there" in row for row in rows if row["weights"] != "trained")
    below = [attention("trained", 0.15), attention("random weights", 0.2)]
    lower = [row for row in region_rows(below, placed, **OPTIONS) if row["weights"] == "trained"]
    assert not any(row["looks_there"] for row in lower)


def two_heads(weights: str, first: float, second: float) -> SequenceAttention:
    """One layer of two heads, of which each gives so many times as much to places of a region."""
    one, other = attention(weights, 0.1 * first), attention(weights, 0.1 * second)
    inside = {key: np.concatenate([mass, other.inside[key]], 2) for key, mass in one.inside.items()}
    outside = {key: np.concatenate([mass, mass], 2) for key, mass in one.outside.items()}
    return replace(one, inside=inside, outside=outside)


def test_heads_are_held_against_those_of_all_random_weights_together() -> None:
    placed, _ = planted_sequences(N)
    at_random = [two_heads("random weights", 0.5, 3), two_heads("random weights", 0.8, 0.9)]

    def verdicts(first: float, second: float) -> list[tuple[bool, ...]]:
        models = [two_heads("trained", first, second), *at_random]
        names = ("looks_there", "above_random_heads", "below_random_heads")
        rows = region_rows(models, placed, **OPTIONS)
        trained = [row for row in rows if row["weights"] == "trained" and row["region"] == ANY]
        assert all(row["smallest_ratio_of_random_heads"] == pytest.approx(0.5) for row in trained)
        assert all(row["largest_ratio_of_random_heads"] == pytest.approx(3) for row in trained)
        named = [row for row in trained if row["reader"] == "first token"]
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


def test_every_number_of_a_region() -> None:
    placed, _ = planted_sequences(N)
    rows = list(region_rows([attention("trained", 0.3, 5)], placed, **OPTIONS))
    assert [(row["region"], row["reader"]) for row in rows] == [
        (region, reader) for region in (ANY, OWN) for reader in ("first token", "k-mers")
    ]
    for row in rows:
        assert (row["model_seed"], row["weights"]) == (5, "trained")
        assert (row["attention_inside"], row["attention_outside"]) == pytest.approx((0.3, 0.1))
        assert [row[f"ratio{end}"] for end in ("", "_low", "_high")] == pytest.approx([3, 3, 3])
        assert np.isnan(row["largest_random_ratio"]) and row["looks_there"] is False


def test_a_ratio_is_that_of_the_means_and_classes_keep_their_share() -> None:
    label = np.array([4, 4, 4, 4, 7, 7])  # halves have two of the one and one of the other
    sides = np.empty((2, 1, 1, 1, 6))
    sides[0], sides[1] = np.where(label == 4, 1.0, 4.0), np.where(label == 4, 2.0, 1.0)
    means, interval = _ratios(sides, label, **OPTIONS)
    assert means.ravel() == pytest.approx([12 / 6, 10 / 6])
    assert (interval.low.item(), interval.high.item()) == pytest.approx((1.2, 1.2))
    alone, undefined = _ratios(sides[..., :5], label[:5], **OPTIONS)
    assert alone.ravel() == pytest.approx([8 / 5, 9 / 5])
    assert np.isnan([undefined.low.item(), undefined.high.item()]).all()


def test_every_number_of_layers_and_places() -> None:
    placed, _ = planted_sequences(N)
    states = np.arange(4.0).reshape(2, 2, 1) + np.zeros(N)
    measures = np.arange(8.0).reshape(4, 2, 1) + np.zeros(N)
    places = np.arange(4.0).reshape(2, 2, 1) + np.arange(N_PLACES) / 100
    blocks = np.zeros((2, 2, 1, N))
    given = SequenceAttention("trained", 0, {}, {ANY: blocks}, states, measures, places)
    rows = list(layer_rows([given], placed, **OPTIONS))
    quantities = ["cone_index", "mean_cosine", "row_entropy", "value_entropy"]
    quantities += ["to_first_token", "to_separator"]
    assert [row["quantity"] for row in rows] == np.repeat(quantities, 2).tolist()
    assert [row["layer"] for row in rows] == [0, 1] * 2 + [1, 2] * 4
    for end in ("", "_low", "_high"):  # nothing differs between documents
        values = [row[f"value{end}"] for row in rows]
        assert values == pytest.approx([0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7])
    assert {row["n_documents"] for row in rows} == {N}
    shown = list(place_rows([given], placed))
    expected = [
        (layer + 1, reader, place, place + 1, place + 1, 2.0 * number + layer + place / 100)
        for layer in (0, 1)
        for number, reader in enumerate(("first token", "k-mers"))
        for place in range(N_PLACES)
    ]
    columns = ("layer", "reader", "place", "first_codon", "last_codon", "attention")
    cells = [tuple(row[column] for column in columns) for row in shown]
    assert [row[:5] for row in cells] == [row[:5] for row in expected]
    assert [row[5] for row in cells] == pytest.approx([row[5] for row in expected])
