"""Clouds that every measure is asked about, and what else some measures take."""

from typing import Any

import numpy as np

RNG = np.random.default_rng(0)
N, DIM = 200, 12
# Uneven lengths, a mean that is not zero, variances that differ: so that each change shows.
CLOUD = RNG.normal(size=(N, DIM)) * np.linspace(0.5, 2, DIM) + np.linspace(0, 1, DIM)
CLOUD *= RNG.uniform(0.5, 2, size=(N, 1))
CLOUD[:, 0] += 6  # an outlier dimension
LARGER = np.concatenate([CLOUD, CLOUD + RNG.normal(size=CLOUD.shape)])
WORDS = np.arange(N) % 20
# NaN of so few coordinates, and of a cloud without a dimension of its own.
UNDEFINED = {"alpha_req", "gride_plateau"}
# Another view of the same points.
OTHER = CLOUD[:, :5] + RNG.normal(size=(N, 5))


def arguments(name: str, family: str) -> dict[str, Any]:
    """What a measure takes besides vectors."""
    if name == "iso_score_star":
        return {"larger": LARGER, "zeta": 0.3}
    if name == "information_imbalance":
        return {"other": OTHER}
    if name in ("label_overlap", "balanced_label_overlap"):
        return {"labels": WORDS}
    if name == "gride_plateau":
        return {"tolerance": 0.4}  # the cloud has no dimension of its own
    if name == "alpha_req":
        return {"first": 2, "last": DIM}
    if name == "alpha_req_as_coded":
        return {"start": 1, "stop": DIM}
    if name == "text_entropy_as_coded":
        return {"group": np.arange(N) // 25}  # texts of more tokens than coordinates
    return {"group": WORDS} if family == "context" else {}


def turned(x: np.ndarray) -> np.ndarray:
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(x.shape[1], x.shape[1])))[0]
    return x @ rotation


CHANGED = {
    "rotation": turned,
    "scale": lambda x: 3 * x,
    "translation": lambda x: x + np.linspace(-2, 3, x.shape[1]),
    "lengths": lambda x: x * np.random.default_rng(2).uniform(0.2, 5, size=(len(x), 1)),
    "coordinate_scales": lambda x: x * np.linspace(0.3, 3, x.shape[1]),
}
