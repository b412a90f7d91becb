from embspace.models.stream.adapters import blocks_of
from embspace.models.stream.pre_norm import pre_norm_stream
from tests.lazy import torch
from tests.models.stream.tiny import batch, tiny


def test_both_norms_come_before_what_reads_them():
    block = blocks_of(tiny("gpt2"))[1]
    x = torch.randn(3, 11, 24, generator=torch.Generator().manual_seed(0))
    stream = pre_norm_stream(block, x, batch()[1])
    assert stream.layer == 2
    assert stream.norm_first
    assert torch.equal(stream.attention_input, block.attention_norm(x))
    assert torch.equal(stream.after_attention, x + stream.attention_added)
    assert torch.equal(stream.mlp_input, block.mlp_norm(stream.after_attention))
    assert torch.equal(stream.mlp_added, block.mlp(stream.mlp_input))
    assert torch.equal(stream.output, stream.after_attention + stream.mlp_added)
