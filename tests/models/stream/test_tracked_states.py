"""`tracked_states`: the numbers of transformers' own modules, also without the causal mask."""

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.stream.tracked_states import (
    POINTS,
    has_as_coded,
    tracked_points,
    tracked_states,
)
from tests.lazy import torch, transformers
from tests.models.stream.plain_tracker import IDS, TRACKED, as_coded, plain_states
from tests.models.stream.tiny import TOLERANCE, tiny

LOCKED = "5.23."  # of transformers


@pytest.mark.parametrize("model_type", TRACKED)
def test_points_are_what_the_modules_of_transformers_read_and_make(model_type: str):
    module = tiny(model_type)
    expected = plain_states(module)
    states = list(tracked_states(module, IDS))
    assert [(state.layer, state.point) for state in states] == [
        (0, "embedding"),
        *(
            (n, point)
            for n in range(1, module.config.num_hidden_layers + 1)
            for point in POINTS[1:]
        ),
    ]
    assert len(states) == len(expected)
    for state in states:
        assert np.abs(state.x - expected[state.layer, state.point]).max() < TOLERANCE


@pytest.mark.parametrize(("model_type", "last"), [("mpnet", ""), ("gpt_neox", "final_layer_norm")])
def test_without_known_blocks_states_are_the_outputs_of_layers(model_type: str, last: str):
    module = tiny(model_type)
    with torch.no_grad():
        read = module(input_ids=torch.from_numpy(IDS)[None], output_hidden_states=True)
    states = list(tracked_states(module, IDS))
    points = [(0, "embedding"), (1, "output"), (2, "output"), (3, "output")]
    assert [(state.layer, state.point) for state in states] == points
    if last:  # transformers' last state is after the norm, the stream ends before
        with torch.no_grad():
            normed = module.get_submodule(last)(torch.from_numpy(states[-1].x)).numpy()
        assert np.abs(normed - read.hidden_states[-1][0].numpy()).max() < TOLERANCE
        assert np.abs(normed - states[-1].x).max() > 0.1
    for state, expected in zip(
        states[:-1] if last else states, read.hidden_states, strict=not last
    ):
        assert np.abs(state.x - expected[0].numpy()).max() < TOLERANCE
    assert tracked_points(module) == ("embedding", "output")
    assert tracked_points(tiny("bert")) == POINTS
    assert not has_as_coded(module)
    with pytest.raises(InputError, match="cannot be rebuilt"):
        next(tracked_states(module, IDS, as_coded=True))


def test_all_states_have_the_width_of_the_blocks():
    assert {state.x.shape[1] for state in tracked_states(tiny("opt"), IDS)} == {24}


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_the_source_s_computation_is_as_its_code_has_it(model_type: str):
    module = tiny(model_type)
    expected = as_coded(module)
    coded = {
        state.layer: state
        for state in tracked_states(module, IDS, as_coded=True)
        if state.point == "as_coded"
    }
    sums = {
        state.layer: state
        for state in tracked_states(module, IDS)
        if state.point == "attention_sum"
    }
    assert set(coded) == set(expected)
    for layer, x in expected.items():
        assert np.abs(coded[layer].x - x).max() < TOLERANCE
        assert np.abs(sums[layer].x - x).max() > 0.1


@pytest.mark.parametrize("model_type", ["gpt2", "modernbert"])
def test_the_source_s_computation_is_not_of_pre_norm_models(model_type: str):
    with pytest.raises(InputError, match="'as_coded' is of models that norm after attention"):
        next(tracked_states(tiny(model_type), IDS, as_coded=True))


def test_without_its_causal_mask_a_decoder_is_as_with_a_four_dimensional_mask():
    # What a four-dimensional mask does differs between releases; this is said of the locked one.
    if transformers.__version__ < LOCKED:
        pytest.skip(f"transformers {transformers.__version__} is older than {LOCKED}")
    assert transformers.__version__.startswith(LOCKED)
    module, n = tiny("gpt2"), len(IDS)
    causal = {(e.layer, e.point): e.x for e in tracked_states(module, IDS)}
    for mask in (torch.ones(1, 1, n, n, dtype=torch.bool), torch.zeros(1, 1, n, n)):
        expected = plain_states(module, mask)
        for state in tracked_states(module, IDS, is_causal=False):
            place = (state.layer, state.point)
            assert np.abs(state.x - expected[place]).max() < TOLERANCE
            if state.layer:
                assert np.abs(state.x - causal[place]).max() > 0.1


def test_an_encoder_has_no_causal_mask_to_take_off():
    module = tiny("bert")
    pairs = zip(
        tracked_states(module, IDS), tracked_states(module, IDS, is_causal=False), strict=True
    )
    assert all(np.array_equal(a.x, b.x) for a, b in pairs)


def test_gradients_are_left_as_they_are():
    states = tracked_states(tiny("bert"), IDS)
    next(states)
    next(states)
    assert torch.is_grad_enabled()
