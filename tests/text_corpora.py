"""Clouds of texts of which one knows all: two or three layers of Gaussian vectors."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from embspace.clouds.pooling import POOLINGS
from embspace.clouds.texts import TextCloud
from tests.project.settings import TSNE, UMAP

CLOUD_SETTINGS = {
    "fewest_documents": 8,
    "shown_pooling": "mean",
    "shown_layer": -1,
    "n_bins": 200,
    "n_histogram_bins": 20,
    "quantiles": [0.01, 0.5, 0.99],
    "n_half_samples": 20,
    "level": 0.9,
    "shares": [0.5, 0.9],
    "vectors_per_dimension": 5.0,
    "n_draws": 5,
    "n_deals": 20,
    "n_folds": 3,
    "ridge": 0.1,
    "most_random_documents": 50,
    "tokens_per_batch": 512,
    "device": "cpu",
    "seed": 0,
}
# Of vectors alone, which have no random weights.
CLOUDS_ALONE = {"module": None, "final_norm": None, "tokens": {}}
MAP_SETTINGS = {
    "fewest_documents": 8,
    "maps": {"two_sources": ["{long_texts}", "{short_texts}"], "all_corpora": None},
    "roles": {"long_texts": "articles", "short_texts": "posts"},
    "preparations": {"cls": ["raw"], "mean": ["centered_unit_length"]},
    "layer": -1,
    **{key: TSNE[key] for key in ("perplexity", "early_exaggeration", "early_exaggeration_iter")},
    "n_iter": TSNE["n_iter"],
    **{key: UMAP[key] for key in ("n_neighbors", "min_dist", "n_epochs", "negative_sample_rate")},
    "jitter": 0.01,
    "quality_n_neighbors": 5,
    "n_shuffles": 20,
    "n_resamples": 50,
    "level": 0.95,
    "seed": 0,
}


def corpus(
    documents: Sequence[str],
    *,
    seed: int,
    dim: int = 6,
    n_layers: int = 2,
    mean: float = 0.0,
    n_tokens: int = 10,
) -> TextCloud:
    """A window for each of `documents`; layer 0 is one vector, as [CLS] has it.

    Later layers are Gaussian about `mean` in every coordinate; lengths vary by 3 from `n_tokens`.
    """
    rng = np.random.default_rng(seed)
    n = len(documents)
    states = {}
    for pooling in POOLINGS:
        states[pooling] = (rng.normal(size=(n_layers, n, dim)) + mean).astype(np.float32)
        states[pooling][0] = 1.0
    windows = pd.DataFrame(
        {
            "text": [f"{document}.{number}" for number, document in enumerate(documents)],
            "window": 0,
            "n_tokens": n_tokens + np.arange(n) % 4,
            "document": list(documents),
            "domain": [f"domain {number % 2}" for number in range(n)],
            "subject": [f"subject {number % 3}" for number in range(n)],
        }
    )
    return TextCloud(states, windows)


def three_corpora(dim: int = 6) -> dict[str, TextCloud]:
    """Articles, twice as many sentences of the same documents, posts far away; three notes."""
    documents = [f"d{number}" for number in range(12)]
    return {
        "notes": corpus(["n1", "n2", "n3"], seed=3, dim=dim),
        "articles": corpus(documents, seed=0, dim=dim, mean=1.0, n_tokens=300),
        "sentences": corpus(documents * 2, seed=1, dim=dim, mean=1.0),
        "posts": corpus([f"p{number}" for number in range(16)], seed=2, dim=dim, mean=6.0),
    }


def no_corpora() -> dict[str, TextCloud]:
    """What a model without a tokenizer has: corpora without any window."""
    return {name: corpus([], seed=0) for name in ("articles", "posts")}
