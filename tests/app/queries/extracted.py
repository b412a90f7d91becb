"""A tree in which a tiny model has read one corpus."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from embspace.extract.hidden_states import (
    extract_hidden_states,
    save_hidden_states,
    with_sentences,
)
from embspace.files.rows import save_rows
from embspace.models.sentence.vectors import sentence_modules
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.models.sentence.folders import Module, write_modules
from tests.tiny import write_tiny_model


def write_extracted(
    folder: Path, texts: pd.DataFrame, modules: Sequence[Module] = (), **reading: int
) -> Path:
    """Write the model `tiny`, the corpus `one` and its hidden states; return the folder.

    With `modules` it is a sentence model.
    """
    write_tiny_model(folder / "models/tiny", folder / "conf", "tiny")
    if modules:
        write_modules(folder / "models/tiny", list(modules), reading=reading)
    description = yaml.safe_load((folder / "conf/model/tiny.yaml").read_text())
    model = describe_model("tiny", description)
    module = load_model("tiny", model)
    tokenizer = load_tokenizer("tiny", model)
    settings: dict[str, Any] = {
        "window_length": 40,
        "largest_unknown_share": 0.2,
        "overlap": 5,
        "tokens_per_batch": 60,
        "device": "cpu",
    }
    states = extract_hidden_states(model, module, tokenizer, texts, True, **settings)
    made = sentence_modules("tiny", model, module)
    wanted = texts["text"].tolist()
    states = with_sentences(states, made, model, module, tokenizer, wanted, settings)
    save_hidden_states(states, str(folder / "data/extracted/hidden_states/tiny/one"))
    save_rows(texts, str(folder / "data/prepared/texts/one.parquet"))
    _write_corpus(folder, texts, settings)
    params = {
        "models": ["tiny"],
        "corpora": ["one"],
        "profiled": [],
        "trained": [],
        "seed": 0,
        "device": "cpu",
    }
    (folder / "params.yaml").write_text(yaml.safe_dump(params))
    return folder


def _write_corpus(folder: Path, texts: pd.DataFrame, settings: dict[str, Any]) -> None:
    """Write the texts as a corpus of conf/, and how texts are read."""
    lines = texts.to_json(orient="records", lines=True, force_ascii=False)
    path = folder / "data/texts/one.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(lines, encoding="utf-8")
    corpus = {"label": "one", "license": "CC0-1.0", "language": "en", "source": "builtin"}
    reading = {key: value for key, value in settings.items() if key != "device"}
    files = {
        "corpus/one": corpus | {"path": "data/texts/one.jsonl"},
        "extract/hidden_states": reading,
    }
    for name, content in files.items():
        place = folder / f"conf/{name}.yaml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(yaml.safe_dump(content))
