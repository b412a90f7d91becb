"""`load_vocabulary_space`: parameters and kinds of tokens, or that there are none."""

from pathlib import Path

import numpy as np

from embspace.measure.parameters.head_pairs_search import head_places
from embspace.measure.parameters.vocabulary_space import (
    distinct_layers,
    load_vocabulary_space,
)
from embspace.models.parameters.layers import layer_parameters
from embspace.models.parameters.read import ModelParameters
from embspace.settings.model import describe_model
from tests.models.parameters.tiny import TOKENS, describe, tiny, write_checkpoint


def test_a_model_has_its_parameters_and_a_kind_for_each_token(tmp_path: Path):
    space = load_vocabulary_space("tiny", describe(write_checkpoint(tmp_path, tiny("bert"))))
    assert space.parameters is not None
    assert space.kinds[:5] == ["special"] * 5
    assert len(space.kinds) == len(TOKENS)
    assert space.allowed(["special"]).sum() == len(TOKENS) - 5
    facts = space.facts()
    assert (facts["known"], facts["architecture"]) == (True, "BertModel")
    assert (facts["n_layers"], facts["n_heads"], facts["dim"], facts["n_units"]) == (3, 4, 24, 40)
    assert facts["tied"]
    assert not facts["masked_head"]


def test_a_block_of_several_layers_is_analyzed_once():
    albert = layer_parameters(tiny("albert", num_hidden_groups=2, num_hidden_layers=4), None)
    assert [layer.layer for layer in distinct_layers(albert)] == [1, 3]
    embedding = np.eye(albert[0].query.shape[1], dtype=np.float32)
    tokens = [*map(str, range(len(embedding)))]
    places = head_places(ModelParameters(albert, embedding, embedding, None, None, tokens, True))
    assert places["layer"].unique().tolist() == [1, 3]
    assert len(places) == 2 * albert[0].n_heads
    assert len(distinct_layers(layer_parameters(tiny("bert"), None))) == 3


def test_where_all_kinds_are_left_out_all_tokens_may_be_named(tmp_path: Path):
    space = load_vocabulary_space("tiny", describe(write_checkpoint(tmp_path, tiny("bert"))))
    assert space.allowed(set(space.kinds)).all()


def test_random_weights_without_a_tokenizer_have_tokens_of_no_kind():
    config = tiny("bert").config.to_dict()
    sizes = ("model_type", "vocab_size", "hidden_size", "num_hidden_layers")
    sizes += ("num_attention_heads", "intermediate_size", "max_position_embeddings")
    matrices = {"positional": None, "segment": None}
    matrices["input"] = "embeddings.word_embeddings.weight"  # type: ignore[assignment]
    content = {"label": "r", "license": "l", "language": "n", "source": "random", "seed": 0}
    content |= {"config": {key: config[key] for key in sizes}, "matrices": matrices}
    space = load_vocabulary_space("r", describe_model("r", content))
    assert set(space.kinds) == {"other"}
    assert space.allowed(["special"]).all()


def test_vectors_alone_have_no_parameters(tmp_path: Path):
    np.save(tmp_path / "x.npy", np.eye(4))
    content = {"label": "v", "license": "l", "language": "n", "source": "vectors"}
    model = describe_model("v", content | {"path": str(tmp_path / "x.npy")})
    space = load_vocabulary_space("v", model)
    assert (space.parameters, space.architecture) == (None, None)
    assert space.facts() == {"known": False, "architecture": None}
