"""`related_pairs`: words of planted partners, beside what counting every pair of them gives."""

from typing import Any

import numpy as np
import pytest

from embspace.geometry.parameters.related import set_similarity, strongest_tokens
from embspace.measure.parameters.related_pairs import (
    MEASURES,
    DealtPairs,
    _Common,
    layer_pairs,
    mean_rows,
    pair_rows,
)
from tests.measure.parameters.spaces import embedding, module_with, space_of

SETTINGS: dict[str, Any] = {"k": 6, "related_from": 0.5, "n_deals": 30}


def dealt(layer: int = 1) -> dict[str, DealtPairs]:
    parameters = space_of(module_with()).parameters
    rng = np.random.default_rng(0)
    pairs = layer_pairs(parameters.layers[layer - 1], embedding(), rng=rng, **SETTINGS)
    return {deal.pair: deal for deal in pairs}


def test_pairs_and_partners_are_those_of_counting_them_one_by_one():
    own = dealt()["key_value"]
    layer = space_of(module_with()).parameters.layers[0]
    sets = [
        strongest_tokens(vectors, embedding(), 6, absolute=False)
        for vectors in (layer.ff_keys["key"], layer.ff_values)
    ]
    every = np.array([set_similarity(np.tile(row, (len(sets[1]), 1)), sets[1]) for row in sets[0]])
    assert own.value[0] == pytest.approx(np.diag(every).mean())
    assert own.any_partner[0] == pytest.approx(every.mean())
    assert own.n_pairs == len(every)


def test_deals_lie_around_the_mean_over_all_partners():
    for own in dealt().values():
        spread = own.dealt.std(axis=0) / np.sqrt(len(own.dealt))
        assert (np.abs(own.dealt.mean(axis=0) - own.any_partner) <= 4 * spread + 1e-12).all()


def test_random_weights_are_not_beyond_chance():
    rows = list(mean_rows([*dealt(1).values(), *dealt(2).values()], 0.95))
    assert len(rows) == 3 * len(MEASURES)
    assert {row["n_layers"] for row in rows} == {2}
    assert np.median([row["p_value"] for row in rows]) > 0.05


def test_the_mean_over_layers_is_of_values_and_deals_alike():
    one = DealtPairs(1, "key_value", 4, np.full(3, 0.5), np.full(3, 0.1), np.full((9, 3), 0.2))
    two = DealtPairs(2, "key_value", 4, np.full(3, 0.1), np.full(3, 0.3), np.full((9, 3), 0.4))
    whole = next(mean_rows([one, two], 0.9))
    assert whole["value"] == pytest.approx(0.3) and whole["shuffled"] == pytest.approx(0.2)
    assert whole["shuffled_high"] == pytest.approx(0.3) and whole["n_pairs"] == 8
    assert [row["p_value"] for row in pair_rows([one, two], 0.9)] == [0.1] * 3 + [1.0] * 3


def test_every_number_of_a_pair_of_groups():
    value, anyone = np.array([0.5, 0.4, 0.3]), np.array([0.1, 0.2, 0.25])
    deals = np.arange(9.0)[:, None] / 10 + np.array([0, 0.1, 0.2])
    rows = list(pair_rows([DealtPairs(4, "query_key", 7, value, anyone, deals)], 0.5))
    expected = [
        {"measure": measure, "value": value[at], "shuffled": anyone[at]}
        | {"layer": 4, "pair": "query_key", "n_pairs": 7}
        for at, measure in enumerate(MEASURES)
    ]
    assert [{name: row[name] for name in expected[0]} for row in rows] == expected
    assert [row["shuffled_low"] for row in rows] == pytest.approx([0.2, 0.3, 0.4])
    assert [row["shuffled_high"] for row in rows] == pytest.approx([0.6, 0.7, 0.8])
    # Of 0 to .8 four are .5 or more; of .1 to .9 six .4 or more; of .2 to 1 eight .3 or more.
    assert [row["p_value"] for row in rows] == pytest.approx([0.5, 0.7, 0.9])


def test_words_in_common_are_counted_of_own_dealt_and_all_partners():
    first, second = np.array([[0, 1], [2, 3]]), np.array([[0, 1], [0, 3]])
    common = _Common(first, second, 5, np.array([[0, 1], [1, 0]]))
    # The first with both: 2 and 1 words; the second: 0 and 1.
    own, anyone, dealt = common.means(np.array([0.0, 0.5, 1.0]))
    assert (own, anyone) == (0.75, 0.5)
    assert dealt.tolist() == [0.75, 0.25]
