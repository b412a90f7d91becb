"""Checks that a folder holds a config and weights, and if not, says how to get them."""

from collections.abc import Sequence
from pathlib import Path

from embspace.errors import RefusedModel
from embspace.files.json_keys import check_pointers
from embspace.models.checks.config_file import CONFIG
from embspace.models.checks.stored_keys import check_adapter_files, check_quantized_files
from embspace.models.locate import WEIGHTS, weight_files

CONVERT = (
    'python -c "import torch; from transformers import AutoModel as M; '
    'M.from_pretrained({folder!r}, use_safetensors=False).save_pretrained({target!r})"'
)
# What trainings and other programs leave with the same ending as pickles of weights.
NO_WEIGHTS = ("training_args.bin", "optimizer.bin", "scheduler.bin", "openvino_*.bin", "ov_*.bin")
# Weights in the forms of other libraries, by their endings.
OTHER_FORMS = {
    ".h5": "TensorFlow's; load it with transformers 4 (from_tf=True) and call save_pretrained()",
    ".msgpack": "Flax's; load it with transformers 4 (from_flax=True) and call save_pretrained()",
    ".gguf": "GGUF; embspace reads one out of a wheel, see docs/models.md",
    ".onnx": "ONNX; embspace reads one out of a wheel, see docs/models.md",
    ".xml": "OpenVINO's; take the model that it was made of",
    ".ckpt": "TensorFlow's or Lightning's; convert it to transformers' layout first",
}


def check_whole_folder(folder: Path, allowed: Sequence[str], *, unpickle: bool) -> None:
    """Stop at a folder without config.json or without allowed weights.

    Raises:
        RefusedModel: naming the missing and the present files, and the way out.
    """
    check_adapter_files(folder, allowed)
    check_quantized_files(folder, allowed)
    _check_file(folder / WEIGHTS)
    check_pointers(folder)
    if not (folder / CONFIG).is_file():
        raise RefusedModel(f"{folder}: no {CONFIG}; {_instead_of_config(folder)}")
    if not weight_files(folder) and not (unpickle and _has_pickle(folder)):
        raise RefusedModel(f"{folder}: no {WEIGHTS}; {_instead_of_weights(folder)}")


def _check_file(file: Path) -> None:
    """Stop at weights that are a folder, or a link that leads nowhere."""
    if file.is_dir():
        raise RefusedModel(f"{file}: found a folder, allowed: a file of weights")
    if file.is_symlink() and not file.exists():
        raise RefusedModel(f"{file}: is a link to {file.readlink()}, where there is no file")


def _instead_of_config(folder: Path) -> str:
    inside = sorted(file.parent.name for file in folder.glob(f"*/{CONFIG}"))
    if inside:
        return f"there is one in {folder / inside[-1]}, name that folder"
    return "a model folder has the hub's layout"


def _has_pickle(folder: Path) -> bool:
    return any(
        not any(file.match(pattern) for pattern in NO_WEIGHTS) for file in folder.glob("*.bin")
    )


def _instead_of_weights(folder: Path) -> str:
    if _has_pickle(folder):
        command = CONVERT.format(folder=str(folder), target=f"{folder}-safe")
        return (
            "its weights are a pickle, which may run code; if you trust who made it, convert it "
            f"with\n  {command}\nand copy the tokenizer; of a model of the hub `unpickle: true` in "
            "its file in conf/model/ allows it"
        )
    for file in sorted(folder.iterdir()):
        if file.suffix == ".safetensors":
            return f"there is {file.name}: rename it to {WEIGHTS}, or give the folder an index"
        if file.suffix in OTHER_FORMS:
            return f"there is {file.name}, a form of weights that is {OTHER_FORMS[file.suffix]}"
    return "a model folder has the hub's layout"
