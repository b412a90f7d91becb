"""What a model says of how texts are read is known, or the model is refused by name."""

import json
from pathlib import Path
from typing import Any

import pytest

from embspace.errors import RefusedModel
from embspace.models.sentence.reading import (
    Reading,
    default_prompt,
    read_reading,
    shortened_to,
)

TODAY = {
    "transformer_task": "feature-extraction",
    "modality_config": {
        "text": {"method": "forward", "method_output_name": "last_hidden_state"},
        "message": {"method": "forward", "method_output_name": "last_hidden_state"},
    },
    "module_output_name": "token_embeddings",
    "unpad_inputs": True,
}


def written(folder: Path, name: str, content: Any) -> Path:
    (folder / name).write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, Reading(None, is_lowered=False)),
        ({"max_seq_length": None, "do_lower_case": True}, Reading(None, is_lowered=True)),
        (TODAY | {"max_seq_length": 12, "query_length": None}, Reading(12, is_lowered=False)),
        ({"model_args": {}, "tokenizer_args": None}, Reading(None, is_lowered=False)),
    ],
)
def test_known_keys_are_read(tmp_path: Path, content: Any, expected: Reading):
    assert read_reading(written(tmp_path, "sentence_bert_config.json", content)) == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "expected keys and values, found"),
        ({"max_seq_length": "128"}, "key 'max_seq_length': found '128', allowed: a whole number"),
        ({"max_seq_length": 128.0}, r"found 128\.0, allowed"),
        ({"max_seq_length": 0}, "found 0, allowed"),
        ({"max_seq_length": True}, "found True, allowed"),
        ({"do_lower_case": "yes"}, "key 'do_lower_case': found 'yes', allowed: true or false"),
        ({"config_args": {"is_decoder": True}}, "key 'config_args': found {'is_decoder': True}"),
        ({"config_kwargs": {"is_decoder": True}}, "key 'config_kwargs'"),
        ({"tokenizer_args": {"model_max_length": 4}}, "key 'tokenizer_args'"),
        ({"processing_kwargs": {"text": {"a": 1}}}, "key 'processing_kwargs'"),
        ({"model_args": {"is_decoder": True}}, "key 'model_args'"),
        ({"query_length": 8}, "key 'query_length': found 8"),
        ({"transformer_task": "fill-mask"}, "found 'fill-mask', allowed: feature-extraction"),
        ({"module_output_name": "sentence_embedding"}, "key 'module_output_name'"),
        (
            {"modality_config": {"text": {"method_output_name": "pooler_output"}}},
            "key 'modality_config'",
        ),
        ({"of_tomorrow": 0}, "key 'of_tomorrow': found 0"),
    ],
)
def test_what_is_not_known_is_refused_by_name(tmp_path: Path, content: Any, message: str):
    written(tmp_path, "sentence_roberta_config.json", content)
    with pytest.raises(RefusedModel, match=message):
        read_reading(tmp_path)


def test_prompts_and_the_length_of_vectors_are_read(tmp_path: Path):
    assert (default_prompt(tmp_path), shortened_to(tmp_path)) == ("", None)
    content = {
        "__version__": {"sentence_transformers": "6.2.0"},
        "model_type": "SentenceTransformer",
        "similarity_fn_name": "dot",
        "prompts": {"query": "q: ", "document": None},
        "default_prompt_name": "query",
        "truncate_dim": 4,
    }
    written(tmp_path, "config_sentence_transformers.json", content)
    assert (default_prompt(tmp_path), shortened_to(tmp_path)) == ("q: ", 4)
    written(tmp_path, "config_sentence_transformers.json", content | {"default_prompt_name": None})
    assert default_prompt(tmp_path) == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "expected keys and values"),
        ({"prompts": ["a"]}, r"key 'prompts': found \['a'\], allowed: texts by name"),
        ({"prompts": {"a": 1}, "default_prompt_name": "a"}, r"'prompts\.a': found 1, allowed"),
        ({"prompts": {"query": ""}, "default_prompt_name": "q"}, "default_prompt_name': found 'q'"),
        ({"default_prompt_name": ["q"]}, r"key 'default_prompt_name': found \['q'\]"),
        ({"truncate_dim": "4"}, "key 'truncate_dim': found '4', allowed: a whole number"),
        ({"truncate_dim": 0}, "key 'truncate_dim': found 0"),
    ],
)
def test_prompts_that_do_not_fit_are_refused(tmp_path: Path, content: Any, message: str):
    written(tmp_path, "config_sentence_transformers.json", content)
    with pytest.raises(RefusedModel, match=message):
        (default_prompt(tmp_path), shortened_to(tmp_path))
