"""Checks that a loaded model uses every tensor of the checkpoint, except known leftovers.

transformers ignores tensors unknown to the class, and at most logs their names.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from embspace.errors import RefusedModel
from embspace.files.tensors import listed_shapes
from embspace.models.architecture import class_of, class_of_encoder
from embspace.models.checks.allowed import listed, not_allowed, way_out
from embspace.models.locate import shards_beside, weight_files

# Buffers that classes make by themselves, and that old releases stored.
BUFFERS = re.compile(
    r"(^|\.)(position_ids|token_type_ids|masked_bias|rotary_emb\.inv_freq|inv_freq|rotary_emb\."
    r"(cos|sin)_cached|num_batches_tracked|relative_position_index|attn\.bias|attention\.bias|"
    r"_float_tensor|version|best_(mean|loss)|rel_pos_bucket)$"
)
DECODER = re.compile(r"(model\.|transformer\.)?decoder\.")  # which reads no text by itself
# What stands on top of a model, outside of it: modules with others inside, and single layers.
HEADS = re.compile(
    r"(\w+_)?(pooler|heads?|classifier|cls|predictions?|predictor|logits?|regressor|regression|crf)"
    r"|(\w+_)?(loss|mlm|nsp|sop)(_fn|_fct)?|score|qa_outputs|embed_out|final_logits_bias"
    r"|sequence_summary|vocab_(transform|layer_norm|projector)|classifier_\w+"
)
SINGLE = re.compile(
    r"(linear|dense|proj|projection|out|output|out_proj|output_proj|output_projection|summary)"
    r"(\.\d+)*\.(weight|bias)"
)
OLD_NAMES = {"gamma": "weight", "beta": "bias"}
_Place = tuple[str, Path]


def check_weight_keys(
    folder: Path, module: Any, unexpected: Collection[str], allowed: Sequence[str]
) -> None:
    """Stop at tensors of the checkpoint that are not used, not of a head, and not old buffers.

    `unexpected` are the names ignored by transformers, `allowed` patterns of names to ignore.

    Raises:
        RefusedModel: naming some, with the loss and the way out.
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
    """Return whether a model is loaded as the encoder of a model with a decoder."""
    return type(module) is not class_of(module.config) and type(module) is class_of_encoder(
        module.config
    )


def _is_head(name: str, module: Any) -> bool:
    """Return whether a tensor lies outside of the model and is named like a head on top of it."""
    prefix = module.base_model_prefix
    first, _, rest = name.partition(".")
    inner = {*dict(module.named_children()), prefix} - {"pooler", ""}
    if first in inner and not name.startswith((f"{prefix}.pooler.", "pooler.")):
        return False
    if inner & {*rest.split(".")[:-2]}:
        return False  # another model under the name of a head
    return bool(HEADS.fullmatch(first) or SINGLE.fullmatch(name)) or ".pooler." in name


def _head_names(module: Any) -> set[str]:
    """Return the names of tensors outside of the model in transformers' classes with a head."""
    import torch
    from transformers.models.auto import modeling_auto
    from transformers.models.auto.auto_factory import _LazyAutoMapping

    base = f"{module.base_model_prefix}."
    known = vars(modeling_auto).values()
    mappings = [mapping for mapping in known if isinstance(mapping, _LazyAutoMapping)]
    heads: set[Any] = {mapping.get(type(module.config), None) for mapping in mappings}
    names: set[str] = set()
    for head in heads - {None, class_of(module.config)}:
        try:
            with torch.device("meta"):
                made = head(module.config)
        except Exception:  # noqa: S112, BLE001, a class that wants other numbers has no part in it
            continue
        names |= {name for name in made.state_dict() if not name.startswith(base)}
    return names - {*module.state_dict()}


def _check_one_set(folder: Path, module: Any) -> None:
    """Stop at a parameter stored twice with different numbers.

    Repetitions arise with and without a prefix, by a norm's old and new name, in two shards, in a
    file beside the shards of an index, or by two names of the same table, as in T5.
    """
    parameters, tied = {*module.state_dict()}, _tied_tables(module)
    spelled: dict[str, list[_Place]] = {}
    for name, file in _places(folder):
        if parameter := _parameter_of(name, parameters):
            spelled.setdefault(tied.get(parameter, parameter), []).append((name, file))
    for places in spelled.values():
        if len(places) > 1 and not _same(places):
            raise RefusedModel(
                f"{folder}: {listed(_names(places))} are two sets of the same parameters with "
                "other numbers, of which one would be taken without a word; keep the one that is "
                "meant"
            )


def _tied_tables(module: Any) -> dict[str, str]:
    """Return the tied parameters of a class, by both names.

    transformers leaves tied parameters apart if a file has different numbers, and does not document
    the behavior. A decoder of a different language has a separate table, as FSMT's, if the config
    ties none.
    """
    tied = getattr(module, "_tied_weights_keys", None)
    is_tied = getattr(module.config, "tie_word_embeddings", True)
    return {
        name: other
        for name, other in (tied.items() if isinstance(tied, dict) else ())
        if not DECODER.match(name) and (is_tied or not DECODER.match(other))
    }


def _parameter_of(name: str, parameters: Collection[str]) -> str | None:
    """Return the parameter that a tensor of this name may fill, or None."""
    for spelled in (name, name.partition(".")[2]):
        for old, new in OLD_NAMES.items():
            if (now := re.sub(rf"\.{old}$", f".{new}", spelled)) in parameters:
                return spelled if spelled in parameters else now
    return None


def _names(places: Sequence[_Place]) -> list[str]:
    """Return the names, with the file where names alone are ambiguous."""
    names = sorted({name for name, _ in places})
    return names if len(names) > 1 else sorted(f"{name} of {file.name}" for name, file in places)


def _places(folder: Path) -> list[_Place]:
    """Return the tensors by name and file, including shards beside a single file."""
    files = [*weight_files(folder), *shards_beside(folder)]
    return [(name, file) for file in files for name in listed_shapes(str(file))]


def _same(places: Sequence[_Place]) -> bool:
    import torch
    from safetensors import safe_open

    tensors = []
    for name, file in places:
        with safe_open(file, framework="pt") as stored:
            tensors.append(stored.get_tensor(name))
    return all(torch.equal(tensors[0], other) for other in tensors[1:])
