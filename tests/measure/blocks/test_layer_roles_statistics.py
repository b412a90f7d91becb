from __future__ import annotations

import numpy as np
import pytest

from embspace.measure.blocks.layer_roles_statistics import (
    STATISTICS,
    layer_statistics,
    statistics_of,
)
from embspace.models.stream.layer_stream import LayerStream
from embspace.models.stream.rebuild import rebuild_stream
from tests.lazy import torch
from tests.models.stream.tiny import batch, tiny

N = 4


def stream(attention: torch.Tensor, x: torch.Tensor, added: torch.Tensor) -> LayerStream:
    """One head that attends so; attention and MLP add the same."""
    return LayerStream(
        layer=1,
        norm_first=True,
        input=x,
        attention_input=x,
        query=x[None],
        key=x[None],
        value=x[None],
        scores=torch.zeros(1, N, N),
        attention=attention[None],
        head_output=x[None],
        concatenation=x,
        attention_added=added,
        after_attention=x + added,
        mlp_input=x,
        mlp_added=added,
        output=x + 2 * added,
    )


def statistics_by_name(given: LayerStream) -> dict[str, float]:
    return dict(zip(STATISTICS, statistics_of(given).tolist(), strict=True))


def test_uniform_attention_has_entropy_1_and_no_histogram():
    x = torch.eye(N)
    statistics = statistics_by_name(stream(torch.full((N, N), 1 / N), x, torch.zeros(N, N)))
    assert statistics["row_entropy"] == pytest.approx(1)
    assert statistics["value_entropy"] == 0
    assert statistics["self_mass"] == pytest.approx(1 / N)


def test_a_block_that_adds_nothing_gives_its_input():
    statistics = statistics_by_name(stream(torch.eye(N), torch.eye(N), torch.zeros(N, N)))
    assert statistics["row_entropy"] == pytest.approx(0, abs=1e-6)
    assert statistics["self_mass"] == 1
    assert statistics["cosine_with_input"] == pytest.approx(1)
    assert statistics["attention_added_over_stream"] == statistics["mlp_added_over_stream"] == 0
    assert statistics["cone_changed"] == pytest.approx(0)


def test_what_is_added_is_measured_by_what_it_is_added_to():
    x = 2 * torch.eye(N)
    statistics = statistics_by_name(stream(torch.eye(N), x, x))
    assert statistics["attention_added_over_stream"] == pytest.approx(1)
    assert statistics["mlp_added_over_stream"] == pytest.approx(0.5)
    assert statistics["cosine_with_input"] == pytest.approx(1)


def test_a_common_direction_makes_a_cone():
    x, common = torch.eye(N), torch.ones(N, N) * 1e6
    statistics = statistics_by_name(stream(torch.eye(N), x, common))
    assert statistics["cone_changed"] == pytest.approx(1 - N**-0.5, abs=1e-4)


def test_a_cone_that_is_lost_changes_as_much_as_one_that_is_gained():
    common, x = torch.ones(N, N) * 1e6, torch.eye(N) * 1e6
    statistics = statistics_by_name(stream(torch.eye(N), common, (x - common) / 2))
    assert statistics["cone_changed"] == pytest.approx(1 - N**-0.5, abs=1e-4)


def test_a_decoder_s_entropy_is_over_what_it_sees():
    module = tiny("gpt2")
    with torch.no_grad():
        for block in module.h:
            block.attn.c_attn.weight[:, :24] = 0
            block.attn.c_attn.bias[:24] = 0
    given = next(rebuild_stream(module, *batch())).without_padding(0, 11)
    assert statistics_by_name(given)["row_entropy"] == pytest.approx(1, abs=1e-5)


def test_every_text_and_layer_has_every_statistic():
    values = layer_statistics(tiny("bert"), [np.arange(5, 12), np.arange(5, 8)], 20, "cpu")
    assert values.shape == (2, 3, len(STATISTICS))
    assert np.isfinite(values).all()
