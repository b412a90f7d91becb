"""Stage `measure_search`: which embedding finds a text, tested by the halves of articles."""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.config import StageConfig, run_stage
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.directions import unit_rows
from embspace.geometry.resampling import half_sample_interval
from embspace.geometry.retrieval import (
    bm25,
    ranks_of_relevant,
    recall_at,
    reciprocal_rank,
    reciprocal_rank_by_chance,
)
from embspace.measure.summary import Probability
from embspace.pooling import POOLINGS
from embspace.prepare.sentences import split_halves

RECALLS = (1, 10)
QUANTITIES = ["mean_reciprocal_rank", *(f"recall_at_{k}" for k in RECALLS)]
COLUMNS = ["corpus", "embedding", "layer", "preparation", "n_queries", "n_candidates"]
COLUMNS += [f"{name}{end}" for name in QUANTITIES for end in ("", "_low", "_high")]
COLUMNS += [f"null_{name}" for name in QUANTITIES]


@dataclass(frozen=True)
class Halves:
    """The halves of the texts of a corpus, and the pooled states of their windows."""

    texts: pd.DataFrame  # id, document, half, text
    windows: pd.DataFrame
    by_pooling: dict[str, Float[np.ndarray, "layer window dim"]]


def measure_search(
    corpora: dict[str, Halves],
    *,
    stop_words: Literal["english"] | None,
    n_resamples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> pd.DataFrame:
    """How high the first half of a text ranks when its second half asks, by embedding and layer.

    Each second half is a query, all first halves are candidates; the score of two halves is the
    largest cosine of their windows. `preparation` is as_is, or centred: less the mean of the
    candidates' windows. `tf_idf` and `bm25` score by words alone, less `stop_words`, and have no
    layer. Equal scores are ordered at random. Intervals are over queries, the candidates being
    given; the null is a random order.
    """
    generator = np.random.default_rng(seed)
    rows = []
    for corpus, halves in corpora.items():
        n = len(halves.texts) // 2
        for key, scores in {**_lexical(halves.texts, stop_words), **_embedded(halves)}.items():
            values = _quantities(*ranks_of_relevant(scores, np.eye(n, dtype=bool)))
            low, high = half_sample_interval(
                partial(_means, values),
                n,
                n_resamples=n_resamples,
                level=level,
                generator=generator,
            )
            row = dict(zip(COLUMNS[1:4], key, strict=True))
            row |= {"corpus": corpus, "n_queries": n, "n_candidates": n}
            for i, name in enumerate(QUANTITIES):
                row |= {name: values[i].mean(), f"{name}_low": low[i], f"{name}_high": high[i]}
            chance = (reciprocal_rank_by_chance(n), *(min(k / n, 1) for k in RECALLS))
            nulls = {f"null_{name}": x for name, x in zip(QUANTITIES, chance, strict=True)}
            rows.append(row | nulls)
    return pd.DataFrame(rows, columns=COLUMNS)


Key = tuple[str, int | None, str]  # embedding, layer, preparation


def _quantities(
    first: Int[np.ndarray, " query"], last: Int[np.ndarray, " query"]
) -> Float[np.ndarray, "quantity query"]:
    return np.stack([reciprocal_rank(first, last), *(recall_at(first, last, k) for k in RECALLS)])


def _means(
    values: Float[np.ndarray, "quantity query"], chosen: Int[np.ndarray, " query_chosen"]
) -> Float[np.ndarray, " quantity"]:
    return values[:, chosen].mean(axis=1)


def _embedded(halves: Halves) -> dict[Key, np.ndarray]:
    scores: dict[Key, np.ndarray] = {}
    if halves.windows.empty:
        return scores
    half_of = halves.texts.set_index("id")["half"]
    is_candidate = (halves.windows["text"].map(half_of) == 1).to_numpy()
    for pooling, layers in halves.by_pooling.items():
        for layer, vectors in enumerate(layers.astype(np.float64)):
            mean = vectors[is_candidate].mean(axis=0)
            for preparation, x in (("as_is", vectors), ("centred", vectors - mean)):
                unit = unit_rows(x)
                # The same bits whatever the number of threads, so that ties stay ties.
                cosine = np.round(unit[~is_candidate] @ unit[is_candidate].T, 12)
                scores[pooling, layer, preparation] = _largest_by_text(
                    cosine, halves.windows["text"].to_numpy(), is_candidate
                )
    return scores


def _largest_by_text(
    cosine: Float[np.ndarray, "query_window candidate_window"],
    text: np.ndarray,
    is_candidate: np.ndarray,
) -> Float[np.ndarray, "query candidate"]:
    """Of windows whose texts stand together, the largest cosine of each pair of texts."""
    starts = [np.flatnonzero(_changes(text[rows])) for rows in (~is_candidate, is_candidate)]
    by_query = np.maximum.reduceat(cosine, starts[0], axis=0)
    return np.maximum.reduceat(by_query, starts[1], axis=1)


def _changes(text: np.ndarray) -> np.ndarray:
    return np.append(True, text[1:] != text[:-1])


def _lexical(texts: pd.DataFrame, stop_words: str | None) -> dict[Key, np.ndarray]:
    """Scores by words: TF-IDF as scikit-learn has it, and BM25."""
    if texts.empty:
        return {}
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    candidates = texts.loc[texts["half"] == 1, "text"]
    queries = texts.loc[texts["half"] == 2, "text"]
    counter = CountVectorizer(stop_words=stop_words)
    counts = counter.fit_transform(candidates)
    asked = counter.transform(queries)
    weights = TfidfTransformer().fit(counts)
    tf_idf = (weights.transform(asked) @ weights.transform(counts).T).toarray()
    scores = bm25(asked.toarray(), counts.toarray())
    return {("tf_idf", None, "as_is"): tf_idf, ("bm25", None, "as_is"): scores}


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    corpora = {}
    for corpus in config.corpora:
        path = f"data/extracted/hidden_states/{name}/{corpus}.halves"
        windows = load_rows(f"{path}.windows.parquet")
        if not windows.empty:
            texts = split_halves(load_rows(f"data/prepared/texts/{corpus}.parquet"))
            states = load_tensors(f"{path}.safetensors", POOLINGS)
            corpora[corpus] = Halves(texts, windows, states)
    table = measure_search(corpora, **config.settings)
    save_table(table, f"results/search/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_search)
