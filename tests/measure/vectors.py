"""Vectors and a vocabulary for tests of the measures."""

import numpy as np
import pandas as pd


def vocabulary_of(n_tokens: int, *, n_special: int = 2) -> pd.DataFrame:
    """Special tokens first, the opening one at row 0; then words, each seventh a digit."""
    kinds = [
        "special" if n < n_special else "digit" if n % 7 == 0 else "word" for n in range(n_tokens)
    ]
    return pd.DataFrame(
        {
            "id": range(n_tokens),
            "token": [f"tok{chr(97 + n % 26)}{n}" for n in range(n_tokens)],
            "role": ["cls" if n == 0 else "" for n in range(n_tokens)],
            "kind": kinds,
            "character_class": "latin",
        }
    )


def random_matrices(seed: int = 0, n_tokens: int = 120, dim: int = 48) -> dict[str, np.ndarray]:
    """Gaussian input, positional and segment matrices."""
    rng = np.random.default_rng(seed)
    shapes = {"input": (n_tokens, dim), "positional": (30, dim), "segment": (2, dim)}
    return {space: rng.normal(size=shape).astype(np.float32) for space, shape in shapes.items()}
