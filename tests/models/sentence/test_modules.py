"""Modules that are not known, and files that do not fit, are refused by name."""

from pathlib import Path

import pytest

from embspace.errors import RefusedModel
from embspace.models.sentence.modules import read_modules
from tests.models.sentence.folders import Module, pooling, write_modules
from tests.tiny import DIM

UNIT: Module = ("Normalize", {})


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ([pooling("mean"), ("LSTM", {})], "the module LSTM is not known, .* Without modules.json"),
        ([("CNN", {}), pooling("mean")], "the module CNN is not known"),
        ([("WordWeights", {}), pooling("mean")], "the module WordWeights is not known"),
        ([pooling("mean"), ("LayerNorm", {})], "the module LayerNorm is not known"),
        ([pooling("mean"), ("Asym", {})], "the module Asym is not known"),
        ([UNIT, pooling("mean")], "found Transformer, Normalize, Pooling, allowed: Transformer"),
        ([pooling("median")], "key 'pooling_mode': found 'median'.* allowed: cls, mean"),
        ([("Pooling", {"pooling_mode_median": True})], "'pooling_mode_median'"),
        ([("BoW", {}), pooling("mean")], "the module BoW is not known"),
        ([pooling("mean"), ("SpladePooling", {})], "the module SpladePooling is not known"),
        ([("Pooling", {"pooling_mode": None})], "key 'pooling_mode': found None"),
        ([("Pooling", {"pooling_mode": []})], r"key 'pooling_mode': found \[\]"),
        ([("Pooling", {"pooling_mode": [["mean"]]})], "'pooling_mode': found \\['mean'\\]"),
        ([("Pooling", {"embedding_dimension": "32"})], "is for '32' dimensions, the"),
        ([("Pooling", {"include_prompt": "no"})], "'include_prompt': found 'no', allowed: true"),
        ([("Pooling", {"embedding_dimension": 7})], "is for 7 dimensions, the .* have 32"),
    ],
)
def test_what_is_not_known_is_refused_by_name(tmp_path: Path, modules: list[Module], message: str):
    write_modules(tmp_path, modules)
    with pytest.raises(RefusedModel, match=message):
        read_modules(tmp_path, DIM)


def test_dropout_is_for_training(tmp_path: Path):
    write_modules(tmp_path, [pooling("mean"), ("Dropout", {"dropout": 0.1}), UNIT])
    modules = read_modules(tmp_path, DIM)
    assert modules is not None and (len(modules.steps), modules.dimension) == (1, DIM)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("1_Pooling/config.json", "{", "1_Pooling/config.json: is no JSON"),
        ("1_Pooling/config.json", "[]", "1_Pooling/config.json: expected keys and values"),
    ],
)
def test_broken_files_are_told(tmp_path: Path, file: str, content: str, message: str):
    write_modules(tmp_path, [pooling("mean")])
    (tmp_path / file).write_text(content)
    with pytest.raises(RefusedModel, match=message):
        read_modules(tmp_path, DIM)
