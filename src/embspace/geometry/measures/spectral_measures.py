"""Measures of the family `spectrum`: over how many directions the variance of a cloud is spread.

Each takes vectors, or their `Moments`. Written with v, the variances along the principal axes,
largest first, of n vectors of dim d; e are the same about the origin, without centering.
"""

from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import measure
from embspace.geometry.measures.effective_numbers import effective_number
from embspace.geometry.measures.spectrum import ROUNDING, explained_variance, exponential_entropy
from embspace.geometry.pairs.moments import Moments, moments_of
from embspace.geometry.pairs.types import Vectors
from embspace.geometry.pairs.vectors import as_vectors

FEWER = "Downwards: n vectors span at most n - 1 directions about their mean."
FEWER_AS_THEY_ARE = "Downwards: n vectors span at most n directions."
UNEVEN = "Upwards: the largest of many estimated variances is estimated too large."
# What every measure of this module declares.
spectrum_measure = partial(measure, "spectrum", shared="moments")


@spectrum_measure(
    formula=r"\frac{v_1}{\sum_i v_i} = \frac{\sigma_1^2}{\sum_i \sigma_i^2}",
    range=r"[1/\min(n - 1, d),\ 1]",
    source="Razzhigaev et al. 2024, section 2.3, called anisotropy there",
    invariant_to=["rotation", "scale", "translation"],
    bias=UNEVEN,
)
def top_variance_share(x: Vectors | Moments) -> float:
    """Share of the variance along the first principal axis.

    NaN where nothing varies. The same of vectors that are not centered is 1 / `stable_rank`.

    Examples:
        >>> import numpy as np
        >>> top_variance_share(np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]]))
        0.8
    """
    return float(explained_variance(moments_of(x).variances)[0])


@spectrum_measure(
    formula=r"\frac{\sum_i e_i}{e_1} = \frac{\|X\|_F^2}{\|X\|_2^2}",
    range=r"[1,\ \min(n, d)]",
    source="Rudelson and Vershynin 2007, section 1",
    invariant_to=["rotation", "scale"],
    bias=FEWER_AS_THEY_ARE,
)
def stable_rank(x: Vectors | Moments) -> float:
    """Squared Frobenius norm over squared spectral norm, of the vectors without centering.

    NaN where all are zero. Near 1 wherever the mean is long: it then measures the mean.

    Examples:
        >>> import numpy as np
        >>> stable_rank(np.array([[2.0, 0.0], [0.0, 1.0]]))
        1.25
    """
    return float(1 / explained_variance(moments_of(x).energies)[0])


@spectrum_measure(
    formula=r"\exp\left(-\sum_i p_i \log p_i\right),\quad "
    r"p_i = \frac{\sigma_i}{\sum_j \sigma_j},\ \sigma_i = \sqrt{n v_i}",
    range=r"[1,\ \min(n - 1, d)]",
    source="Roy and Vetterli 2007, definition 1, of the centered matrix",
    invariant_to=["rotation", "scale", "translation"],
    bias=FEWER,
)
def effective_rank(x: Vectors | Moments) -> float:
    """Exponential of the entropy of the singular values of the centered vectors.

    Small variances count for more than in `effective_rank_of_covariance`. NaN where nothing varies.

    Examples:
        >>> import numpy as np
        >>> effective_rank(np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]))
        2.0
    """
    return exponential_entropy(explained_variance(np.sqrt(moments_of(x).variances)))


