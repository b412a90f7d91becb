import json
import re
from pathlib import Path

import pytest

from embspace.errors import InputError
from embspace.models.checks.config_file import MOST_LAYERS, check_config

GOOD = {"model_type": "bert", "hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 95}


def test_what_models_have_fits(tiny_folder: Path, tmp_path: Path):
    check_config(tiny_folder)
    check_config(tmp_path)  # without a config.json, which is told elsewhere
    (tmp_path / "config.json").write_text(json.dumps({"n_layer": MOST_LAYERS, "vocab_size": None}))
    check_config(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_attention_heads": "4"}, "'num_attention_heads': found '4', allowed: a whole number"),
        (
            {"num_attention_heads": 0},
            "'num_attention_heads': found 0, allowed: a whole number from",
        ),
        ({"hidden_size": 32.0}, "'hidden_size': found 32.0, allowed: a whole number from 1"),
        ({"vocab_size": True}, "'vocab_size': found True, allowed: a whole number from 1"),
        ({"num_hidden_layers": 10**9}, "'num_hidden_layers': found 1000000000, allowed: a whole "),
        ({"n_layer": [2]}, "'n_layer': found [2], allowed: a whole number from 1 to 10,000"),
    ],
)
def test_a_number_that_no_model_has_is_told(
    tmp_path: Path, change: dict[str, object], message: str
):
    (tmp_path / "config.json").write_text(json.dumps(GOOD | change))
    with pytest.raises(InputError, match=re.escape(f"config.json: key {message}")):
        check_config(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b"null"])
def test_what_is_no_mapping_is_told(tmp_path: Path, content: bytes):
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(InputError, match=r"config\.json: (is no JSON: |expected keys and values)"):
        check_config(tmp_path)
