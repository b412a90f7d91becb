"""Models of transformers with the head that a phase of training needs."""

import inspect
from pathlib import Path
from typing import Any

from embspace.errors import InputError
from embspace.models.architecture import config_of
from embspace.settings.run import (
    CausalLanguageModeling,
    MaskedLanguageModeling,
    Phase,
    SequenceClassification,
)


def build_module(phase: Phase, source: Path | dict[str, Any], labels: list[str], seed: int) -> Any:
    """The model of a phase: from a folder's weights, or new from a config.

    Parts missing from the source, a new head or the whole, are drawn from the seed. `labels` are
    the names of classes, if any.

    Raises:
        InputError: if the config does not fit an architecture of transformers.
    """
    import torch

    be_quiet()
    torch.manual_seed(seed)
    module = _new_module(phase, source, labels)
    _check_objective(phase, module)
    if isinstance(phase, SequenceClassification) and phase.trainable_layers is not None:
        _freeze(module, phase.trainable_layers)
    return module


def load_weights(module: Any, folder: Path) -> None:
    """Put the weights of a checkpoint into a model of the same phase."""
    be_quiet()
    loaded = type(module).from_pretrained(folder, local_files_only=True, use_safetensors=True)
    module.load_state_dict(loaded.state_dict())


def load_head(folder: Path, phase: Phase) -> Any:
    """The model of a checkpoint with the head of its phase, in evaluation mode."""
    be_quiet()
    module = _model_class(phase).from_pretrained(
        folder, local_files_only=True, use_safetensors=True, trust_remote_code=False
    )
    return module.eval()


def be_quiet() -> None:
    """Let transformers not tell of heads that a checkpoint has or lacks."""
    from transformers.utils import logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # new heads are meant
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def _model_class(phase: Phase) -> Any:
    import transformers

    if isinstance(phase, SequenceClassification):
        return transformers.AutoModelForSequenceClassification
    if isinstance(phase, CausalLanguageModeling):
        return transformers.AutoModelForCausalLM
    if phase.next_sentence_after is not None:
        return transformers.AutoModelForPreTraining  # BERT's, with both of its heads
    return transformers.AutoModelForMaskedLM


def _new_module(phase: Phase, source: Path | dict[str, Any], labels: list[str]) -> Any:
    import torch

    kind, names = _model_class(phase), {}
    if isinstance(phase, SequenceClassification):
        numbers = {label: number for number, label in enumerate(labels)}
        names = {"id2label": dict(enumerate(labels)), "label2id": numbers}
    if isinstance(source, Path):
        options = {
            "local_files_only": True,
            "use_safetensors": True,
            "trust_remote_code": False,
            **names,
        }
        try:
            return kind.from_pretrained(source, dtype=torch.float32, **options)
        except (OSError, ValueError) as error:  # no safetensors, or no such head
            raise InputError(f"{source}: cannot be trained: {error}") from error
    try:
        config = config_of({**source, **names}, "architecture")
        return kind.from_config(config, dtype=torch.float32, trust_remote_code=False)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"key 'architecture': {error}") from error


def _check_objective(phase: Phase, module: Any) -> None:
    """Stop if the architecture cannot do what the phase asks for."""
    kind = type(module).__name__
    is_paired = isinstance(phase, MaskedLanguageModeling) and phase.next_sentence_after is not None
    if is_paired and "next_sentence_label" not in inspect.signature(module.forward).parameters:
        raise InputError(
            f"key 'next_sentence_after': {kind} has no head that tells what follows; that of "
            "model_type bert does"
        )
    if isinstance(phase, CausalLanguageModeling) and _sees_what_follows(module):
        raise InputError(
            f"key 'objective': {kind} sees the tokens that follow; causal_language_modeling needs "
            "a decoder, as model_type gpt2"
        )


def _sees_what_follows(module: Any) -> bool:
    import torch

    first, second = (torch.tensor([[3, 4, last]]) for last in (5, 6))
    with torch.inference_mode():
        before, after = (module.eval()(input_ids=ids).logits[0, :2] for ids in (first, second))
    return not torch.allclose(before, after, atol=1e-5)


def _freeze(module: Any, n_trainable: int) -> None:
    """Leave the last blocks and what comes after them to training, and fix all before."""
    import torch

    n_layers = module.config.num_hidden_layers
    if n_trainable > n_layers:
        raise InputError(
            f"key 'trainable_layers': found {n_trainable}, allowed: up to {n_layers}, all of them"
        )
    stacks = (part for part in module.modules() if isinstance(part, torch.nn.ModuleList))
    blocks = next((stack for stack in stacks if len(stack) == n_layers), None)
    if blocks is None:
        raise InputError(
            f"key 'trainable_layers': {type(module).__name__} has no {n_layers} blocks of its own "
            "weights; leave the key out to train all"
        )
    module.base_model.requires_grad_(requires_grad=False)
    kept = {
        id(parameter)
        for block in blocks[: n_layers - n_trainable]
        for parameter in block.parameters()
    }
    block_ids = {id(parameter) for parameter in blocks.parameters()}
    is_after = False
    for parameter in module.base_model.parameters():  # in the order in which they are used
        is_after = is_after or id(parameter) in block_ids
        if is_after and id(parameter) not in kept:
            parameter.requires_grad_(requires_grad=True)
