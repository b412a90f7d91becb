from pathlib import Path

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.encoder import EncodedWindow, batches_by_length, encode
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.models.windows import cut_windows
from embspace.settings.model import describe_model
from tests.tiny import DIM, LAYERS, tiny_description
from tests.tiny_architectures import build_tiny

TEXTS = ["cat", "the cat sat on the mat .", "rain", "the boat was in the tide and it was light !"]


@pytest.fixture(scope="module")
def model(tiny_folder: Path):
    description = describe_model("tiny", tiny_description(tiny_folder))
    return load_model("tiny", description), load_tokenizer("tiny", description)


def encoded(model, tokens_per_batch: int) -> list[EncodedWindow]:
    module, tokenizer = model
    windows = cut_windows(TEXTS, tokenizer, 40, 5)
    batches = batches_by_length([len(window.ids) for window in windows], tokens_per_batch)
    windows_encoded = encode(module, windows, batches, "cpu", None)
    return sorted(windows_encoded, key=lambda window: window.index)


def test_states_are_those_of_transformers_one_text_at_a_time(model):
    import torch

    module, tokenizer = model
    for window, text in zip(encoded(model, 4096), TEXTS, strict=True):
        with torch.inference_mode():
            states = module(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
        expected = torch.cat(states.hidden_states).numpy()
        assert window.tokens.shape == (LAYERS + 1, expected.shape[1], DIM)
        assert np.allclose(window.tokens, expected, atol=1e-5)


def test_layer_0_is_the_output_of_the_embeddings(model):
    import torch

    module, tokenizer = model
    with torch.inference_mode():
        expected = module.embeddings(tokenizer(TEXTS[1], return_tensors="pt")["input_ids"])
    assert np.allclose(encoded(model, 4096)[1].tokens[0], expected[0].numpy(), atol=1e-5)


def test_batches_change_nothing_beyond_rounding(model):
    for one, many in zip(encoded(model, 1), encoded(model, 4096), strict=True):
        assert np.allclose(one.tokens, many.tokens, atol=1e-5)


def test_padding_is_in_no_pooled_vector(model):
    for window in encoded(model, 4096):
        assert np.allclose(window.pooled["mean"], window.tokens.mean(axis=1), atol=1e-5)
        assert np.array_equal(window.pooled["cls"], window.tokens[:, 0])


def test_batches_hold_every_row_once_within_the_bound():
    lengths = np.random.default_rng(0).integers(1, 50, 300).tolist()
    batches = batches_by_length(lengths, 100)
    assert sorted(index for batch in batches for index in batch) == list(range(300))
    for batch in batches:
        longest = max(lengths[index] for index in batch)
        assert len(batch) * longest <= 100
    assert len(batches) < sum(lengths) / 100 * 1.3  # near the least that there can be


def test_a_row_above_the_bound_is_a_batch_of_its_own():
    assert batches_by_length([500, 3, 3], 100) == [[0], [1, 2]]


def test_a_batch_is_filled_up_by_no_more_tokens_than_asked():
    lengths = np.random.default_rng(1).integers(1, 50, 300).tolist()
    batches = batches_by_length(lengths, 2000, most_padding=30)
    assert sorted(index for batch in batches for index in batch) == list(range(300))
    added = [sum(lengths[batch[0]] - lengths[index] for index in batch) for batch in batches]
    assert max(added) <= 30 < sum(added)
    assert batches_by_length([9, 5, 1], 2000, most_padding=4) == [[0, 1], [2]]


def test_nan_names_the_text_and_the_layer(model):
    import copy

    import torch

    module, tokenizer = copy.deepcopy(model[0]), model[1]
    with torch.no_grad():
        module.encoder.layer[1].output.dense.bias[0] = float("nan")
    windows = cut_windows(TEXTS, tokenizer, 40, 5)
    with pytest.raises(InputError, match="text 0, window 0: layer 2 holds NaN"):
        list(encode(module, windows[:1], [[0]], "cpu", None))


def test_batches_are_cut_by_the_rule_of_a_model():
    lengths = [5, 3, 5, 3, 4]
    assert batches_by_length(lengths, 100) == [[0, 2, 4, 1, 3]]
    assert batches_by_length(lengths, 100, "equal_lengths") == [[0, 2], [4], [1, 3]]
    assert batches_by_length(lengths, 100, "alone") == [[0], [2], [4], [1], [3]]
    assert batches_by_length(lengths, 5, "equal_lengths") == [[0], [2], [4], [1], [3]]


def test_states_are_those_of_a_text_alone_whatever_the_batches(tmp_path: Path):
    folder = build_tiny("fnet", tmp_path / "fnet")
    description = tiny_description(folder) | {"batches": "equal_lengths"}
    model = describe_model("fnet", description)
    loaded = load_model("fnet", model), load_tokenizer("fnet", model)
    for alone, together in zip(encoded(loaded, 1), encoded(loaded, 4096), strict=True):
        assert np.allclose(alone.tokens, together.tokens, atol=1e-5)
