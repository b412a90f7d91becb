"""Measures of the family `context`: how much of a vector depends on the word, how much on the text.

`group` has a number per vector: the word of the occurrence, or the text.
"""

from functools import partial

import numpy as np
from jaxtyping import Float

from embspace.geometry.groups.grouped_vectors import Groups
from embspace.geometry.measures.declaration import measure
from embspace.geometry.measures.texts.text_cosines import TextCosines, text_cosines_of
from embspace.geometry.measures.word_axes import WordAxes, word_axes_of
from embspace.geometry.measures.word_directions import WordDirections, word_directions_of
from embspace.geometry.pairs.types import Vectors

ETHAYARAJH = "Ethayarajh 2019, How contextual are contextualized word representations?, "
OF_FEW = "Upwards for words that occur rarely: two vectors alone have at least a half."
# What every measure of the axes of words declares.
axis_measure = partial(measure, "context", shared="word_axes", grouped_by="word")


@measure(
    "context",
    formula=r"\frac{1}{|W|} \sum_w \frac{1}{n_w (n_w - 1)} \sum_{i \ne j \in w} \cos(x_i, x_j)",
    range=r"[-1,\ 1]",
    source=ETHAYARAJH + "definition 1",
    invariant_to=["rotation", "scale", "lengths"],
    bias="None, of the words that occur at least twice.",
    shared="word_directions",
    grouped_by="word",
)
def self_similarity(x: Vectors | WordDirections, group: Groups) -> float:
    """Mean cosine of two occurrences of a word, averaged over words.

    `group` is the word. Words with two or more occurrences weigh alike, by all pairs of
    occurrences. NaN if no word is repeated.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 2.0]])
        >>> round(self_similarity(x, np.array([0, 0, 1, 1])), 6)
        0.5
    """
    sums = word_directions_of(x, group)
    several = sums.counts > 1
    if not several.any():
        return float("nan")
    n, squared = sums.counts[several], sums.squares[several]
    return float(((squared - n) / (n * (n - 1))).mean())


@measure(
    "context",
    formula=r"\text{self-similarity} - \text{mean cosine of vectors of different words}",
    range=r"[-2,\ 2]",
    source=ETHAYARAJH + "section 3.4, there with sampled pairs",
    invariant_to=["rotation", "scale", "lengths"],
    bias="None, as of its two parts.",
    shared="word_directions",
    grouped_by="word",
)
def adjusted_self_similarity(x: Vectors | WordDirections, group: Groups) -> float:
    """`self_similarity` less what any two vectors have in common.

    `group` is the word; the baseline is the mean cosine over all pairs of different words. NaN
    without two occurrences of a word, or without two words.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        >>> adjusted_self_similarity(x, np.array([0, 0, 1, 1]))
        1.0
    """
    sums = word_directions_of(x, group)
    n_pairs = sums.counts.sum() ** 2 - np.square(sums.counts).sum()
    if not n_pairs:
        return float("nan")
    across = sums.total_square - sums.squares.sum()
    return self_similarity(sums, group) - float(across / n_pairs)


@measure(
    "context",
    formula=r"\frac{1}{|T|} \sum_t \frac{1}{n_t} \sum_{i \in t} \cos(x_i, m_t),\quad "
    r"m_t = \frac{1}{n_t} \sum_{i \in t} x_i",
    range=r"[-1,\ 1]",
    source=ETHAYARAJH + "definition 2",
    invariant_to=["rotation", "scale"],
    bias=r"Upwards in short texts: each vector is part of the mean that it is held against.",
    shared="text_cosines",
    grouped_by="text",
)
def intra_sentence_similarity(x: Vectors | TextCosines, group: Groups) -> float:
    """Mean cosine of a token with the mean of its text, averaged over texts.

    `group` is the text. Texts with a mean of zero and tokens of length zero are left out; NaN if
    all are.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]])
        >>> round(intra_sentence_similarity(x, np.array([0, 0, 1])), 4)
        0.8536
    """
    sums = text_cosines_of(x, group)
    return sums.total / sums.n_texts if sums.n_texts else float("nan")


