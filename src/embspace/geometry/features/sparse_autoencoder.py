"""A sparse autoencoder that keeps only the largest activations of every vector."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.features.feature_set import FeatureSet

if TYPE_CHECKING:
    import torch


class Training(NamedTuple):
    """Sizes and steps of the fit of a sparse autoencoder."""

    n_features: int
    n_active: int
    """Largest number of active features of a vector."""
    n_epochs: int
    batch_size: int
    learning_rate: float


def sparse_autoencoder(
    x: Float[np.ndarray, "n dim"], rows: Int[np.ndarray, " row"], training: Training, *, seed: int
) -> FeatureSet:
    """Return the features of a TopK autoencoder of some rows: Gao et al. (2024), arXiv:2406.04093.

    Activations and variance are of all rows.

    Vectors are centered and scaled to a mean square length of 1; Adam lowers the squared error, and
    decoder rows keep unit length. The encoder starts as the decoder, at random directions. Nothing
    revives dead features. Fitted on one thread of torch.
    """
    import torch

    centered = x - x.mean(axis=0, dtype=np.float64)
    scale = np.sqrt(np.square(centered).sum(axis=1).mean())
    generator = torch.Generator().manual_seed(seed)
    data = torch.from_numpy((centered / scale).astype(np.float32))
    fitted = data[torch.from_numpy(rows)]
    start = torch.randn(training.n_features, x.shape[1], generator=generator)
    decoder = torch.nn.functional.normalize(start, dim=1).requires_grad_()
    encoder = decoder.detach().clone().requires_grad_()
    offset = torch.zeros(training.n_features, requires_grad=True)
    optimizer = torch.optim.Adam([decoder, encoder, offset], lr=training.learning_rate)
    for _ in range(training.n_epochs):
        order = torch.randperm(len(fitted), generator=generator)
        for first in range(0, len(order), training.batch_size):
            batch = fitted[order[first : first + training.batch_size]]
            active = _activations(batch @ encoder.T + offset, training.n_active)
            loss = (active @ decoder - batch).square().sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            with torch.no_grad():
                decoder /= decoder.norm(dim=1, keepdim=True)
    with torch.no_grad():
        active = _activations(data @ encoder.T + offset, training.n_active)
        share = 1 - float((active @ decoder - data).square().sum(dim=1).mean())
        directions = decoder.numpy().astype(np.float64)
    return FeatureSet(directions, directions, active.numpy(), share)


def _activations(scores: "torch.Tensor", n_active: int) -> "torch.Tensor":
    """Return the largest scores of every row, where positive, and 0 elsewhere."""
    values, places = scores.topk(n_active, dim=1)
    return scores.new_zeros(scores.shape).scatter(1, places, values.relu())
