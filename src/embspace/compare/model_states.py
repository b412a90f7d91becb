"""Loads the hidden states of a model on all corpora and stimuli."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.analysis import Source
from embspace.compare.both_models import both_models
from embspace.files.rows import load_rows
from embspace.files.tensors import map_tensors, tensor_names

STIMULI = ("homonyms", "synonyms", "paraphrases", "controls", "differences")


@dataclass(frozen=True, eq=False)
class CorpusStates:
    """Holds the hidden states of a model on the texts of a corpus."""

    windows: pd.DataFrame
    tokens: pd.DataFrame
    states: Mapping[str, Float[np.ndarray, "layer row dim"]]
    """`mean`, with a row per window; `token`, with a row per token, if tokens were kept."""


@dataclass(frozen=True, eq=False)
class ModelStates:
    """Holds the hidden states of a model on all corpora and stimuli."""

    corpora: dict[str, CorpusStates]
    stimuli: Mapping[str, Mapping[str, Float[np.ndarray, "layer sentence dim"]]]
    """By set, `mean` and the same at random weights, `random_mean`."""


def load_model_states(corpus_folder: str, stimuli_folder: str, corpora: list[str]) -> ModelStates:
    """Return the states in two folders of a model; only the used ones are read from the disk."""
    kinds = ["mean", "random_mean"]
    stimuli = {name: map_tensors(f"{stimuli_folder}/{name}.safetensors", kinds) for name in STIMULI}
    return ModelStates(load_corpus_states(corpus_folder, corpora).corpora, stimuli)


def load_corpus_states(folder: str, corpora: list[str]) -> ModelStates:
    """Return the states on corpora alone, without stimuli."""
    return ModelStates({corpus: _corpus_states(f"{folder}/{corpus}") for corpus in corpora}, {})


def _corpus_states(path: str) -> CorpusStates:
    file = f"{path}.safetensors"
    kept = [name for name in ("mean", "token") if name in tensor_names(file)]
    windows, tokens = (load_rows(f"{path}.{table}.parquet") for table in ("windows", "tokens"))
    return CorpusStates(windows, tokens, map_tensors(file, kept))


def load_texts(folder: str, corpora: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the texts of all corpora."""
    return {corpus: load_rows(f"{folder}/{corpus}.parquet") for corpus in corpora}


def load_stimuli(*paths: str) -> dict[str, pd.DataFrame]:
    """Return the sentences of all sets."""
    return {Path(path).stem: load_rows(path) for path in paths}


FOLDERS = ("data/extracted/hidden_states/{model}", "data/extracted/stimuli/{model}")
TEXTS = Source(load_texts, "data/prepared/texts", lists=["corpora"])
TEXTS_AND_STATES = {
    "texts": TEXTS,
    "stimuli": Source(load_stimuli, [f"data/prepared/stimuli/{name}.parquet" for name in STIMULI]),
    **both_models("states", load_model_states, *FOLDERS, lists=["corpora"]),
}
"""The inputs of comparisons on texts and stimuli."""
