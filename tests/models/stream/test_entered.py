"""Enters models at a layer with their own states, with those of turned copies and with others."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.stream.entered import (
    TokenIds,
    can_be_entered,
    last_states,
    last_states_above,
    logits_above,
    read_texts,
    states_of,
)

RNG = np.random.default_rng(0)
MASK = np.arange(6) < np.array([[6], [4], [6]])
TOKENS = TokenIds(np.where(MASK, RNG.integers(1, 20, size=(3, 6)), 0).astype(np.int64), MASK)


def classifier(kind: str = "bert", **given: Any) -> Any:
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification

    torch.manual_seed(0)
    names = {"dim": 8, "n_layers": 3, "n_heads": 2, "hidden_dim": 16}
    if kind != "distilbert":
        names = {"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 2}
        names |= {"intermediate_size": 16}
    config = AutoConfig.for_model(
        kind, vocab_size=20, num_labels=4, pad_token_id=0, initializer_range=0.5, **names, **given
    )
    return AutoModelForSequenceClassification.from_config(config).eval()


def logits_of(module: Any, tokens: TokenIds) -> np.ndarray:
    import torch

    with torch.inference_mode():
        parts = [
            module(input_ids=ids, attention_mask=mask).logits for _, ids, mask in tokens.batches()
        ]
    return np.asarray(torch.cat(parts))


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """The folder of a tokenizer of the words a and b."""
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b"]))
    from transformers import BertTokenizerFast

    BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    return tmp_path


@pytest.mark.parametrize("kind", ["bert", "distilbert", "electra", "roberta", "modernbert"])
def test_with_its_own_states_a_model_says_the_same_at_every_layer(kind: str) -> None:
    module = classifier(kind)
    final_norm = "final_norm" if kind == "modernbert" else None
    states = states_of(module, TOKENS, final_norm)
    whole = logits_of(module, TOKENS)
    assert states.shape == (4, 3, 6, 8)
    for layer, layer_states in enumerate(states):
        assert logits_above(module, layer, layer_states, TOKENS) == pytest.approx(whole, abs=1e-5)
    assert logits_of(module, TOKENS) == pytest.approx(whole)  # the module is as it was


def test_nothing_below_the_layer_has_an_effect() -> None:
    module, other = classifier(), classifier()
    states = states_of(module, TOKENS, None)
    import torch

    with torch.no_grad():
        other.bert.embeddings.word_embeddings.weight.zero_()
        for block in other.bert.encoder.layer[:2]:
            for parameter in block.parameters():
                parameter.zero_()
    assert logits_above(other, 2, states[2], TOKENS) == pytest.approx(
        logits_of(module, TOKENS), abs=1e-5
    )
    assert not np.allclose(logits_of(other, TOKENS), logits_of(module, TOKENS), atol=1e-3)


def test_a_module_is_whole_again_after_an_error() -> None:
    module = classifier()
    whole = logits_of(module, TOKENS)
    with pytest.raises(RuntimeError):
        logits_above(module, 1, np.zeros((3, 6, 5), np.float32), TOKENS)
    assert logits_of(module, TOKENS) == pytest.approx(whole)


def test_some_texts_are_rows() -> None:
    rows = np.array([2, 0])
    some = TOKENS.of(rows)
    assert (some.ids == TOKENS.ids[rows]).all() and (some.mask == TOKENS.mask[rows]).all()


def test_many_texts_are_read_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    module = classifier()
    whole = states_of(module, TOKENS, None)
    logits = logits_above(module, 1, whole[1], TOKENS)
    monkeypatch.setattr("embspace.models.stream.entered.TEXTS_AT_ONCE", 2)
    assert states_of(module, TOKENS, None) == pytest.approx(whole, abs=1e-5)
    assert logits_above(module, 1, whole[1], TOKENS) == pytest.approx(logits, abs=1e-5)


def test_texts_are_filled_up_on_the_right(words: Path) -> None:
    tokens = read_texts(["b", "a b a"], words, 5)
    assert tokens.ids.tolist() == [[2, 5, 3, 0, 0], [2, 4, 5, 4, 3]]
    assert tokens.mask.tolist() == [[True] * 3 + [False] * 2, [True] * 5]


def test_a_text_of_several_windows_is_refused(words: Path) -> None:
    with pytest.raises(InputError, match=r"key 'window': found 4, but 2 texts .* is text 1"):
        read_texts(["b", "a b a"], words, 4)


def test_an_unknown_architecture_is_told_of() -> None:
    import torch

    with pytest.raises(InputError, match="has no list of blocks"):
        logits_above(torch.nn.Linear(2, 2), 0, np.zeros((3, 6, 8), np.float32), TOKENS)


@pytest.mark.parametrize("kind", ["bert", "gpt2", "llama", "modernbert"])
def test_above_its_own_states_a_model_without_a_head_says_the_same(kind: str) -> None:
    import torch
    from transformers import AutoConfig, AutoModel

    torch.manual_seed(0)
    sizes = {"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 2}
    config = AutoConfig.for_model(
        kind, vocab_size=20, pad_token_id=0, intermediate_size=16, initializer_range=0.5, **sizes
    )
    module = AutoModel.from_config(config).eval()
    assert can_be_entered(module)
    norms = {"gpt2": "ln_f", "llama": "norm", "modernbert": "final_norm"}
    states, whole = states_of(module, TOKENS, norms.get(kind)), last_states(module, TOKENS)
    shown = TOKENS.mask
    for layer, layer_states in enumerate(states):
        above = last_states_above(module, layer, layer_states, TOKENS)
        assert above[shown] == pytest.approx(whole[shown], abs=1e-5)


def test_a_model_whose_layers_share_a_block_cannot_be_entered() -> None:
    import torch

    albert = classifier("albert", embedding_size=8).base_model
    assert not can_be_entered(albert)
    assert not can_be_entered(torch.nn.Linear(2, 2))
    assert can_be_entered(classifier())
