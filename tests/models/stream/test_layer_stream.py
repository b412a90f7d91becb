from dataclasses import fields

from embspace.models.stream.layer_stream import LayerStream
from embspace.models.stream.rebuild import rebuild_stream
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