@spectrum_measure(
    formula=r"\exp\left(-\sum_i p_i \log p_i\right),\quad "
    r"p_i = \frac{\sigma_i}{\sum_j \sigma_j} + \varepsilon,\ \sigma_i = \sqrt{n e_i}",
    range=r"[1,\ \min(n, d)]\ \text{but for } \varepsilon",
    source="Garrido et al. 2023, RankMe, equation 1",
    invariant_to=["rotation", "scale"],
    bias=FEWER_AS_THEY_ARE,
)
def rank_me(x: Vectors | Moments, *, epsilon: float = 1e-7) -> float:
    """Exponential of the entropy of the singular values of the vectors as they are.

    `effective_rank` without centering and with `epsilon` added to every share, as printed. NaN
    where all vectors are zero.

    Examples:
        >>> import numpy as np
        >>> round(rank_me(np.array([[1.0, 0.0], [0.0, 1.0]])), 4)
        2.0
    """
    moments = moments_of(x)
    sigma = np.sqrt(moments.energies[: min(moments.n, moments.dim)])
    return exponential_entropy(explained_variance(sigma) + epsilon)


@spectrum_measure(
    formula=r"\exp\left(-\sum_i p_i \log p_i\right),\quad p_i = \frac{v_i}{\sum_j v_j}",
    range=r"[1,\ \min(n - 1, d)]",
    source="Del Giudice 2021, Effective dimensionality, n1",
    invariant_to=["rotation", "scale", "translation"],
    bias=FEWER,
)
def effective_rank_of_covariance(x: Vectors | Moments) -> float:
    """Exponential of the entropy of the variances along the principal axes.

    NaN where nothing varies.

    Examples:
        >>> import numpy as np
        >>> effective_rank_of_covariance(np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]))
        2.0
    """
    return exponential_entropy(explained_variance(moments_of(x).variances))


@spectrum_measure(
    formula=r"-\frac{1}{\log d} \sum_i p_i \log p_i,\quad p_i = \frac{v_i}{\sum_j v_j}",
    range=r"[0,\ 1]",
    source="Alter et al. 2000, normalized Shannon entropy of an eigenspectrum",
    invariant_to=["rotation", "scale", "translation"],
    bias=FEWER,
)
def spectral_entropy(x: Vectors | Moments) -> float:
    """Entropy of the variances along the principal axes, over the entropy of equal variances.

    The logarithm of `effective_rank_of_covariance` in units of log d. NaN where nothing varies, and
    of vectors of a single coordinate.

    Examples:
        >>> import numpy as np
        >>> spectral_entropy(np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]))
        1.0
    """
    moments = moments_of(x)
    if moments.dim < 2:
        return float("nan")
    return float(
        np.log(exponential_entropy(explained_variance(moments.variances))) / np.log(moments.dim)
    )


@spectrum_measure(
    formula=r"\frac{(\sum_i v_i)^2}{\sum_i v_i^2}",
    range=r"[1,\ \min(n - 1, d)]",
    source="Gao et al. 2017, A theory of multineuronal dimensionality",
    invariant_to=["rotation", "scale", "translation"],
    bias=r"Downwards: of isotropic vectors about \(n d / (n + d)\).",
)
def participation_ratio(x: Vectors | Moments) -> float:
    """Effective number of directions that hold the variance.

    NaN where nothing varies.

    Examples:
        >>> import numpy as np
        >>> participation_ratio(np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]))
        2.0
    """
    return effective_number(moments_of(x).variances)


@spectrum_measure(
    formula=r"\frac{2 s_2 + (n^2 - 3n + 1)\, s_1^2 - n q}{(n - 1)(n - 2)\, s_2 + s_1^2 - n q},"
    r"\quad s_1 = \operatorname{tr} S,\ s_2 = \operatorname{tr} S^2,\ q = \frac{1}{n - 1} \sum_i "
    r"|x_i - \bar x|^4,\ S \text{ the covariance over } n - 1",
    range=r"(0,\ \infty),\ \text{about } [1, d] \text{ of many vectors}",
    source="Himeno and Yamada 2014, section 2, the two unbiased estimators",
    invariant_to=["rotation", "scale", "translation"],
    bias="Nearly none: a ratio of two unbiased estimators, of vectors of any distribution.",
)
def debiased_participation_ratio(x: Vectors | Moments) -> float:
    """The participation ratio of the distribution that the vectors are drawn from.

    Unbiased estimators replace (tr covariance)^2 and tr covariance^2, for independent vectors. NaN
    of fewer than 4, or where noise leaves no positive denominator.

    Examples:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).normal(size=(100, 50))
        >>> round(participation_ratio(x), 1), round(debiased_participation_ratio(x), 1)
        (33.5, 51.1)
    """
    moments = moments_of(x)
    n = moments.n
    if n < 4:
        return float("nan")
    covariance = moments.covariance * (n / (n - 1))
    trace_of_square = float(np.square(covariance).sum())
    squared_trace = float(np.trace(covariance)) ** 2
    quartic = moments.mean_quartic * n / (n - 1)
    numerator = 2 * trace_of_square + (n * n - 3 * n + 1) * squared_trace - n * quartic
    denominator = (n - 1) * (n - 2) * trace_of_square + squared_trace - n * quartic
    rounding = ROUNDING * ((n - 1) * (n - 2) * trace_of_square + squared_trace)
    return numerator / denominator if denominator > rounding else float("nan")


