import numpy as np
import pytest

from embspace.geometry.attention.query_key_form import (
    form_singular_values,
    form_symmetry,
    principal_angles,
)
from embspace.measure.blocks.query_key_form_heads import (
    _form_row,
    _head_row,
    _rank_rows,
    as_array,
    forms_of,
)
from embspace.models.stream.head_weights import head_weights
from tests.lazy import torch
from tests.models.stream.tiny import tiny


def test_grouped_keys_meet_the_queries_that_share_them():
    """Query heads 0 and 1 have the first key, 2 and 3 the second, as the model itself has them."""
    module = tiny("llama")
    attention = module.layers[0].self_attn
    with torch.no_grad():  # each query is a copy of its key: every head is symmetric
        keys = attention.k_proj.weight.reshape(2, 6, 24)
        attention.q_proj.weight.copy_(keys.repeat_interleave(2, dim=0).reshape(24, 24))
    forms = forms_of(head_weights(module), 2.0)
    first = [row for row in forms.heads if row["layer"] == 1]
    assert [row["key_head"] for row in first] == [1, 1, 2, 2]
    assert [row["symmetry"] for row in first] == pytest.approx([1] * 4)
    assert forms.layers[0]["symmetry"] == pytest.approx(1)
    second = [row["symmetry"] for row in forms.heads if row["layer"] == 2]
    assert max(second) < 0.9


@pytest.mark.parametrize("model_type", ["bert", "gpt2", "modernbert", "distilbert"])
def test_a_row_a_head_layer_and_rank(model_type: str):
    weights = head_weights(tiny(model_type))
    forms = forms_of(weights, 2.0)
    assert len(forms.heads) == 4 * len(weights)
    assert [row["layer"] for row in forms.layers] == [layer.layer for layer in weights]
    assert {row["rank"] for row in forms.ranks} == set(range(1, 7))
    [row] = [head for head in forms.heads if (head["layer"], head["head"]) == (1, 3)]
    expected = form_symmetry(as_array(weights[0].query[2]), as_array(weights[0].key[2]))
    assert row["symmetry"] == expected


def test_a_head_of_zeros_has_no_angles():
    module = tiny("bert")
    with torch.no_grad():
        module.encoder.layer[0].attention.self.query.weight[:6] = 0
    row = forms_of(head_weights(module), 2.0).heads[0]
    assert np.isnan([row["symmetry"], row["smallest_angle"], row["overlap"]]).all()
    assert (row["n_zero"], row["directionality"]) == (6, 0)


def test_every_number_of_a_head_by_hand():
    """Queries and keys of two axes each, of which one is common: the form has 3 and 1 for sizes."""
    query = np.array([[3.0, 0, 0, 0], [0, 1, 0, 0]])
    key = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0]])
    sizes, angles = form_singular_values(query, key), principal_angles(query, key)
    assert sizes == pytest.approx([3, 1])
    assert angles == pytest.approx([0, 90])
    ranks = list(_rank_rows(np.array([3.0, 1.0, 0]), angles))
    assert [row["rank"] for row in ranks] == [1, 2, 3]
    assert [row["singular_share"] for row in ranks] == pytest.approx([0.9, 0.1, 0])
    assert [row["principal_angle"] for row in ranks] == pytest.approx([0, 90, np.nan], nan_ok=True)
    row = _head_row(query, key, angles)
    expected = {"smallest_angle": 0, "median_angle": 45, "largest_angle": 90, "overlap": 0.5}
    # The eigenvalues of the form: 3, and 0 of what is read by queries or by keys alone.
    expected |= {"n_real_positive": 1, "n_real_negative": 0, "n_complex_positive": 0}
    expected |= {"n_complex_negative": 0, "n_zero": 1, "complex_share": 0}
    assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-6)
    measures = _form_row(query, key, sizes, 2.0)
    assert measures["top_share"] == pytest.approx(0.9)
    # 3 on the diagonal, and 1 that its transpose has elsewhere: 1/2 (1 + 9 / 10).
    assert measures["symmetry"] == pytest.approx(0.95)
    assert measures["skew_share"] == pytest.approx(0.05)


@pytest.mark.parametrize("turn", [1, -1])
def test_eigenvalues_are_counted_by_sign_and_kind(turn: int):
    quarter = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 2.0]])
    measures = _head_row(np.eye(3) * turn, quarter.T, np.zeros(3))
    sign, other = ("positive", "negative")[::turn]
    counts = {"real": 1, "complex": 2}
    for kind, n in counts.items():
        assert (measures[f"n_{kind}_{sign}"], measures[f"n_{kind}_{other}"]) == (n, 0)
    assert measures["positive_share"] == (1 if turn > 0 else 0)
    assert measures["complex_share"] == pytest.approx(2 / 3)
