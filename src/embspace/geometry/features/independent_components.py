"""Independent component analysis: the least Gaussian directions of a cloud."""

import warnings
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.features.feature_set import FeatureSet


class WhitenedCloud(NamedTuple):
    """The first principal components of a cloud, all with variance 1."""

    z: Float[np.ndarray, "n component"]
    mixing: Float[np.ndarray, "component dim"]
    """z times this matrix gives the vectors less the mean, without the omitted components."""
    variance_share: float


def whitened_cloud(x: Float[np.ndarray, "n dim"], n_components: int) -> WhitenedCloud:
    """Return principal components at variance 1; at most as many as have variance."""
    centered = x.astype(np.float64) - x.mean(axis=0, dtype=np.float64)
    energies, axes = np.linalg.eigh(centered.T @ centered)
    energies, axes = energies[::-1], axes[:, ::-1]
    rank = int((energies > np.finfo(np.float32).eps * energies[0]).sum())
    k = min(n_components, rank, len(x) - 1)
    deviations = np.sqrt(energies[:k] / len(x))
    share = float(energies[:k].sum() / energies.clip(min=0).sum())
    mixing = deviations[:, np.newaxis] * axes[:, :k].T
    return WhitenedCloud(centered @ axes[:, :k] / deviations, mixing, share)


def independent_components(
    cloud: WhitenedCloud, rows: Int[np.ndarray, " row"], *, max_iter: int, seed: int
) -> FeatureSet:
    """Return the components of scikit-learn's FastICA (Hyvärinen and Oja 2000), from some rows.

    Activations are of all rows. Components are matched in the space of principal components at
    variance 1, where they are orthogonal. Signs are such that the third moment of every activation
    is positive. `is_converged` is false where all of `max_iter` iterations were needed.
    """
    from sklearn.decomposition import FastICA
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = FastICA(whiten=False, max_iter=max_iter, random_state=seed).fit(cloud.z[rows])
    unmixing = model.components_
    activations = cloud.z @ unmixing.T
    signs = np.where(np.mean(activations**3, axis=0) < 0, -1.0, 1.0)
    unmixing, activations = unmixing * signs[:, np.newaxis], activations * signs
    directions = unmixing @ cloud.mixing
    is_converged = bool(model.n_iter_ < max_iter)
    share = cloud.variance_share
    return FeatureSet(_unit(directions), _unit(unmixing), activations, share, is_converged)


def _unit(x: Float[np.ndarray, "n dim"]) -> Float[np.ndarray, "n dim"]:
    unit: Float[np.ndarray, "n dim"] = x / np.linalg.norm(x, axis=1, keepdims=True)
    return unit
