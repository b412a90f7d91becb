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
    found, tokenizer = windows(is_masked=False)
    asked = target_tokens(phase_of(CAUSAL), found, tokenizer.all_special_ids)
    ordinary = ~np.isin(found.ids, tokenizer.all_special_ids)
    assert len(asked.target) == ordinary.sum()
    assert (found.ids[asked.window, asked.position] == asked.target).all()
    assert (found.ids[asked.window, asked.position - 1] == asked.previous).all()


def test_a_masked_model_is_asked_for_its_share_and_every_place_takes_part() -> None:
    found, tokenizer = windows()
    asked = target_tokens(phase_of(MASKED), found, tokenizer.all_special_ids)
    ordinary = ~np.isin(found.ids, tokenizer.all_special_ids)
    assert len(asked.target) / ordinary.sum() == pytest.approx(1 / 7, abs=0.02)
    assert set(asked.position) == set(np.nonzero(ordinary)[1])


def test_the_loss_is_that_of_transformers() -> None:
    found, tokenizer = windows(is_masked=False)
    module = some_module(CAUSAL).eval()
    asked = target_tokens(phase_of(CAUSAL), found, [])  # all but the first, padding too
    predicted = predict_tokens(module, phase_of(CAUSAL), found, asked, None)
    whole = asked.position < found.n_tokens[asked.window]
    ids = torch.from_numpy(found.ids)
    inside = torch.arange(ids.shape[1]) < torch.from_numpy(found.n_tokens)[:, None]
    with torch.inference_mode():
        expected = module(
            input_ids=ids, attention_mask=inside.long(), labels=ids.masked_fill(~inside, -100)
        ).loss
    assert predicted.loss[whole].mean() == pytest.approx(float(expected), rel=1e-5)


def test_a_model_that_is_far_too_sure_has_a_finite_loss() -> None:
    found, _ = windows(is_masked=False)
    module = some_module(CAUSAL).eval()
    with torch.no_grad():
        module.get_output_embeddings().weight.mul_(1e4)
    asked = target_tokens(phase_of(CAUSAL), found, [])
    loss = predict_tokens(module, phase_of(CAUSAL), found, asked, None).loss
    assert np.isfinite(loss).all() and loss.max() > 1000


@pytest.mark.parametrize("objective", [MASKED, PAIRED])
def test_all_asked_tokens_of_a_window_are_hidden_at_once(objective: dict[str, Any]) -> None:
    found, tokenizer = windows()
    phase, module = phase_of(objective), some_module(objective).eval()
    asked = target_tokens(phase, found, tokenizer.all_special_ids)
    predicted = predict_tokens(module, phase, found, asked, tokenizer.mask_token_id)
    ids = torch.from_numpy(found.ids.copy())
    ids[asked.window, asked.position] = tokenizer.mask_token_id
    inside = torch.arange(ids.shape[1]) < torch.from_numpy(found.n_tokens)[:, None]
    with torch.inference_mode():
        out = module(input_ids=ids, attention_mask=inside.long())
    logits = out.prediction_logits if objective is PAIRED else out.logits
    at = logits[asked.window, asked.position].double().log_softmax(-1)
    expected = -at[np.arange(len(asked.target)), asked.target]
    assert predicted.loss == pytest.approx(expected.numpy(), rel=1e-5)
    assert (predicted.correct == (at.argmax(-1).numpy() == asked.target)).all()


def test_a_model_that_likes_one_token_prefers_it_everywhere() -> None:
    found, tokenizer = windows(is_masked=False)
    module = some_module(CAUSAL).eval()
    liked = 7
    with torch.no_grad():
        module.transformer.ln_f.weight.zero_()
        module.transformer.ln_f.bias.copy_(module.lm_head.weight[liked] * 100)
    asked = target_tokens(phase_of(CAUSAL), found, tokenizer.all_special_ids)
    predicted = predict_tokens(module, phase_of(CAUSAL), found, asked, None)
    assert (predicted.correct == (asked.target == liked)).all()
    wrong = np.where(asked.target == liked, liked + 1, liked)
    chosen = choose_between(module, phase_of(CAUSAL), found, asked, None, wrong)
    assert (chosen == (asked.target == liked)).all()


def test_who_always_says_that_it_follows_is_right_about_half_of_the_windows() -> None:
    tokenizer, module = some_tokenizer(), some_module(PAIRED).eval()
    found = windows_of(list(some_texts(200)["text"]), tokenizer, WINDOW - 1)
    right = {}
    for answer in (0, 1):
        with torch.no_grad():
            module.cls.seq_relationship.weight.zero_()
            module.cls.seq_relationship.bias.copy_(torch.eye(2)[answer])
        right[answer] = tell_next_sentences(module, ".", found, tokenizer)
    assert len(right[0]) == len(found.ids)
    assert (right[0] != right[1]).all()
    assert right[0].mean() == pytest.approx(0.5, abs=0.1)
    # 0 is "it follows": right where the coin left the window alone.
    generator = torch.Generator().manual_seed(0)
    batches = np.split(np.arange(len(found.ids)), range(64, len(found.ids), 64))
    pairs = [sentence_pairs(".", found, rows, tokenizer, generator) for rows in batches]
    labels = np.concatenate([each["next_sentence_label"].numpy() for each in pairs])
    assert (right[0] == (labels == 0)).all()


def test_the_logits_of_a_text_are_the_mean_over_its_windows() -> None:
    tokenizer = some_tokenizer()
    text = " ".join(some_texts()["text"][:3])
    found = windows_of([text, "a1 a2"], tokenizer, WINDOW)
    module = some_module(CLASSIFIED).eval()
    apart = class_logits(
        module, Windows(found.ids, found.n_tokens, np.arange(len(found.ids)), None)
    )
    together = class_logits(module, found)
    assert together[0] == pytest.approx(apart[:-1].mean(axis=0))
    assert together[1] == pytest.approx(apart[-1])
