import copy
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embspace.errors import InputError
from embspace.files.tensors import load_tensors, save_tensors
from embspace.train.batches import Windows, batch_rows, windows_of
from embspace.train.heads import load_weights
from embspace.train.objectives import inputs_of
from embspace.train.optimize import Start, Step, make_optimizer, moments_of, train_steps
from embspace.train.schedule import learning_rate
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

BEGIN = Start()
STILL = {"embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}


@pytest.fixture(autouse=True)
def one_core() -> Iterator[None]:
    """As training has it; another number of cores may make other sums."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


def training(content_of_phase: dict[str, Any], **options: Any) -> tuple[Any, Any, Windows, Any]:
    """A new module, its optimizer, windows and a tokenizer."""
    module, texts = some_module(content_of_phase, **options), some_texts()
    tokenizer = some_tokenizer(is_masked=content_of_phase["objective"] != CAUSAL["objective"])
    labels = texts["label"].astype(int).to_numpy()
    windows = windows_of(texts["text"].tolist(), tokenizer, WINDOW - 1, labels)
    return module, make_optimizer(module, content_of_phase["weight_decay"]), windows, tokenizer


def steps(
    content_of_phase: dict[str, Any],
    parts: tuple[Any, Any, Windows, Any],
    n: int,
    start: Start = BEGIN,
) -> list[Step]:
    module, optimizer, windows, tokenizer = parts
    taken = train_steps(
        module,
        optimizer,
        phase_of(content_of_phase),
        windows,
        tokenizer,
        seed=5,
        start=start,
        device="cpu",
        precision="float32",
    )
    return list(islice(taken, n))


def weights(module: Any) -> dict[str, Any]:
    return {name: values.clone() for name, values in module.state_dict().items()}


def same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return first.keys() == second.keys() and all(
        torch.equal(first[name].nan_to_num(7), second[name].nan_to_num(7)) for name in first
    )


def test_steps_are_those_of_adamw_on_clipped_gradients():
    content_of_phase = {
        **CAUSAL,
        "weight_decay": 0.3,
        "max_gradient_norm": 0.1,
        "n_warmup_steps": 2,
    }
    parts = training(content_of_phase, **STILL)
    module, phase = copy.deepcopy(parts[0]), phase_of(content_of_phase)
    decaying = [values for values in module.parameters() if values.ndim > 1]
    other = [values for values in module.parameters() if values.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decaying, "weight_decay": 0.3}, {"params": other, "weight_decay": 0.0}]
    )
    rows = batch_rows(len(parts[2].ids), batch_size=8, seed=5, first_step=0, n_steps=4)
    losses = []
    for step, rate in zip(rows, [5e-4, 1e-3, 1e-3, 9e-4], strict=True):
        inputs = inputs_of(phase, parts[2], step, parts[3], torch.Generator())
        loss = module.train()(**inputs).loss
        optimizer.zero_grad()
        loss.backward()
        assert torch.nn.utils.clip_grad_norm_(module.parameters(), 0.1) > 0.1
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.step()
        losses.append(float(loss.detach()))
    assert steps(content_of_phase, parts, 4) == [Step(n + 1, loss) for n, loss in enumerate(losses)]
    assert same(weights(parts[0]), weights(module))


def test_the_first_step_moves_each_weight_by_the_rate_at_most():
    # AdamW's first step is rate * g / (|g| + 1e-8), and decay takes rate * 0.01 of the weight.
    parts = training(MASKED)
    before = weights(parts[0])
    steps(MASKED, parts, 1)
    rate = learning_rate(0, peak=1e-3, n_warmup_steps=3, n_steps=12)
    for name, values in parts[0].named_parameters():
        moved = (values - before[name]).abs()
        assert (moved <= rate * (1 + 0.01 * before[name].abs()) * (1 + 1e-3)).all()
        # The bias of all keys changes no attention: it has no gradient but for rounding.
        assert moved.max() > rate / 2 or name.endswith("key.bias")


def test_vectors_do_not_decay():
    module = some_module(MASKED)
    decays = {
        id(values): group["weight_decay"]
        for group in make_optimizer(module, 0.3).param_groups
        for values in group["params"]
    }
    for name, values in module.named_parameters():
        is_vector = name.endswith("bias") or "LayerNorm" in name
        assert decays[id(values)] == (0.0 if is_vector else 0.3)


@pytest.mark.parametrize("content_of_phase", [MASKED, PAIRED, CAUSAL, CLASSIFIED])
def test_steps_gone_on_with_are_bit_for_bit_those_without_a_break(
    content_of_phase: dict[str, Any], tmp_path: Path
):
    whole = training(content_of_phase)
    expected = steps(content_of_phase, whole, 12)
    broken = training(content_of_phase)
    before = steps(content_of_phase, broken, 5)
    broken[0].save_pretrained(tmp_path)
    save_tensors(moments_of(broken[0], broken[1]), str(tmp_path / "moments"))
    again = training(content_of_phase)
    load_weights(again[0], tmp_path)
    torch.manual_seed(99)
    after = steps(content_of_phase, again, 12, Start(5, load_tensors(str(tmp_path / "moments"))))
    assert before + after == expected
    assert same(weights(again[0]), weights(whole[0]))
    moments = moments_of(again[0], again[1]), moments_of(whole[0], whole[1])
    assert all(np.array_equal(moments[0][name], moments[1][name]) for name in moments[1])


def test_dropout_is_on_and_without_what_was_remembered_the_steps_are_others(tmp_path: Path):
    parts = training(MASKED)
    steps(MASKED, parts, 5)
    forgetful = copy.deepcopy(parts)
    steps(MASKED, parts, 12, Start(5))
    forgetful[1].state.clear()
    optimizer = make_optimizer(forgetful[0], 0.01)
    steps(MASKED, (forgetful[0], optimizer, *forgetful[2:]), 12, Start(5))
    assert not same(weights(parts[0]), weights(forgetful[0]))
    assert parts[0].training


def test_only_what_is_trainable_is_remembered_and_moved():
    parts = training(CLASSIFIED)
    assert moments_of(parts[0], parts[1]) == {}
    before = weights(parts[0])
    steps(CLASSIFIED, parts, 3)
    remembered = {name.split(".", 1)[1] for name in moments_of(parts[0], parts[1])}
    for name, values in parts[0].named_parameters():
        assert (name in remembered) == values.requires_grad
        assert values.equal(before[name]) != values.requires_grad


@pytest.mark.parametrize("poison", [float("nan"), float("inf")])
def test_a_loss_that_is_no_number_stops_before_the_weights_move(poison: float):
    parts = training(CAUSAL)
    taken = train_steps(
        parts[0],
        parts[1],
        phase_of(CAUSAL),
        *parts[2:],
        seed=5,
        start=BEGIN,
        device="cpu",
        precision="float32",
    )
    assert next(taken).number == 1
    with torch.no_grad():
        parts[0].transformer.wpe.weight[2, 3] = poison
    before = weights(parts[0])
    with pytest.raises(InputError, match=r"^step 2: the loss is (nan|inf)$"):
        next(taken)
    assert same(weights(parts[0]), before)


def test_half_precision_is_of_the_products_alone():
    full, half = training(CAUSAL, **STILL), training(CAUSAL, **STILL)
    expected = steps(CAUSAL, full, 12)
    taken = train_steps(
        half[0],
        half[1],
        phase_of(CAUSAL),
        *half[2:],
        seed=5,
        start=BEGIN,
        device="cpu",
        precision="bfloat16",
    )
    losses = [step.loss for step in taken]
    np.testing.assert_allclose(losses, [step.loss for step in expected], rtol=0.02)
    assert losses != [step.loss for step in expected]
    assert {values.dtype for values in half[0].parameters()} == {torch.float32}
