"""Paths of tokens through the layers: how long, how straight, how radial, and how common."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.pairs.door import takes_arrays
from embspace.geometry.pairs.safe_ratio import ratio

Paths = Float[np.ndarray, "layer token dim"]
ByStep = Float[np.ndarray, "step token"]


@dataclass(frozen=True, eq=False)
class PathSteps:
    """Row i is the step from layer i to i + 1, column j the token j.

    NaN where a state or a step of length zero leaves no direction.
    """

    euclidean_distance: ByStep
    """Length of the step."""
    cosine: ByStep
    """Cosine of the two states that the step joins, in [-1, 1]."""
    step_cosine: ByStep
    """Cosine of a step with the step before, in [-1, 1]; NaN for the first.

    1 on a straight line. A random walk gives 0; states of equal length drawn anew at every layer
    give -1/2. The cosine does not depend on the cosine of the states, near 1 for every short step.
    """
    radial_share: ByStep
    """Share of the squared length along the state where the step begins, in [0, 1].

    1/dim on average for a step in a random direction. sin^2(a/2) for a turn by the angle a about
    the origin: a chord leaves the sphere inwards.
    """
    norm_change: ByStep
    """Norm of the state after the step, less the norm of the state before."""
    norm_change_share: ByStep
    """Squared change of the norm as a share of the squared length, in [0, 1].

    The rest turns: |y - x|^2 = (|y| - |x|)^2 + 2 |x| |y| (1 - cosine).
    """


@takes_arrays()
def path_steps(x: Paths) -> PathSteps:
    """The steps between consecutive states of every token."""
    steps, norm = np.diff(x, axis=0), np.linalg.norm(x, axis=2)
    length, change = np.linalg.norm(steps, axis=2), np.diff(norm, axis=0)
    radial = ratio(_dot(steps, x[:-1]), norm[:-1])
    step_cosine = np.full(length.shape, np.nan)
    step_cosine[1:] = ratio(_dot(steps[1:], steps[:-1]), length[1:] * length[:-1])
    return PathSteps(
        euclidean_distance=length,
        cosine=ratio(_dot(x[1:], x[:-1]), norm[1:] * norm[:-1]).clip(-1, 1),
        step_cosine=step_cosine.clip(-1, 1),
        radial_share=ratio(radial**2, length**2).clip(max=1),
        norm_change=change,
        norm_change_share=ratio(change**2, length**2).clip(max=1),
    )


@takes_arrays()
def layer_share(x: Paths) -> float:
    """Return the share of the variance of all states between the layers' means.

    In [0, 1]: 1 if all tokens are equal at every layer, and move together. Too large for few
    tokens: independent paths leave 1/token of the movement. NaN where nothing varies.
    """
    about = x - x.mean(axis=(0, 1))
    between = x.shape[1] * np.square(about.mean(axis=1)).sum()
    return float(ratio(between, np.square(about).sum()))


@takes_arrays()
def component_paths(
    x: Paths, *, n_components: int
) -> tuple[Float[np.ndarray, "layer token component"], Float[np.ndarray, " component"]]:
    """The states in their principal components, and the components' shares of variance.

    From the matrix of dot products, fast for few states of many dimensions; equal to
    `principal_components` up to the free signs.
    """
    from scipy.linalg import eigh

    layers, tokens, dim = x.shape
    states = x.reshape(-1, dim).astype(np.float64)
    states -= states.mean(axis=0)
    n = len(states)
    products = states @ states.T
    variances, vectors = eigh(products, subset_by_index=(n - n_components, n - 1))
    variances = variances[::-1].clip(min=0)
    scores = vectors[:, ::-1] * np.sqrt(variances)
    return scores.reshape(layers, tokens, n_components), ratio(variances, np.trace(products))


def rotated_paths(
    x: Paths, group: Int[np.ndarray, " token"], *, n_draws: int, generator: np.random.Generator
) -> Iterator[Paths]:
    """Paths with independent directions by token, `n_draws` times.

    Every path is turned about the first state by a random rotation, the same at all layers: lengths
    and angles stay, the direction in space is new. Tokens of one `group` share the rotation.
    """
    start = x[0].astype(np.float64)
    moves = x.astype(np.float64) - start
    members = [np.flatnonzero(group == number) for number in np.unique(group)]
    # A rotation that takes one orthonormal frame to another: only the span of a group's moves
    # matters, and there R of Q R, the moves in the frame Q, stays as it is.
    inside = [np.linalg.qr(moves[:, tokens].reshape(-1, moves.shape[2]).T)[1] for tokens in members]
    for _ in range(n_draws):
        drawn = np.empty_like(moves)
        for tokens, coordinates in zip(members, inside, strict=True):
            turned = coordinates.T @ _random_frame(generator, moves.shape[2], len(coordinates))
            drawn[:, tokens] = turned.reshape(len(moves), len(tokens), -1)
        yield drawn + start


def _random_frame(
    generator: np.random.Generator, dim: int, n_axes: int
) -> Float[np.ndarray, "axis dim"]:
    """Orthonormal rows, uniform among all such; the factor Q alone has signs of LAPACK's choice."""
    q, r = np.linalg.qr(generator.normal(size=(dim, n_axes)))
    return (q * np.where(np.diagonal(r) < 0, -1.0, 1.0)).T


def _dot(x: Paths, y: Paths) -> Float[np.ndarray, "layer token"]:
    return np.einsum("ijk,ijk->ij", x, y)
