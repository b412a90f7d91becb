"""Defines the objectives of training."""

from typing import Any

import numpy as np
from jaxtyping import Int

from embspace.errors import InputError
from embspace.settings.run import (
    CausalLanguageModeling,
    MaskedLanguageModeling,
    Phase,
    SequenceClassification,
)
from embspace.train.batches import Windows

BatchRows = Int[np.ndarray, " batch"]
IGNORED = -100  # a label that no loss of transformers counts
MOST_DRAWS = 10_000  # for one token to be hidden at least


def inputs_of(
    phase: Phase, windows: Windows, rows: BatchRows, tokenizer: Any, generator: Any
) -> dict[str, Any]:
    """The arguments of a model for some windows, labels included, on the CPU.

    `generator` is torch's, for all hidden, exchanged or paired tokens.
    """
    import torch

    if isinstance(phase, MaskedLanguageModeling) and phase.next_sentence_after is not None:
        inputs = sentence_pairs(phase.next_sentence_after, windows, rows, tokenizer, generator)
    else:
        longest = int(windows.n_tokens[rows].max())
        inputs = _with_attention(windows.ids[rows, :longest], windows.n_tokens[rows])
    if isinstance(phase, SequenceClassification):
        assert windows.label is not None  # Run says so
        return {**inputs, "labels": torch.from_numpy(windows.label[rows])}
    ids = inputs["input_ids"]
    if isinstance(phase, CausalLanguageModeling):
        return {**inputs, "labels": ids.masked_fill(inputs["attention_mask"] == 0, IGNORED)}
    masked, labels = _masked_tokens(ids, tokenizer, phase.masked_share, generator)
    return {**inputs, "input_ids": masked, "labels": labels}


def _with_attention(ids: np.ndarray, n_tokens: np.ndarray) -> dict[str, Any]:
    import torch

    attention = np.arange(ids.shape[1]) < n_tokens[:, None]
    return {
        "input_ids": torch.from_numpy(ids),
        "attention_mask": torch.from_numpy(attention.astype(np.int64)),
    }


def _masked_tokens(ids: Any, tokenizer: Any, masked_share: float, generator: Any) -> Any:
    """Ids with some tokens hidden, and labels only for these, by transformers' collator.

    Of `masked_share` of the ordinary tokens, 80 % become the mask, 10 % any token, 10 % stay
    (Devlin et al. 2019, "BERT", section 3.1).
    """
    import torch
    from transformers import DataCollatorForLanguageModeling

    collator = DataCollatorForLanguageModeling(tokenizer, mlm_probability=masked_share)
    collator.generator = generator
    special = torch.isin(ids, torch.tensor(sorted(tokenizer.all_special_ids)))
    for _ in range(MOST_DRAWS):
        masked, labels = collator.torch_mask_tokens(ids.clone(), special_tokens_mask=special)
        # A loss over nothing is NaN: of few tokens, draw until there is one to ask for.
        if (labels != IGNORED).any() or special.all():
            return masked, labels
    raise InputError(
        f"key 'masked_share': found {masked_share}, of which {MOST_DRAWS:,} draws have hidden none "
        f"of the {int((~special).sum()):,} tokens of a batch; a larger share asks for one"
    )


def sentence_pairs(
    end: str, windows: Windows, rows: BatchRows, tokenizer: Any, generator: Any
) -> dict[str, Any]:
    """Windows in two parts; the second, by a fair coin, from a different text.

    The label is 0 for the following part, 1 for a different text's (as in BERT's head). Both
    candidates are cut to the shorter length, to make length uninformative.
    """
    import torch

    if (end_id := tokenizer.get_vocab().get(end)) is None:
        raise InputError(f"key 'next_sentence_after': found {end!r}, which is no token")
    is_other = torch.rand(len(rows), generator=generator).numpy() < 0.5
    others = _rows_of_other_texts(windows, rows, generator)
    pairs = []
    for row, other, exchanged in zip(rows, others, is_other, strict=True):
        first, own = _parts(windows, int(row), end_id)
        other_part = _parts(windows, int(other), end_id)[1]
        pairs.append((first, (other_part if exchanged else own)[: min(len(own), len(other_part))]))
    cls, sep = tokenizer.cls_token_id, tokenizer.sep_token_id
    joined = [[cls, *first, sep, *second, sep] for first, second in pairs]
    n_tokens = np.array([len(sequence) for sequence in joined])
    ids = np.full((len(rows), n_tokens.max()), tokenizer.pad_token_id, dtype=np.int64)
    segments = np.zeros_like(ids)
    for number, (sequence, (first, _)) in enumerate(zip(joined, pairs, strict=True)):
        ids[number, : len(sequence)] = sequence
        segments[number, len(first) + 2 : len(sequence)] = 1
    return {
        **_with_attention(ids, n_tokens),
        "token_type_ids": torch.from_numpy(segments),
        "next_sentence_label": torch.from_numpy(is_other.astype(np.int64)),
    }


def _rows_of_other_texts(windows: Windows, rows: BatchRows, generator: Any) -> BatchRows:
    """For every window, a random window of a different text."""
    import torch

    chosen = []
    for row in rows:
        others = np.flatnonzero(windows.text != windows.text[row])
        if not len(others):
            raise InputError("key 'next_sentence_after': needs two texts, found one")
        chosen.append(others[int(torch.randint(len(others), (1,), generator=generator))])
    return np.array(chosen)


def _parts(windows: Windows, row: int, end_id: int) -> tuple[list[int], list[int]]:
    """The ordinary tokens up to the end of a sentence near the middle, and the rest."""
    ids = windows.ids[row, 1 : windows.n_tokens[row] - 1]
    ends = np.flatnonzero(ids[:-1] == end_id) + 1
    middle = len(ids) // 2
    cut = ends[np.abs(ends - middle).argmin()] if len(ends) else middle
    return ids[:cut].tolist(), ids[cut:].tolist()
