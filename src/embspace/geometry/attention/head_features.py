"""Features of attention maps: where the mass of a head lies, how widely, and in what shape."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from embspace.geometry.attention.blocks import two_blocks
from embspace.geometry.attention.offsets import Maps, offset_sums

HeadValues = Float[np.ndarray, "*head"]
TINY = 1e-30  # below it a share of attention adds nothing to an entropy
ROUNDING = 1e-6  # by which a sum of float32 shares may miss the mass that is asked for
N_BINS = 20  # of the values of a map, as in the code of Bonino, Ghione and Cirrincione (2025)


@dataclass(frozen=True, eq=False)
class TokenSets:
    """The separators and the punctuation of a text, and the keys that every query can see."""

    separators: Bool[np.ndarray, " token"]
    punctuation: Bool[np.ndarray, " token"]
    visible: Bool[np.ndarray, "token token"]
    """By query and key; a decoder's queries see no later keys."""


def head_features(
    maps: Maps, tokens: TokenSets, *, mass_share: float, n_columns: int
) -> dict[str, HeadValues]:
    """Return every feature of all heads on a text, by name; values by head.

    Masses are means over all queries, from 0 to 1; `column_mass` is on the `n_columns` keys with
    most, `diagonal_mass` on the query's token and both neighbors. NaN for an undefined feature: all
    features of a text of a single token, `separator_mass` of a text without separators,
    `punctuation_mass` of a text without punctuation.
    """
    if maps.shape[-1] < 2:
        return dict.fromkeys(FEATURES, np.full(maps.shape[:-2], np.nan))
    columns = np.sort(maps.mean(axis=-2, dtype=np.float64), axis=-1)[..., ::-1]
    blocks = two_blocks(maps, tokens.visible)
    return {
        **_masses_by_offset(maps),
        "first_token_mass": maps[..., 0].mean(axis=-1, dtype=np.float64),
        "separator_mass": mass_to(maps, tokens.separators),
        "punctuation_mass": mass_to(maps, tokens.punctuation),
        "column_mass": columns[..., :n_columns].sum(axis=-1),
        "sink_strength": columns[..., 0],
        "row_entropy": row_entropy(maps, tokens.visible),
        "value_entropy": value_entropy(maps, tokens.visible),
        "k_share": (k_of_mass(maps, mass_share) / tokens.visible.sum(axis=-1)).mean(axis=-1),
        **_ranks(maps),
        "block_score": blocks.score,
        "block_excess": blocks.excess,
    }


BY_OFFSET = (
    "self_mass",
    "previous_mass",
    "next_mass",
    "diagonal_mass",
    "backward_mass",
    "forward_mass",
)
FEATURES = (
    *BY_OFFSET,
    "first_token_mass",
    "separator_mass",
    "punctuation_mass",
    "column_mass",
    "sink_strength",
    "row_entropy",
    "value_entropy",
    "k_share",
    "rank_share",
    "effective_rank_share",
    "block_score",
    "block_excess",
)


def mass_to(maps: Maps, keys: Bool[np.ndarray, " token"]) -> HeadValues:
    """Return the mean mass that queries give to some keys; NaN without keys."""
    if not keys.any():
        return np.full(maps.shape[:-2], np.nan)
    return np.asarray(maps[..., keys].sum(axis=-1, dtype=np.float64).mean(axis=-1))


def row_entropy(maps: Maps, visible: Bool[np.ndarray, "token token"]) -> HeadValues:
    """Return the Shannon entropy of a query's attention over ln of the number of visible keys.

    The mean over queries, from 0 to 1 for uniform attention, without queries of a single visible
    key. For an encoder the denominator is ln n.
    """
    n_seen = visible.sum(axis=-1)
    rows = n_seen > 1
    if not rows.any():
        return np.full(maps.shape[:-2], np.nan)
    entropy = -(maps * np.log(np.maximum(maps, TINY))).sum(axis=-1, dtype=np.float64)
    return np.asarray((entropy[..., rows] / np.log(n_seen[rows])).mean(axis=-1))


def value_entropy(maps: Maps, visible: Bool[np.ndarray, "token token"]) -> HeadValues:
    """Return the entropy of the histogram of a map's values, in nats, from 0 to ln 20.

    As in the code of Bonino, Ghione and Cirrincione (2025, arXiv:2502.12033): 20 bins of equal
    width from the smallest to the largest value, closed on the right. It tells how spread the
    values are, not how spread the attention of a query is. Only entries that the mask allows
    count.
    """
    values = maps[..., visible]
    flat = values.reshape(-1, values.shape[-1]).astype(np.float64)
    entropies = np.array([_histogram_entropy(map_values) for map_values in flat])
    return entropies.reshape(maps.shape[:-2])


def k_of_mass(maps: Maps, mass_share: float) -> Float[np.ndarray, "*head token"]:
    """Return the smallest number of keys that together hold `mass_share` of a query's attention.

    The size of a metastable state in Ramsauer et al. (2020, arXiv:2008.02217): 1 for a single key
    with all attention, 461 of 512 for uniform attention and a share of 0.9.
    """
    held = np.sort(maps, axis=-1)[..., ::-1].cumsum(axis=-1, dtype=np.float64)
    n_short = (held < mass_share - ROUNDING).sum(axis=-1)
    return np.minimum(n_short + 1, maps.shape[-1]).astype(np.float64)


def _masses_by_offset(maps: Maps) -> dict[str, HeadValues]:
    n = maps.shape[-1]
    sums = offset_sums(maps)
    itself, previous, following = (sums[..., n - 1 + offset] for offset in (0, -1, 1))
    masses = (
        itself / n,
        previous / (n - 1),
        following / (n - 1),
        (itself + previous + following) / n,
        sums[..., : n - 1].sum(axis=-1) / n,
        sums[..., n:].sum(axis=-1) / n,
    )
    return dict(zip(BY_OFFSET, masses, strict=True))


def _histogram_entropy(values: Float[np.ndarray, " entry"]) -> float:
    low, high = values.min(), values.max()
    if low == high:
        return 0.0
    inner = np.linspace(low, high, N_BINS + 1)[1:-1]
    shares = np.bincount(np.searchsorted(inner, values, "left"), minlength=N_BINS) / values.size
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())


def _ranks(maps: Maps) -> dict[str, HeadValues]:
    """Return the numerical rank, and the effective rank of Roy and Vetterli (2007), over n.

    The effective rank is exp of the entropy of the singular values over their sum.
    """
    n = maps.shape[-1]
    singular = np.linalg.svd(maps, compute_uv=False)
    least = singular[..., :1] * n * np.finfo(maps.dtype).eps
    shares = (singular / singular.sum(axis=-1, keepdims=True)).astype(np.float64)
    entropy = -(shares * np.log(np.maximum(shares, TINY))).sum(axis=-1)
    rank = (singular > least).sum(axis=-1)
    return {"rank_share": rank / n, "effective_rank_share": np.exp(entropy) / n}
