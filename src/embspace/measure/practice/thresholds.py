"""Stage `measure_thresholds`: the cosine that only a rare pair of texts of a corpus reaches.

`embspace threshold` asks the same of any corpus.
"""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.pooling import Pooling
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.geometry.practice.high_pairs import HighPairs, high_pairs, pairs_above
from embspace.geometry.practice.rare_cosines import false_alarms, rare_cosine
from embspace.measure.practice.corpora import CorpusStates, gathered, load_corpora
from embspace.measure.practice.scored_versions import (
    CENTERED,
    LEVEL,
    RAW,
    SEED,
    centering,
    has_spread,
)
from embspace.measure.practice.text_vectors import TextVectors, check_directions
from embspace.measure.tables.columns import with_bounds
from embspace.settings.stage import run_stage

RATES = (1e-3, 1e-4, 1e-5)
FIXED = (0.8, 0.9, 0.95)  # cosines that people guess
N_LISTED = 1000  # near-duplicates that are named in the table


def pairs_at(cloud: TextVectors, kind: str) -> HighPairs:
    """Return the pairs of different documents that are most alike, raw or centered."""
    check_directions(cloud)
    return high_pairs(
        cloud.vectors,
        cloud.documents,
        largest_rate=RATES[0],
        n_listed=N_LISTED,
        mean=None if kind == RAW else centering(cloud).mean,
        rng=np.random.default_rng(SEED),
    )


def rates_table(cloud: TextVectors, kind: str, pairs: HighPairs, texts: int = 0) -> pd.DataFrame:
    """Return a row per rate, at one place, with the expected alarms among `texts` texts."""
    rows = []
    for rate in RATES:
        rare = rare_cosine(pairs, rate, level=LEVEL)
        is_measured = rate * pairs.n_pairs >= 1  # below one pair of the corpus, nothing is
        alarms = false_alarms(pairs, rare.cosine, texts, level=LEVEL)
        rows.append(
            {
                "place": cloud.place,
                "layer": cloud.layer,
                "pooling": cloud.pooling,
                "preparation": kind,
                "rate": rate,
                "cosine": rare.cosine if is_measured else np.nan,
                "cosine_low": rare.low if is_measured else np.nan,
                "cosine_high": rare.high if is_measured else np.nan,
                "n_above": rare.n_above,
                "n_pairs": pairs.n_pairs,
                "n_documents": pairs.n_documents,
                "level": LEVEL,
                "expected_pairs": alarms.expected if is_measured else np.nan,
                "of_texts": texts,
            }
        )
    return pd.DataFrame(rows)


def fixed_table(cloud: TextVectors, pairs: HighPairs, texts: int = 0) -> pd.DataFrame:
    """Return how many pairs reach the cosines that people guess."""
    counts = pairs_above(cloud.vectors, cloud.documents, np.array(FIXED))
    rows = []
    for cosine, n_above in zip(FIXED, counts.tolist(), strict=True):
        alarms = false_alarms(pairs, cosine, texts, level=LEVEL)
        all_of_them = texts * (texts - 1) / 2
        rows.append(
            {
                "cosine": cosine,
                "n_above": n_above,
                "n_pairs": pairs.n_pairs,
                "share": n_above / pairs.n_pairs,
                "expected_pairs": n_above / pairs.n_pairs * all_of_them,
                "expected_low": alarms.low,
                "expected_high": alarms.high,
                "of_texts": texts,
            }
        )
    return pd.DataFrame(rows)


THRESHOLDS = Analysis(
    noun="thresholds",
    question="Above which cosine is a pair of texts rare, by corpus and layer?",
    over="profiled",
    reads={"corpora": Source(load_corpora, TEXT_FOLDERS, lists=["corpora"])},
    tables={
        "csv": Table(
            {
                "corpus": ("row", "corpus"),
                "layer": ("row", "layer"),
                "preparation": ("row", "vectors"),
                "rate": ("row", "one pair in"),
                **with_bounds("cosine", "profile", "cosine", "profile_bound"),
                "n_above": ("pair_count", "pairs above"),
                "n_pairs": ("count", "pairs"),
                "n_documents": ("count", "documents"),
            }
        ),
        "fixed": Table(
            {
                "corpus": ("row", "corpus"),
                "layer": ("row", "layer"),
                "cosine": ("row", "cosine"),
                "n_above": ("pair_count", "pairs above"),
                "n_pairs": ("count", "pairs"),
                "share": ("pair_share", "share"),
            }
        ),
    },
)


def measure_thresholds(
    corpora: Mapping[str, CorpusStates],
    *,
    pooling: Pooling,
    fewest_documents: Annotated[int, Field(ge=4)],
) -> Outcome:
    """Measure the cosine reached by one pair in 10^3, 10^4, 10^5, by layer.

    Pairs are all of texts of different documents, a text being the mean of the windows, raw or less
    the mean of all (`centered`). Intervals are over documents; a rate of less than one pair of the
    corpus has no cosine. `fixed` counts the pairs above .8, .9 and .95, raw. Corpora of fewer
    documents than `fewest_documents` are left out.
    """
    tables: dict[str, list[pd.DataFrame]] = {name: [] for name in THRESHOLDS.tables}
    for name, corpus in corpora.items():
        for layer in range(len(corpus.states[pooling])):
            cloud = corpus.at(layer, pooling).originals()
            if len(np.unique(cloud.documents)) < fewest_documents:
                continue
            for kind in (RAW, CENTERED):
                if kind == RAW or has_spread(cloud):
                    pairs = pairs_at(cloud, kind)
                    tables["csv"].append(
                        rates_table(cloud, kind, pairs).assign(corpus=name, layer=layer)
                    )
                    if kind == RAW:
                        tables["fixed"].append(
                            fixed_table(cloud, pairs).assign(corpus=name, layer=layer)
                        )
    return gathered(THRESHOLDS, tables)


main = THRESHOLDS.main(measure_thresholds)

if __name__ == "__main__":
    run_stage(main, measure_thresholds)
