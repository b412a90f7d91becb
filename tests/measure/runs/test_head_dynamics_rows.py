"""Holds the features of heads over training to heads built by hand and to transformers' maps."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.measure.runs import head_dynamics_rows as rows_module
from embspace.measure.runs.head_dynamics_rows import HeadFeature, head_rows, window_features
from embspace.models.windows import Window
from tests.lazy import torch, transformers
from tests.tiny import build_tiny_bert

FEATURES: list[HeadFeature] = [
    "self_mass",
    "previous_mass",
    "next_mass",
    "first_token_mass",
    "row_entropy",
]
N = 6


def window(n: int = N) -> Window:
    none = np.zeros(n, dtype=bool)
    places = np.arange(n, dtype=np.int64)
    return Window(0, 0, places + 5, none, none, places, places)


def bert(**given: int) -> Any:
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=32,
        **given,
    )
    return transformers.BertModel(config).eval()


def gpt2() -> Any:
    torch.manual_seed(0)
    config = transformers.GPT2Config(vocab_size=40, n_embd=16, n_layer=2, n_head=2, n_positions=32)
    return transformers.GPT2Model(config).eval()


def planted(maps: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """The features of one layer of one head that attends as `maps` says."""
    tensor = torch.from_numpy(maps.astype(np.float32))[None, None]
    monkeypatch.setattr(rows_module, "attention_maps", lambda *_: [tensor])
    features = window_features(None, window(len(maps)), FEATURES)
    assert features.shape == (len(FEATURES), 1, 1)
    return features[:, 0, 0]


def test_a_head_that_looks_at_the_token_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    features = planted(np.eye(N), monkeypatch)
    assert features[:4] == pytest.approx([1, 0, 0, 1 / N])


def test_a_head_that_looks_one_back(monkeypatch: pytest.MonkeyPatch) -> None:
    maps = np.eye(N, k=-1)
    maps[0, 0] = 1  # which has nothing before it
    assert planted(maps, monkeypatch)[:4] == pytest.approx([1 / N, 1, 0, 2 / N])


def test_uniform_attention_has_entropy_one_also_where_the_mask_hides_what_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uniform = np.full((N, N), 1 / N)
    assert planted(uniform, monkeypatch) == pytest.approx([1 / N] * 4 + [1])
    causal = np.tril(np.ones((N, N)))
    causal /= causal.sum(axis=1, keepdims=True)
    assert planted(causal, monkeypatch)[-1] == pytest.approx(1)


def test_a_key_that_one_head_leaves_out_is_a_key_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    maps = np.stack([np.full((N, N), 1 / N), np.eye(N)]).astype(np.float32)
    monkeypatch.setattr(rows_module, "attention_maps", lambda *_: [torch.from_numpy(maps)[None]])
    features = window_features(None, window(), ["row_entropy"])
    assert features[0, 0] == pytest.approx([1, 0], abs=1e-6)


@pytest.mark.parametrize("build", [bert, gpt2])
def test_values_are_those_of_the_maps_that_transformers_gives(build: Any) -> None:
    module = build()
    features = window_features(module, window(), FEATURES)
    module.set_attn_implementation("eager")
    with torch.inference_mode():
        ids = torch.from_numpy(window().ids)[None]
        maps = module(input_ids=ids, output_attentions=True).attentions
    for layer, layer_maps in enumerate(maps):
        for head, attention in enumerate(layer_maps[0].double().numpy()):
            expected = [
                np.diag(attention).mean(),
                np.diag(attention, -1).mean(),
                np.diag(attention, 1).mean(),
                attention[:, 0].mean(),
            ]
            assert features[:4, layer, head] == pytest.approx(expected, abs=1e-6)


def test_documents_count_alike_however_many_windows_they_have(tmp_path: Path) -> None:
    folder = build_tiny_bert(tmp_path)
    module, tokenizer = (
        transformers.AutoModel.from_pretrained(folder),
        transformers.AutoTokenizer.from_pretrained(folder),
    )
    long, short = "the cat sat on the mat and the dog ran", "the dog"
    texts = pd.DataFrame({"document": ["a", "b"], "text": [long, short]})
    both = pd.DataFrame(head_rows(module, tokenizer, 6, texts, FEATURES))
    alone = [
        pd.DataFrame(
            head_rows(module, tokenizer, 6, texts[texts["document"] == document], FEATURES)
        )
        for document in ("a", "b")
    ]
    assert both["value"].to_numpy() == pytest.approx(
        (alone[0]["value"] + alone[1]["value"]).to_numpy() / 2
    )
    assert set(both["n_documents"]) == {2}
    heads = module.config.num_hidden_layers * module.config.num_attention_heads
    assert len(both) == len(FEATURES) * heads
    assert both["layer"].min() == 1 and both["head"].min() == 1


def test_no_text_gives_no_row(tmp_path: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(build_tiny_bert(tmp_path))
    texts = pd.DataFrame({"document": [], "text": []})
    assert head_rows(bert(), tokenizer, 6, texts, FEATURES) == []
