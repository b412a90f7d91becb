"""Numbers that files of tests hold, and how these are written and read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from embspace.errors import InputError
from embspace.files.vectors import read_labeled_vectors, read_vectors

X = np.array([[0.5, -1.0, 3.25], [1e-3, 7.0, -0.125]], dtype=np.float32)
NAMES = ["x", "y", "z"]
FRAME = pd.DataFrame([[0.5, 1.5, 2.5], [3.5, 4.5, 5.5], [6.5, 7.5, 8.5]])
ROWS_OF = FRAME.to_numpy().tolist()
WORDS = ["007", "nan", "c"]


def columns_of(x: np.ndarray, **more: list[str]) -> pd.DataFrame:
    return pd.DataFrame({**more, **dict(zip(NAMES, x.T, strict=True))})


def labels_of(path: Path, **given: Any) -> tuple[list[list[float]], list[str] | None]:
    read = read_labeled_vectors(path, **given)
    return read.vectors.tolist(), None if read.labels is None else read.labels["label"].tolist()


def assert_refused(path: Path, write: Callable[[Path], object], message: str) -> None:
    """Fail unless a written file is refused by a message that names the file."""
    write(path)
    with pytest.raises(InputError, match=rf"{path.name}(, line \d)?: .*{message}"):
        read_vectors(path)
