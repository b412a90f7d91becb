"""Stage `measure_search`: which embedding finds a text, tested by the halves of articles."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.pooling import SENTENCE
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.files.rows import save_rows
from embspace.geometry.groups.retrieval import (
    bm25,
    ranks_of_relevant,
    recall_at,
    recall_by_chance,
    reciprocal_rank,
    reciprocal_rank_by_chance,
)
from embspace.geometry.inference.resampling import (
    Interval,
    half_sample_interval,
    interval_bounds,
    stream_of,
)
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.deviations import ENDING, by_row, units_named, without_deviations
from embspace.measure.tables.half_scores import best_cosines, copies_of_queries
from embspace.measure.tables.text_halves import Halves, load_halves
from embspace.scripts.words import longer_words_in
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

RECALLS = (1, 10)
QUANTITIES = ["mean_reciprocal_rank", *(f"recall_at_{k}" for k in RECALLS)]
WORDS_ALONE = ("tf_idf", "bm25")
ScoresKey = tuple[str, int | None, str]  # embedding, layer, preparation
KEY = ("embedding", "layer", "preparation")


SEARCH = Analysis(
    noun="search",
    question="Which embedding finds a text? Section 4.5.1",
    reads={
        "corpora": Source(load_halves, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        "csv": Table(
            {
                **dict.fromkeys(("corpus", "embedding", "layer", "preparation"), "row"),
                **dict.fromkeys(("n_queries", "n_candidates"), "count"),
                **with_bounds("mean_reciprocal_rank", "retrieval"),
                **with_bounds("recall_at_1", "retrieval"),
                **with_bounds("recall_at_10", "retrieval"),
                "null_mean_reciprocal_rank": "moment",
                "null_recall_at_1": "null_value",
                "null_recall_at_10": "null_value",
                **with_bounds("mean_reciprocal_rank_minus_tf_idf", "retrieval"),
                **with_bounds("mean_reciprocal_rank_minus_bm25", "retrieval"),
            },
            compared=QUANTITIES,
            along="layer",
        )
    },
    data={"parquet": save_rows},
    undrawn=["parquet"],
)


def measure_search(
    corpora: dict[str, Halves],
    *,
    fewest_documents: PositiveInt,
    stop_words: Literal["english"] | None,
    n_resamples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure how high a text's first half ranks with the second half as the query, by layer.

    A corpus with fewer than `fewest_documents` documents with halves has no rows: a single
    candidate is always found.

    Each second half is a query, all first halves are candidates. The first half of a copy is as
    good as the text's own; copies are a single unit, as are texts of the same document. The score
    of two halves is the largest cosine of their windows. `preparation` is as_is, or centered: less
    the mean of the candidates' windows. For a decoder, the last token is a pooling, too. `sentence`
    is the sentence model's own vector of a text, as is, without a layer. `tf_idf` and `bm25` score
    by words alone, less `stop_words`, and have no layer. Equal scores are ordered at random.
    Intervals are over queries, the candidates being given, and end at 0 and 1, as the values do;
    the null is a random order. The difference from the mean reciprocal rank by words alone
    (`…_minus_tf_idf`, `…_minus_bm25`, from -1 to 1) has a paired interval, of the differences of
    the same queries.
    """
    generator = np.random.default_rng(seed)
    parts = []
    for corpus, halves in corpora.items():
        is_enough = halves.texts["document"].nunique() >= fewest_documents
        scores = {**word_scores(halves.texts, stop_words), **_embedded(halves)}
        if scores and is_enough:
            rng = stream_of(generator, corpus)
            queries = halves.texts[halves.texts["half"] == 2]
            table = _table(
                scores,
                copies_of_queries(halves.texts),
                pd.factorize(queries["document"])[0].astype(np.int64),
                n_resamples=n_resamples,
                level=level,
                generator=rng,
            )
            units = queries.groupby("document", sort=False)["id"].agg(" ".join)
            parts.append(table.assign(corpus=corpus, **units_named(units)))
    joined = pd.concat(parts, ignore_index=True) if parts else SEARCH.tables["csv"].of()
    tables, deviations = without_deviations({"search": joined})
    return {"csv": SEARCH.tables["csv"].of(tables["search"]), "parquet": deviations}


