from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from embspace.clouds.pooling import POOLINGS
from embspace.files.rows import load_rows
from embspace.files.tensors import load_tensors
from embspace.measure.tables.pooled_states import final_norm_of, pooled_states
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml
from tests.app.queries.extracted import write_extracted

TEXTS = pd.DataFrame({"id": ["a", "b"], "text": ["salt and bread", "rain on the mat . " * 20]})


def test_a_model_makes_of_its_tokens_what_it_made_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(write_extracted(tmp_path, TEXTS))
    model = describe_model("tiny", read_yaml(Path("conf/model/tiny.yaml")))
    path = "data/extracted/hidden_states/tiny/one"
    tokens = load_rows(f"{path}.tokens.parquet")
    states = pooled_states(load_model("tiny", model), tokens, None, 60, "cpu")
    assert set(states) == set(POOLINGS)
    for pooling, expected in load_tensors(f"{path}.safetensors", POOLINGS).items():
        assert states[pooling].shape == expected.shape
        assert np.allclose(states[pooling], expected, atol=1e-5)
    assert final_norm_of("tiny", model) is None


def test_vectors_have_no_norm(tmp_path: Path):
    said = {"label": "g", "license": "CC0-1.0", "language": "none", "source": "vectors"}
    described = describe_model("glove", said | {"path": str(tmp_path / "glove.npy")})
    assert final_norm_of("glove", described) is None
