"""Reads the one array of an .npy, .npz or .safetensors file; nothing is ever unpickled."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from embspace.errors import InputError
from embspace.geometry.pairs.square_memory import GIB, available_memory

PICKLED = (
    "found objects, which are read by unpickling alone, and that may run code; write numbers: "
    "np.save(path, np.asarray(x, dtype=np.float32))"
)


def _npy(file: Path) -> np.ndarray:
    with file.open("rb") as stream:
        if stream.peek(1)[:1] == b"\x80":  # of a pickle
            raise InputError(f"{file}: is no .npy, and begins as a pickle; {PICKLED}")
        try:
            return np.lib.format.read_array(stream, allow_pickle=False)
        except ValueError as error:
            if "Object arrays" not in str(error):
                raise
            raise InputError(f"{file}: {PICKLED}") from None


def _npz(file: Path) -> np.ndarray:
    if not zipfile.is_zipfile(file):  # NumPy would take an .npy under this name
        raise InputError(f"{file}: is no .npz archive")
    with zipfile.ZipFile(file) as archive:
        size, available = sum(member.file_size for member in archive.infolist()), available_memory()
    if size > available:
        raise InputError(
            f"{file}: needs {size / GIB:.1f} GiB of memory, {available / GIB:.1f} GiB are available"
        )
    with np.load(file, allow_pickle=False) as arrays:
        name = _only(list(arrays.files), "arrays", file)
        try:
            array: object = arrays[name]
        except ValueError as error:
            if "Object arrays" not in str(error):
                raise
            raise InputError(f"{file}: {PICKLED}") from None
    if not isinstance(array, np.ndarray):
        raise InputError(f"{file}: found '{name}', which is no array; allowed: one array")
    return array


def _safetensors(file: Path) -> np.ndarray:
    from safetensors import SafetensorError, safe_open

    try:
        # By way of torch, which knows bfloat16.
        with safe_open(file, framework="pt") as tensors:
            tensor = tensors.get_tensor(_only(list(tensors.keys()), "tensors", file))
    except SafetensorError as error:
        raise InputError(f"{file}: is no whole safetensors file: {error}") from error
    return np.asarray((tensor.float() if tensor.is_floating_point() else tensor).numpy())


def _only(names: list[str], what: str, file: Path) -> str:
    if len(names) != 1:
        raise InputError(
            f"{file}: found {len(names)} {what}: {', '.join(sorted(names)) or 'none'}; allowed: one"
        )
    return names[0]


ARRAYS: dict[str, Callable[[Path], np.ndarray]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".safetensors": _safetensors,
}
"""The function that reads a file of arrays, by the ending of the file's name."""
