"""Models of transformers with the head that a phase of training needs."""

from pathlib import Path
from typing import Any

from embspace.errors import InputError
from embspace.models.weights import known_config
from embspace.training_run import (
    CausalLanguageModelling,
    Phase,
    SequenceClassification,
)


def build_module(phase: Phase, source: Path | dict[str, Any], labels: list[str], seed: int) -> Any:
    """The model of a phase: of a folder's weights, or a new one of a config.

    What the source does not have, a new head or all of it, is drawn from the seed. `labels` are
    the names of the classes, if there are any.

    Raises:
        InputError: if the config does not fit an architecture of transformers.
    """
    import torch

    _be_quiet()
    torch.manual_seed(seed)
    module = _new_module(phase, source, labels)
    if isinstance(phase, SequenceClassification) and phase.trainable_layers is not None:
        _freeze(module, phase.trainable_layers)
    return module


def load_weights(module: Any, folder: Path) -> None:
    """Put the weights of a checkpoint into a model of the same phase."""
    _be_quiet()
    loaded = type(module).from_pretrained(folder, local_files_only=True, use_safetensors=True)
    module.load_state_dict(loaded.state_dict())


def load_head(folder: Path, phase: Phase) -> Any:
    """The model of a checkpoint with the head of its phase, in evaluation mode."""
    _be_quiet()
    found = _model_class(phase).from_pretrained(folder, local_files_only=True, use_safetensors=True)
    return found.eval()


def _be_quiet() -> None:
    from transformers.utils import logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # new heads are meant
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def _model_class(phase: Phase) -> Any:
    import transformers

    if isinstance(phase, SequenceClassification):
        return transformers.AutoModelForSequenceClassification
    if isinstance(phase, CausalLanguageModelling):
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
        options = {"local_files_only": True, "use_safetensors": True, **names}
        return kind.from_pretrained(source, dtype=torch.float32, **options)
    try:
        config = known_config("architecture", {**source, **names})
        return kind.from_config(config, dtype=torch.float32)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"key 'architecture': {error}") from error


def _freeze(module: Any, n_trainable: int) -> None:
    """Leave the last blocks and what comes after them to training, and fix all before."""
    import torch

    n_layers = module.config.num_hidden_layers
    if n_trainable > n_layers:
        raise InputError(
            f"key 'trainable_layers': found {n_trainable}, allowed: up to {n_layers}, all of them"
        )
    stacks = (each for each in module.modules() if isinstance(each, torch.nn.ModuleList))
    blocks = next(each for each in stacks if len(each) == n_layers)
    module.base_model.requires_grad_(requires_grad=False)
    for part in (*blocks[n_layers - n_trainable :], getattr(module.base_model, "pooler", None)):
        if part is not None:
            part.requires_grad_(requires_grad=True)
