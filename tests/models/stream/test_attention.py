from __future__ import annotations

from embspace.models.stream.attention import attention_of
from embspace.models.stream.blocks import Affine, Block
from tests.lazy import torch

DIM = 4


def block(query: torch.Tensor) -> Block:
    """Two heads whose keys, values and output are the input's halves as they are."""
    same = Affine(torch.eye(DIM), None)
    return Block(
        layer=1,
        query=Affine(query, None),
        key=same,
        value=same,
        output=Affine(2 * torch.eye(DIM), torch.ones(DIM)),
        n_heads=2,
        n_key_heads=2,
        scaling=1.0,
        norm_first=False,
        attention_norm=torch.nn.Identity(),
        mlp_norm=torch.nn.Identity(),
        mlp=torch.nn.Identity(),
    )


def test_queries_of_zero_take_the_mean_of_what_is_no_padding():
    x = torch.arange(12.0).reshape(1, 3, DIM)
    stream = attention_of(block(torch.zeros(DIM, DIM)), x, torch.tensor([[1, 1, 0]]))
    mean = x[0, :2].mean(dim=0)
    assert torch.allclose(stream.attention[0, 0, 0], torch.tensor([0.5, 0.5, 0.0]))
    assert torch.allclose(stream.concatenation, mean.expand(1, 3, DIM))
    assert torch.allclose(stream.added, (2 * mean + 1).expand(1, 3, DIM))
    assert torch.allclose(stream.head_output[0, 1], mean[2:].expand(3, 2))


def test_large_products_pick_one_token():
    x = torch.eye(DIM)[None]
    stream = attention_of(block(100 * torch.eye(DIM)), x, torch.ones(1, DIM))
    # The first head sees the first two coordinates: tokens 1 and 2 find themselves.
    assert torch.allclose(stream.attention[0, 0, :2], torch.eye(2, DIM))
    assert torch.allclose(stream.attention[0, 0, 2:], torch.full((2, DIM), 0.25))


def test_a_row_with_nothing_to_attend_to_has_no_nan():
    stream = attention_of(block(torch.eye(DIM)), torch.ones(1, 3, DIM), torch.zeros(1, 3))
    assert torch.isfinite(stream.added).all()
