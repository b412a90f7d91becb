"""Reads a GGUF file by its published layout alone, without the package gguf."""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# By the number of the type: what struct calls it.
SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
STRING, ARRAY = 8, 9
BLOCK = 32  # values that share a scale


class Reader:
    """A place in the bytes of a file."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def scalar(self, kind: str) -> Any:
        (value,) = struct.unpack_from(f"<{kind}", self.content, self.place)
        self.place += struct.calcsize(f"<{kind}")
        return value

    def string(self) -> str:
        length = self.scalar("Q")
        self.place += length
        return self.content[self.place - length : self.place].decode("utf-8", errors="replace")

    def value(self, kind: int) -> Any:
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            of, length = self.scalar("I"), self.scalar("Q")
            return [self.value(of) for _ in range(length)]
        return self.scalar(SCALARS[kind])


def float32(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.float32)


def q8_0(data: bytes) -> np.ndarray:
    """A scale in half precision and 32 signed bytes: their product."""
    blocks = np.frombuffer(data, np.dtype([("scale", "<f2"), ("codes", "i1", BLOCK)]))
    return (blocks["scale"].astype(np.float32)[:, None] * blocks["codes"]).astype(np.float32)


def q4_1(data: bytes) -> np.ndarray:
    """Scale and least value, then 32 codes in 4 bits: the lower halves of 16 bytes, the upper."""
    kind = np.dtype([("scale", "<f2"), ("least", "<f2"), ("codes", "u1", BLOCK // 2)])
    blocks = np.frombuffer(data, kind)
    codes = np.concatenate([blocks["codes"] & 15, blocks["codes"] >> 4], axis=1).astype(np.float32)
    scale, least = (blocks[field].astype(np.float32)[:, None] for field in ("scale", "least"))
    return scale * codes + least


# By the number of the type: its reader, and the bytes of a block of so many values.
TYPES: dict[int, tuple[Callable[[bytes], np.ndarray], int, int]] = {
    0: (float32, 4, 1),
    3: (q4_1, 20, BLOCK),
    8: (q8_0, 34, BLOCK),
}


def read_blocks(file: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a GGUF file of version 3 says of its model, and its tensors in float32."""
    reader = Reader(file.read_bytes())
    assert reader.content[:4] == b"GGUF"
    reader.place = 4
    assert reader.scalar("I") == 3
    n_tensors, n_keys = reader.scalar("Q"), reader.scalar("Q")
    said = {reader.string(): reader.value(reader.scalar("I")) for _ in range(n_keys)}
    places = {}
    for _ in range(n_tensors):
        name = reader.string()
        sizes = [reader.scalar("Q") for _ in range(reader.scalar("I"))]
        places[name] = sizes[::-1], reader.scalar("I"), reader.scalar("Q")
    alignment = said.get("general.alignment", 32)
    start = -(-reader.place // alignment) * alignment
    tensors = {}
    for name, (shape, kind, offset) in places.items():
        read, n_bytes, n_values = TYPES[kind]
        end = start + offset + int(np.prod(shape)) // n_values * n_bytes
        tensors[name] = read(reader.content[start + offset : end]).reshape(shape)
    return said, tensors
