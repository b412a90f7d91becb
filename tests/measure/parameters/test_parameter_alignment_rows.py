"""Holds rows of matched layers to the mathematics that they are made of."""

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.geometry.parameters.alignment import (
    best_assignment,
    layer_numbers,
    layer_similarity,
    projected_row_means,
    vocabulary_covariances,
)
from embspace.measure.parameters.parameter_alignment_rows import (
    Protocol,
    aligned_rows,
    planted_rows,
)
from embspace.models.parameters.read import ModelParameters
from tests.models.parameters.known import known_parameters

PROTOCOL = Protocol(n_shuffles=4, level=0.9, seed=0)


def test_cells_and_totals_are_those_of_the_matrix() -> None:
    one, other = known_parameters(0, n_layers=3), known_parameters(1, n_layers=3)
    covariances = vocabulary_covariances(one.output_embedding, other.output_embedding)
    rows = [[layer.ff_values for layer in each.layers] for each in (one, other)]
    means = projected_row_means(rows[0], rows[1], covariances)
    similarity = layer_similarity(means, layer_numbers(rows[1]))
    found = [
        (cells, whole)
        for cells, whole in aligned_rows(one, other, PROTOCOL, {"seed": 0})
        if (whole["group"], whole["space"]) == ("feed_forward_value", "vocabulary")
    ]
    ((cells, whole),) = found
    values = np.array([cell["similarity"] for cell in cells]).reshape(3, 3)
    assert values == pytest.approx(similarity)
    numbers = [(cell["layer"], cell["other_layer"]) for cell in cells]
    assert numbers == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (3, 3)]
    assert whole["total"] == pytest.approx(best_assignment(similarity).total)
    assert whole["n_layers"] == 3 and whole["n_tokens"] == 40


def test_copies_have_at_most_as_many_rows_as_a_layer() -> None:
    rows = list(planted_rows(known_parameters(0), PROTOCOL, noise=[0.0], n_copies=2, n_rows=1000))
    by_group = {row["group"]: row["n_rows"] for row in rows}
    assert by_group["feed_forward_value"] == 10 and by_group["attention_query"] == 8


def with_constant_values(layer: int) -> ModelParameters:
    """A model of which the values of a layer's MLP are constant."""
    made = known_parameters(1, n_layers=3)
    made.layers[layer - 1].ff_values[:] = 0.0
    return made


@pytest.mark.parametrize(("first", "which"), [(True, "first"), (False, "second")])
def test_a_layer_of_constant_rows_is_refused(first: bool, which: str) -> None:
    models = [with_constant_values(2), known_parameters(0, n_layers=3)]
    one, other = models if first else models[::-1]
    message = f"feed_forward_value, vocabulary: layer 2 of the {which} of two models .seed 0. has"
    with pytest.raises(InputError, match=message):
        list(aligned_rows(one, other, PROTOCOL, {"seed": 0}))
    with pytest.raises(InputError, match="feed_forward_value: layer 2 has constant rows alone"):
        list(planted_rows(models[0], PROTOCOL, noise=[0.0], n_copies=1, n_rows=4))


def test_draws_that_deal_constant_rows_alone_are_left_out() -> None:
    """Nine of ten values of each layer are constant, so that few draws part the others."""
    one, other = (known_parameters(seed, n_layers=3) for seed in (0, 1))
    for layer in other.layers:
        layer.ff_values[1:] = 0.0
    protocol = Protocol(n_shuffles=30, level=0.9, seed=0)
    rows = [whole for _, whole in aligned_rows(one, other, protocol, {"seed": 0})]
    row = next(each for each in rows if each["group"] == "feed_forward_value")
    n_draws = round(1 / row["p_value"])
    assert np.isfinite([row["null_on_diagonal"], row["null_on_diagonal_high"]]).all()
    assert 0 < row["p_value"] <= 1 and n_draws < 31
