"""Holds the roundings to torch's, and what tells them from changes."""

import numpy as np
import pytest

from embspace.geometry.parameters.rounding import (
    ROUNDINGS,
    SIGNIFICANT_BITS,
    coarser,
    common_format,
    cut_to_bfloat16,
    finer,
    rounding_between,
    stored_format,
    to_bfloat16,
    to_float16,
)
from tests.lazy import torch

WEIGHTS = np.random.default_rng(0).normal(size=(40, 30)).astype(np.float32) * 0.04


def test_roundings_are_those_of_torch():
    ties = np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, -1 - 2.0**-8, 0.0, 3e-5], np.float32)
    for values in (WEIGHTS, ties):
        tensor = torch.from_numpy(values.copy())
        assert np.array_equal(to_bfloat16(values), tensor.to(torch.bfloat16).float().numpy())
        assert np.array_equal(to_float16(values), tensor.to(torch.float16).float().numpy())


def test_cut_off_is_towards_zero():
    cut = cut_to_bfloat16(np.array([1 + 2.0**-7 - 2.0**-20, -1 - 2.0**-8 * 1.5], np.float32))
    assert cut.tolist() == [1.0, -1.0]
    assert (np.abs(cut_to_bfloat16(WEIGHTS)) <= np.abs(WEIGHTS)).all()


@pytest.mark.parametrize("name", ROUNDINGS)
def test_a_rounded_copy_is_told_in_both_directions(name: str):
    rounded = ROUNDINGS[name](WEIGHTS)
    assert rounding_between(WEIGHTS, rounded) == name
    assert rounding_between(rounded, WEIGHTS) == name


def test_equal_weights_were_not_rounded():
    assert rounding_between(WEIGHTS, WEIGHTS.copy()) == ""


def test_one_entry_more_than_rounding_is_no_rounding():
    moved = to_bfloat16(WEIGHTS)
    moved[3, 4] += np.float32(2.0**-8)
    assert rounding_between(WEIGHTS, moved) == ""


def test_a_change_of_two_rounded_weights_is_no_rounding():
    """A step of bfloat16 is a change of weights that are both in bfloat16."""
    one = to_bfloat16(WEIGHTS)
    assert rounding_between(one, to_bfloat16(one * np.float32(1 + 2.0**-7))) == ""


def test_the_shortest_format_that_holds_weights():
    assert stored_format(WEIGHTS) == "float32"
    assert stored_format(to_float16(WEIGHTS)) == "float16"
    assert stored_format(to_bfloat16(WEIGHTS)) == "bfloat16"
    assert stored_format(np.ones((2, 2), np.float32)) == "bfloat16"
    assert coarser("float32", "bfloat16") == coarser("bfloat16", "float16") == "bfloat16"
    assert finer("bfloat16", "float16") == "float16" and finer("float32", "float16") == "float32"


def test_several_weights_have_a_format_as_a_whole():
    one, far = np.ones(3, np.float32), 1 + np.abs(WEIGHTS)
    short, shorter = to_float16(far), to_bfloat16(far)
    assert common_format([one]) == common_format([one, shorter]) == "bfloat16"
    assert common_format([one, short]) == common_format([shorter, short]) == "float16"
    assert common_format([one, far]) == common_format([short, np.float32([1e9])]) == "float32"


def test_roundings_to_other_formats_do_not_count():
    near = np.full(3, 1.0001, np.float32)
    for stored in ("float16", "bfloat16"):
        assert rounding_between(near, np.ones_like(near), {stored}) == stored
    assert rounding_between(near, np.ones_like(near), {"float32"}) == ""


def test_rounding_moves_by_half_a_step_at_most():
    for name, rounded in (("bfloat16", to_bfloat16), ("float16", to_float16)):
        away = np.abs(rounded(WEIGHTS) - WEIGHTS)
        bound = 2.0 ** -SIGNIFICANT_BITS[name] * np.abs(WEIGHTS) + 2.0**-25
        assert (away <= bound).all()
        assert away.max() > 0
