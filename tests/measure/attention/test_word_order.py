from pathlib import Path
from typing import Any

import pytest

from embspace.measure.attention.attention_reader import AttentionReader
from embspace.measure.attention.word_order import COLUMNS, WordOrder, measure_word_order
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from tests.measure.attention.reading import TEXTS, tiny_reader, write_texts
from tests.tiny import LAYERS
from tests.zoo import build_animal, describe_animal

SETTINGS: dict[str, Any] = {
    "n_texts": 6,
    "most_tokens": 20,
    "largest_unknown_share": 0.2,
    "tokens_per_batch": 50,
    "tolerance": 1e-5,
    "n_seeds": 1,
    "n_half_samples": 20,
    "level": 0.95,
    "device": "cpu",
    "seed": 0,
}


def of_animal(name: str, tmp_path: Path) -> WordOrder:
    model = describe_animal(name, build_animal(name, tmp_path / name))
    reader = AttentionReader(model, load_model(name, model), load_tokenizer(name, model))
    return measure_word_order(reader, texts=write_texts(tmp_path / "x.jsonl", TEXTS), **SETTINGS)


def test_an_encoder_without_positions_knows_no_order_and_one_with_them_does(
    tiny_folder: Path, tmp_path: Path
):
    texts = write_texts(tmp_path / "x.jsonl", TEXTS)
    found = measure_word_order(tiny_reader(tiny_folder), texts=texts, **SETTINGS)
    assert list(found.layers) == COLUMNS
    assert found.layers["layer"].tolist() == 2 * list(range(LAYERS + 1))
    kept, removed = (part for _, part in found.layers.groupby("positions"))
    assert (removed["largest_distance"] <= 1e-5).all()
    assert removed["cosine"].tolist() == pytest.approx([1] * (LAYERS + 1))
    assert (kept["distance"] > 0.1).all()
    assert (kept["distance_low"] <= kept["distance"]).all()
    assert (kept["distance"] <= kept["distance_high"]).all()
    assert (kept["random_weights_distance"] > 0.1).all()
    assert removed["random_weights_distance"].isna().all()
    assert found.facts["removed"] == "table"
    assert found.facts["knows_no_order_without_positions"] is True
    assert found.facts["sees_later_tokens"] is True


def test_batches_change_nothing(tiny_folder: Path, tmp_path: Path):
    texts = write_texts(tmp_path / "x.jsonl", TEXTS)
    one, other = (
        measure_word_order(
            tiny_reader(tiny_folder), texts=texts, **{**SETTINGS, "tokens_per_batch": n}
        ).layers["distance"]
        for n in (1, 500)
    )
    assert one.tolist() == pytest.approx(other.tolist(), abs=1e-5)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_a_decoder_knows_order_even_then(name: str, tmp_path: Path):
    found = of_animal(name, tmp_path)
    assert found.facts["sees_later_tokens"] is False
    assert found.facts["knows_no_order_without_positions"] is False
    assert found.facts["largest_distance_without_positions"] > 1e-4


def test_positions_inside_attention_cannot_be_removed(tmp_path: Path):
    found = of_animal("deberta-v2", tmp_path)
    assert found.facts["removed"] == "nothing"
    assert found.facts["knows_no_order_without_positions"] is None
    kept, removed = (part for _, part in found.layers.groupby("positions"))
    assert removed["largest_distance"].isna().all()
    assert not kept["largest_distance"].isna().any()


def test_without_a_reader_there_is_nothing():
    found = measure_word_order(None, texts="x", **SETTINGS)
    assert found.layers.empty
    assert found.facts == {"removed": None}
