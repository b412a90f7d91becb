"""Of a decoder, and of it alone, the last token is a pooling of texts."""

from pathlib import Path

import numpy as np
import pytest

from embspace.files.tensors import save_tensors
from embspace.measure.tables.text_poolings import (
    WEIGHTS,
    load_sentence_vectors,
    load_text_states,
    poolings_in,
)

POOLINGS = ["cls", "mean", "max"]


def write(path: Path, sees_others: bool, **more: np.ndarray) -> str:
    """Three texts that begin alike, of two layers and four dimensions."""
    rng = np.random.default_rng(0)
    tensors = {name: rng.normal(size=(2, 3, 4)) for name in [*POOLINGS, "last", "weightedmean"]}
    tensors["cls"][0] = tensors["cls"][0, 0]
    if not sees_others:
        tensors["cls"][1] = tensors["cls"][1, 0]
    save_tensors(tensors | more, str(path))
    return str(path)


@pytest.mark.parametrize(("sees_others", "more"), [(True, []), (False, ["last"])])
def test_a_decoder_has_the_last_token_in_all_files(
    sees_others: bool, more: list[str], tmp_path: Path
):
    first = write(tmp_path / "a.safetensors", sees_others)
    plain = write(tmp_path / "b.safetensors", sees_others=True)
    states = load_text_states({"a": first, "b": plain})
    assert {name: [*pooled] for name, pooled in states.items()} == dict.fromkeys(
        ("a", "b"), [*POOLINGS, *more]
    )
    assert load_text_states({}) == {}


def test_the_vectors_of_a_sentence_model_are_read_where_there_are_some(tmp_path: Path):
    x = np.arange(6, dtype=np.float32).reshape(1, 3, 2)
    own = write(tmp_path / "a.safetensors", sees_others=True, sentence=x)
    assert np.array_equal(load_sentence_vectors(own), x[0])
    assert load_sentence_vectors(write(tmp_path / "b.safetensors", sees_others=True)) is None


def test_random_weights_have_the_poolings_of_the_trained_ones(tmp_path: Path):
    random = {f"random_{name}": np.zeros((2, 3, 4)) for name in (*POOLINGS, "last")}
    files = {
        "decoder": write(tmp_path / "a.safetensors", sees_others=False, **random),
        "encoder": write(tmp_path / "b.safetensors", sees_others=True, **random),
    }
    for name, last in {"decoder": ["last"], "encoder": []}.items():
        (states,) = load_text_states({name: files[name]}, WEIGHTS).values()
        assert poolings_in(states) == [*POOLINGS, *last]
        assert {*states} == {f"{w}{pooling}" for w in WEIGHTS for pooling in (*POOLINGS, *last)}
