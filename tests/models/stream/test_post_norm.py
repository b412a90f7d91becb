from embspace.models.stream.adapters import blocks_of
from embspace.models.stream.post_norm import post_norm_stream
from tests.lazy import torch
from tests.models.stream.tiny import batch, tiny


def test_both_norms_come_after_their_sums():
    block = blocks_of(tiny("bert"))[1]
    x = torch.randn(3, 11, 24, generator=torch.Generator().manual_seed(0))
    stream = post_norm_stream(block, x, batch()[1])
    assert stream.layer == 2
    assert not stream.norm_first
    assert torch.equal(stream.after_attention, block.attention_norm(x + stream.attention_added))
    assert torch.equal(stream.mlp_added, block.mlp(stream.after_attention))
    assert torch.equal(stream.output, block.mlp_norm(stream.after_attention + stream.mlp_added))
