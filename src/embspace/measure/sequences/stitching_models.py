"""Reads the models that are stitched, and the texts that they classify."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from embspace.errors import InputError
from embspace.files.rows import load_rows
from embspace.measure.sequences.sequence_classifiers import last_checkpoints, load_classifier
from embspace.measure.sequences.sequence_texts import (
    Sequences,
    held_out_sequences,
    held_out_texts,
)
from embspace.measure.tables.run_corpora import corpus_of
from embspace.models.parameters.read import ModelParameters, read_parameters, run_parameters
from embspace.models.stream.entered import TokenIds, read_texts
from embspace.models.tokenizer import read_tokenizer
from embspace.models.weights import load_model
from embspace.settings.model import VectorsModel, describe_model, model_file
from embspace.settings.run import Run
from embspace.settings.schema import read_yaml

Embedding = Float[np.ndarray, "token dim"]


@dataclass(frozen=True, eq=False)
class Texts:
    """The sequences that are classified, and those to which a trained stitch is fitted."""

    held_out: Sequences
    training: list[str]
    read: list[str]
    """All texts that the run was trained on, which tell how often it has read each token."""


@dataclass(frozen=True, eq=False)
class ReadModel:
    """A model, its embeddings, and the texts as its token ids."""

    module: Any
    embedding: Embedding
    tokens: list[str]
    n_layers: int
    final_norm: str | None
    held_out: TokenIds
    training: TokenIds


def load_texts(corpora: str, texts: str, name: str, run: Run) -> Texts | None:
    """Return the texts of a run that classifies sequences; if stitched on a model, of any texts.

    Raises:
        InputError: as `held_out_sequences`.
    """
    table = load_rows(texts)
    if run.stitched_on:
        return stitched_texts(held_out_texts(name, run, table), table)
    return stitched_texts(held_out_sequences(name, run, corpus_of(corpora, run), table), table)


def stitched_texts(held_out: Sequences | None, texts: pd.DataFrame) -> Texts | None:
    """Return held-out sequences with the first training text of each document; None without."""
    read = texts[texts["split"] == "train"]
    training = read.drop_duplicates("document")
    return None if held_out is None else Texts(held_out, list(training["text"]), list(read["text"]))


def read_model(
    run: Run, root: str, phase: str, number: int, texts: Texts, final_norm: str | None
) -> ReadModel:
    """Return the model of one of a run's seeds after a phase.

    Raises:
        InputError: if a file is missing or changed, or for an unknown architecture.
    """
    checkpoint = last_checkpoints(root, run, phase)[number]
    module, folder = load_classifier(run, checkpoint), checkpoint.folder
    parameters = run_parameters(module, read_tokenizer(folder), final_norm)
    return _as_read(module, parameters, folder, texts, run.window, final_norm)


def read_untrained(name: str, folder: Path, texts: Texts, window: int) -> ReadModel:
    """Read a model of conf/model/ that has not learned the classes.

    `folder` has the tokenizer of the texts, the upper model's.

    Raises:
        InputError: for vectors, and for an unknown architecture.
    """
    model = describe_model(name, read_yaml(Path(f"conf/model/{name}.yaml")))
    if isinstance(model, VectorsModel):
        raise InputError(f"{model_file(name)}: vectors have no blocks to put others on")
    module = load_model(name, model)
    parameters = read_parameters(name, model, module)
    return _as_read(module, parameters, folder, texts, window, model.final_norm)


def _as_read(
    module: Any,
    parameters: ModelParameters,
    folder: Path,
    texts: Texts,
    window: int,
    final_norm: str | None,
) -> ReadModel:
    return ReadModel(
        module,
        parameters.output_embedding,
        parameters.tokens,
        len(parameters.layers),
        final_norm,
        read_texts(texts.held_out.texts, folder, window),
        read_texts(texts.training, folder, window),
    )
