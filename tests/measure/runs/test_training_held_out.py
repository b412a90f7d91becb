"""Holds what a model is asked for to transformers' own losses, and to models of known answers."""

from typing import Any

import numpy as np
import pytest

from embspace.measure.runs.training_held_out import (
    choose_between,
    class_logits,
    predict_tokens,
    target_tokens,
    tell_next_sentences,
)
from embspace.train.batches import Windows, windows_of
from embspace.train.objectives import sentence_pairs
from tests.lazy import torch
from tests.train.runs import (
    CAUSAL,
    CLASSIFIED,
    MASKED,
    PAIRED,
    WINDOW,
    phase_of,
    some_module,
    some_texts,
    some_tokenizer,
)


def windows(*, is_masked: bool = True) -> tuple[Windows, Any]:
    tokenizer = some_tokenizer(is_masked=is_masked)
    return windows_of(list(some_texts()["text"]), tokenizer, WINDOW), tokenizer


def test_left_to_right_every_ordinary_token_is_asked_for_but_the_first_place() -> None:
    held_out, tokenizer = windows(is_masked=False)
    targets = target_tokens(phase_of(CAUSAL), held_out, tokenizer.all_special_ids)
    ordinary = ~np.isin(held_out.ids, tokenizer.all_special_ids)
    assert len(targets.target) == ordinary.sum()
    assert (held_out.ids[targets.window, targets.position] == targets.target).all()
    assert (held_out.ids[targets.window, targets.position - 1] == targets.previous).all()


def test_a_masked_model_is_asked_for_its_share_and_every_place_takes_part() -> None:
    held_out, tokenizer = windows()
    targets = target_tokens(phase_of(MASKED), held_out, tokenizer.all_special_ids)
    ordinary = ~np.isin(held_out.ids, tokenizer.all_special_ids)
    assert len(targets.target) / ordinary.sum() == pytest.approx(1 / 7, abs=0.02)
    assert set(targets.position) == set(np.nonzero(ordinary)[1])


def test_the_loss_is_that_of_transformers() -> None:
    held_out, tokenizer = windows(is_masked=False)
    module = some_module(CAUSAL).eval()
    targets = target_tokens(phase_of(CAUSAL), held_out, [])  # all but the first, padding too
    predicted = predict_tokens(module, phase_of(CAUSAL), held_out, targets, None)
    whole = targets.position < held_out.n_tokens[targets.window]
    ids = torch.from_numpy(held_out.ids)
    inside = torch.arange(ids.shape[1]) < torch.from_numpy(held_out.n_tokens)[:, None]
    with torch.inference_mode():
        expected = module(
            input_ids=ids, attention_mask=inside.long(), labels=ids.masked_fill(~inside, -100)
        ).loss
    assert predicted.loss[whole].mean() == pytest.approx(float(expected), rel=1e-5)


def test_a_model_that_is_far_too_sure_has_a_finite_loss() -> None:
    held_out, _ = windows(is_masked=False)
    module = some_module(CAUSAL).eval()
    with torch.no_grad():
        module.get_output_embeddings().weight.mul_(1e4)
    targets = target_tokens(phase_of(CAUSAL), held_out, [])
    loss = predict_tokens(module, phase_of(CAUSAL), held_out, targets, None).loss
    assert np.isfinite(loss).all() and loss.max() > 1000


@pytest.mark.parametrize("objective", [MASKED, PAIRED])
def test_all_asked_tokens_of_a_window_are_hidden_at_once(objective: dict[str, Any]) -> None:
    held_out, tokenizer = windows()
    phase, module = phase_of(objective), some_module(objective).eval()
    targets = target_tokens(phase, held_out, tokenizer.all_special_ids)
    predicted = predict_tokens(module, phase, held_out, targets, tokenizer.mask_token_id)
    ids = torch.from_numpy(held_out.ids.copy())
    ids[targets.window, targets.position] = tokenizer.mask_token_id
    inside = torch.arange(ids.shape[1]) < torch.from_numpy(held_out.n_tokens)[:, None]
    with torch.inference_mode():
        out = module(input_ids=ids, attention_mask=inside.long())
    logits = out.prediction_logits if objective is PAIRED else out.logits
    at = logits[targets.window, targets.position].double().log_softmax(-1)
    expected = -at[np.arange(len(targets.target)), targets.target]
    assert predicted.loss == pytest.approx(expected.numpy(), rel=1e-5)
    assert (predicted.correct == (at.argmax(-1).numpy() == targets.target)).all()


def test_a_model_that_likes_one_token_prefers_it_everywhere() -> None:
    held_out, tokenizer = windows(is_masked=False)
    module = some_module(CAUSAL).eval()
    liked = 7
    with torch.no_grad():
        module.transformer.ln_f.weight.zero_()
        module.transformer.ln_f.bias.copy_(module.lm_head.weight[liked] * 100)
    targets = target_tokens(phase_of(CAUSAL), held_out, tokenizer.all_special_ids)
    predicted = predict_tokens(module, phase_of(CAUSAL), held_out, targets, None)
    assert (predicted.correct == (targets.target == liked)).all()
    wrong = np.where(targets.target == liked, liked + 1, liked)
    chosen = choose_between(module, phase_of(CAUSAL), held_out, targets, None, wrong)
    assert (chosen == (targets.target == liked)).all()


def test_who_always_says_that_it_follows_is_right_about_half_of_the_windows() -> None:
    tokenizer, module = some_tokenizer(), some_module(PAIRED).eval()
    held_out = windows_of(list(some_texts(200)["text"]), tokenizer, WINDOW - 1)
    right = {}
    for answer in (0, 1):
        with torch.no_grad():
            module.cls.seq_relationship.weight.zero_()
            module.cls.seq_relationship.bias.copy_(torch.eye(2)[answer])
        right[answer] = tell_next_sentences(module, ".", held_out, tokenizer)
    assert len(right[0]) == len(held_out.ids)
    assert (right[0] != right[1]).all()
    assert right[0].mean() == pytest.approx(0.5, abs=0.1)
    # 0 is "it follows": right where the coin left the window alone.
    generator = torch.Generator().manual_seed(0)
    batches = np.split(np.arange(len(held_out.ids)), range(64, len(held_out.ids), 64))
    pairs = [sentence_pairs(".", held_out, rows, tokenizer, generator) for rows in batches]
    labels = np.concatenate([batch["next_sentence_label"].numpy() for batch in pairs])
    assert (right[0] == (labels == 0)).all()


def test_the_logits_of_a_text_are_the_mean_over_its_windows() -> None:
    tokenizer = some_tokenizer()
    text = " ".join(some_texts()["text"][:3])
    held_out = windows_of([text, "a1 a2"], tokenizer, WINDOW)
    module = some_module(CLASSIFIED).eval()
    apart = class_logits(
        module, Windows(held_out.ids, held_out.n_tokens, np.arange(len(held_out.ids)), None)
    )
    together = class_logits(module, held_out)
    assert together[0] == pytest.approx(apart[:-1].mean(axis=0))
    assert together[1] == pytest.approx(apart[-1])
