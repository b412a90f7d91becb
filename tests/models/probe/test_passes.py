from pathlib import Path

import numpy as np
import pytest

from embspace.errors import RefusedModel
from embspace.models.probe.passes import output_of, states_of
from tests.models.probe.loaded import load_tiny


def test_states_are_those_of_the_tokens_of_each_row(tmp_path: Path):
    module = load_tiny("bert", tmp_path)
    rows = [np.array(ids, dtype=np.int64) for ids in ([7, 8, 9], [10])]
    states = states_of(module, rows)
    assert [[tuple(layer.shape) for layer in row] for row in states] == [
        [(3, 16)] * 4,
        [(1, 16)] * 4,
    ]


def test_what_a_model_cannot_read_is_one_sentence(tmp_path: Path):
    module = load_tiny("bert", tmp_path)
    with pytest.raises(RefusedModel, match="BertModel cannot read a text of 50 tokens: ") as raised:
        output_of(module, [np.full(50, 7, dtype=np.int64)])
    assert "\n" not in str(raised.value)
