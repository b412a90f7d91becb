"""Classifies sequences by the lower blocks of one seed and the upper ones of another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from embspace.errors import InputError
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.parameters.stitching import (
    LinearStitch,
    explained_share,
    kernel_stitch,
    shuffled_kernel,
    trained_stitch,
    turned_kernel,
    vocabulary_kernel,
)
from embspace.measure.sequences.sequence_classifiers import last_checkpoints, load_classifier
from embspace.measure.sequences.sequence_texts import Sequences
from embspace.models.parameters.groups import require_same_tokens
from embspace.models.parameters.read import run_parameters
from embspace.models.stream.entered import TokenIds, logits_above, read_texts, states_of
from embspace.models.tokenizer import read_tokenizer
from embspace.settings.run import Run

VOCABULARY, IDENTITY, TRAINED = "vocabulary", "identity", "trained"
FREQUENT = "frequent tokens"
TURNED, SHUFFLED = "turned", "shuffled tokens"
Right = Bool[np.ndarray, "layer text"]
RightOfFirst = Bool[np.ndarray, "layer document"]
States = Float[np.ndarray, "layer text token dim"]
Embedding = Float[np.ndarray, "token dim"]
Stitch = Sequence[LinearStitch]
"""A linear map for each layer."""


class Explained(NamedTuple):
    """The share of the lower model's embeddings that those of the upper one explain."""

    share: float
    shuffled: float
    """The same of tokens that are matched at random."""
    n_tokens: int


@dataclass(frozen=True, eq=False)
class StitchedPair:
    """The answers of the upper blocks of one seed on the lower ones of another."""

    upper_seed: int
    """The seed whose model has learned the classes; it gives the upper blocks and the head."""
    lower_seed: int
    """The seed whose model is only pretrained; it gives the embeddings and the lower blocks."""
    unstitched: Bool[np.ndarray, " text"]
    """Whether the classifier itself, the whole of the upper model, is right."""
    right: Mapping[str, Right]
    """By stitch, whether the answer is right."""
    null: Mapping[str, Sequence[RightOfFirst]]
    """By kind of random stitch, a draw after the other, of the first text of each document."""
    explained: Explained
    """The share of all embeddings that is explained; each token has one weight."""
    frequent_explained: Explained
    """The share over tokens that training has read `least_count` times or more."""


@dataclass(frozen=True, eq=False)
class Texts:
    """The sequences that are classified, and those that a trained stitch is fitted to."""

    held_out: Sequences
    training: list[str]
    read: list[str]
    """All that the run was trained on: how often it has read each token."""


@dataclass(frozen=True, eq=False)
class ReadModel:
    """A model, its embeddings, and the texts as it reads them."""

    name: str
    module: Any
    embedding: Embedding
    tokens: list[str]
    held_out: TokenIds
    training: TokenIds


def stitched_texts(held_out: Sequences | None, texts: pd.DataFrame) -> Texts | None:
    """Return held-out sequences with the first training text of each document; None without."""
    read = texts[texts["split"] == "train"]
    training = read.drop_duplicates("document")
    return None if held_out is None else Texts(held_out, list(training["text"]), list(read["text"]))


def read_model(
    run: Run, root: str, phase: str, number: int, texts: Texts, final_norm: str | None
) -> ReadModel:
    """Read one of a run's seeds after a phase.

    Raises:
        InputError: if a file is missing or changed, or for an architecture that is not known.
    """
    checkpoint = last_checkpoints(root, run, phase)[number]
    module, folder = load_classifier(run, checkpoint), checkpoint.folder
    parameters = run_parameters(module, read_tokenizer(folder), final_norm)
    return ReadModel(
        str(folder),
        module,
        parameters.output_embedding,
        parameters.tokens,
        read_texts(texts.held_out.texts, folder, run.window),
        read_texts(texts.training, folder, run.window),
    )


def pairs_of_seed(
    run: Run,
    root: str,
    number: int,
    texts: Texts,
    final_norm: str | None,
    *,
    strength: float,
    n_draws: int,
    least_count: int,
    seed: int,
) -> list[StitchedPair]:
    """Stitch one of a run's seeds, below, to every seed, itself included, above.

    Raises:
        InputError: as `read_model` and `frequent_tokens`, or if two seeds have other tokens.
    """
    before, last = list(run.phases)[-2:]
    lower = read_model(run, root, before, number, texts, final_norm)
    states = states_of(lower.module, lower.held_out, final_norm)
    read = read_texts(texts.read, Path(lower.name), run.window)
    frequent = frequent_tokens(read, len(lower.tokens), least_count)
    found = []
    for each, upper_seed in enumerate(run.seeds):
        upper = read_model(run, root, last, each, texts, final_norm)
        require_same_tokens(lower.tokens, upper.tokens, (lower.name, upper.name))
        lower_seed, embeddings = run.seeds[number], (lower.embedding, upper.embedding)
        names = ("stitching", str(upper_seed), str(lower_seed))
        generator = stream_of(np.random.default_rng(seed), *names)
        stitches, null = zero_shot_stitches(*embeddings, frequent, len(states), n_draws, generator)
        if each == number:
            null = {}
        else:
            stitches |= {TRAINED: _trained(lower, upper, final_norm, strength)}
        found.append(
            StitchedPair(
                upper_seed,
                lower_seed,
                _answers(upper, upper.held_out, texts.held_out.label),
                *_all_right(upper, states, texts.held_out, stitches, null),
                _explained(*embeddings, generator),
                _explained(embeddings[0][frequent], embeddings[1][frequent], generator),
            )
        )
    return found


