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
    _assignment_row,
    _on_diagonal,
    _require_defined,
    aligned_rows,
    cell_rows,
    planted_rows,
)
from embspace.models.parameters.read import ModelParameters
from tests.models.parameters.known import known_parameters

PROTOCOL = Protocol(n_shuffles=4, level=0.9, seed=0)


def test_cells_and_totals_are_those_of_the_matrix() -> None:
    one, other = known_parameters(0, n_layers=3), known_parameters(1, n_layers=3)
    covariances = vocabulary_covariances(one.output_embedding, other.output_embedding)
    rows = [[layer.ff_values for layer in model.layers] for model in (one, other)]
    means = projected_row_means(rows[0], rows[1], covariances)
    similarity = layer_similarity(means, layer_numbers(rows[1]))
    aligned = [
        (cells, whole)
        for cells, whole in aligned_rows(one, other, PROTOCOL, {"seed": 0})
        if (whole["group"], whole["space"]) == ("feed_forward_value", "vocabulary")
    ]
    ((cells, whole),) = aligned
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
    row = next(row for row in rows if row["group"] == "feed_forward_value")
    n_draws = round(1 / row["p_value"])
    assert np.isfinite([row["null_on_diagonal"], row["null_on_diagonal_high"]]).all()
    assert 0 < row["p_value"] <= 1 and n_draws < 31


def test_every_number_of_an_assignment() -> None:
    similarity = np.array([[0.9, 0.1, 0.2], [0.3, 0.2, 0.8], [0.1, 0.7, 0.4]])
    null = np.array([0.0, 0, 1 / 3, 1, np.nan])
    row = _assignment_row(similarity, null, 0.5)
    # The first with itself, the others crosswise: 2.4; the best of the others has 1.5.
    expected = {"n_layers": 3, "on_diagonal": 1 / 3, "total": 2.4, "margin": 0.9}
    expected |= {"diagonal_total": 1.5, "null_on_diagonal": 1 / 3, "null_on_diagonal_low": 0}
    expected |= {"null_on_diagonal_high": 0.5, "p_value": 3 / 5}
    assert {name: row[name] for name in expected} == pytest.approx(expected)
    assert row["is_aligned"] is False
    assert _assignment_row(np.eye(3), null[:3], 0.5)["is_aligned"] is True
    # As much as the end of the null's range is not above it.
    assert _assignment_row(np.eye(3), np.ones(4), 0.5)["is_aligned"] is False
    cells = list(cell_rows(similarity))
    assert [cell["is_assigned"] for cell in cells] == [
        True, False, False, False, False, True, False, True, False,
    ]  # fmt: skip
    assert np.isnan(_on_diagonal(np.array([[1, np.nan], [0, 1]])))


def test_a_layer_without_similarity_is_named_by_model_and_number() -> None:
    one = np.ones((3, 3))
    for axis, which in ((0, "first"), (1, "second")):
        undefined = one.copy()
        undefined[(slice(None),) * axis + (1,)] = np.nan
        with pytest.raises(InputError, match=f"x: layer 2 of the {which} of two models .m. has"):
            _require_defined(undefined, "x", "m")
    _require_defined(one, "x", "m")


def test_every_number_of_planted_copies() -> None:
    made = known_parameters(0, n_layers=3)
    rows = list(planted_rows(made, PROTOCOL, noise=[0.0, 0.5], n_copies=3, n_rows=4))
    groups = len({row["group"] for row in rows})
    assert [row["noise"] for row in rows] == [0.0, 0.0, 0.5, 0.5] * groups
    assert [row["space"] for row in rows] == ["vocabulary", "raw"] * 2 * groups
    for row in rows:
        assert (row["n_layers"], row["n_copies"], row["n_rows"]) == (3, 3, 4)
        assert row["chance"] == pytest.approx(1 / 3)
        assert row["found_low"] <= row["found"] <= row["found_high"]
    # What no noise disguises is found in the vocabulary, whatever the copy.
    exact = [row for row in rows if (row["noise"], row["space"]) == (0, "vocabulary")]
    for row in exact:
        assert row["found"] == row["found_low"] == row["found_high"] == 1
        assert row["smallest_margin"] > 0
