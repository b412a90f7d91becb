from embspace.models.stream.adapters import blocks_of
from embspace.models.stream.pre_norm import pre_norm_stream
from tests.lazy import torch
from tests.models.stream.tiny import batch, tiny


def test_both_norms_come_before_what_reads_them():
    block = blocks_of(tiny("gpt2"))[1]
    x = torch.randn(3, 11, 24, generator=torch.Generator().manual_seed(0))
    found = pre_norm_stream(block, x, batch()[1])
    assert found.layer == 2
    assert found.norm_first
    assert torch.equal(found.attention_input, block.attention_norm(x))
    assert torch.equal(found.after_attention, x + found.attention_added)
    assert torch.equal(found.mlp_input, block.mlp_norm(found.after_attention))
    assert torch.equal(found.mlp_added, block.mlp(found.mlp_input))
    assert torch.equal(found.output, found.after_attention + found.mlp_added)