def frequent_tokens(
    read: TokenIds, n_tokens: int, least_count: int
) -> Int[np.ndarray, " frequent"]:
    """Return the tokens, special ones included, that stand in texts `least_count` times or more.

    Raises:
        InputError: if these are fewer than two.
    """
    counts = np.bincount(read.ids[read.mask], minlength=n_tokens)
    found = np.flatnonzero(counts >= least_count)
    if len(found) < 2:
        raise InputError(
            f"key 'least_count': found {least_count}, but {len(found)} of {n_tokens} tokens are so "
            "frequent in the texts that the run was trained on; expected two or more"
        )
    return found


def zero_shot_stitches(
    lower: Embedding,
    upper: Embedding,
    frequent: Int[np.ndarray, " frequent"],
    n_layers: int,
    n_draws: int,
    generator: np.random.Generator,
) -> tuple[dict[str, Stitch], dict[str, list[Stitch]]]:
    """Return the stitches that are not trained, and the draws of random ones; all layers alike.

    That of `FREQUENT` is through the rows `frequent` of the embeddings alone.
    """
    kernel = vocabulary_kernel(lower, upper)
    turned = [turned_kernel(kernel, generator) for _ in range(n_draws)]
    shuffled = [shuffled_kernel(lower, upper, generator) for _ in range(n_draws)]
    stitches = {VOCABULARY: kernel, IDENTITY: np.eye(*kernel.shape)}
    stitches |= {FREQUENT: vocabulary_kernel(lower[frequent], upper[frequent])}
    null = {TURNED: turned, SHUFFLED: shuffled}
    return (
        {name: [kernel_stitch(each)] * n_layers for name, each in stitches.items()},
        {
            name: [[kernel_stitch(each)] * n_layers for each in kernels]
            for name, kernels in null.items()
        },
    )


def right_answers(
    module: Any, states: States, stitch: Stitch, tokens: TokenIds, label: Int[np.ndarray, " text"]
) -> Right:
    """Return whether the class is right if the states of a layer are stitched there, by layer."""
    answers = [
        logits_above(module, layer, stitch[layer](of_layer), tokens).argmax(axis=1)
        for layer, of_layer in enumerate(states)
    ]
    return np.asarray(np.stack(answers) == label)


def first_of_each(document: Int[np.ndarray, " text"]) -> Int[np.ndarray, " document"]:
    """Return the row of the first text of each document, by the documents' numbers."""
    return np.asarray(np.unique(document, return_index=True)[1])


def _all_right(
    upper: ReadModel,
    states: States,
    held_out: Sequences,
    stitches: Mapping[str, Stitch],
    null: Mapping[str, Sequence[Stitch]],
) -> tuple[dict[str, Right], dict[str, list[RightOfFirst]]]:
    """Return what is right by stitch, and of random ones, of the first text of each document."""
    module, label, rows = upper.module, held_out.label, first_of_each(held_out.document)
    some, first = upper.held_out.of(rows), states[:, rows]
    return (
        {
            name: right_answers(module, states, each, upper.held_out, label)
            for name, each in stitches.items()
        },
        {
            name: [right_answers(module, first, each, some, label[rows]) for each in draws]
            for name, draws in null.items()
        },
    )


def _answers(
    upper: ReadModel, tokens: TokenIds, label: Int[np.ndarray, " text"]
) -> Bool[np.ndarray, " text"]:
    """Return whether the classifier is right by itself."""
    import torch

    with torch.inference_mode():
        parts = [
            upper.module(input_ids=ids, attention_mask=mask).logits.numpy()
            for _, ids, mask in tokens.batches()
        ]
    return np.asarray(np.concatenate(parts).argmax(axis=1) == label)


def _trained(
    lower: ReadModel, upper: ReadModel, final_norm: str | None, strength: float
) -> list[LinearStitch]:
    """Return the ridge regression of each layer, of the tokens of training texts."""
    shown = lower.training.mask
    given = states_of(lower.module, lower.training, final_norm)
    wanted = states_of(upper.module, upper.training, final_norm)
    return [
        trained_stitch(x[shown], y[shown], strength=strength)
        for x, y in zip(given, wanted, strict=True)
    ]


def _explained(lower: Embedding, upper: Embedding, generator: np.random.Generator) -> Explained:
    """Return the share of the lower embeddings that is explained, and that of shuffled tokens."""
    anew = lower[generator.permutation(len(lower))]
    return Explained(explained_share(lower, upper), explained_share(anew, upper), len(lower))
