"""Measures of the family `context`: how sharply the path of a text turns from token to token."""

import numpy as np
from jaxtyping import Float

from embspace.geometry.groups.grouped_vectors import Groups
from embspace.geometry.measures.declaration import measure
from embspace.geometry.measures.texts.rows_of_texts import Tokens, rows_of_texts, unit_tokens
from embspace.geometry.measures.texts.text_means import TextMeans, text_means_of
from embspace.geometry.pairs.directions import norms, unit_rows
from embspace.geometry.pairs.types import Vectors

SKEAN = "Skean et al. 2025, Layer by layer, compute_curvature() of their code, "
Angles = Float[np.ndarray, " _"]


@measure(
    "context",
    formula=r"\frac{1}{|T|} \sum_t \frac{1}{n_t - 2} \sum_i \arccos "
    r"\frac{s_i \cdot s_{i+1}}{|s_i|\, |s_{i+1}|},\quad s_i = x_{i+1} - x_i",
    range=r"[0,\ \pi]:\ 0 \text{ if all steps go one way},\ \pi \text{ if each step goes back};\ "
    r"\text{in many dimensions } \pi/2 \text{ if steps are independent},\ 2\pi/3 \text{ if tokens "
    r"are}",
    source="Hosseini and Fedorenko 2023, Large language models implicitly learn to straighten "
    "neural sentence trajectories, section 2",
    invariant_to=["rotation", "scale", "translation"],
    bias="None, of the texts of three tokens or more.",
    shared="text_angles",
    grouped_by="text",
)
def text_curvature(x: Vectors | TextMeans, group: Groups) -> float:
    """Mean angle between successive steps of a text's path, averaged over texts, in radians.

    `group` is the text. A step goes from a token to the next; steps of length zero are passed over.
    0 on a straight line, pi where the path goes back. A text without two steps is left out; NaN
    without another.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0]])
        >>> round(text_curvature(x, np.zeros(4, dtype=int)), 4)  # straight on, then a right angle
        0.7854
    """
    return text_angles_of(x, group).mean


def text_angles_of(x: Vectors | TextMeans, group: Groups) -> TextMeans:
    """Return the sum over texts of a text's mean angle, or `x` if sums are given."""
    if isinstance(x, TextMeans):
        return x
    angles = (_angles(tokens) for tokens in rows_of_texts(x, group))
    return text_means_of(float(text_angles.mean()) for text_angles in angles if len(text_angles))


@measure(
    "context",
    formula=r"\text{as } \texttt{text\_curvature}, \text{ with } |s_i \cdot s_{i+1}|, "
    r"\text{ and } 0 \text{ for a step of length zero}",
    range=r"[0,\ \pi/2]",
    source=SKEAN + "the later one",
    invariant_to=["rotation", "scale", "translation"],
    bias="None, of the texts of three tokens or more.",
    grouped_by="text",
    profiled=False,
)
def text_curvature_folded_as_coded(x: Vectors, group: Groups) -> float:
    """`text_curvature` with obtuse angles folded back, as in the paper's later code.

    By the absolute value of the cosine: a path that turns back looks straight. A repeated token
    counts as an angle of 0, twice. Texts of fewer than three tokens are left out; NaN if all are.

    Examples:
        >>> import numpy as np
        >>> there_and_back = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
        >>> text_curvature_folded_as_coded(there_and_back, np.zeros(3, dtype=int))
        0.0
    """
    return _mean_over_texts([_folded(tokens) for tokens in rows_of_texts(x, group)])


@measure(
    "context",
    formula=r"\frac{1}{|T|} \sum_t \frac{1}{n_t - 1} \sum_i \arccos(u_i \cdot u_{i+1}),\quad "
    r"u_i \text{ the tokens of } t \text{ less their mean, each of length } 1",
    range=r"[0,\ \pi] \text{ or NaN},\ \pi/2 \text{ of independent tokens in many dimensions}",
    source=SKEAN + "the earlier one, that of the stored numbers",
    invariant_to=["rotation", "scale", "translation"],
    bias=r"Upwards in short texts: centered tokens have cosines of about \(-1/(n_t - 1)\).",
    grouped_by="text",
    profiled=False,
)
def text_curvature_of_states_as_coded(x: Vectors, group: Groups) -> float:
    """Mean angle between successive tokens themselves, called curvature in the stored numbers.

    The angle says how alike neighbors are. The cosine is not clipped to [-1, 1]: by rounding, a
    repeated token may make a layer NaN, as in the stored numbers of two layers of BERT. Texts of
    fewer than two different tokens are left out.

    Examples:
        >>> import numpy as np
        >>> straight = np.array([[-1.0, 0.0], [1.0, 0.0], [3.0, 0.0], [5.0, 0.0]])
        >>> round(text_curvature_of_states_as_coded(straight, np.zeros(4, dtype=int)), 4)  # pi / 3
        1.0472
    """
    units = [unit_tokens(tokens) for tokens in rows_of_texts(x, group)]
    with np.errstate(invalid="ignore"):
        return _mean_over_texts(
            [np.arccos(np.einsum("ij,ij->i", unit[1:], unit[:-1])) for unit in units]
        )


def _angles(tokens: Tokens) -> Angles:
    """Return the angles between successive steps, without steps of length zero."""
    steps = np.diff(tokens, axis=0)
    length = norms(steps)
    if not length.all():
        steps, length = steps[length > 0], length[length > 0]
    cosines = np.einsum("ij,ij->i", steps[1:], steps[:-1]) / (length[1:] * length[:-1])
    return np.arccos(cosines.clip(-1, 1))


def _folded(tokens: Tokens) -> Angles:
    steps = np.diff(tokens, axis=0)
    moves = norms(steps) > 0
    angles = _between(unit_rows(steps))
    return np.where(moves[1:] & moves[:-1], np.minimum(angles, np.pi - angles), 0.0)


def _between(units: Tokens) -> Angles:
    """Return the angles between successive directions."""
    return np.arccos(np.einsum("ij,ij->i", units[1:], units[:-1]).clip(-1, 1))


def _mean_over_texts(angles: list[Angles]) -> float:
    means = [text_angles.mean() for text_angles in angles if len(text_angles)]
    return float(np.mean(means)) if means else float("nan")
