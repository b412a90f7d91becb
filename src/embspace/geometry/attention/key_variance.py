"""Measures the share of the variance of scores over keys that is common to all queries.

The score of query q, with bias, and key k, without bias, is q.k; a bias of keys adds the same to
all scores of a query, and the softmax ignores the sum. Over keys, the scores of a query vary by
q'Sq, S the covariance of keys. The mean over queries is tr(S E[qq']) = m'Sm + tr(S Cov[q]) with m
the mean query: a part common to all queries, and a part of single queries.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from embspace.geometry.inference.resampling import half_sample_interval


@dataclass(frozen=True, eq=False)
class TextMoments:
    """Sums over the tokens of every text, from which the moments of any texts follow."""

    n_tokens: Int[np.ndarray, " text"]
    sums: Float[np.ndarray, "text dim"]
    products: Float[np.ndarray, "text dim dim"]

    def of(
        self, texts: Int[np.ndarray, " some"]
    ) -> tuple[Float[np.ndarray, " dim"], Float[np.ndarray, "dim dim"]]:
        """Return the mean and the mean product xx' over all tokens of some texts."""
        n = self.n_tokens[texts].sum()
        return self.sums[texts].sum(axis=0) / n, self.products[texts].sum(axis=0) / n


def text_moments(x: Float[np.ndarray, "n dim"], text: Int[np.ndarray, " n"]) -> TextMoments:
    """Return the sums of vectors and of their products by text; texts count from 0."""
    order = np.argsort(text, kind="stable")
    ends = np.cumsum(np.bincount(text))
    parts = list(_parts(x[order].astype(np.float64), ends))
    return TextMoments(
        np.bincount(text),
        np.stack([part.sum(axis=0) for part in parts]),
        np.stack([part.T @ part for part in parts]),
    )


def moments_of_image(
    x: TextMoments,
    matrix: Float[np.ndarray, "rows dim"],
    bias: Float[np.ndarray, " rows"] | None,
) -> TextMoments:
    """Return the moments of M x + b from those of x, without the vectors; no bias: b is 0.

    The sum of products is M P M' + M s b' + b (M s)' + n b b', of the sums s and P of n vectors x.
    """
    sums, products = x.sums @ matrix.T, matrix @ x.products @ matrix.T
    if bias is None:
        return TextMoments(x.n_tokens, sums, products)
    n, crossed = x.n_tokens[:, None], sums[:, :, None] * bias
    products = (
        products + crossed + crossed.transpose(0, 2, 1) + n[:, :, None] * np.outer(bias, bias)
    )
    return TextMoments(x.n_tokens, sums + n * bias, products)


def key_shares(
    queries: TextMoments,
    keys: TextMoments,
    query_bias: Float[np.ndarray, " dim"] | None,
    texts: Int[np.ndarray, " some"],
) -> Float[np.ndarray, "2"]:
    """Return two shares of the mean variance of scores over keys, every token a query and a key.

    First the share of the key-only term b_Q W_K x: at least 0, and above 1 where queries cancel
    part of the term; NaN without a bias, 0 for a zero bias. Second the share of the mean query,
    bias included, in [0, 1]. Both NaN where scores do not vary over keys.
    """
    mean, products = queries.of(texts)
    key_mean, key_products = keys.of(texts)
    covariance = key_products - np.outer(key_mean, key_mean)
    total = float((covariance * products).sum())
    if not total > 0:
        return np.full(2, np.nan)
    bias_variance = np.nan if query_bias is None else query_bias @ covariance @ query_bias
    return np.array([bias_variance, mean @ covariance @ mean]) / total


def key_share_bounds(
    queries: TextMoments,
    keys: TextMoments,
    query_bias: Float[np.ndarray, " dim"] | None,
    *,
    n_half_samples: int,
    level: float,
    generator: np.random.Generator,
) -> tuple[Float[np.ndarray, "2"], Float[np.ndarray, "2"]]:
    """Return the bounds of `key_shares` over texts, by half-samples; NaN with fewer than 4."""
    interval = half_sample_interval(
        lambda texts: key_shares(queries, keys, query_bias, texts),
        len(queries.n_tokens),
        n_resamples=n_half_samples,
        level=level,
        generator=generator,
    )
    return interval.low, interval.high


def _parts(
    x: Float[np.ndarray, "n dim"], ends: Int[np.ndarray, " text"]
) -> Iterator[Float[np.ndarray, "some dim"]]:
    yield from np.split(x, ends[:-1])
