"""Corpora with planted vectors, as `load_corpora` returns them."""

import numpy as np
import pandas as pd

from embspace.measure.practice.corpora import CorpusStates
from embspace.measure.tables.text_halves import Halves


def corpus(
    x: np.ndarray,
    documents: np.ndarray | None = None,
    labels: list[str] | None = None,
    halves: tuple[np.ndarray, np.ndarray] | None = None,
) -> CorpusStates:
    """One window a text: `x` is (layer, text, dim), `halves` are two of this shape."""
    n = x.shape[1]
    ids = [f"t{number}" for number in range(n)]
    names = ids if documents is None else [f"d{number}" for number in documents]
    texts = pd.DataFrame({"id": ids, "document": names, "text": ids, "copy_of": ids})
    texts = texts.assign(domain="", subject=labels or [""] * n)
    windows = pd.DataFrame({"text": ids, "window": 0, "n_tokens": 5})
    return CorpusStates("ships", texts, windows, {"mean": x}, _halves(texts, halves))


def _halves(texts: pd.DataFrame, halves: tuple[np.ndarray, np.ndarray] | None) -> Halves | None:
    if halves is None:
        return None
    both = [texts.assign(id=texts["id"] + f".half{half}", half=half) for half in (1, 2)]
    table = pd.concat(both, ignore_index=True)
    windows = pd.DataFrame({"text": table["id"], "window": 0, "n_tokens": 5})
    return Halves(table, windows, {"mean": np.concatenate(halves, axis=1)})


def topics(n: int = 80, dim: int = 12, *, noise: float = 0.5, seed: int = 0) -> CorpusStates:
    """Texts of four topics with halves, at two layers."""
    rng = np.random.default_rng(seed)
    topic = np.arange(n) % 4
    x = 2 * np.eye(dim)[topic] + rng.normal(size=(2, n, dim))
    parts = (x + noise * rng.normal(size=x.shape), x + noise * rng.normal(size=x.shape))
    return corpus(x, labels=[f"topic {number}" for number in topic], halves=parts)
