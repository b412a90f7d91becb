"""Changes of weights of which it is known what words they write."""

from collections.abc import Callable

import numpy as np

from embspace.measure.parameters.tuning_words_runs import TunedSeed, Vocabulary
from embspace.models.parameters.class_head import ClassHead

N_TOKENS, DIM, N_ROWS, N_LAYERS = 400, 16, 40, 3
N_POSITIVE, N_LISTED = 15, 30
GROUPS = ("attention_query", "feed_forward_value")
SENTIMENT = np.eye(DIM, dtype=np.float32)[0]
EMBEDDING = np.random.default_rng(0).normal(size=(N_TOKENS, DIM)).astype(np.float32)
EMBEDDING[:N_POSITIVE] += 4 * SENTIMENT
EMBEDDING[N_POSITIVE:N_LISTED] -= 4 * SENTIMENT
Change = Callable[[np.random.Generator], np.ndarray]


def known_vocabulary(n_listed: int = N_LISTED) -> Vocabulary:
    """Return words, of which the first are positive, the next negative, and one special token."""
    polarity = ["positive"] * N_POSITIVE + ["negative"] * (N_LISTED - N_POSITIVE)
    return Vocabulary(
        tokens=[f"w{number}" for number in range(N_TOKENS)],
        kinds=["word"] * (N_TOKENS - 1) + ["special"],
        polarity=polarity[:n_listed] + [""] * (N_TOKENS - n_listed),
        n_words=n_listed + 1,
        missing=["unheardof"],
    )


def at_random(generator: np.random.Generator) -> np.ndarray:
    """Return a change that says nothing."""
    return generator.normal(size=(N_ROWS, DIM)).astype(np.float32)


def toward_sentiment(generator: np.random.Generator) -> np.ndarray:
    """Return a change that writes the list, half of the rows with the opposite sign."""
    signs = np.where(np.arange(N_ROWS) % 2, 1, -1)[:, np.newaxis]
    noise = 0.02 * generator.normal(size=(N_ROWS, DIM))
    return np.asarray(signs * SENTIMENT + noise, dtype=np.float32)


def one_way(generator: np.random.Generator) -> np.ndarray:
    """Return a change whose rows all point one way, drawn at random."""
    return np.asarray(generator.normal(size=(1, DIM)).repeat(N_ROWS, axis=0), dtype=np.float32)


def known_tuning(seed: int = 0, **changes: Change) -> TunedSeed:
    """Return weights whose first layer is frozen, and the changes of the others by group."""
    generator = np.random.default_rng(seed)
    before = {group: [at_random(generator) for _ in range(N_LAYERS)] for group in changes}
    after = {
        group: [
            rows + (change(generator) if number else np.float32(0))
            for number, rows in enumerate(before[group])
        ]
        for group, change in changes.items()
    }
    rows = np.stack([-SENTIMENT, SENTIMENT])
    labels = ["negative", "positive"]
    return TunedSeed(
        seed=seed,
        phase="classification",
        before=before,
        after=after,
        embedding=EMBEDDING,
        head_before=ClassHead(labels, np.zeros_like(rows), None),
        head_after=ClassHead(labels, rows, None),
    )
