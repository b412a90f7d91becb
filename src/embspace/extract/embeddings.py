"""Stage `extract_embeddings`: the raw learned matrices of a model and its vocabulary."""

import numpy as np
import pandas as pd

from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.files.tensors import save_tensors
from embspace.geometry.pairs.scan._rows import checked_norms
from embspace.models.matrices import learned_matrices
from embspace.models.tokenizer import (
    check_vocabulary,
    load_tokenizer,
    numbered_vocabulary,
    tokenizer_files,
    vocabulary_table,
)
from embspace.models.vectors import load_vectors
from embspace.models.weights import load_model
from embspace.settings.model import Model, Network, VectorsModel, describe_model, model_file
from embspace.settings.stage import StageConfig, run_stage


def extract_embeddings(name: str, model: Model) -> tuple[dict[str, np.ndarray], pd.DataFrame]:
    """The learned matrices by space, and the vocabulary, a row per row of `input`.

    Raises:
        InputError: naming the model's file and the matrix, for vectors with squared distances
            beyond float32.
    """
    if isinstance(model, VectorsModel):
        matrices, vocabulary = load_vectors(name, model)
    else:
        matrices, vocabulary = _network_embeddings(name, model)
    for space, x in matrices.items():
        try:
            checked_norms(x, f"the matrix '{space}'")
        except ValueError as error:
            raise InputError(f"{model_file(name)}: {error}") from None
    return matrices, vocabulary


def _network_embeddings(name: str, model: Network) -> tuple[dict[str, np.ndarray], pd.DataFrame]:
    matrices = learned_matrices(name, model, load_model(name, model))
    if tokenizer_files(model) is None:
        vocabulary = numbered_vocabulary(len(matrices["input"]) - model.padding_rows)
    else:
        vocabulary = vocabulary_table(name, load_tokenizer(name, model), model)
    return without_padding(name, model, matrices, vocabulary), vocabulary


def without_padding(
    name: str, model: Network, matrices: dict[str, np.ndarray], vocabulary: pd.DataFrame
) -> dict[str, np.ndarray]:
    """The matrices, `input` with a row a token and no other; a row that is missing is an error."""
    check_vocabulary(name, model, vocabulary, len(matrices["input"]))
    n_tokens = len(matrices["input"]) - model.padding_rows
    return {**matrices, "input": matrices["input"][:n_tokens]}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    model = describe_model(name, config.model)
    matrices, vocabulary = extract_embeddings(name, model, **config.settings)
    save_tensors(matrices, f"data/extracted/embeddings/{name}.safetensors")
    save_rows(vocabulary, f"data/extracted/embeddings/{name}.parquet")


if __name__ == "__main__":
    run_stage(main, extract_embeddings)
