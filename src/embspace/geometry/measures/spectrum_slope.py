"""Measures of the family `spectrum`: how fast the variances fall with their rank (alpha-ReQ)."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.measures.declaration import measure
from embspace.geometry.measures.spectrum import ROUNDING
from embspace.geometry.pairs.moments import Moments, moments_of
from embspace.geometry.pairs.types import Vectors

AGRAWAL = "Agrawal et al. 2022, alpha-ReQ"
STEEPER = "Upwards: of few vectors the estimated variances fall faster than the true ones."


@measure(
    "spectrum",
    formula=r"\alpha = -\frac{\sum_r w_r (\log r - m)(\log v_r - l)}{\sum_r w_r (\log r - m)^2},"
    r"\quad a \le r \le b,\ w_r = 1/r,\ m \text{ and } l \text{ the weighted means of } \log r "
    r"\text{ and } \log v_r",
    range=r"[0,\ \infty)",
    source=AGRAWAL + ", by the fit of Stringer et al. 2019; the ranks are those of reptrix",
    invariant_to=["rotation", "scale", "translation"],
    bias=STEEPER,
    shared="moments",
)
def alpha_req(x: Vectors | Moments, *, first: int = 11, last: int = 100) -> float:
    """Exponent of the power law r^-alpha fitted to the variances by rank r.

    From rank `first` to `last`; rank 1 is the largest. The fit is of logarithms, weighted by 1 / r:
    equal stretches of the logarithmic axis count alike. Near 0 all directions are used alike; above
    1 few hold the variance. The range of ranks matters; the code of Li et al. 2025 begins at 12.
    NaN where fewer than `last` variances are above rounding.

    Raises:
        ValueError: not 1 <= `first` < `last`.

    Examples:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).normal(size=(5000, 200)) / np.arange(1, 201)
        >>> round(alpha_req(x), 1)  # standard deviations fall as 1 / r, variances as 1 / r^2
        2.0
    """
    if not 1 <= first < last:
        raise ValueError(f"first: expected 1 to {last - 1}, under `last`, found {first}")
    variances = moments_of(x).variances
    if len(variances) < last or not variances[last - 1] > ROUNDING * variances[0]:
        return float("nan")
    return _weighted_slope(variances[first - 1 : last], first)


@measure(
    "spectrum",
    formula=r"\text{as } \texttt{alpha\_req},\ a = s + c,\ b = t + c - 1 \text{ in call number } c "
    r"\text{ with } \texttt{np.arange}(s, t)",
    range=r"[0,\ \infty)",
    source=AGRAWAL + ", get_alpha() of the package reptrix, its first versions",
    invariant_to=["rotation", "scale", "translation"],
    bias=STEEPER,
    shared="moments",
    profiled=False,
)
def alpha_req_as_coded(
    x: Vectors | Moments, *, start: int = 5, stop: int = 100, call: int = 1
) -> float:
    """`alpha_req` as returned by call number `call` of get_alpha() in a process.

    Every call adds 1 in place to the default argument, np.arange(`start`, `stop`): the first fits
    the ranks 6 to 100, the tenth 15 to 109. A loop over layers compares slopes of different ranks.
    Later versions begin at rank 11, in every call. NaN where the package stops with an error.

    Raises:
        ValueError: `call` under 1, or not 0 <= `start` < `stop` - 1.

    Examples:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).normal(size=(1000, 300)) * np.linspace(1, 0.1, 300)
        >>> [round(alpha_req_as_coded(x, call=call), 2) for call in (1, 30)]
        [0.33, 0.75]
    """
    if call < 1:
        raise ValueError(f"call: expected at least 1, found {call}")
    if not 0 <= start < stop - 1:
        raise ValueError(f"start: expected 0 to {stop - 2}, under `stop` - 1, found {start}")
    return alpha_req(x, first=start + call, last=stop + call - 1)


def _weighted_slope(variances: Float[np.ndarray, " rank"], first: int) -> float:
    rank = np.arange(first, first + len(variances))
    log_rank, log_variance = np.log(rank), np.log(variances)
    about = log_rank - np.average(log_rank, weights=1 / rank)
    return float(-(about / rank) @ log_variance / ((about / rank) @ about))
