"""Sizes of models and texts are read off descriptions and files."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from embspace.app.reporting.sizes import count_sentences, size_of
from embspace.app.working_tree import OwnTexts


def test_sizes_are_those_of_config_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("conf/model", "conf/corpus", "model"):
        Path(folder).mkdir(parents=True)
    Path("conf/model/said.yaml").write_text("parameters: 7\n")
    content = {"label": "a", "license": "b", "language": "c", "source": "path", "path": "model"}
    content["matrices"] = {"input": "a", "positional": None, "segment": None}
    Path("conf/model/mine.yaml").write_text(yaml.safe_dump(content))
    config = {"model_type": "bert", "num_hidden_layers": 3, "hidden_size": 16, "vocab_size": 100}
    Path("model/config.json").write_text(json.dumps(config))
    Path("texts.csv").write_bytes(b"x" * 50)
    Path("conf/corpus/posts.yaml").write_text("path: texts.csv\n")
    own = OwnTexts("own", "own", ".txt", b"y" * 30)
    said = size_of(tmp_path, "said", ["posts", "own"], [own])
    assert (said.parameters, said.characters, said.corpora) == (7, 80, 2)
    mine = size_of(tmp_path, "mine", ["posts"], [])
    assert (mine.parameters, mine.tokens) == (12 * 3 * 16**2 + 100 * 16, 100)
    counted = size_of(tmp_path, "said", ["own"], [replace(own, n_sentences=3)])
    assert (counted.sentences, said.sentences) == (3, None)


def test_sentences_of_words_alone_are_counted():
    words = "The old boat went down the river at night."
    assert count_sentences([f"{words} It was far.", words, "C1CC>>CCO. [Na+].[Cl-]"]) == 1
    assert count_sentences([words.replace("old", "0.5")]) == 0
