"""Checks the names in a checkpoint before anything is loaded: adapters and wrappers."""

import re
from collections.abc import Sequence
from pathlib import Path

from embspace.errors import InputError, RefusedModel
from embspace.files.tensors import listed_shapes
from embspace.models.checks.allowed import listed, not_allowed, way_out
from embspace.models.locate import weight_files

ADAPTER_FILES = (
    *("adapter_config.json", "adapter_model.safetensors", "adapter_model.bin", "adapter_model.pt"),
    *("pytorch_adapter.bin", "adapters.safetensors", "adapters.npz"),
)
QUANTIZED_FILES = ("quantize_config.json", "quant_config.json", "hf_quant_config.json")
ADAPTER = re.compile(
    r"(^|\.)(lora_[A-Za-z_]+|ia3_\w+|hada_\w+|lokr_\w+|oft_\w+|vera_\w+|boft_\w+|vblora_\w+|"
    r"fourierft_\w+|ln_tuning_\w+|adapters?|adapter_fusion_layer|modules_to_save|prefix_encoder|"
    r"prompt_(encoder|embeddings|tokens)|prefix_tunings?|base_layer)(\.|$)"
)
# Scales and packed numbers beside weights that are rounded.
QUANTIZED = re.compile(
    r"(^|\.)(weight_scale(_inv)?|weight_zero_point|input_scale|qweight|qzeros|g_idx|SCB|absmax"
    r"|weight_packed|quant_map|nested_absmax|nested_quant_map)$|\.quant_state\."
)
# What training wrappers put before every name.
WRAPPERS = ("module.", "_orig_mod.", "0.auto_model.", "auto_model.", "_fsdp_wrapped_module.")
# Those of them, and others, that also stand inside of a name: around each block.
INNER = ("_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.")
RELATIVE = "distance_embedding"
MERGE = (
    "merge it into the model with peft: PeftModel.from_pretrained(BASE, FOLDER)"
    ".merge_and_unload().save_pretrained(NEW), and take NEW"
)
UNPACK = "take the model from before that, or dequantize it and call save_pretrained()"
STRIP = (
    'python -c "from safetensors.torch import load_file as l, save_file as s; f={file!r}; '
    "s({{k.{how}: v for k, v in l(f).items()}}, f, {{'format': 'pt'}})\""
)


def check_stored_keys(folder: Path, allowed: Sequence[str]) -> None:
    """Stop at a checkpoint with adapters beside the model, or with a wrapper's names.

    `allowed` are patterns of names to ignore.

    Raises:
        RefusedModel: saying the loss, and the way out.
    """
    for file in weight_files(folder):
        try:
            names = not_allowed(listed_shapes(str(file)), allowed)
        except InputError as error:
            raise RefusedModel(f"{folder}: cannot be loaded: {error}") from error.__cause__
        _check_adapters(file, names)
        _check_quantized(file, names)
        _check_wrapper(file, names)
        _check_relative(file, names)


def check_adapter_files(folder: Path, allowed: Sequence[str] = ()) -> None:
    """Stop at an adapter's files: no model alone, and ignored beside a model.

    Raises:
        RefusedModel: saying how to merge an adapter into the model.
    """
    files = [folder / name for name in ADAPTER_FILES]
    files += [file for name in ADAPTER_FILES for file in sorted(folder.glob(f"*/{name}"))]
    names = [file.relative_to(folder).as_posix() for file in files if file.is_file()]
    there = not_allowed(names, allowed)
    if there and not weight_files(folder):
        raise RefusedModel(
            f"{folder}: holds an adapter alone ({there[0]}), which is no model without the one "
            f"that it was trained on; {MERGE}"
        )
    if there:
        raise RefusedModel(
            f"{folder}: has {listed(there)} beside the weights, an adapter that would be left out; "
            f"{MERGE}; or, {way_out(there)}"
        )


def check_quantized_files(folder: Path, allowed: Sequence[str] = ()) -> None:
    """Stop at a file that says how the weights in the same folder were rounded.

    Raises:
        RefusedModel: naming the file and where to take the model from.
    """
    there = [name for name in QUANTIZED_FILES if (folder / name).is_file()]
    if there := not_allowed(there, allowed):
        raise RefusedModel(
            f"{folder}: has {listed(there)} beside the weights, which says that they are rounded "
            f"and packed; {UNPACK}; or, {way_out(there)}"
        )


def _check_adapters(file: Path, names: Sequence[str]) -> None:
    if adapters := [name for name in names if ADAPTER.search(name)]:
        raise RefusedModel(
            f"{file}: holds adapters, {listed(adapters)}, which would be left out; "
            f"{MERGE}; or, {way_out(adapters)}"
        )


def _check_quantized(file: Path, names: Sequence[str]) -> None:
    if packed := [name for name in names if QUANTIZED.search(name)]:
        raise RefusedModel(
            f"{file}: holds scales of rounded weights, {listed(packed)}, which would be left out; "
            f"{UNPACK}; or, {way_out(packed)}"
        )


def _check_wrapper(file: Path, names: Sequence[str]) -> None:
    for prefix in WRAPPERS:
        if names and all(name.startswith(prefix) for name in names):
            raise _wrapped(file, prefix)
    for inner in INNER:
        if any(inner in name for name in names):
            raise RefusedModel(
                f"{file}: names hold '{inner}', which something around parts of the model has put "
                "there, so that their weights would not be found; take it out with\n  "
                + STRIP.format(file=str(file), how=f"replace({inner!r}, '')")
            )


def check_prefix(folder: Path, missing: Sequence[str]) -> None:
    """Stop at weights stored behind a prefix under the name of a missing weight.

    Raises:
        RefusedModel: naming the prefix and how to strip it.
    """
    for file in weight_files(folder):
        for name in listed_shapes(str(file)):
            if missing and name.endswith(f".{missing[0]}"):
                raise _wrapped(file, name.removesuffix(missing[0]))


def _wrapped(file: Path, prefix: str) -> RefusedModel:
    command = STRIP.format(file=str(file), how=f"removeprefix({prefix!r})")
    return RefusedModel(
        f"{file}: names begin with '{prefix}', which something around the model has put there, so "
        f"that no weight would be found; strip it with\n  {command}"
    )


def _check_relative(file: Path, names: Sequence[str]) -> None:
    if relative := [name for name in names if RELATIVE in name.split(".")]:
        raise RefusedModel(
            f"{file}: holds relative positions, {listed(relative)}, which transformers 5 does not "
            "read any more, so that the model would be another; there is no way to read it with "
            f"them here; {way_out([f'*{RELATIVE}*'])}"
        )
