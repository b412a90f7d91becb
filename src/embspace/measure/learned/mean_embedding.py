"""Stage `measure_mean_embedding`: the mean of all token embeddings against each of them.

Luisto's thesis, figure 12 and table 3.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import PositiveInt

from embspace.files.rows import load_rows, save_rows
from embspace.files.tables import save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.pairs.directions import norms
from embspace.measure.tables.summary import histogram_of, summary_of
from embspace.models.spelling import Spelling
from embspace.models.tokenizer import load_spelling
from embspace.settings.model import describe_model
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Listed, Probability

# As in the thesis's table 3: tokens of Latin letters, three or more.
SHORTEST = 3


@dataclass(frozen=True)
class MeanEmbedding:
    """The tables of the stage."""

    quantities: pd.DataFrame
    """One row a token of the vocabulary, in its order."""
    summary: pd.DataFrame
    histogram: pd.DataFrame
    tokens: pd.DataFrame


def measure_mean_embedding(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    spelling: Spelling | None,
    *,
    n_histogram_bins: Listed,
    n_tokens: PositiveInt,
    quantiles: list[Probability],
) -> MeanEmbedding:
    """Distance, dot product and cosine of each token to the mean of all, and its norm.

    The mean is over all rows, special and unused tokens included. `tokens` lists the `n_tokens`
    of the largest and of the smallest value of each quantity, also of the absolute dot product
    and cosine, among words of at least three Latin letters, marks of the tokenizer not counted.
    """
    quantities = mean_quantities(matrices["input"])
    return MeanEmbedding(
        quantities=pd.concat([vocabulary[["id", "token"]], quantities], axis=1),
        summary=pd.DataFrame(
            [
                {"quantity": quantity, **summary_of(values.to_numpy(), quantiles)}
                for quantity, values in quantities.items()
            ]
        ),
        histogram=_histogram(quantities, n_histogram_bins),
        tokens=_extreme_tokens(quantities, vocabulary, spelling, n_tokens),
    )


def mean_quantities(x: Float[np.ndarray, "token dim"]) -> pd.DataFrame:
    """One row a token: euclidean_distance, dot_product and cosine to the mean; norm.

    In float64. The cosine of a zero vector is NaN.
    """
    vectors = x.astype(np.float64)
    mean = vectors.mean(axis=0)
    length = norms(vectors)
    dot_product = vectors @ mean
    with np.errstate(invalid="ignore"):
        cosine = dot_product / (length * np.linalg.norm(mean))
    return pd.DataFrame(
        {
            "euclidean_distance": norms(vectors - mean),
            "dot_product": dot_product,
            "cosine": cosine,
            "norm": length,
        }
    )


def _histogram(quantities: pd.DataFrame, n_histogram_bins: int) -> pd.DataFrame:
    parts = []
    for quantity, values in quantities.items():
        counts, edges = histogram_of(values.dropna().to_numpy(), n_histogram_bins)
        parts.append(
            pd.DataFrame(
                {
                    "quantity": quantity,
                    "bin_left": edges[:-1],
                    "bin_right": edges[1:],
                    "count": counts,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _extreme_tokens(
    quantities: pd.DataFrame, vocabulary: pd.DataFrame, spelling: Spelling | None, n_tokens: int
) -> pd.DataFrame:
    latin = (vocabulary["kind"] == "word") & (vocabulary["character_class"] == "latin")
    listed = latin & (_texts(vocabulary["token"], spelling).str.len() >= SHORTEST)
    table = pd.concat([vocabulary[["id", "token"]], quantities], axis=1)[listed]
    ranked = quantities[listed].assign(
        absolute_dot_product=table["dot_product"].abs(), absolute_cosine=table["cosine"].abs()
    )
    parts = []
    for quantity, values in ranked.items():
        ascending = values.dropna().sort_values(kind="stable").index
        for order, chosen in (("largest", ascending[::-1]), ("smallest", ascending)):
            rows = table.loc[chosen[:n_tokens]]
            rows.insert(0, "rank", range(1, len(rows) + 1))
            rows.insert(0, "order", order)
            rows.insert(0, "quantity", str(quantity))
            parts.append(rows)
    return pd.concat(parts, ignore_index=True)


def _texts(tokens: pd.Series, spelling: Spelling | None) -> pd.Series:
    """Without the tokenizer's marks, of which `Ġ` would be one more Latin letter."""
    if spelling is None:
        return tokens
    return tokens.map(lambda token: spelling.word_form(token) or "")


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    tables = measure_mean_embedding(
        load_tensors(f"data/extracted/embeddings/{name}.safetensors"),
        load_rows(f"data/extracted/embeddings/{name}.parquet"),
        load_spelling(name, describe_model(name, config.model)),
        **config.settings,
    )
    save_rows(tables.quantities, f"data/measured/mean_embedding/{name}.parquet")
    save_table(tables.summary, f"results/mean_embedding/summary/{name}.csv")
    save_table(tables.histogram, f"results/mean_embedding/histogram/{name}.csv")
    save_table(tables.tokens, f"results/mean_embedding/tokens/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_mean_embedding)
