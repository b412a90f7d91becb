from embspace.models.stream.adapters import blocks_of
from embspace.models.stream.post_norm import post_norm_stream
from tests.lazy import torch
from tests.models.stream.tiny import batch, tiny


def test_both_norms_come_after_their_sums():
    block = blocks_of(tiny("bert"))[1]
    x = torch.randn(3, 11, 24, generator=torch.Generator().manual_seed(0))
    found = post_norm_stream(block, x, batch()[1])
    assert found.layer == 2
    assert not found.norm_first
    assert torch.equal(found.after_attention, block.attention_norm(x + found.attention_added))
    assert torch.equal(found.mlp_added, block.mlp(found.after_attention))
    assert torch.equal(found.output, block.mlp_norm(found.after_attention + found.mlp_added))
