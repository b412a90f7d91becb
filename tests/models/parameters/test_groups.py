"""Holds the groups of parameters to a model whose every number is known."""

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.models.parameters.groups import parameter_groups, require_same_tokens
from tests.models.parameters.known import known_parameters

BOTH = ("one", "other")


def test_each_group_has_the_rows_of_each_layer() -> None:
    parameters = known_parameters(0, n_layers=3)
    groups = parameter_groups(parameters)
    attention = [f"attention_{part}" for part in ("query", "key", "value", "output")]
    assert list(groups) == ["feed_forward_key", "feed_forward_value", *attention]
    assert all(len(rows) == 3 for rows in groups.values())
    assert np.array_equal(groups["attention_value"][1], parameters.layers[1].value)
    assert np.array_equal(groups["feed_forward_key"][2], parameters.layers[2].ff_keys["key"])
    assert np.array_equal(groups["feed_forward_value"][0], parameters.layers[0].ff_values)


def test_both_matrices_of_a_gated_network_are_groups() -> None:
    groups = parameter_groups(known_parameters(0, ff_keys=("gate", "up")))
    assert list(groups)[:3] == ["feed_forward_gate", "feed_forward_up", "feed_forward_value"]


def test_vocabularies_of_the_same_tokens_are_let_through() -> None:
    require_same_tokens(["a", "b"], ["a", "b"], BOTH)


def test_the_first_token_that_differs_is_named() -> None:
    with pytest.raises(InputError, match="one and other: have other .* token 1 is 'b' and 'c'"):
        require_same_tokens(["a", "b", "c"], ["a", "c", "b"], BOTH)


def test_vocabularies_of_two_sizes_are_refused() -> None:
    with pytest.raises(InputError, match="have 2 and 3 tokens"):
        require_same_tokens(["a", "b"], ["a", "b", "c"], BOTH)