@axis_measure(
    formula=r"\frac{1}{|W|} \sum_w \frac{\sigma_1^2(X_w)}{\sum_i \sigma_i^2(X_w)}",
    range=r"[1/\min(n_w, d),\ 1]",
    source=ETHAYARAJH + "definition 3",
    invariant_to=["rotation", "scale"],
    bias=OF_FEW,
)
def maximum_explainable_variance(x: Vectors | WordAxes, group: Groups) -> float:
    """Share of a word's occurrences explained by a single vector, averaged over words.

    `group` is the word. As printed, without centering: large where a word's vectors are alike. NaN
    without a word that occurs twice.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 2.0]])
        >>> round(maximum_explainable_variance(x, np.array([0, 0, 1, 1])), 6)
        0.75
    """
    return _mean(word_axes_of(x, group).square_shares)


@axis_measure(
    formula=r"\frac{1}{|W|} \sum_w \frac{\operatorname{var}(X_w a_w)}{\operatorname{tr} "
    r"\operatorname{cov}(X_w)},\quad a_w \text{ the first right singular vector of } X_w",
    range=r"[0,\ 1]",
    source="The code behind the figures of Ethayarajh 2019, by TruncatedSVD",
    invariant_to=["rotation", "scale"],
    bias="Downwards for words that occur rarely: the axis is fitted to their few vectors' mean.",
)
def maximum_explainable_variance_as_coded(x: Vectors | WordAxes, group: Groups) -> float:
    """Variance about the mean along the axis that explains most without centering.

    The version behind the paper's figures: scikit-learn's TruncatedSVD finds an axis near the mean,
    and reports the small variance along the axis. NaN without a word that occurs twice and varies.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[5.0, 1.0], [5.0, -1.0]])
        >>> round(maximum_explainable_variance_as_coded(x, np.array([0, 0])), 6)
        0.0
    """
    return _mean(word_axes_of(x, group).variance_along_axis)


@axis_measure(
    formula=r"\frac{1}{|W|} \sum_w \frac{v_1(X_w)}{\sum_i v_i(X_w)}",
    range=r"[1/\min(n_w - 1, d),\ 1]",
    source="The later code of Ethayarajh 2019, by PCA",
    invariant_to=["rotation", "scale", "translation"],
    bias="Upwards for words that occur rarely: of two vectors it is 1.",
)
def maximum_explainable_variance_as_recoded(x: Vectors | WordAxes, group: Groups) -> float:
    """Share of the variance of a word's occurrences along the first principal axis.

    `top_variance_share` by word, averaged. NaN without a word that occurs twice and varies.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[5.0, 1.0], [5.0, -1.0]])
        >>> round(maximum_explainable_variance_as_recoded(x, np.array([0, 0])), 6)
        1.0
    """
    return _mean(word_axes_of(x, group).variance_shares)


@axis_measure(
    formula=r"\text{maximum explainable variance} - \frac{\sigma_1^2(X)}{\sum_i \sigma_i^2(X)}",
    range=r"[-1,\ 1]",
    source=ETHAYARAJH + "section 3.4, there with sampled vectors",
    invariant_to=["rotation", "scale"],
    bias="Upwards for words that occur rarely, as the baseline, of many vectors, is not: compare "
    "words that occur equally often.",
)
def adjusted_maximum_explainable_variance(x: Vectors | WordAxes, group: Groups) -> float:
    """`maximum_explainable_variance` less the same share of all vectors together.

    `group` is the word. NaN without a word that occurs twice.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        >>> round(adjusted_maximum_explainable_variance(x, np.array([0, 0, 1, 1])), 6)
        0.5
    """
    axes = word_axes_of(x, group)
    return _mean(axes.square_shares) - axes.square_share_of_all


def _mean(shares: Float[np.ndarray, " word"]) -> float:
    """Return the mean over the words with a share."""
    return float(np.nanmean(shares)) if not np.isnan(shares).all() else float("nan")
