"""The classifiers of a run, after training and before any, and what they read of sequences."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from embspace.errors import InputError
from embspace.models.tokenizer import read_tokenizer
from embspace.models.windows import cut_windows
from embspace.settings.run import Run
from embspace.train.checkpoints import Checkpoint, checkpoints_of, read_record
from embspace.train.heads import load_head

TRAINED, PRETRAINED, RANDOM = "trained", "pretrained", "random weights"
TEXTS_AT_ONCE = 128
SequenceIds = Int[np.ndarray, "text token"]


@dataclass(frozen=True, eq=False)
class Encoded:
    """Sequences as the model reads them, of equal length and without padding."""

    ids: SequenceIds
    places: Int[np.ndarray, " place"]
    """The positions of the ordinary tokens, one a place of the gene; position 0 is [CLS]."""
    mask_id: int
    """The token that stands for a hidden token."""


def last_checkpoints(root: str, run: Run, phase: str) -> list[Checkpoint]:
    """Return the last checkpoint of a phase, for each seed."""
    return [checkpoints_of(root, run, seed, phase)[-1] for seed in run.seeds]


def load_classifier(run: Run, checkpoint: Checkpoint) -> Any:
    """Check the record of a checkpoint, then load the checkpoint with the head of its phase."""
    import torch

    torch.set_num_threads(1)  # the seeds take one core each
    read_record(checkpoint.folder)
    return load_head(checkpoint.folder, run.phases[checkpoint.phase])


def random_classifier(module: Any, seed: int) -> Any:
    """A classifier of the same config before any training, head and all, in evaluation mode."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return type(module)(module.config).eval()


def encode_sequences(run: Run, checkpoint: Checkpoint, texts: list[str]) -> Encoded:
    """Return the token ids of sequences of equal length.

    Raises:
        InputError: if a sequence does not fit into a window, the sequences differ in length, or the
            tokenizer puts nothing before the first k-mer.
    """
    tokenizer = read_tokenizer(checkpoint.folder)
    windows = cut_windows(texts, tokenizer, run.window, length_key="key 'window'")
    lengths = {len(window.ids) for window in windows}
    if len(windows) > len(texts) or len(lengths) > 1:
        raise InputError(
            f"{checkpoint.folder}: found {len(windows)} windows of {sorted(lengths)} tokens for "
            f"{len(texts)} sequences, expected one of the same length for each; see key 'window'"
        )
    # An unknown word is a place, too.
    special = np.all([window.special for window in windows], axis=0)
    if not special[0]:
        raise InputError(f"{checkpoint.folder}: the tokenizer puts no token before the first k-mer")
    hidden = tokenizer.mask_token_id
    mask_id = tokenizer.unk_token_id if hidden is None else hidden
    return Encoded(
        np.stack([window.ids for window in windows]), np.flatnonzero(~special), int(mask_id)
    )


def batches(ids: SequenceIds) -> Iterator[tuple[Any, Any]]:
    """Yield token ids and masks as tensors, some texts at a time."""
    import torch

    for first in range(0, len(ids), TEXTS_AT_ONCE):
        chosen = torch.from_numpy(ids[first : first + TEXTS_AT_ONCE].copy())
        yield chosen, torch.ones_like(chosen)


def logits_of(module: Any, ids: SequenceIds) -> Float[np.ndarray, "text class"]:
    """Return the logits of texts in float64, less the mean over the classes.

    Softmax ignores the mean: no evidence is lost.
    """
    import torch

    parts = []
    with torch.inference_mode():
        for chosen, mask in batches(ids):
            parts.append(module(input_ids=chosen, attention_mask=mask).logits.numpy())
    logits = np.concatenate(parts).astype(np.float64)
    return logits - logits.mean(axis=1, keepdims=True)


def probabilities(logits: Float[np.ndarray, "text class"]) -> Float[np.ndarray, "text class"]:
    """Return the softmax of logits."""
    from scipy.special import softmax

    return np.asarray(softmax(logits, axis=1))


def with_hidden(encoded: Encoded, hidden: Bool[np.ndarray, "text place"]) -> SequenceIds:
    """Return the token ids with the mask in the place of hidden k-mers."""
    ids = encoded.ids.copy()
    places = ids[:, encoded.places]
    ids[:, encoded.places] = np.where(hidden, encoded.mask_id, places)
    return ids
