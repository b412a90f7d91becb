"""Rows of a language model's checkpoint: predictions on held-out texts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.errors import InputError
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import half_sample_interval
from embspace.measure.runs.training_count_models import CountModels, count_tokens
from embspace.measure.runs.training_held_out import (
    LanguageModeling,
    Targets,
    choose_between,
    predict_tokens,
    target_tokens,
    tell_next_sentences,
)
from embspace.models.tokenizer import read_tokenizer
from embspace.settings.run import MaskedLanguageModeling, Run
from embspace.train.batches import Windows, windows_of
from embspace.train.checkpoints import Checkpoint, read_record
from embspace.train.heads import load_head


def counts_row(
    run: Run, checkpoint: Checkpoint, trained: pd.DataFrame, tested: pd.DataFrame
) -> Row:
    """Return the losses of models of counts on the targets of the models of a phase.

    The checkpoint may be any of the phase, for all have the same tokenizer.
    """
    phase: Any = run.phases[checkpoint.phase]
    read_record(checkpoint.folder)  # the files are those that training wrote
    tokenizer = read_tokenizer(checkpoint.folder)
    special = tokenizer.all_special_ids
    windows = windows_of(list(tested["text"]), tokenizer, run.window)
    targets = target_tokens(phase, windows, special)
    learned = windows_of(list(trained["text"]), tokenizer, run.window)
    models = count_tokens(learned.ids, learned.n_tokens, len(tokenizer), special)
    inside = np.arange(windows.ids.shape[1]) < windows.n_tokens[:, None]
    is_unknown = windows.ids == tokenizer.unk_token_id
    words = inside & (is_unknown | ~np.isin(windows.ids, special))
    return {"share_unknown": float(is_unknown[words].mean()), **_losses_by_counts(models, targets)}


@dataclass(frozen=True, eq=False)
class Asker:
    """A checkpoint, ready to be asked about held-out texts."""

    run: Run
    checkpoint: Checkpoint
    phase: LanguageModeling
    module: Any
    tokenizer: Any
    tested: pd.DataFrame
    windows: Windows


def load_asker(run: Run, checkpoint: Checkpoint, tested: pd.DataFrame) -> Asker:
    """Load a checkpoint, after its record was checked, and cut the texts."""
    import torch

    torch.set_num_threads(1)  # the checkpoints take one core each
    read_record(checkpoint.folder)
    phase: Any = run.phases[checkpoint.phase]
    module, tokenizer = load_head(checkpoint.folder, phase), read_tokenizer(checkpoint.folder)
    windows = windows_of(list(tested["text"]), tokenizer, run.window)
    return Asker(run, checkpoint, phase, module, tokenizer, tested, windows)


def held_out_row(asker: Asker, counts: Row, **options: Any) -> Row:
    """Loss and accuracy on the tokens of held-out texts, beside those of `counts`."""
    run, phase, tested, windows = asker.run, asker.phase, asker.tested, asker.windows
    module, tokenizer, checkpoint = asker.module, asker.tokenizer, asker.checkpoint
    targets = target_tokens(phase, windows, tokenizer.all_special_ids)
    predicted = predict_tokens(module, phase, windows, targets, tokenizer.mask_token_id)
    unit = pd.factorize(tested["document"])[0][windows.text[targets.window]]
    row: Row = {**checkpoint_key(checkpoint), "objective": phase.objective}
    row |= {"n": len(unit), "n_documents": len(np.unique(unit))}
    row |= mean_with_interval("loss", predicted.loss, unit, **options)
    row |= mean_with_interval("accuracy", predicted.correct.astype(np.float64), unit, **options)
    if isinstance(phase, MaskedLanguageModeling) and phase.next_sentence_after is not None:
        paired = windows_of(list(tested["text"]), tokenizer, run.window - 1)
        follows = tell_next_sentences(module, phase.next_sentence_after, paired, tokenizer)
        unit = pd.factorize(tested["document"])[0][paired.text]
        right = follows.astype(np.float64)
        row |= mean_with_interval("next_sentence_accuracy", right, unit, **options)
    return row | counts


def agreement_rows(asker: Asker, items: pd.DataFrame, **options: Any) -> list[Row]:
    """Return how often the right form of a verb is preferred.

    By the verb's clause and by the presence of an attractor, a noun of the wrong number between
    subject and verb; first for all verbs. Only verbs with the subject in the same window, and with
    both forms in the training texts, are tested.
    """
    phase, tested, windows = asker.phase, asker.tested, asker.windows
    module, tokenizer, checkpoint = asker.module, asker.tokenizer, asker.checkpoint
    number = pd.Series(range(len(tested)), tested["id"])
    text = number[items["id"]].to_numpy()
    place = _positions_of_words(windows)
    at_verb = place(text, items["verb_index"].to_numpy())
    is_whole = at_verb[0] == place(text, items["noun_index"].to_numpy())[0]
    is_known = items["wrong"].isin(tokenizer.get_vocab()).to_numpy()
    is_whole &= is_known & items["right"].isin(tokenizer.get_vocab()).to_numpy()
    if not is_whole.any():
        return []
    items, text = items[is_whole].reset_index(drop=True), text[is_whole]
    window, position = (array[is_whole] for array in at_verb)
    right, wrong = (
        np.array(tokenizer.convert_tokens_to_ids(list(items[form]))) for form in ("right", "wrong")
    )
    present = windows.ids[window, position]
    if ((present != right) & (present != wrong)).any():
        raise InputError(
            f"{checkpoint.folder}: agreement is asked of models with one token a word; this one's "
            "tokenizer splits words"
        )
    targets = Targets(window, position, right, windows.ids[window, position - 1])
    correct = np.empty(len(items))
    turn: Int[np.ndarray, " n"] = np.zeros(len(items), dtype=np.int64)
    if isinstance(phase, MaskedLanguageModeling):
        # One verb of a sentence at a time: hiding another would hide what it says of the subject.
        turn = items.groupby([window, "sentence"]).cumcount().to_numpy()
    for current in range(turn.max() + 1):
        now = turn == current
        part = Targets(window[now], position[now], right[now], targets.previous[now])
        correct[now] = choose_between(
            module, phase, windows, part, tokenizer.mask_token_id, wrong[now]
        )
    unit = pd.factorize(tested["document"])[0][text]
    attractors = np.where(items["n_attractors"] > 0, "some", "none")
    rows_by_kind: Any = items.groupby(["clause", attractors], sort=True).indices
    rows: list[Row] = []
    for (clause, which), members in [
        (("all", "all"), np.arange(len(items))),
        *rows_by_kind.items(),
    ]:
        key = {**checkpoint_key(checkpoint), "clause": clause, "attractors": which}
        facts = {"n": len(members), "n_documents": len(np.unique(unit[members]))}
        accuracy = mean_with_interval("accuracy", correct[members], unit[members], **options)
        rows.append({**key, **facts, **accuracy, "null_accuracy": 0.5})
    return rows


def checkpoint_key(checkpoint: Checkpoint) -> Row:
    """Return the columns that identify the checkpoint of a row."""
    return {"seed": checkpoint.seed, "phase": checkpoint.phase, "step": checkpoint.step}


def mean_with_interval(
    name: str,
    values: Float[np.ndarray, " n"],
    unit: Int[np.ndarray, " n"],
    *,
    n_resamples: int,
    level: float,
    seed: int,
) -> dict[str, float]:
    """The mean as `name`, and the bounds of its interval over units as `name`_low and _high.

    The bounds of an accuracy lie in [0, 1].
    """
    unit = pd.factorize(unit)[0]
    sums, counts = np.bincount(unit, values), np.bincount(unit)
    interval = half_sample_interval(
        lambda chosen: np.asarray(sums[chosen].sum() / counts[chosen].sum()),
        len(sums),
        n_resamples=n_resamples,
        level=level,
        generator=np.random.default_rng(seed),
    )
    least, most = (0.0, 1.0) if name.endswith("accuracy") else (-np.inf, np.inf)
    return {
        name: float(values.mean()),
        f"{name}_low": float(np.clip(interval.low, least, most)),
        f"{name}_high": float(np.clip(interval.high, least, most)),
    }


def _losses_by_counts(models: CountModels, targets: Targets) -> Row:
    target = targets.target
    row = {
        "unigram_entropy": models.unigram.entropy(),
        "unigram_loss": float(models.unigram.loss(target).mean()),
        "unigram_accuracy": float((target == models.unigram.guess()).mean()),
    }
    given = {"bigram": (models.bigram, targets.previous), "place": (models.place, targets.position)}
    for name, (model, context) in given.items():
        row[f"{name}_loss"] = float(model.loss(context, target).mean())
        row[f"{name}_accuracy"] = float((target == model.guess(context)).mean())
    return row


def _positions_of_words(windows: Windows) -> Any:
    """A function from texts and words to windows and positions, for tokens that are words.

    A window has a special token at both ends.
    """
    room = windows.ids.shape[1] - 2
    first = np.searchsorted(windows.text, np.arange(windows.text.max() + 1))

    def place(text: Int[np.ndarray, " n"], word: Int[np.ndarray, " n"]) -> Any:
        return first[text] + word // room, 1 + word % room

    return place
