"""`measure_keep_k`: both inverses beside each other, hidden states of documents apart."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.layers import CorpusStates
from embspace.measure.parameters.keep_k import (
    _choice,
    _hidden,
    _size,
    _table,
    measure_keep_k,
)
from embspace.measure.parameters.vocabulary_space import VocabularySpace
from tests.analyses import settings_of
from tests.measure.parameters.spaces import DIM, module_with, space_of
from tests.models.parameters.tiny import TOKENS

FEW: dict[str, Any] = {"n_vectors": 20, "n_pool": 40, "ks": [1, 5, 60, 1000], "n_draws": 30}
DECIDED_BY_SEED = ("value", "advantage", "chosen_inverse", "mean_transpose", "mean_pseudo_inverse")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    space = VocabularySpace(None, None, []) if is_empty else space_of(module_with())
    return {"space": space, "corpora": {"articles": states()}}


def measured(module: Any = None, corpora: Any = None, **change: Any) -> dict[str, Any]:
    few = FEW | {"sizes": [10, 15, 20], "level": 0.9}
    settings = settings_of(measure_keep_k, **few | change)
    return measure_keep_k(space_of(module or module_with()), corpora or {}, **settings)


def states() -> CorpusStates:
    rng = np.random.default_rng(1)
    tokens = pd.DataFrame({"window": np.repeat(np.arange(6), 10), "repeated": False})
    x = rng.normal(size=(4, 60, DIM)).astype(np.float32)
    return CorpusStates({"token": x, "mean": x[:, :6]}, np.arange(6), tokens)


def test_each_kind_has_each_k_of_the_vocabulary_and_each_inverse():
    outcome = measured(None, {"articles": states()})
    scores = outcome["csv"]
    kinds = {"normal", "feed_forward_key", "feed_forward_value", "hidden_state"}
    assert set(scores["kind"]) == kinds
    assert set(scores["k"]) == {1, 5, 60}
    assert len(scores) == 4 * 3 * 2
    assert (scores["n_draws"] == 30).all()
    assert (scores["n_vectors"] == 20).all()
    assert (scores["low"] <= scores["value"] + 1e-9).all()
    assert (scores["value"] <= scores["high"] + 1e-9).all()
    assert outcome["json"]["chosen_inverse"] in ("transpose", "pseudo_inverse")


def test_all_tokens_keep_everything_under_the_pseudo_inverse():
    scores = measured()["csv"]
    rows = scores[(scores["k"] == len(TOKENS)) & (scores["inverse"] == "pseudo_inverse")]
    assert rows["value"].to_numpy() == pytest.approx(1, abs=1e-5)


def test_the_chosen_inverse_has_the_higher_mean():
    scores, _, facts = measured().values()
    means = {name: facts[f"mean_{name}"] for name in ("transpose", "pseudo_inverse")}
    assert facts["chosen_inverse"] == max(means, key=lambda name: means[name])
    rows = scores[scores["kind"].str.startswith("feed_forward")]
    assert means["transpose"] == pytest.approx(
        rows.loc[rows["inverse"] == "transpose", "value"].mean()
    )


def test_the_advantage_is_that_of_the_chosen_inverse_with_its_interval():
    facts = measured()["json"]
    means = sorted(facts[f"mean_{name}"] for name in ("transpose", "pseudo_inverse"))
    assert facts["advantage"] == pytest.approx(means[1] - means[0])
    assert facts["advantage_low"] <= facts["advantage"] <= facts["advantage_high"]


def test_long_vectors_make_draws_differ():
    even, odd = module_with(), module_with(topic=np.full(DIM, 300, dtype=np.float32))
    widths = []
    for module in (even, odd):
        scores = measured(module)["csv"].query("kind == 'feed_forward_value' and k == 1")
        row = scores[scores["inverse"] == "transpose"]
        widths.append((row["high"] - row["low"]).item())
    assert widths[1] > 2 * widths[0]


def test_no_draw_has_more_than_half_of_its_pool():
    scores = measured(n_pool=26)["csv"]
    assert (scores["n_vectors"] == 13).all() and (scores["n_pool"] == 26).all()


def test_the_number_of_vectors_is_shown():
    sizes = measured()["sizes"]
    normal = sizes[(sizes["kind"] == "normal") & (sizes["inverse"] == "transpose")]
    assert normal.loc[normal["k"] == 5, "n_vectors"].tolist() == [10, 15, 20]
    assert set(sizes["k"]) == {1, 5, 60}
    values = normal.loc[normal["k"] == 5, "value"].tolist()
    assert values == sorted(values, reverse=True)


def test_a_corpus_that_is_not_there_has_no_hidden_states():
    scores, _, facts = measured().values()
    assert "hidden_state" not in set(scores["kind"])
    assert facts["corpus"] is None


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
    table = _table(drawn, pools, 0.5)
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
    rows = sorted(map(tuple, np.column_stack([pool.vectors, pool.unit]).tolist()))
    expected = [(layer, token, 7 if token < 2 else 5) for layer in (1, 2) for token in (0, 1, 3)]
    assert rows == expected
    assert len(_hidden(read, 4, np.random.default_rng(0)).unit) == 4
