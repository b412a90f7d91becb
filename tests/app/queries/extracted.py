"""A tree in which a tiny model has read one corpus."""

from pathlib import Path

import pandas as pd
import yaml

from embspace.extract.hidden_states import extract_hidden_states, save_hidden_states
from embspace.files.rows import save_rows
from embspace.models.tokenizer import load_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import describe_model
from tests.tiny import write_tiny_model


def write_extracted(folder: Path, texts: pd.DataFrame) -> Path:
    """Write the model `tiny`, the corpus `one` and its hidden states; return the folder."""
    write_tiny_model(folder / "models/tiny", folder / "conf", "tiny")
    description = yaml.safe_load((folder / "conf/model/tiny.yaml").read_text())
    model = describe_model("tiny", description)
    states = extract_hidden_states(
        model,
        load_model("tiny", model),
        load_tokenizer("tiny", model),
        texts,
        True,
        window_length=40,
        overlap=5,
        tokens_per_batch=60,
        device="cpu",
    )
    save_hidden_states(states, str(folder / "data/extracted/hidden_states/tiny/one"))
    save_rows(texts, str(folder / "data/prepared/texts/one.parquet"))
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
