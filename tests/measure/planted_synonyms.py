"""Sentences of which it is known what lies near what."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from embspace.measure.sentences.synonym_vectors import Stimuli

POOLINGS = ("cls", "mean", "max")


def stimuli(
    table: pd.DataFrame,
    x: np.ndarray,
    random: np.ndarray | None = None,
    words: Sequence[Sequence[int]] | None = None,
) -> Stimuli:
    """The same vectors (layer, sentence, dim) by each pooling; `words` between special tokens."""
    if random is None:
        random = np.random.default_rng(9).normal(size=x.shape)
    states = {name: x.astype(np.float32) for name in POOLINGS}
    states |= {f"random_{name}": random.astype(np.float32) for name in POOLINGS}
    given = words if words is not None else [[number % 7] for number in range(len(table))]
    rows = [
        (window, token, special)
        for window, ids in enumerate(given)
        for token, special in [(101, True), *((token, False) for token in ids), (102, True)]
    ]
    return Stimuli(table, pd.DataFrame(rows, columns=["window", "id", "special"]), states)


def slot_rows(group: str, n_slots: int = 3) -> pd.DataFrame:
    """A complete frame: three words for each slot."""
    slots = list(itertools.product(range(3), repeat=n_slots))
    return pd.DataFrame(
        {
            "id": [f"{group}_{''.join(map(str, choice))}" for choice in slots],
            "group": group,
            "kind": "slots",
            "slots": [np.array(choice) for choice in slots],
        }
    )


def other_rows(group: str, kind: str, n: int) -> pd.DataFrame:
    ids = [f"{group}_{number}" for number in range(n)]
    return pd.DataFrame({"id": ids, "group": group, "kind": kind, "slots": None})


def synonym_table() -> pd.DataFrame:
    """Two frames, a group of paraphrases, two groups of random sentences: 27, 27, 6, 5, 5 rows."""
    parts = [slot_rows("one"), slot_rows("two"), other_rows("three", "paraphrases", 6)]
    parts += [other_rows(name, name, 5) for name in ("random_characters", "random_words")]
    return pd.concat(parts, ignore_index=True)


def paraphrase_table(n_meanings: int = 8, n_each: int = 3) -> pd.DataFrame:
    meaning = np.repeat([f"m{number}" for number in range(n_meanings)], n_each)
    return pd.DataFrame({"id": [f"p{n}" for n in range(len(meaning))], "meaning": meaning})


def control_table(n_each: int = 6) -> pd.DataFrame:
    rows = [
        (f"{kind}_{number}_{side}", f"{kind}_{number}", kind, side)
        for kind in ("negation", "swapped_roles")
        for number in range(n_each)
        for side in ("original", "changed")
    ]
    return pd.DataFrame(rows, columns=["id", "pair", "kind", "side"])


def at_corners(label: np.ndarray, spread: float = 0.0, dim: int = 16, seed: int = 0) -> np.ndarray:
    """One layer: each group at a direction of its own, and noise about it."""
    noise = np.random.default_rng(seed).normal(size=(len(label), dim))
    return (np.eye(dim)[label] + spread * noise)[np.newaxis]


def rotation(dim: int, seed: int = 3) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(dim, dim)))[0]
