import pytest

from embspace.errors import InputError
from embspace.models.stream.blocks import Affine, Block, check_heads
from tests.lazy import torch


def block(n_heads: int, n_key_heads: int) -> Block:
    wide, narrow = Affine(torch.ones(12, 8), None), Affine(torch.ones(6, 8), None)
    return Block(
        layer=2,
        query=wide,
        key=narrow,
        value=narrow,
        output=Affine(torch.ones(8, 12), None),
        n_heads=n_heads,
        n_key_heads=n_key_heads,
        scaling=1.0,
        norm_first=True,
        attention_norm=torch.nn.Identity(),
        mlp_norm=torch.nn.Identity(),
        mlp=torch.nn.Identity(),
    )


def test_a_map_adds_its_bias():
    weight, bias = torch.tensor([[1.0, 2.0], [0.0, 1.0]]), torch.tensor([1.0, 0.0])
    assert Affine(weight, bias)(torch.tensor([3.0, 4.0])).tolist() == [12.0, 4.0]
    assert Affine(weight, None)(torch.tensor([3.0, 4.0])).tolist() == [11.0, 4.0]


def test_heads_share_the_width():
    assert block(4, 2).head_dim == 3
    check_heads(None, [block(4, 2), block(6, 3)])


def test_check_heads_names_what_does_not_divide():
    with pytest.raises(InputError, match="layer 2: 5 heads do not divide the width 12 of the quer"):
        check_heads(None, [block(5, 2)])
    with pytest.raises(InputError, match="4 heads do not divide the width 6 of the keys"):
        check_heads(None, [block(4, 4)])
    with pytest.raises(InputError, match="3 heads of keys do not divide 4 heads"):
        check_heads(None, [block(4, 3)])
