"""Holds attention rollout to maps whose product is known."""

import numpy as np
import pytest

from embspace.geometry.attribution.rollout import attention_rollout


def test_rollout_of_maps_that_look_at_themselves_alone_is_the_identity() -> None:
    assert attention_rollout(np.stack([np.eye(4)] * 3)).tolist() == np.eye(4).tolist()


def test_rollout_of_two_layers_is_their_product_in_order() -> None:
    first = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    second = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    # Token 0 takes half of what 2 and half of what 0 are after the first layer.
    assert attention_rollout(np.stack([first, second]))[0].tolist() == [0.25, 0.25, 0.5]


def test_rows_sum_to_one_whatever_the_batch() -> None:
    maps = np.random.default_rng(0).dirichlet(np.ones(5), size=(3, 2, 5))
    rollout = attention_rollout(maps)
    assert rollout.shape == (2, 5, 5)
    assert rollout.sum(axis=-1) == pytest.approx(1)
    assert rollout[1] == pytest.approx(attention_rollout(maps[:, 1]))


def test_no_layer_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="attention: expected layers"):
        attention_rollout(np.ones((0, 3, 3)))
