from dataclasses import fields

from embspace.models.stream.layer_stream import LayerStream
from embspace.models.stream.rebuild import rebuild_stream
from tests.lazy import torch
from tests.models.stream.tiny import batch, tiny


def test_a_layer_s_stream_has_the_shapes_that_it_says():
    stream = next(rebuild_stream(tiny("llama"), *batch()))
    by_head = ("query", "key", "value", "head_output")
    for field in fields(LayerStream):
        if field.name in ("layer", "norm_first"):
            continue
        shape = tuple(getattr(stream, field.name).shape)
        if field.name in by_head:
            assert shape == (3, 4, 11, 6)
        elif field.name in ("scores", "attention"):
            assert shape == (3, 4, 11, 11)
        else:
            assert shape == (3, 11, 24)


def test_the_stream_of_a_text_is_without_padding():
    ids, mask = batch()
    module = tiny("bert")
    for whole, alone in zip(
        rebuild_stream(module, ids, mask),
        rebuild_stream(module, ids[1:2, :6], mask[1:2, :6]),
        strict=True,
    ):
        stream = whole.without_padding(1, 6)
        assert stream.layer == whole.layer
        assert stream.attention.shape == (4, 6, 6)
        assert stream.query.shape == (4, 6, 6)
        assert stream.output.shape == (6, 24)
        for name in ("attention", "head_output", "mlp_added", "output"):
            assert torch.allclose(getattr(stream, name), getattr(alone, name)[0], atol=1e-5)
