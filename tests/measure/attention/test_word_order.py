from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.analysis import Outcome
from embspace.measure.attention.attention_reader import AttentionReader, first_windows
from embspace.measure.attention.word_order import _order, _table, measure_word_order
from embspace.measure.attention.word_order_states import Moved
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from tests.analyses import settings_of
from tests.measure.attention.reading import ARTICLES, TEXTS, cached_reader, tiny_reader, write_texts
from tests.tiny import LAYERS
from tests.zoo import build_animal, describe_animal

FEW: dict[str, Any] = {"n_texts": 6, "most_tokens": 20, "n_half_samples": 20, "n_seeds": 1}
SETTINGS = settings_of(measure_word_order, **FEW, tokens_per_batch=50)
del SETTINGS["texts"]
FEW |= ARTICLES
DECIDED_BY_SEED = ("cosine", "distance", "largest_distance", "largest_distance_without_positions")
DECIDED_BY_SEED += ("distance_of_other_tokens", "random_weights_cosine", "random_weights_distance")


def inputs(*, is_empty: bool) -> dict[str, Any]:
    return {"reader": None if is_empty else cached_reader()}


def measured_animal(name: str, tmp_path: Path) -> Outcome:
    model = describe_animal(name, build_animal(name, tmp_path / name))
    reader = AttentionReader(model, load_model(name, model), load_tokenizer(name, model))
    return measure_word_order(reader, texts=write_texts(tmp_path / "x.jsonl", TEXTS), **SETTINGS)


def test_an_encoder_without_positions_knows_no_order_and_one_with_them_does(
    tiny_folder: Path, tmp_path: Path
):
    texts = write_texts(tmp_path / "x.jsonl", TEXTS)
    outcome = measure_word_order(tiny_reader(tiny_folder), texts=texts, **SETTINGS)
    assert outcome["csv"]["layer"].tolist() == 2 * list(range(LAYERS + 1))
    kept, removed = (part for _, part in outcome["csv"].groupby("positions"))
    assert (removed["largest_distance"] <= 1e-5).all()
    assert removed["cosine"].tolist() == pytest.approx([1] * (LAYERS + 1))
    assert (kept["distance"] > 0.1).all()
    assert (kept["distance_low"] <= kept["distance"]).all()
    assert (kept["distance"] <= kept["distance_high"]).all()
    assert (kept["random_weights_distance"] > 0.1).all()
    assert removed["random_weights_distance"].isna().all()
    assert outcome["json"]["removed"] == "table"
    assert outcome["json"]["knows_no_order_without_positions"] is True
    assert outcome["json"]["sees_later_tokens"] is True
    windows = first_windows(tiny_reader(tiny_folder), TEXTS, 20, "x")
    assert outcome["json"]["n_texts"] == len(windows) == 6
    assert outcome["json"]["n_tokens"] == sum(len(window.ids) for window in windows)
    assert outcome["json"]["tolerance"] == 1e-5
    largest = removed["largest_distance"].max()
    assert outcome["json"]["largest_distance_without_positions"] == largest


def test_batches_change_nothing(tiny_folder: Path, tmp_path: Path):
    texts = write_texts(tmp_path / "x.jsonl", TEXTS)
    one, other = (
        measure_word_order(
            tiny_reader(tiny_folder), texts=texts, **{**SETTINGS, "tokens_per_batch": n}
        )["csv"]["distance"]
        for n in (1, 500)
    )
    assert one.tolist() == pytest.approx(other.tolist(), abs=1e-5)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_a_decoder_knows_order_even_then(name: str, tmp_path: Path):
    outcome = measured_animal(name, tmp_path)
    assert outcome["json"]["sees_later_tokens"] is False
    assert outcome["json"]["knows_no_order_without_positions"] is False
    assert outcome["json"]["largest_distance_without_positions"] > 1e-4


def test_positions_inside_attention_cannot_be_removed(tmp_path: Path):
    outcome = measured_animal("deberta-v2", tmp_path)
    assert outcome["json"]["removed"] == "nothing"
    assert outcome["json"]["knows_no_order_without_positions"] is None
    kept, removed = (part for _, part in outcome["csv"].groupby("positions"))
    assert removed["largest_distance"].isna().all()
    assert not kept["largest_distance"].isna().any()


def test_every_number_of_the_table():
    one = np.ones((4, 1))
    texts = np.array([[0.0], [1], [2], [7]])
    moved = Moved(
        cosine=one * [1, 0.5],
        distance=one * [0.25, 2],
        largest=texts + [0, 1],
        between=texts * [1, 2],
    )
    other = replace(moved, cosine=one * [0.5, 0.25], distance=one * [1, 3])
    third = replace(moved, cosine=one * [0.1, 0.05], distance=one * [2, 5])
    table = _table("kept", moved, [other, third], 9, 0.8, np.random.default_rng(0))
    expected = {
        "layer": [0, 1],
        "positions": ["kept", "kept"],
        "distance_of_other_tokens": [2.5, 5],
        "largest_distance": [7, 8],
        "n_texts": [4, 4],
        "level": [0.8, 0.8],
    }
    # All texts are alike, so that all halves are.
    expected |= dict.fromkeys(["cosine", "cosine_low", "cosine_high"], [1, 0.5])
    expected |= dict.fromkeys(["distance", "distance_low", "distance_high"], [0.25, 2])
    for name, values in expected.items():
        assert table[name].tolist() == values, name
    assert table["random_weights_cosine"].tolist() == pytest.approx([0.3, 0.15])
    assert table["random_weights_distance"].tolist() == pytest.approx([1.5, 4])
    alone = _table("kept", moved, [], 9, 0.8, np.random.default_rng(0))
    assert alone[["random_weights_cosine", "random_weights_distance"]].isna().all(axis=None)


def test_special_tokens_stay_and_all_others_are_permuted(tiny_folder: Path):
    text = "the cat sat on the mat. it was in the sun, and the dog sat in the rain."
    (window,) = first_windows(tiny_reader(tiny_folder), [text], 30, "x")
    order, again = (_order(window, np.random.default_rng(0)) for _ in range(2))
    place = np.arange(len(order))
    assert sorted(order) == place.tolist() and order.tolist() == again.tolist()
    assert (order[window.special] == place[window.special]).all() and window.special.sum() == 2
    assert (order != place).sum() > len(place) / 2
