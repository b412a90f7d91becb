"""Packs arrays of numbers into a single text for a script of a page."""

import zlib
from base64 import b64encode

import numpy as np
from jaxtyping import Float, Int, UInt16

MISSING = 65535  # of a number that a point does not have
STEPS = 65534  # the largest of those that stand for a number


class Pack:
    """Holds arrays of small whole numbers, numbered for retrieval."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.shapes: list[dict[str, int]] = []
        """Start, number of values and bytes of a value, by array."""
        self._n_bytes = 0

    def add(self, values: Int[np.ndarray, " n"] | UInt16[np.ndarray, " n"], *, n_bytes: int) -> int:
        """Add an array, stored as numbers of one or two bytes, and return its index."""
        content = values.astype("<u2" if n_bytes == 2 else "u1").tobytes()
        content += b"\0" * (len(content) % 2)  # the next array may have two bytes a number
        self.shapes.append({"start": self._n_bytes, "length": len(values), "bytes": n_bytes})
        self._parts.append(content)
        self._n_bytes += len(content)
        return len(self.shapes) - 1

    def add_scaled(self, values: Float[np.ndarray, " n"]) -> dict[str, float]:
        """Take in numbers in 65,535 steps from the least to the largest; NaN is `MISSING`."""
        known = values[np.isfinite(values)]
        low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        steps = np.rint((values - low) / ((high - low) or 1.0) * STEPS)
        whole = np.where(np.isfinite(steps), steps, MISSING).astype(np.uint16)
        return {"array": self.add(whole, n_bytes=2), "low": low, "high": high}

    def text(self) -> str:
        """Return all arrays in sequence, compressed by zlib and in base 64."""
        return b64encode(zlib.compress(b"".join(self._parts), 9)).decode()
