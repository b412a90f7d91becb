from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from embspace.models.layer_norms import layer_norm_scales
from tests.lazy import torch, transformers

IDS = np.array([3, 1, 4, 1, 5])
SMALL = {"num_hidden_layers": 2, "hidden_size": 16, "num_attention_heads": 2, "vocab_size": 9}


def randomized(norm: torch.nn.LayerNorm, seed: int) -> torch.nn.LayerNorm:
    with torch.no_grad():
        generator = torch.Generator().manual_seed(seed)
        norm.weight.normal_(generator=generator)
        norm.bias.normal_(generator=generator)
    return norm


def scale_of(norm: Any) -> float:
    parts = torch.cat([norm.weight, norm.bias]).detach().numpy().astype(float)
    return float(np.linalg.norm(parts))


@pytest.fixture(scope="module")
def bert() -> Any:
    module = transformers.BertModel(transformers.BertConfig(**SMALL, intermediate_size=32)).eval()
    norms = [module for module in module.modules() if isinstance(module, torch.nn.LayerNorm)]
    for number, norm in enumerate(norms):
        randomized(norm, number)
    return module


def test_each_hidden_state_of_bert_has_the_last_norm_of_its_block(bert: Any):
    expected = [
        bert.embeddings.LayerNorm,
        *(layer.output.LayerNorm for layer in bert.encoder.layer),
    ]
    assert layer_norm_scales(bert, IDS, None) == pytest.approx(
        [scale_of(norm) for norm in expected]
    )
    # Those of attention, which give no hidden state, are others.
    inner = [scale_of(layer.attention.output.LayerNorm) for layer in bert.encoder.layer]
    assert not np.isclose(layer_norm_scales(bert, IDS, None)[1:], inner, rtol=1e-3).any()


def test_blocks_that_normalize_what_they_read_have_no_scale():
    config = transformers.GPT2Config(n_layer=3, n_embd=16, n_head=2, vocab_size=9, n_positions=8)
    module = transformers.GPT2Model(config).eval()
    assert np.isnan(layer_norm_scales(module, IDS, "ln_f")).all()


def test_before_training_the_scale_is_the_root_of_the_dimension(bert: Any):
    fresh = transformers.BertModel(bert.config).eval()
    assert layer_norm_scales(fresh, IDS, None) == pytest.approx(4.0)
    fresh.embeddings.LayerNorm = torch.nn.LayerNorm(16, elementwise_affine=False)
    assert layer_norm_scales(fresh, IDS, None) == pytest.approx(4.0)


def test_no_hook_stays_behind(bert: Any):
    norms = [module for module in bert.modules() if isinstance(module, torch.nn.LayerNorm)]
    layer_norm_scales(bert, IDS, None)
    assert not any(norm._forward_hooks for norm in norms)


def test_torch_gives_gaussian_input_that_length():
    norm = randomized(torch.nn.LayerNorm(400), 3)
    x = 5 + 7 * torch.randn(3_000, 400, generator=torch.Generator().manual_seed(0))
    squared = norm(x).detach().square().sum(dim=1).mean()
    assert float(squared) ** 0.5 == pytest.approx(scale_of(norm), rel=1e-3)
