"""Says whether the cosine of a rare pair hangs on how long the texts are."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from embspace.app.practice.answers import interval
from embspace.geometry.practice.high_pairs import high_pairs
from embspace.geometry.practice.rare_cosines import rare_cosine
from embspace.measure.practice.text_vectors import TextVectors

THIRDS = ("short", "long")
COLUMNS = ["texts", "n", "shortest", "longest", "unit", "rate", "cosine", "cosine_low"]
FEWEST = 30  # documents of a third


def lengths_table(
    cloud: TextVectors, rate: float, level: float, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the cosine reached by a share of pairs, among the shortest and the longest third.

    Empty for vectors alone, and for few documents.
    """
    lengths, unit = cloud.table["n_tokens"].to_numpy(dtype=float), "tokens"
    if np.isnan(lengths).any():
        lengths, unit = cloud.table["text"].str.len().to_numpy(dtype=float), "characters"
    low, high = np.quantile(lengths, [1 / 3, 2 / 3])
    rows = []
    for name, chosen in zip(THIRDS, (lengths <= low, lengths >= high), strict=True):
        if low >= high or len(np.unique(cloud.documents[chosen])) < FEWEST:
            continue
        pairs = high_pairs(
            cloud.vectors[chosen], cloud.documents[chosen], largest_rate=rate, rng=rng
        )
        rare = rare_cosine(pairs, rate, level=level)
        rows.append(
            {
                "texts": name,
                "n": int(chosen.sum()),
                "shortest": lengths[chosen].min(),
                "longest": lengths[chosen].max(),
                "unit": unit,
                "rate": rate,
                "cosine": rare.cosine,
                "cosine_low": rare.low,
                "cosine_high": rare.high,
            }
        )
    return pd.DataFrame(rows, columns=[*COLUMNS, "cosine_high"])


def told_of_lengths(table: pd.DataFrame) -> Iterator[str]:
    """Yield a sentence if the intervals of the short and the long texts' thresholds are apart."""
    if len(table) < len(THIRDS):
        return
    short, long = (row for _, row in table.iterrows())
    is_apart = max(short["cosine_low"], long["cosine_low"]) > min(
        short["cosine_high"], long["cosine_high"]
    )
    if is_apart:
        parts = [
            interval(row["cosine"], row["cosine_low"], row["cosine_high"]) for row in (short, long)
        ]
        yield (
            f"the cosine hangs on lengths: one pair in {1 / short['rate']:,.0f} reaches {parts[0]} "
            f"among texts of up to {short['longest']:.0f} {short['unit']}, {parts[1]} among texts "
            f"of {long['shortest']:.0f} and more"
        )
