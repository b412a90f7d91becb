"""Planted words: opposites that share a topic or not, and synonyms."""

import numpy as np
import pandas as pd

N_PAIRS, DIM = 40, 24


def pair_table(n: int = N_PAIRS, part: str = "adjective") -> pd.DataFrame:
    rows = [
        (part, relation, f"{relation}{number}", f"{relation}{number}x")
        for relation in ("antonym", "synonym")
        for number in range(n)
    ]
    return pd.DataFrame(rows, columns=["part_of_speech", "relation", "word", "other_word"])


def word_table(pairs: pd.DataFrame) -> pd.DataFrame:
    words = pd.concat([pairs["word"], pairs["other_word"]], ignore_index=True)
    parts = pd.concat([pairs["part_of_speech"]] * 2, ignore_index=True)
    return pd.DataFrame({"word": words, "part_of_speech": parts, "id": np.arange(len(words))})


def vectors(
    *, shared: float, against: float, line: float = 0.0, n: int = N_PAIRS, seed: int = 0
) -> np.ndarray:
    """Return the words of `pair_table`, in the order of `word_table`, about a mean of their own.

    Antonyms share a topic of size `shared`, and are apart by `against` in a direction of each pair,
    and by `line` in one direction; synonyms share a topic of size 1.
    """
    generator = np.random.default_rng(seed)
    mean = 2 * generator.normal(size=DIM)
    topic, own = generator.normal(size=(2, 2 * n, DIM))
    topic[:n] *= shared
    apart = against * own + line * np.eye(DIM)[0]
    apart[n:] = 0.3 * own[n:]
    noise = 0.1 * generator.normal(size=(2, 2 * n, DIM))
    return mean + np.concatenate([topic + apart + noise[0], topic - apart + noise[1]])


def states_of(x: np.ndarray, seed: int = 5) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed).normal(size=(2, *x.shape)).astype(np.float32)
    x = x.astype(np.float32)[np.newaxis]
    return {"input": x, "state": x, "random_input": random[:1], "random_state": random[1:]}
