"""Pairs of sentences with vectors whose offsets are known."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from embspace.clouds.pooling import POOLINGS


@dataclass(frozen=True)
class Planted:
    """What `measure_differences` takes."""

    stimuli: pd.DataFrame
    tokens: pd.DataFrame
    states: dict[str, np.ndarray]

    def reordered(self, order: np.ndarray) -> "Planted":
        """The same sentences in another order."""
        number = np.argsort(order)
        tokens = self.tokens.assign(window=number[self.tokens["window"]])
        return Planted(
            self.stimuli.iloc[order].reset_index(drop=True),
            tokens.sort_values("window", kind="stable").reset_index(drop=True),
            {name: x[:, order] for name, x in self.states.items()},
        )

    def swapped(self, categories: set[str]) -> "Planted":
        """With the sides of these categories changed over."""
        other = {"first": "second", "second": "first"}
        side = self.stimuli["side"]
        chosen = self.stimuli["category"].isin(categories)
        return Planted(
            self.stimuli.assign(side=side.where(~chosen, side.map(other))),
            self.tokens,
            self.states,
        )


def planted(
    offsets: dict[str, np.ndarray],
    n_pairs: int | dict[str, int] = 10,
    *,
    noise: float = 0.5,
    frame: float = 2.0,
    n_layers: int = 1,
    seed: int = 0,
) -> Planted:
    """Each pair is a frame of its own, to whose second sentence the offset is added, with noise.

    `noise` and `frame` are lengths, in expectation. At random weights there is no offset.
    """
    rng = np.random.default_rng(seed)
    dim = len(next(iter(offsets.values())))
    rows, vectors, random_vectors, tokens = [], [], [], []
    for category, offset in offsets.items():
        n = n_pairs if isinstance(n_pairs, int) else n_pairs[category]
        for pair in range(n):
            start = rng.normal(size=(n_layers, dim)) * frame / np.sqrt(dim)
            change = rng.normal(size=(n_layers, dim)) * noise / np.sqrt(dim)
            length = int(rng.integers(6, 9))
            for side, x in (("first", start), ("second", start + offset + change)):
                text = f"{category} {pair} {side}"
                rows.append((f"{category}_{pair}_{side}", category, f"{pair:02d}", side, text))
                vectors.append(x)
                random_vectors.append(start + rng.normal(size=(n_layers, dim)))
                ids = [*range(length), 1000 * len(rows)]  # the last is in no other sentence
                tokens += [(len(rows) - 1, i, token_id) for i, token_id in enumerate(ids)]
    mean, random_mean = np.stack(vectors, axis=1), np.stack(random_vectors, axis=1)
    states = {name: mean * (1 + number) for number, name in enumerate(POOLINGS)}
    states |= {f"random_{name}": random_mean for name in POOLINGS}
    return Planted(
        pd.DataFrame(rows, columns=["id", "category", "pair", "side", "text"]),
        pd.DataFrame(tokens, columns=["window", "position", "id"]),
        {name: x.astype(np.float32) for name, x in states.items()},
    )
