import numpy as np
import pytest

from embspace.geometry.attention.query_key_form import form_symmetry
from embspace.measure.blocks.query_key_form_heads import as_array, forms_of
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
    assert [row["layer"] for row in forms.layers] == [each.layer for each in weights]
    assert {row["rank"] for row in forms.ranks} == set(range(1, 7))
    [row] = [each for each in forms.heads if (each["layer"], each["head"]) == (1, 3)]
    expected = form_symmetry(as_array(weights[0].query[2]), as_array(weights[0].key[2]))
    assert row["symmetry"] == expected


def test_a_head_of_zeros_has_no_angles():
    module = tiny("bert")
    with torch.no_grad():
        module.encoder.layer[0].attention.self.query.weight[:6] = 0
    row = forms_of(head_weights(module), 2.0).heads[0]
    assert np.isnan([row["symmetry"], row["smallest_angle"], row["overlap"]]).all()
    assert (row["n_zero"], row["directionality"]) == (6, 0)
