"""Checks that a loaded model has taken every tensor of its checkpoint, but for known left-overs.

transformers leaves out what its class does not have, and at most logs it.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from embspace.errors import RefusedModel
from embspace.models.architecture import class_of, class_of_encoder
from embspace.models.checks.allowed import listed, not_allowed, way_out
from embspace.models.locate import weight_files

# Buffers that classes make by themselves, and that old releases stored.
BUFFERS = re.compile(
    r"(^|\.)(position_ids|token_type_ids|masked_bias|rotary_emb\.inv_freq|inv_freq|rotary_emb\."
    r"(cos|sin)_cached|num_batches_tracked|relative_position_index|attn\.bias|attention\.bias|"
    r"_float_tensor|version|best_(mean|loss)|rel_pos_bucket)$"
)
DECODER = re.compile(r"(model\.|transformer\.)?decoder\.")  # which reads no text by itself
# Words in the name of what stands on top of a model, outside of it.
HEADS = re.compile(
    r"(^|_|\.)(\w*pooler|\w*head\w*|\w*classifier\w*|cls|score|qa_outputs|predictions?|logits?"
    r"|linear|dense|proj(ection)?|out(put)?(_proj|s)?|regress\w*|crf|\w*predictor|\w*predictions"
    r"|discriminator\w*|generator\w*|mlm|nsp|sop|\w*loss\w*|vocab_\w+|summary|pre_classifier"
    r"|final_logits_bias|embed_out|qa_\w+|sequence_summary|multiple_choice\w*)(_|\.|$)"
)


def check_weight_keys(
    folder: Path, module: Any, unexpected: Collection[str], allowed: Sequence[str]
) -> None:
    """Stop at tensors of the checkpoint that are neither used, nor of a head, nor old buffers.

    `unexpected` are the names that transformers has left out, `allowed` patterns of names that may
    be.

    Raises:
        RefusedModel: naming some, saying what is lost and what to do.
    """
    _check_one_set(folder, module)
    left = [name for name in unexpected if not BUFFERS.search(name)]
    if is_encoder_alone(module):
        left = [name for name in left if not DECODER.match(name)]
    left = not_allowed([name for name in left if not _is_head(name, module)], allowed)
    if left:
        heads = _head_names(module)
        left = [name for name in left if name not in heads]
    if left:
        raise RefusedModel(
            f"{folder}: {type(module).__name__} of transformers does not read "
            f"{len(left)} of its tensors, {listed(left)}, and would compute as if they were not "
            f"there; {way_out(left)}"
        )


def is_encoder_alone(module: Any) -> bool:
    """Whether a model is loaded as the encoder of one that has a decoder, too."""
    return type(module) is not class_of(module.config) and type(module) is class_of_encoder(
        module.config
    )


def _is_head(name: str, module: Any) -> bool:
    """Whether a tensor is outside of the model, and called as what stands on top of one."""
    first, prefix = name.partition(".")[0], module.base_model_prefix
    inner = {*dict(module.named_children()), prefix} - {"pooler"}
    if first in inner and not name.startswith((f"{prefix}.pooler.", "pooler.")):
        return False
    return bool(HEADS.search(first)) or ".pooler." in name


def _head_names(module: Any) -> set[str]:
    """Return the names of tensors outside of the model in transformers' classes with a head."""
    import torch
    from transformers.models.auto import modeling_auto
    from transformers.models.auto.auto_factory import _LazyAutoMapping

    base = f"{module.base_model_prefix}."
    mappings = [each for each in vars(modeling_auto).values() if isinstance(each, _LazyAutoMapping)]
    found: set[Any] = {mapping.get(type(module.config), None) for mapping in mappings}
    names: set[str] = set()
    for head in found - {None, class_of(module.config)}:
        try:
            with torch.device("meta"):
                made = head(module.config)
        except Exception:  # noqa: S112, BLE001, a class that wants other numbers has no part in it
            continue
        names |= {name for name in made.state_dict() if not name.startswith(base)}
    return names - {*module.state_dict()}


def _check_one_set(folder: Path, module: Any) -> None:
    """Stop at a parameter that is there twice with other numbers, with and without a prefix."""
    places, parameters = _places(folder), module.state_dict().keys()
    spelled: dict[str, list[str]] = {}
    for name in places:
        inner = name if name in parameters else name.partition(".")[2]
        spelled.setdefault(inner, []).append(name)
    for parameter in parameters & spelled.keys():
        names = sorted(spelled[parameter])
        if len(names) > 1 and not _same(names, places):
            raise RefusedModel(
                f"{folder}: {listed(names)} are two sets of the same parameters with other "
                "numbers, of which one would be taken without a word; keep the one that is meant"
            )


def _places(folder: Path) -> dict[str, Path]:
    from safetensors import safe_open

    places: dict[str, Path] = {}
    for file in weight_files(folder):
        with safe_open(file, framework="pt") as stored:
            places |= dict.fromkeys(stored.keys(), file)
    return places


def _same(names: Sequence[str], places: dict[str, Path]) -> bool:
    import torch
    from safetensors import safe_open

    tensors = []
    for name in names:
        with safe_open(places[name], framework="pt") as stored:
            tensors.append(stored.get_tensor(name))
    return all(torch.equal(tensors[0], each) for each in tensors[1:])
