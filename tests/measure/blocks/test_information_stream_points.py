import numpy as np
import pytest

from embspace.measure.blocks.information_stream_points import (
    POINTS,
    points_of,
    steps_between,
)
from embspace.models.stream.rebuild import rebuild_stream
from tests.models.stream.tiny import batch, tiny

POST_NORM_ONLY = {"attention_sum", "mlp_sum"}
PRE_NORM_ONLY = {"attention_input", "mlp_input"}


@pytest.mark.parametrize(
    ("model_type", "absent"), [("bert", PRE_NORM_ONLY), ("llama", POST_NORM_ONLY)]
)
def test_a_block_has_the_points_of_its_kind(model_type: str, absent: set[str]):
    stream = next(rebuild_stream(tiny(model_type), *batch())).without_padding(0, 11)
    points = points_of(stream)
    assert list(points) == [point for point in POINTS if point not in absent]
    assert points["query"].shape == (4, 11, 6)
    assert points["output"].shape == (1, 11, 24)


def test_sums_are_what_their_norms_read():
    module = tiny("bert")
    stream = next(rebuild_stream(module, *batch())).without_padding(1, 6)
    points = points_of(stream)
    expected = points["input"] + points["attention_added"]
    assert points["attention_sum"] == pytest.approx(expected)
    assert points["mlp_sum"] == pytest.approx(points["after_attention"] + points["mlp_added"])


def test_steps_of_a_block_that_normalizes_sums():
    steps = steps_between(set(POINTS) - PRE_NORM_ONLY)
    assert steps["values"] == ("input", "value")
    assert steps["attention"] == ("input", "attention_sum")
    assert steps["norm_after_attention"] == ("attention_sum", "after_attention")
    assert steps["mlp"] == ("after_attention", "mlp_sum")
    assert steps["norm_after_mlp"] == ("mlp_sum", "output")
    assert not {"norm_before_attention", "norm_before_mlp"} & set(steps)


def test_steps_of_a_block_that_normalizes_what_it_reads():
    steps = steps_between(set(POINTS) - POST_NORM_ONLY)
    assert steps["values"] == ("attention_input", "value")
    assert steps["attention"] == steps["attention_and_norm"] == ("input", "after_attention")
    assert steps["norm_before_mlp"] == ("after_attention", "mlp_input")
    assert steps["mlp"] == steps["mlp_and_norm"] == ("after_attention", "output")
    assert not {"norm_after_attention", "norm_after_mlp"} & set(steps)


@pytest.mark.parametrize("absent", [PRE_NORM_ONLY, POST_NORM_ONLY])
def test_the_gains_on_the_stream_add_up_to_the_block(absent: set[str]):
    steps = steps_between(set(POINTS) - absent)
    at = dict(zip(POINTS, np.random.default_rng(0).normal(size=len(POINTS)), strict=True))
    gains = {step: at[last] - at[first] for step, (first, last) in steps.items()}
    on_stream = ("attention", "norm_after_attention", "mlp", "norm_after_mlp")
    assert sum(gains.get(step, 0.0) for step in on_stream) == pytest.approx(gains["block"])
    halves = gains["attention_and_norm"] + gains["mlp_and_norm"]
    assert halves == pytest.approx(gains["block"])
