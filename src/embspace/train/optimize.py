"""Steps of AdamW that follow from a seed and their number alone: any can be gone on from."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from embspace.errors import InputError
from embspace.settings.run import Phase
from embspace.train.batches import Windows, batch_rows
from embspace.train.objectives import inputs_of
from embspace.train.schedule import learning_rate

MOMENTS = ("exp_avg", "exp_avg_sq")  # as torch's AdamW calls what it remembers of a parameter


@dataclass(frozen=True)
class Start:
    """The start of training: the steps done, and AdamW's state after them."""

    step: int = 0
    moments: dict[str, np.ndarray] | None = None


@dataclass(frozen=True)
class Step:
    """The result of a step of training."""

    number: int  # 1 for the first
    loss: float  # of its batch, before the step, in nats


def make_optimizer(module: Any, weight_decay: float) -> Any:
    """AdamW over what is trainable; vectors (biases and gains of norms) do not decay."""
    import torch

    trainable = [parameter for parameter in module.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in trainable if p.ndim >= 2], "weight_decay": weight_decay},
        {"params": [p for p in trainable if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups)


def moments_of(module: Any, optimizer: Any) -> dict[str, np.ndarray]:
    """Return AdamW's state, as `<moment>.<parameter>`; empty before the first step."""
    return {
        f"{moment}.{name}": optimizer.state[parameter][moment].cpu().numpy()
        for name, parameter in module.named_parameters()
        for moment in MOMENTS
        if parameter in optimizer.state
    }


def train_steps(
    module: Any,
    optimizer: Any,
    phase: Phase,
    windows: Windows,
    tokenizer: Any,
    *,
    seed: int,
    start: Start,
    device: str,
    precision: str,
) -> Iterator[Step]:
    """Yield the steps after `start`, computed on demand; `module` is trained in place.

    Raises:
        InputError: if a loss or gradient is NaN or infinite; the weights are then from before the
            step.
    """
    import torch

    module.to(device).train()
    _remember(module, optimizer, start, device)
    rows_of_steps = batch_rows(
        len(windows.ids),
        batch_size=phase.batch_size,
        seed=seed,
        first_step=start.step,
        n_steps=phase.n_steps,
    )
    for step, rows in enumerate(rows_of_steps, start.step):
        # Dropout draws from torch's own generator, masks from one that stays on the CPU.
        step_seed = int(np.random.SeedSequence([seed, step]).generate_state(1)[0])
        torch.manual_seed(step_seed)
        generator = torch.Generator().manual_seed(step_seed)
        inputs = inputs_of(phase, windows, rows, tokenizer, generator)
        with _products(device, precision):
            loss = module(**{name: tensor.to(device) for name, tensor in inputs.items()}).loss
        if not torch.isfinite(loss):
            raise InputError(f"step {step + 1}: the loss is {loss.item()}")
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(module.parameters(), phase.max_gradient_norm)
        if not torch.isfinite(norm):
            raise InputError(f"step {step + 1}: the norm of the gradient is {norm.item()}")
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(
                step,
                peak=phase.learning_rate,
                n_warmup_steps=phase.n_warmup_steps,
                n_steps=phase.n_steps,
            )
        optimizer.step()
        optimizer.zero_grad()
        yield Step(step + 1, float(loss.detach()))


def _remember(module: Any, optimizer: Any, start: Start, device: str) -> None:
    import torch

    if start.moments is None:
        return
    for name, parameter in module.named_parameters():
        if f"{MOMENTS[0]}.{name}" in start.moments:
            optimizer.state[parameter] = {
                "step": torch.tensor(float(start.step)),
                **{
                    moment: torch.from_numpy(start.moments[f"{moment}.{name}"].copy()).to(device)
                    for moment in MOMENTS
                },
            }


def _products(device: str, precision: str) -> AbstractContextManager[Any]:
    import torch

    if precision == "float32":
        return nullcontext()
    context: Callable[..., AbstractContextManager[Any]] = torch.autocast
    return context(device, dtype=getattr(torch, precision))
