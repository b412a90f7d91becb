"""Measures of the family `context`: what a vector owes to its word, and what to its text.

`group` has a number for each vector: of the word that it is an occurrence of, or of its text.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int, Shaped

from embspace.geometry.declared import measure
from embspace.geometry.directions import norms, unit_rows
from embspace.geometry.spectral_measures import stable_rank

Vectors = Float[np.ndarray, "n dim"]
Groups = Shaped[np.ndarray, " vector"]
Sizes = Int[np.ndarray, " group"]
Sums = Float[np.ndarray, "group dim"]
ETHAYARAJH = "Ethayarajh 2019, How contextual are contextualized word representations?, "
OF_FEW = "Upwards for words that occur rarely: two vectors alone have at least a half."


@measure(
    "context",
    formula=r"\frac{1}{|W|} \sum_w \frac{1}{n_w (n_w - 1)} \sum_{i \ne j \in w} \cos(x_i, x_j)",
    range=r"[-1,\ 1]",
    source=ETHAYARAJH + "definition 1",
    invariant_to=["rotation", "scale", "lengths"],
    bias="None, of the words that occur at least twice.",
    grouped_by="word",
)
def self_similarity(x: Vectors, group: Groups) -> float:
    """Mean cosine of two occurrences of one word, averaged over words.

    `group` is the word. Every word that occurs twice or more weighs alike, and all pairs of its
    occurrences count. NaN without such a word.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 2.0]])
        >>> round(self_similarity(x, np.array([0, 0, 1, 1])), 6)
        0.5
    """
    kept = norms(x) > 0
    _, counts, sums = _sums(unit_rows(x[kept]), _checked(x, group)[kept])
    several = counts > 1
    if not several.any():
        return float("nan")
    n, squared = counts[several], np.square(sums[several]).sum(axis=1)
    return float(((squared - n) / (n * (n - 1))).mean())


@measure(
    "context",
    formula=r"\text{self-similarity} - \text{mean cosine of vectors of different words}",
    range=r"[-2,\ 2]",
    source=ETHAYARAJH + "section 3.4, there with sampled pairs",
    invariant_to=["rotation", "scale", "lengths"],
    bias="None, as of its two parts.",
    grouped_by="word",
)
def adjusted_self_similarity(x: Vectors, group: Groups) -> float:
    """`self_similarity` less what any two vectors have in common.

    `group` is the word; the baseline is the mean cosine over all pairs of different words. NaN
    without two occurrences of a word, or without two words.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        >>> adjusted_self_similarity(x, np.array([0, 0, 1, 1]))
        1.0
    """
    kept = norms(x) > 0
    _, counts, sums = _sums(unit_rows(x[kept]), _checked(x, group)[kept])
    n_pairs = counts.sum() ** 2 - np.square(counts).sum()
    if not n_pairs:
        return float("nan")
    across = np.square(sums.sum(axis=0)).sum() - np.square(sums).sum()
    return self_similarity(x, group) - float(across / n_pairs)


@measure(
    "context",
    formula=r"\frac{1}{|T|} \sum_t \frac{1}{n_t} \sum_{i \in t} \cos(x_i, m_t),\quad "
    r"m_t = \frac{1}{n_t} \sum_{i \in t} x_i",
    range=r"[-1,\ 1]",
    source=ETHAYARAJH + "definition 2",
    invariant_to=["rotation", "scale"],
    bias=r"Upwards in short texts: each vector is part of the mean that it is held against.",
    grouped_by="text",
)
def intra_sentence_similarity(x: Vectors, group: Groups) -> float:
    """Mean cosine of a token with the mean of its text, averaged over texts.

    `group` is the text. A text whose mean is zero is left out, as is a token of length zero; NaN
    without another.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [3.0, 3.0]])
        >>> round(intra_sentence_similarity(x, np.array([0, 0, 1])), 4)
        0.8536
    """
    number, counts, sums = _sums(x, _checked(x, group))
    means = unit_rows(sums)  # the mean's direction
    kept = (norms(x) > 0) & (norms(sums) > 0)[number]
    if not kept.any():
        return float("nan")
    cosines = np.einsum("ij,ij->i", unit_rows(x[kept]), means[number[kept]])
    of_text = np.bincount(number[kept], cosines, minlength=len(counts))
    n_kept = np.bincount(number[kept], minlength=len(counts))
    return float((of_text[n_kept > 0] / n_kept[n_kept > 0]).mean())


@measure(
    "context",
    formula=r"\frac{1}{|W|} \sum_w \frac{\sigma_1^2(X_w)}{\sum_i \sigma_i^2(X_w)}",
    range=r"[1/\min(n_w, d),\ 1]",
    source=ETHAYARAJH + "definition 3",
    invariant_to=["rotation", "scale"],
    bias=OF_FEW,
    grouped_by="word",
)
def maximum_explainable_variance(x: Vectors, group: Groups) -> float:
    """Share of a word's occurrences that one vector explains, averaged over words.

    `group` is the word. As printed: of the matrix of occurrences as it is, without centring, so
    that it cannot be small where a word's vectors are alike. NaN without a word that occurs twice.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 2.0]])
        >>> round(maximum_explainable_variance(x, np.array([0, 0, 1, 1])), 6)
        0.75
    """
    return _over_words(x, group, lambda of_word: _top_share(of_word, of_word))


@measure(
    "context",
    formula=r"\frac{1}{|W|} \sum_w \frac{\operatorname{var}(X_w a_w)}{\operatorname{tr} "
    r"\operatorname{cov}(X_w)},\quad a_w \text{ the first right singular vector of } X_w",
    range=r"[0,\ 1]",
    source="The code behind the figures of Ethayarajh 2019, by TruncatedSVD",
    invariant_to=["rotation", "scale"],
    bias="Downwards for words that occur rarely: the axis is fitted to their few vectors' mean.",
    grouped_by="word",
)
def maximum_explainable_variance_as_coded(x: Vectors, group: Groups) -> float:
    """The variance about the mean, along the axis that explains most without centring.

    What the figures of the paper were made by: scikit-learn's TruncatedSVD finds the axis of the
    matrix as it is, mostly the mean, and reports how the vectors vary along it, which is little.
    NaN without a word that occurs twice and varies.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[5.0, 1.0], [5.0, -1.0]])
        >>> round(maximum_explainable_variance_as_coded(x, np.array([0, 0])), 6)
        0.0
    """
    return _over_words(x, group, lambda of_word: _top_share(of_word, _centred(of_word)))


@measure(
    "context",
    formula=r"\frac{1}{|W|} \sum_w \frac{v_1(X_w)}{\sum_i v_i(X_w)}",
    range=r"[1/\min(n_w - 1, d),\ 1]",
    source="The later code of Ethayarajh 2019, by PCA",
    invariant_to=["rotation", "scale", "translation"],
    bias="Upwards for words that occur rarely: of two vectors it is 1.",
    grouped_by="word",
)
def maximum_explainable_variance_as_recoded(x: Vectors, group: Groups) -> float:
    """Share of the variance of a word's occurrences along their first principal axis.

    `top_variance_share` of each word, averaged. NaN without a word that occurs twice and varies.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[5.0, 1.0], [5.0, -1.0]])
        >>> round(maximum_explainable_variance_as_recoded(x, np.array([0, 0])), 6)
        1.0
    """

    def share(of_word: Vectors) -> float:
        centred = _centred(of_word)
        return _top_share(centred, centred)

    return _over_words(x, group, share)


@measure(
    "context",
    formula=r"\text{maximum explainable variance} - \frac{\sigma_1^2(X)}{\sum_i \sigma_i^2(X)}",
    range=r"[-1,\ 1]",
    source=ETHAYARAJH + "section 3.4, there with sampled vectors",
    invariant_to=["rotation", "scale"],
    bias="Upwards for words that occur rarely, as the baseline, of many vectors, is not: compare "
    "words that occur equally often.",
    grouped_by="word",
)
def adjusted_maximum_explainable_variance(x: Vectors, group: Groups) -> float:
    """`maximum_explainable_variance` less that of all vectors together.

    `group` is the word. NaN without a word that occurs twice.

    Examples:
        >>> import numpy as np
        >>> x = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        >>> round(adjusted_maximum_explainable_variance(x, np.array([0, 0, 1, 1])), 6)
        0.5
    """
    return maximum_explainable_variance(x, group) - 1 / stable_rank(x)


def _checked(x: Vectors, group: Groups) -> Groups:
    group = np.asarray(group)
    if group.shape != (len(x),):
        raise ValueError(f"group: expected {len(x)} numbers, found shape {group.shape}")
    if not np.issubdtype(group.dtype, np.integer):
        raise ValueError(f"group: expected whole numbers, found {group.dtype}")
    return group


def _sums(x: Vectors, group: Groups) -> tuple[Groups, Sizes, Sums]:
    """The groups numbered from 0, their sizes, and the sums of their vectors."""
    number, counts = np.unique(group, return_inverse=True, return_counts=True)[1:]
    in_groups = x[np.argsort(number, kind="stable")]
    starts = np.cumsum(counts) - counts
    sums = np.add.reduceat(in_groups, starts, axis=0) if len(x) else np.zeros((0, x.shape[1]))
    return number, counts, sums


def _over_words(x: Vectors, group: Groups, share: Callable[[Vectors], float]) -> float:
    """Mean of a share over the words that have it."""
    group = _checked(x, group)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order])) + 1
    words = [rows for rows in np.split(order, starts) if len(rows) > 1]
    shares = np.array([share(x[rows]) for rows in words])
    return float(np.nanmean(shares)) if not np.isnan(shares).all() else float("nan")


def _centred(x: Vectors) -> Vectors:
    """Equal rows give exact zeros."""
    relative = x - x[0]
    centred: Vectors = relative - relative.mean(axis=0)
    return centred


def _top_share(x: Vectors, varying: Vectors) -> float:
    """Share of the squares of `varying` along the axis that explains most of `x`."""
    total = np.square(varying).sum()
    if not total:
        return float("nan")
    axis = np.linalg.svd(x, full_matrices=False)[2][0]
    return float(np.square(varying @ axis).sum() / total)