def _table(
    scores: Mapping[ScoresKey, Float[np.ndarray, "query candidate"]],
    relevant: Bool[np.ndarray, "query candidate"],
    unit: Int[np.ndarray, " query"],
    *,
    n_resamples: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return a corpus's rows, by embedding, layer and preparation; all have the same halves."""
    n = len(relevant)
    values = np.stack(
        [_quantities(*ranks_of_relevant(score, relevant)) for score in scores.values()], axis=1
    )
    n_queries = np.bincount(unit)
    sums = values @ np.eye(len(n_queries))[unit]
    interval = half_sample_interval(
        lambda chosen: sums[..., chosen].sum(axis=-1) / n_queries[chosen].sum(),
        len(n_queries),
        n_resamples=n_resamples,
        level=level,
        generator=generator,
    )
    table = pd.DataFrame(list(scores), columns=[*KEY]).assign(n_queries=n, n_candidates=n)
    for i, (name, chance) in enumerate(zip(QUANTITIES, _by_chance(relevant), strict=True)):
        table[name] = values[i].mean(axis=-1)
        # What is cut off holds no possible value, so that the coverage stays what it is.
        table[f"{name}_low"] = np.clip(interval.low[i], 0, 1)
        table[f"{name}_high"] = np.clip(interval.high[i], 0, 1)
        table[f"null_{name}"] = chance
        table[f"{name}{ENDING}"] = by_row(interval.deviations[:, i])
    for words in WORDS_ALONE:
        place = next((i for i, key in enumerate(scores) if key[0] == words), None)
        gain = values[0] - (values[0, place] if place is not None else np.nan)
        table = table.assign(**_gain_columns(gain, interval, place, level=level, words=words))
    return table


def _by_chance(relevant: Bool[np.ndarray, "query candidate"]) -> Float[np.ndarray, " quantity"]:
    """Return the quantities of candidates in random order."""
    n, n_relevant = relevant.shape[1], relevant.sum(axis=1)
    sizes, n_queries = np.unique(n_relevant, return_counts=True)
    chances = [
        [reciprocal_rank_by_chance(n, size), *(recall_by_chance(n, k, size) for k in RECALLS)]
        for size in sizes.tolist()
    ]
    return np.average(np.array(chances), axis=0, weights=n_queries)


def _gain_columns(
    gain: Float[np.ndarray, "score query"],
    interval: Interval,
    place: int | None,
    *,
    level: float,
    words: str,
) -> dict[str, Float[np.ndarray, " score"]]:
    """Return the mean gain over words alone, with the interval of the same halves of queries."""
    name, mean = f"mean_reciprocal_rank_minus_{words}", gain.mean(axis=-1)
    if place is None:
        return {name: mean, f"{name}_low": mean, f"{name}_high": mean}
    deviations = interval.deviations[:, 0] - interval.deviations[:, 0, [place]]
    low, high = interval_bounds(mean, deviations, level=level)
    return {name: mean, f"{name}_low": np.clip(low, -1, 1), f"{name}_high": np.clip(high, -1, 1)}


def _quantities(
    first: Int[np.ndarray, " query"], last: Int[np.ndarray, " query"]
) -> Float[np.ndarray, "quantity query"]:
    return np.stack([reciprocal_rank(first, last), *(recall_at(first, last, k) for k in RECALLS)])


def _embedded(halves: Halves) -> dict[ScoresKey, np.ndarray]:
    scores: dict[ScoresKey, np.ndarray] = {}
    if halves.windows.empty:
        return scores
    half_of = halves.texts.set_index("id")["half"]
    is_candidate = (halves.windows["text"].map(half_of) == 1).to_numpy()
    for pooling, layers in halves.by_pooling.items():
        for layer, vectors in enumerate(layers.astype(np.float64)):
            mean = vectors[is_candidate].mean(axis=0)
            for preparation, x in (("as_is", vectors), ("centered", vectors - mean)):
                names = halves.windows["text"].to_numpy()
                scores[pooling, layer, preparation] = best_cosines(x, names, is_candidate)
    if halves.sentences is not None:
        first = (halves.texts["half"] == 1).to_numpy()
        names, x = halves.texts["id"].to_numpy(), halves.sentences.astype(np.float64)
        scores[SENTENCE, None, "as_is"] = best_cosines(x, names, first)
    return scores


def word_scores(texts: pd.DataFrame, stop_words: str | None) -> dict[ScoresKey, np.ndarray]:
    """Return scores by words: TF-IDF as scikit-learn has it, and BM25; none without a text."""
    if texts.empty:
        return {}
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    candidates = texts.loc[texts["half"] == 1, "text"]
    queries = texts.loc[texts["half"] == 2, "text"]
    counter = CountVectorizer(stop_words=stop_words, tokenizer=longer_words_in, token_pattern=None)
    counts = counter.fit_transform(candidates)
    query_counts = counter.transform(queries)
    weights = TfidfTransformer().fit(counts)
    tf_idf = (weights.transform(query_counts) @ weights.transform(counts).T).toarray()
    scores = bm25(query_counts.toarray(), counts.toarray())
    return {("tf_idf", None, "as_is"): tf_idf, ("bm25", None, "as_is"): scores}


main = SEARCH.main(measure_search)

if __name__ == "__main__":
    run_stage(main, measure_search)
