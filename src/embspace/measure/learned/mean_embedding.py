"""Stage `measure_mean_embedding`: every token embedding against the mean of all.

Luisto's thesis, figure 12 and table 3.
"""

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.files.rows import save_rows
from embspace.geometry.pairs.directions import norms
from embspace.measure.tables.columns import SUMMARY
from embspace.measure.tables.summary import histogram_of, summary_of
from embspace.models.spelling import Spelling
from embspace.models.tokenizer import load_spelling
from embspace.settings.stage import run_stage
from embspace.settings.types import Listed, Probability

MEAN_EMBEDDING = Analysis(
    noun="mean_embedding",
    question="Where is the center of the token embeddings, and what is near it? Fig. 12, table 3",
    reads={
        "matrices": "data/extracted/embeddings/{model}.safetensors",
        "vocabulary": "data/extracted/embeddings/{model}.parquet",
        "spelling": Source(load_spelling),
    },
    tables={
        "summary": Table(
            {"quantity": "row", **SUMMARY, "norm_correlation": ("rank_share", "with the norm")}
        ),
        "histogram": Table(
            {"quantity": "row", "bin_left": "moment", "bin_right": "moment", "count": "count"}
        ),
        "tokens": Table(
            {
                "quantity": "row",
                "order": "row",
                "rank": "row",
                "id": "id",
                "token": "name",
                "euclidean_distance": "moment",
                "dot_product": "moment",
                "cosine": "moment",
                "norm": "moment",
            }
        ),
    },
    data={"parquet": save_rows},  # the quantities of each token of the vocabulary, in its order
    further_figures={"norm_and_mean_cosine": "with norms"},
)
# As in the thesis's table 3: tokens of Latin letters, three or more.
SHORTEST = 3


def measure_mean_embedding(
    matrices: dict[str, np.ndarray],
    vocabulary: pd.DataFrame,
    spelling: Spelling | None,
    *,
    n_histogram_bins: Listed,
    n_tokens: PositiveInt,
    quantiles: list[Probability],
) -> Outcome:
    """Return every token's distance, dot product and cosine to the mean of all, and its norm.

    The mean is over all rows, special and unused tokens included. `tokens` lists the `n_tokens`
    with the largest and with the smallest value of each quantity, also of the absolute dot product
    and cosine, among words of at least three Latin letters; marks of the tokenizer do not count as
    letters. `norm_correlation` in the summary is Spearman's correlation with the norm, from -1 to
    1.
    """
    quantities = mean_quantities(matrices["input"])
    with_norm = quantities.corr(method="spearman")["norm"].to_dict()
    return {
        "parquet": pd.concat([vocabulary[["id", "token"]], quantities], axis=1),
        "summary": pd.DataFrame(
            [
                {
                    "quantity": quantity,
                    **summary_of(values.to_numpy(), quantiles),
                    "norm_correlation": with_norm[str(quantity)],
                }
                for quantity, values in quantities.items()
            ]
        ),
        "histogram": _histogram(quantities, n_histogram_bins),
        "tokens": _extreme_tokens(quantities, vocabulary, spelling, n_tokens),
    }


def mean_quantities(x: Float[np.ndarray, "token dim"]) -> pd.DataFrame:
    """Return a row per token: euclidean_distance, dot_product and cosine to the mean; norm.

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
    """Return tokens without the tokenizer's marks: `Ġ` would count as a Latin letter."""
    if spelling is None:
        return tokens
    return tokens.map(lambda token: spelling.word_form(token) or "")


main = MEAN_EMBEDDING.main(measure_mean_embedding)

if __name__ == "__main__":
    run_stage(main, measure_mean_embedding)
