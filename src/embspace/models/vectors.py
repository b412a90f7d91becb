"""Vectors that a user already has, in the place of the learned matrices of a model."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from embspace.errors import InputError, within
from embspace.files.labels import read_labels
from embspace.files.vectors import read_labeled_vectors
from embspace.models.locate import locate_vectors, warn_unpinned_vectors
from embspace.models.tokenizer import character_class, kind_of_text, numbered_vocabulary
from embspace.settings.model import VectorsModel, model_file

# Rows and dimensions: fewer have no neighbors, or no three principal components.
LEAST = (4, 3)
# Which key of the model's file is which matrix.
SPACES = {"path": "input", "positional": "positional", "segment": "segment"}


def load_vectors(name: str, model: VectorsModel) -> tuple[dict[str, np.ndarray], pd.DataFrame]:
    """Return float32 vectors by space, (row, dim), and the vocabulary, one row per row of `input`.

    Raises:
        InputError: naming the file, the key, what was found and what is allowed.
    """
    files = locate_vectors(name, model)
    read = partial(read_labeled_vectors, header=model.header, separator=model.separator)
    tables = {key: _read_key(name, key, read, files[key]) for key in SPACES if key in files}
    matrices = {SPACES[key]: table.vectors for key, table in tables.items()}
    n, dim = matrices["input"].shape
    if n < LEAST[0] or dim < LEAST[1]:
        raise InputError(
            f"{model_file(name)}: key 'path': {files['path']}: found the shape {(n, dim)}, "
            f"allowed: {LEAST[0]} rows and {LEAST[1]} dimensions or more"
        )
    for key, space in SPACES.items():
        if space in matrices and matrices[space].shape[1] != dim:
            raise InputError(
                f"{model_file(name)}: key '{key}': {files[key]}: found {matrices[space].shape[1]} "
                f"dimensions, allowed: {dim}, as 'path' has"
            )
    warn_unpinned_vectors(name, model, files)
    own = tables["path"].labels
    if "labels" not in files:
        return matrices, numbered_vocabulary(n) if own is None else labeled_vocabulary(own)
    labels = _read_key(name, "labels", read_labels, files["labels"])
    if len(labels) != n:
        raise InputError(
            f"{model_file(name)}: key 'labels': {files['labels']}: found {len(labels)} rows, "
            f"allowed: {n}, one for each vector of 'path'"
        )
    return matrices, labeled_vocabulary(labels)


def labeled_vocabulary(labels: pd.DataFrame) -> pd.DataFrame:
    """The vocabulary of rows with names: id, token, role, kind, character_class, group.

    `kind` is digit, word or other, by the label's characters; `group` only if given.
    """
    tokens = labels["label"].tolist()
    vocabulary = pd.DataFrame(
        {
            "id": range(len(tokens)),
            "token": tokens,
            "role": "",
            "kind": [kind_of_text(token) for token in tokens],
            "character_class": [character_class(token) for token in tokens],
        }
    )
    return vocabulary.assign(group=labels["group"]) if "group" in labels else vocabulary


def _read_key(name: str, key: str, read: Any, file: Path) -> Any:
    with within(f"{model_file(name)}: key '{key}'"):
        return read(file)
