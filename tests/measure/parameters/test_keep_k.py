"""`measure_keep_k`: both inverses beside each other, hidden states of documents apart."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import CorpusStates
from embspace.measure.parameters.keep_k import (
    _choice,
    _hidden,
    _rows,
    _size,
    measure_keep_k,
)
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from tests.measure.parameters.spaces import DIM, module_with, space_of
from tests.models.parameters.tiny import TOKENS

SETTINGS: dict[str, Any] = {
    "corpus": "articles",
    "n_vectors": 20,
    "n_pool": 40,
    "ks": [1, 5, 60, 1000],
    "sizes": [10, 15, 20],
    "n_draws": 30,
    "level": 0.9,
    "seed": 0,
}


def states() -> CorpusStates:
    rng = np.random.default_rng(1)
    tokens = pd.DataFrame({"window": np.repeat(np.arange(6), 10), "repeated": False})
    x = rng.normal(size=(4, 60, DIM)).astype(np.float32)
    return CorpusStates({"token": x, "mean": x[:, :6]}, np.arange(6), tokens)


def test_each_kind_has_each_k_of_the_vocabulary_and_each_inverse():
    found = measure_keep_k(space_of(module_with()), {"articles": states()}, **SETTINGS)
    kinds = {"normal", "feed_forward_key", "feed_forward_value", "hidden_state"}
    assert set(found.scores["kind"]) == kinds
    assert set(found.scores["k"]) == {1, 5, 60}
    assert len(found.scores) == 4 * 3 * 2
    assert (found.scores["n_draws"] == 30).all()
    assert (found.scores["n_vectors"] == 20).all()
    assert (found.scores["low"] <= found.scores["value"] + 1e-9).all()
    assert (found.scores["value"] <= found.scores["high"] + 1e-9).all()
    assert found.facts["chosen_inverse"] in ("transpose", "pseudo_inverse")


def test_all_tokens_keep_everything_under_the_pseudo_inverse():
    found = measure_keep_k(space_of(module_with()), {}, **SETTINGS).scores
    rows = found[(found["k"] == len(TOKENS)) & (found["inverse"] == "pseudo_inverse")]
    assert rows["value"].to_numpy() == pytest.approx(1, abs=1e-5)


def test_the_chosen_inverse_has_the_higher_mean():
    found = measure_keep_k(space_of(module_with()), {}, **SETTINGS)
    means = {each: found.facts[f"mean_{each}"] for each in ("transpose", "pseudo_inverse")}
    assert found.facts["chosen_inverse"] == max(means, key=lambda each: means[each])
    rows = found.scores[found.scores["kind"].str.startswith("feed_forward")]
    assert means["transpose"] == pytest.approx(
        rows.loc[rows["inverse"] == "transpose", "value"].mean()
    )


def test_the_advantage_is_that_of_the_chosen_inverse_with_its_interval():
    facts = measure_keep_k(space_of(module_with()), {}, **SETTINGS).facts
    means = sorted(facts[f"mean_{each}"] for each in ("transpose", "pseudo_inverse"))
    assert facts["advantage"] == pytest.approx(means[1] - means[0])
    assert facts["advantage_low"] <= facts["advantage"] <= facts["advantage_high"]


def test_long_vectors_make_draws_differ():
    even, odd = module_with(), module_with(topic=np.full(DIM, 300, dtype=np.float32))
    widths = []
    for module in (even, odd):
        found = measure_keep_k(space_of(module), {}, **SETTINGS).scores
        row = found.query("kind == 'feed_forward_value' and k == 1 and inverse == 'transpose'")
        widths.append((row["high"] - row["low"]).item())
    assert widths[1] > 2 * widths[0]


def test_no_draw_has_more_than_half_of_its_pool():
    found = measure_keep_k(space_of(module_with()), {}, **SETTINGS | {"n_pool": 26}).scores
    assert (found["n_vectors"] == 13).all() and (found["n_pool"] == 26).all()


def test_the_number_of_vectors_is_shown():
    found = measure_keep_k(space_of(module_with()), {}, **SETTINGS).sizes
    normal = found[(found["kind"] == "normal") & (found["inverse"] == "transpose")]
    assert normal.loc[normal["k"] == 5, "n_vectors"].tolist() == [10, 15, 20]
    assert set(found["k"]) == {1, 5, 60}
    values = normal.loc[normal["k"] == 5, "value"].tolist()
    assert values == sorted(values, reverse=True)


def test_a_corpus_that_is_not_there_has_no_hidden_states():
    found = measure_keep_k(space_of(module_with()), {}, **SETTINGS)
    assert "hidden_state" not in set(found.scores["kind"])
    assert found.facts["corpus"] is None


def test_an_architecture_that_is_not_known_has_empty_tables():
    found = measure_keep_k(VocabularySpace(None, None, []), {}, **SETTINGS)
    assert found.scores.empty
    assert found.sizes.empty
    assert found.facts == {"known": False, "architecture": None}


def test_every_number_of_the_rows_and_of_the_choice():
    low, high = np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.9])
    drawn = {
        ("feed_forward_key", "transpose", 5, 20): low,
        ("feed_forward_value", "transpose", 500, 20): low + 0.2,
        ("feed_forward_key", "transpose", 501, 20): low + 9,  # more words than are read
        ("normal", "transpose", 5, 20): low + 9,
        ("feed_forward_key", "pseudo_inverse", 5, 20): high,
        ("feed_forward_value", "pseudo_inverse", 500, 20): high,
    }
    facts = _choice(drawn, 0.5)
    assert facts["chosen_inverse"] == "pseudo_inverse"
    numbers = ("mean_transpose", "mean_pseudo_inverse", "advantage")
    assert [facts[name] for name in numbers] == pytest.approx([0.3, 0.6, 0.3])
    # Of draws that differ by .2, .2 and .5 the middle half.
    assert (facts["advantage_low"], facts["advantage_high"]) == pytest.approx((0.2, 0.35))
    pools = {"feed_forward_key": 40, "feed_forward_value": 41, "normal": 42}
    table = _rows(drawn, pools, 0.5)
    assert list(table.itertuples(index=False, name=None))[:1] == [
        ("feed_forward_key", "transpose", 5, 20, *map(pytest.approx, (0.2, 0.15, 0.25)), 3, 40)
    ]
    assert table["n_pool"].tolist() == [40, 41, 40, 42, 40, 41]


def test_a_draw_is_half_of_its_pool_at_most_and_one_at_least():
    assert [_size(20, n) for n in (100, 40, 26, 3, 2, 1)] == [20, 20, 13, 1, 1, 1]


def test_hidden_states_are_of_blocks_and_of_tokens_that_are_read_first():
    x = np.zeros((3, 4, 2), dtype=np.float32)
    x[:, :, 0], x[:, :, 1] = np.arange(3)[:, None], np.arange(4)
    tokens = pd.DataFrame({"window": [0, 0, 1, 1], "repeated": [False, False, True, False]})
    read = CorpusStates({"token": x}, np.array([7, 5]), tokens)
    pool = _hidden(read, 99, np.random.default_rng(0))
    found = sorted(map(tuple, np.column_stack([pool.vectors, pool.unit]).tolist()))
    expected = [(layer, token, 7 if token < 2 else 5) for layer in (1, 2) for token in (0, 1, 3)]
    assert found == expected
    assert len(_hidden(read, 4, np.random.default_rng(0)).unit) == 4
