from __future__ import annotations

from embspace.models.stream.rotary import rotated
from tests.lazy import torch


def angles(n_tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
    """One angle for each of two planes of four dimensions."""
    turned = torch.arange(n_tokens)[:, None] * torch.tensor([1.0, 0.1, 1.0, 0.1])
    return turned.cos()[None], turned.sin()[None]


def test_a_quarter_turn_exchanges_the_halves():
    x = torch.tensor([[[[1.0, 2.0]]]])
    zero, one = torch.zeros(1, 1, 2), torch.ones(1, 1, 2)
    assert rotated(x, zero, one).tolist() == [[[[-2.0, 1.0]]]]
    assert torch.equal(rotated(x, one, zero), x)


def test_lengths_stay():
    x = torch.randn(2, 3, 7, 4, generator=torch.Generator().manual_seed(0))
    turned = rotated(x, *angles(7))
    assert torch.allclose(turned.norm(dim=-1), x.norm(dim=-1), atol=1e-5)
    assert not torch.allclose(turned[..., 1:, :], x[..., 1:, :])


def test_only_the_distance_counts():
    query, key = torch.randn(2, 1, 1, 1, 4, generator=torch.Generator().manual_seed(0))
    turned_query, turned_key = (
        rotated(vector.expand(1, 1, 9, 4), *angles(9)) for vector in (query, key)
    )
    product = (turned_query @ turned_key.transpose(2, 3))[0, 0]
    assert torch.allclose(product.diagonal(2), product[0, 2].expand(7), atol=1e-5)
    assert not torch.allclose(product.diagonal(-2), product[0, 2].expand(7), atol=1e-2)
