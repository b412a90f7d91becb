"""Classifies sequences by the lower blocks of one seed and the upper blocks of another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.errors import InputError
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.parameters.stitching import (
    LinearStitch,
    explained_share,
    kernel_stitch,
    shuffled_kernels,
    trained_stitch,
    turned_kernel,
    vocabulary_kernel,
)
from embspace.measure.sequences.sequence_classifiers import last_checkpoints
from embspace.measure.sequences.sequence_texts import Sequences
from embspace.measure.sequences.stitching_models import (
    Embedding,
    ReadModel,
    Texts,
    read_model,
    read_untrained,
)
from embspace.models.parameters.groups import require_same_tokens
from embspace.models.stream.entered import TokenIds, logits_above, read_texts, states_of
from embspace.settings.run import Run, tuned_blocks

VOCABULARY, IDENTITY, TRAINED = "vocabulary", "identity", "trained"
FREQUENT = "frequent tokens"
TURNED, SHUFFLED = "turned", "shuffled tokens"
Right = Bool[np.ndarray, "layer text"]
RightOfFirst = Bool[np.ndarray, "layer document"]
States = Float[np.ndarray, "layer text token dim"]
Stitch = Sequence[LinearStitch]
"""A linear map per layer."""


class Explained(NamedTuple):
    """The share of the lower model's embeddings that the upper model's explain."""

    share: float
    shuffled: float
    """The same for randomly matched tokens."""
    n_tokens: int


@dataclass(frozen=True, eq=False)
class StitchedPair:
    """The answers of the upper blocks of one seed on the lower blocks of another."""

    upper_seed: int
    """The seed whose model has learned the classes; it gives the upper blocks and the head."""
    lower: int | str
    """The seed of the pretrained model, or a model outside the run: embeddings, lower blocks."""
    is_control: bool
    """True for a seed above its own pretraining, where the two spaces are nearly the same."""
    unstitched: Bool[np.ndarray, " text"]
    """Whether the classifier itself, the whole of the upper model, is right."""
    right: Mapping[str, Right]
    """By stitch, whether the answer is right."""
    null: Mapping[str, Sequence[RightOfFirst]]
    """By kind of random stitch and by draw, for the first text of every document."""
    explained: Explained
    """The share of all embeddings that is explained; all tokens weigh alike."""
    frequent_explained: Explained
    """The share over tokens that training has read `least_count` times or more."""


@dataclass(frozen=True)
class Stitching:
    """How models are stitched."""

    strength: float
    """Strength of the ridge regression."""
    n_draws: int
    """The number of random stitches per kind and pair."""
    least_count: int
    """Least count of a frequent token in the texts that the run was trained on."""
    seed: int


def pairs_of_seed(
    run: Run, root: str, number: int, texts: Texts, final_norm: str | None, how: Stitching
) -> list[StitchedPair]:
    """Stitch a seed of a run, below, to every seed, itself included, above.

    A state of layer l below becomes a state of layer l above.

    Raises:
        InputError: as `read_model` and `frequent_tokens`, or if two seeds have different tokens.
    """
    before, last = list(run.phases)[-2:]
    lower = read_model(run, root, before, number, texts, final_norm)
    states = states_of(lower.module, lower.held_out, lower.final_norm)
    folder = last_checkpoints(root, run, before)[number].folder
    frequent = _frequent(run, folder, lower, texts, how)
    return [
        _pair(
            Side(run.seeds[number], lower),
            Side(seed, read_model(run, root, last, other, texts, final_norm)),
            states,
            frequent,
            texts.held_out,
            how,
            entered=range(len(states)),
            is_control=other == number,
        )
        for other, seed in enumerate(run.seeds)
    ]


def pairs_on_model(
    run: Run, root: str, name: str, texts: Texts, final_norm: str | None, how: Stitching
) -> list[StitchedPair]:
    """Stitch the tuned blocks of every seed of a run, above, to a model outside the run, below.

    Every layer of the lower model leads into the first block tuned by the run, as in the paper. The
    run's own base below is the control.

    Raises:
        InputError: as `read_untrained`, `read_model` and `frequent_tokens`, or if model and run
            have different tokens.
    """
    (last,) = run.phases
    folder = last_checkpoints(root, run, last)[0].folder
    lower = read_untrained(name, folder, texts, run.window)
    states = states_of(lower.module, lower.held_out, lower.final_norm)
    frequent = _frequent(run, folder, lower, texts, how)
    uppers = [
        Side(seed, read_model(run, root, last, number, texts, final_norm))
        for number, seed in enumerate(run.seeds)
    ]
    return [
        _pair(
            Side(name, lower),
            upper,
            states,
            frequent,
            texts.held_out,
            how,
            entered=[upper.model.n_layers - tuned_blocks(run)] * len(states),
            is_control=name == run.base,
        )
        for upper in uppers
    ]


def _frequent(
    run: Run, folder: Path, lower: ReadModel, texts: Texts, how: Stitching
) -> Int[np.ndarray, " frequent"]:
    read = read_texts(texts.read, folder, run.window)
    return frequent_tokens(read, len(lower.tokens), how.least_count)


class Side(NamedTuple):
    """A model of a pair: a seed of the run, or the name of a model of conf/model/."""

    name: int | str
    model: ReadModel


def _pair(
    lower: Side,
    upper: Side,
    states: States,
    frequent: Int[np.ndarray, " frequent"],
    held_out: Sequences,
    how: Stitching,
    *,
    entered: Sequence[int],
    is_control: bool,
) -> StitchedPair:
    """Stitch two models: the states of layer l below enter layer `entered[l]` above."""
    require_same_tokens(lower.model.tokens, upper.model.tokens, (str(lower.name), str(upper.name)))
    embeddings = (lower.model.embedding, upper.model.embedding)
    names = ("stitching", str(upper.name), str(lower.name))
    generator = stream_of(np.random.default_rng(how.seed), *names)
    stitches, null = zero_shot_stitches(*embeddings, frequent, len(states), how.n_draws, generator)
    if is_control:
        null = {}
    else:
        stitches |= {TRAINED: _trained(lower.model, upper.model, entered, how.strength)}
    return StitchedPair(
        int(upper.name),
        lower.name,
        is_control,
        _answers(upper.model, upper.model.held_out, held_out.label),
        *_all_right(upper.model, states, held_out, stitches, null, entered),
        _explained(*embeddings, generator),
        _explained(embeddings[0][frequent], embeddings[1][frequent], generator),
    )


def frequent_tokens(
    read: TokenIds, n_tokens: int, least_count: int
) -> Int[np.ndarray, " frequent"]:
    """Return the tokens, special tokens included, that occur `least_count` times or more.

    Raises:
        InputError: if these tokens are fewer than two.
    """
    counts = np.bincount(read.ids[read.mask], minlength=n_tokens)
    frequent = np.flatnonzero(counts >= least_count)
    if len(frequent) < 2:
        raise InputError(
            f"key 'least_count': found {least_count}, but {len(frequent)} of {n_tokens} tokens are "
            "so frequent in the texts that the run was trained on; expected two or more"
        )
    return frequent


def zero_shot_stitches(
    lower: Embedding,
    upper: Embedding,
    frequent: Int[np.ndarray, " frequent"],
    n_layers: int,
    n_draws: int,
    generator: np.random.Generator,
) -> tuple[dict[str, Stitch], dict[str, list[Stitch]]]:
    """Return the stitches that are not trained, and the draws of random stitches; all layers alike.

    The stitch `FREQUENT` goes through the rows `frequent` of the embeddings alone.
    """
    kernel = vocabulary_kernel(lower, upper)
    turned = [turned_kernel(kernel, generator) for _ in range(n_draws)]
    shuffled = shuffled_kernels(lower, upper, n_draws, generator)
    stitches = {VOCABULARY: kernel, IDENTITY: np.eye(*kernel.shape)}
    stitches |= {FREQUENT: vocabulary_kernel(lower[frequent], upper[frequent])}
    null = {TURNED: turned, SHUFFLED: shuffled}
    return (
        {name: [kernel_stitch(kernel)] * n_layers for name, kernel in stitches.items()},
        {
            name: [[kernel_stitch(kernel)] * n_layers for kernel in kernels]
            for name, kernels in null.items()
        },
    )


def right_answers(
    module: Any,
    states: States,
    stitch: Stitch,
    tokens: TokenIds,
    label: Int[np.ndarray, " text"],
    entered: Sequence[int],
) -> Right:
    """Return whether the class is right if the states of layer l are put at layer `entered[l]`."""
    answers = [
        logits_above(module, layer, linear(below), tokens).argmax(axis=1)
        for below, linear, layer in zip(states, stitch, entered, strict=True)
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
    entered: Sequence[int],
) -> tuple[dict[str, Right], dict[str, list[RightOfFirst]]]:
    """Return right answers by stitch; for random stitches, on the first text of each document."""
    module, label, rows = upper.module, held_out.label, first_of_each(held_out.document)
    some, first = upper.held_out.of(rows), states[:, rows]
    return (
        {
            name: right_answers(module, states, stitch, upper.held_out, label, entered)
            for name, stitch in stitches.items()
        },
        {
            name: [
                right_answers(module, first, stitch, some, label[rows], entered) for stitch in draws
            ]
            for name, draws in null.items()
        },
    )


def _answers(
    upper: ReadModel, tokens: TokenIds, label: Int[np.ndarray, " text"]
) -> Bool[np.ndarray, " text"]:
    """Return whether the classifier alone is right."""
    import torch

    with torch.inference_mode():
        parts = [
            upper.module(input_ids=ids, attention_mask=mask).logits.numpy()
            for _, ids, mask in tokens.batches()
        ]
    return np.asarray(np.concatenate(parts).argmax(axis=1) == label)


def _trained(
    lower: ReadModel, upper: ReadModel, entered: Sequence[int], strength: float
) -> list[LinearStitch]:
    """Return the ridge regression of each layer, of the tokens of training texts."""
    shown = lower.training.mask
    given = states_of(lower.module, lower.training, lower.final_norm)
    wanted = states_of(upper.module, upper.training, upper.final_norm)
    return [
        trained_stitch(x[shown], wanted[layer][shown], strength=strength)
        for x, layer in zip(given, entered, strict=True)
    ]


def _explained(lower: Embedding, upper: Embedding, generator: np.random.Generator) -> Explained:
    """Return the explained share of the lower embeddings, and the share of shuffled tokens."""
    anew = lower[generator.permutation(len(lower))]
    return Explained(explained_share(lower, upper), explained_share(anew, upper), len(lower))
