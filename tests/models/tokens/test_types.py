"""Types of tokens: passed where transformers' own call of tokenizer and model passes them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file

from embspace.app.describe.find import find_model
from embspace.errors import RefusedModel
from embspace.extract.hidden_states import extract_hidden_states, save_hidden_states
from embspace.models.tokenizer import load_tokenizer
from embspace.models.tokens.types import find_types
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.model import TokenTypes, describe_model
from tests.tiny_architectures import build_tiny

TEXT = "the cat sat on a boat"
SETTINGS: dict[str, Any] = {
    "window_length": 40,
    "overlap": 0,
    "tokens_per_batch": 60,
    "largest_unknown_share": 1.0,
}


def build(kind: str, folder: Path, closes: int, opens: int = 0, text: int = 0) -> Path:
    """A tiny model whose tokenizer gives [SEP], [CLS] and the tokens of a text these types."""
    file = build_tiny(kind, folder) / "tokenizer.json"
    options = folder / "tokenizer_config.json"
    inputs = {"model_input_names": ["input_ids", "token_type_ids", "attention_mask"]}
    options.write_text(json.dumps(json.loads(options.read_text()) | inputs))
    content = json.loads(file.read_text())
    parts = content["post_processor"]["single"]
    parts[0]["SpecialToken"]["type_id"] = opens
    parts[1]["Sequence"]["type_id"] = text
    parts[2]["SpecialToken"]["type_id"] = closes
    file.write_text(json.dumps(content))
    return folder


def by_transformers(folder: Path) -> list[np.ndarray]:
    """The states by a call of the tokenizer and a call of the model with all that it gives."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    read = AutoTokenizer.from_pretrained(folder)(TEXT, return_tensors="pt")
    with torch.inference_mode():
        output = AutoModel.from_pretrained(folder).eval()(**read, output_hidden_states=True)
    return [layer[0].numpy() for layer in output.hidden_states]


@pytest.mark.parametrize(
    ("kind", "types", "expected"),
    [
        ("xlnet", {"closes": 2}, {"text": 0, "special": {2: 0, 3: 2}}),
        ("xlnet", {"closes": 0}, {"text": 0, "special": {2: 0, 3: 0}}),
        ("bert", {"closes": 1}, {"text": 0, "special": {2: 0, 3: 1}}),
        ("bert", {"closes": 0, "text": 1}, {"text": 1, "special": {2: 0, 3: 0}}),
    ],
)
def test_states_are_those_of_transformers_own_call(
    kind: str, types: dict[str, int], expected: dict[str, Any], tmp_path: Path
):
    folder = build(kind, tmp_path / "mine", **types)
    (tmp_path / "tree/conf/model").mkdir(parents=True)
    named = find_model(str(folder), tmp_path / "tree", None)
    assert named.described is not None
    assert named.described["token_types"] == expected
    model = describe_model(named.name, named.described)
    module, tokenizer = load_model(named.name, model), load_tokenizer(named.name, model)
    # Another text beside it is filled up.
    texts = pd.DataFrame({"id": ["a", "b"], "text": [TEXT, f"{TEXT} and {TEXT}"]})
    made = extract_hidden_states(model, module, tokenizer, texts, True, **SETTINGS, device="cpu")
    save_hidden_states(made, str(tmp_path / "x"))
    n_tokens = int((made.tokens["window"] == 0).sum())
    states = load_file(tmp_path / "x.safetensors")["token"][:, :n_tokens]
    for layer, (state, other) in enumerate(zip(states, by_transformers(folder), strict=True)):
        assert np.abs(state - other).max() <= 1e-5 * np.abs(other).max(), layer
    twin = with_random_weights(module, 0)
    assert len(twin._forward_pre_hooks) == len(module._forward_pre_hooks) == 1


def test_types_that_are_not_given_or_not_read_are_none(tmp_path: Path):
    from transformers import AutoModel, AutoTokenizer

    for kind, closes in (("bert", 0), ("distilbert", 1)):
        folder = build(kind, tmp_path / f"{kind}{closes}", closes)
        module, tokenizer = (part.from_pretrained(folder) for part in (AutoModel, AutoTokenizer))
        assert find_types(module, tokenizer) is None


def test_one_token_of_several_types_is_refused(tmp_path: Path):
    from transformers import AutoModel, AutoTokenizer

    folder = build("bert", tmp_path / "mine", closes=1)
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text())
    content["post_processor"]["single"].insert(1, {"SpecialToken": {"id": "[SEP]", "type_id": 0}})
    file.write_text(json.dumps(content))
    module, tokenizer = (part.from_pretrained(folder) for part in (AutoModel, AutoTokenizer))
    with pytest.raises(RefusedModel, match="several types"):
        find_types(module, tokenizer)


def test_the_key_is_read_from_a_models_file():
    assert TokenTypes(text=0, special={3: 2}).model_dump() == {"text": 0, "special": {3: 2}}