@spectrum_measure(
    formula=r"\frac{d\,\varphi - 1}{d - 1},\quad \varphi = \frac{(d - \delta^2 (d - \sqrt d))^2}"
    r"{d^2},\ \delta = \frac{\|\sqrt d\, v / \|v\| - 1\|}{\sqrt{2 (d - \sqrt d)}}",
    range=r"[0,\ 1]",
    source="Rudman et al. 2022, IsoScore, algorithm 1",
    invariant_to=["rotation", "scale", "translation"],
    bias=r"Downwards, as of the participation ratio, of which it is \((PR - 1) / (d - 1)\).",
)
def iso_score(x: Vectors | Moments) -> float:
    """Share of the dimensions that the variance uses evenly.

    Computed step by step as published. NaN where nothing varies, and of a single coordinate.

    Examples:
        >>> import numpy as np
        >>> iso_score(np.array([[1, 0], [-1, 0], [0, 1], [0, -1]]))
        1.0
    """
    return _iso_score(moments_of(x).variances)


@spectrum_measure(
    formula=r"\text{IsoScore of the eigenvalues of}\ (1 - \zeta) \Sigma + \zeta \Sigma_S",
    range=r"[0,\ 1]",
    source="Rudman and Eickhoff 2024, IsoScore*, algorithm 1",
    invariant_to=["rotation", "scale", "translation"],
    bias=r"Toward the score of the larger sample, by \(\zeta\).",
)
def iso_score_star(x: Vectors | Moments, *, larger: Any, zeta: float) -> float:
    """`iso_score` of few vectors, their covariance drawn toward that of a larger sample.

    Made for batches in training. `zeta` 0 takes the few vectors alone, 1 the larger sample. A
    change of the vectors has to change `larger` likewise.

    Raises:
        ValueError: `zeta` is not in [0, 1], or the two samples differ in dim.

    Examples:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).normal(size=(1000, 50))
        >>> round(iso_score(x[:25]), 2), round(iso_score_star(x[:25], larger=x, zeta=0.8), 2)
        (0.3, 0.89)
    """
    if not 0 <= zeta <= 1:
        raise ValueError(f"zeta: expected a value in [0, 1], found {zeta}")
    few, many = moments_of(x), moments_of(as_vectors(larger, "larger"))
    if few.dim != many.dim:
        raise ValueError(f"larger: expected {few.dim} coordinates, found {many.dim}")
    shrunken = (1 - zeta) * few.covariance + zeta * many.covariance
    return _iso_score(np.linalg.eigvalsh(shrunken).clip(min=0))


def _iso_score(variances: Float[np.ndarray, " dim"]) -> float:
    d, length = len(variances), np.linalg.norm(variances)
    if d < 2 or not length:
        return float("nan")
    normalized = np.sqrt(d) * variances / length
    defect = np.linalg.norm(normalized - 1) / np.sqrt(2 * (d - np.sqrt(d)))
    dimensions = (d - defect**2 * (d - np.sqrt(d))) ** 2 / d**2
    return float((d * dimensions - 1) / (d - 1))
