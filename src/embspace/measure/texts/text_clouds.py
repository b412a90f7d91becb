"""Stage `measure_text_clouds`: the shape of the clouds that collections of texts make, by layer.

Luisto's thesis, section 4.4.3, figure 26 and research question 3c.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from os import cpu_count
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.documents import large_enough
from embspace.clouds.pooling import POOLINGS, Pooling
from embspace.clouds.texts import TEXT_FOLDERS, TextCloud, text_cloud
from embspace.device import Device, choose_device
from embspace.errors import InputError
from embspace.files.rows import load_rows, save_rows
from embspace.files.tables import Tables
from embspace.measure.tables.columns import SUMMARY, with_bounds
from embspace.measure.tables.deviations import without_deviations
from embspace.measure.tables.pooled_states import final_norm_of
from embspace.measure.tables.shown_pooling import shown_pooling_of
from embspace.measure.tables.summary import summary_of
from embspace.measure.tables.text_poolings import load_text_states, poolings_in
from embspace.measure.texts.text_cloud_dealt import dealt_table
from embspace.measure.texts.text_cloud_pairs import pair_tables
from embspace.measure.texts.text_cloud_random import RANDOM_TEXTS, load_tokens, random_texts
from embspace.measure.texts.text_cloud_separation import comparisons_of, separation_table
from embspace.measure.texts.text_cloud_shapes import (
    null_spectral_numbers,
    principal_axes,
    spectrum_table,
)
from embspace.measure.texts.text_cloud_units import (
    grouped_vectors,
    units_by_corpora,
    windows_by_document,
)
from embspace.models.weights import load_model
from embspace.settings.stage import run_stage
from embspace.settings.types import Listed, Probability, Share

MOST_THREADS = 4  # each holds its sums and a block of products, some 200 MB


def load_clouds(states: str, texts: str, corpora: Sequence[str]) -> dict[str, TextCloud]:
    """Return the cloud of each corpus, from the folders of a model's states and of all texts."""
    pooled = load_text_states({corpus: f"{states}/{corpus}.safetensors" for corpus in corpora})
    return {
        corpus: text_cloud(
            pooled[corpus],
            load_rows(f"{states}/{corpus}.windows.parquet"),
            load_rows(f"{texts}/{corpus}.parquet"),
        )
        for corpus in corpora
    }


CORPUS: Column = ("row", "corpus")
STATE: dict[str, Column] = {"pooling": ("row", "pooling"), "layer": "row"}
# Of one corpus the other one is itself.
TWO: dict[str, Column] = {"corpus": CORPUS, "other_corpus": ("row", "other corpus"), **STATE}
MOMENTS = {name: column for name, column in SUMMARY.items() if name not in ("n", "mean")}
TEXT_CLOUDS = Analysis(
    noun="text_clouds",
    question=(
        "What shape have the clouds of texts, and are all cosines positive? Fig. 26, research "
        "question 3c"
    ),
    reads={
        "clouds": Source(load_clouds, TEXT_FOLDERS, lists=["corpora"]),
        "module": Source(load_model),
        "final_norm": Source(final_norm_of),
        "tokens": Source(load_tokens, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        "corpora": Table(  # with the lengths of its windows, and why it was left out, if so
            {
                "corpus": "row",
                "n": "count",
                "n_texts": "count",
                "n_documents": "count",
                "smallest_n_tokens": "count",
                "median_n_tokens": "count",
                "largest_n_tokens": "count",
                "left_out": "name",
            }
        ),
        # Norms, distances, dot products and cosines, by pooling and layer.
        "distributions": Table(
            {
                **TWO,
                "quantity": ("row", "quantity"),
                "n": ("count", "n"),
                **with_bounds("mean", "moment", "mean"),
                **MOMENTS,
                "skewness": "state_moment",
                "excess_kurtosis": "state_moment",
            },
            compared=["mean"],
            along="layer",
        ),
        # The same at the pooling and layer that are shown.
        "histogram": Table(
            {
                **TWO,
                "quantity": "row",
                "bin_left": "moment",
                "bin_right": "moment",
                "count": "pair_count",
                "density": "state_density",
            }
        ),
        # How many cosines are not positive, beside those of vectors that share only a mean.
        "positive": Table(
            {
                **TWO,
                "n": "count",
                "n_not_positive": "pair_count",
                "smallest_cosine": ("cosine", "smallest cosine"),
                "centered_smallest_cosine": "cosine",
                **with_bounds("share_not_positive", "state_share", "share"),
                **with_bounds("centered_share_not_positive", "state_share"),
                "centered_share_not_positive": ("state_share", "centered"),
                **with_bounds("mean_share", "state_share"),
                "mean_share": ("state_share", "share of the mean"),
                "null_isotropic_share_not_positive": ("null_value", "isotropic"),
                "null_covariance_share_not_positive": ("null_value", "same covariance"),
            },
            compared=["share_not_positive", "centered_share_not_positive", "mean_share"],
            along="layer",
        ),
        # Over how many directions the variance is spread, beside isotropic vectors.
        "spectrum": Table(
            {
                "corpus": CORPUS,
                **STATE,
                "n": ("count", "n"),
                "dim": "count",
                "few_vectors": ("count", "few"),
                "top_variance_share": ("relative_value", "largest share"),
                "participation_ratio": ("moment", "participation ratio"),
                "n_components_*": "count",
                "null_*": "null_value",
                "null_top_variance_share": ("null_value", "largest share, isotropic"),
                "null_participation_ratio": ("null_value", "participation ratio, isotropic"),
                "equal_n": "count",
                **with_bounds("equal_n_participation_ratio", "moment", "at equal n"),
            }
        ),
        # How well two corpora are told apart, beside their lengths alone, and how much less alike
        # their texts are than those of one.
        "separation": Table(
            {
                **TWO,
                "n": "count",
                "n_other": "count",
                "n_shared_documents": "count",
                "between_corpora_share": ("relative_value", "between"),
                "auc": ("state_auc", "AUC"),
                "auc_standard_deviation": ("state_auc", "between folds"),
                "null_auc": "state_auc",
                "null_auc_low": ("state_auc", "labels dealt anew, low"),
                "null_auc_high": ("state_auc", "high"),
                "length_auc": ("state_auc", "by length"),
                "equal_length_auc": ("state_auc", "at equal length"),
                "n_equal_length_pairs": ("count", "pairs"),
                **with_bounds("within_minus_between_cosine", "distance"),
                **with_bounds("other_within_minus_between_cosine", "distance"),
                **with_bounds("smaller_within_minus_between_cosine", "distance"),
            }
        ),
        # Over how many more directions a corpus spreads than another, beside texts dealt anew.
        "shapes": Table(
            {
                **TWO,
                "participation_ratio_difference": "relative_value",
                "null_participation_ratio_difference": "state_auc",
                "null_participation_ratio_difference_low": "relative_value",
                "null_participation_ratio_difference_high": "relative_value",
                "participation_ratio_difference_p_value": "state_auc",
            }
        ),
        # How alike texts are at random weights, the null of their cosines.
        "random": RANDOM_TEXTS,
    },
    data={"parquet": save_rows},  # deviations of halves of the documents from all
    undrawn=["parquet", "shapes"],
    further_figures={"text_clouds_layers": "by layer"},
)
JOINED = [name for name in TEXT_CLOUDS.tables if name not in ("corpora", "random")]


def measure_text_clouds(
    clouds: dict[str, TextCloud],
    module: Any,
    final_norm: str | None,
    tokens: Mapping[str, pd.DataFrame],
    *,
    fewest_documents: Annotated[int, Field(ge=4)],
    shown_pooling: Pooling,
    shown_layer: int,
    n_bins: Listed,
    n_histogram_bins: Listed,
    quantiles: list[Probability],
    n_half_samples: PositiveInt,
    level: Share,
    shares: list[Share],
    vectors_per_dimension: PositiveFloat,
    n_draws: PositiveInt,
    n_deals: PositiveInt,
    n_folds: Annotated[int, Field(ge=2)],
    ridge: PositiveFloat,
    most_random_documents: Annotated[int, Field(ge=4)],
    tokens_per_batch: PositiveInt,
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure every corpus, pooling and layer, and every pair of corpora; in float64.

    For a decoder, the last token is a pooling, too.

    Pairs are all pairs of vectors of different documents. Intervals of means and shares are by
    half-samples of the documents. `positive` has three nulls: vectors about the corpus's mean
    (`centered_…`), and Gaussian vectors about the same mean, with the same variance in all
    directions (`null_isotropic_…`) or the cloud's own covariance (`null_covariance_…`, within a
    corpus). `mean_share` is the mean vector's share of the squared norm. The null of `spectrum` is
    as many isotropic vectors; `few_vectors` is true for less than `vectors_per_dimension` times
    dim; `equal_n_…` takes one vector per document and equally many documents of every corpus.

    `separation`: the held-out `auc` of a ridge regression, whole documents in one of `n_folds`
    folds; `null_auc` with the labels dealt anew; `length_auc`, the AUC of the number of tokens;
    `equal_length_auc`, the AUC of the vectors in pairs of equal length, NaN without such pairs;
    `between_corpora_share`, the share of variance between two corpora of equal weight;
    `within_minus_between_cosine`, the mean cosine of two texts of the first corpus less that of
    texts of both, `other_…` for the second corpus, and the `smaller_…` of the two. `shapes`: the
    participation ratio of a corpus less a second corpus's, from as many vectors of both; for the
    null the vectors are dealt anew `n_deals` times. A corpus of fewer than `fewest_documents` is
    left out and listed in `corpora`. `histogram` is of `shown_pooling`, or of the mean if
    `shown_pooling` is a first token without context. `random` is of `most_random_documents` of each
    corpus at most, by mean pooling, read by the model with random weights.
    """
    kept = large_enough(clouds, fewest_documents)
    corpora = _corpora(clouds, kept, fewest_documents)
    if not kept:
        return TEXT_CLOUDS.empty() | {"corpora": corpora}
    windows = windows_by_document(kept)
    n_layers, dim = _shape(kept)
    first_tokens = np.concatenate([cloud.states["cls"][[0, -1]] for cloud in kept.values()], axis=1)
    equal_n = min(cloud.n_documents for cloud in kept.values())
    shown = (shown_pooling_of(shown_pooling, first_tokens), _layer_number(shown_layer, n_layers))
    for_nulls, for_labels, for_states, for_halves = np.random.default_rng(seed).spawn(4)
    comparisons = comparisons_of(windows, n_folds=n_folds, n_shuffles=n_draws, rng=for_labels)
    # One BLAS thread, set here for all: set in one thread it would be unset in the others.
    with threadpool_limits(1, user_api="blas"):
        null = partial(null_spectral_numbers, n_draws=n_draws, level=level, rng=for_nulls)
        nulls = {corpus: null(len(table), dim, shares) for corpus, table in windows.items()}
        states = _States(
            clouds=kept,
            windows=windows,
            shown=shown,
            n_histogram_bins=n_histogram_bins,
            for_halves=for_halves,
            pairs=partial(
                pair_tables,
                n_bins=n_bins,
                quantiles=quantiles,
                n_half_samples=n_half_samples,
                level=level,
            ),
            spectrum=partial(
                spectrum_table,
                nulls=nulls,
                equal_n=equal_n,
                shares=shares,
                vectors_per_dimension=vectors_per_dimension,
                n_draws=n_draws,
                level=level,
            ),
            dealt=partial(dealt_table, equal_n=equal_n, n_deals=n_deals, level=level),
            separation=partial(separation_table, comparisons=comparisons, ridge=ridge, level=level),
        )
        poolings = poolings_in(next(iter(kept.values())).states)
        tables = _all_states(states.tables, [*product(poolings, range(n_layers))], for_states)
    reading = (final_norm, tokens_per_batch, choose_device(device))
    some = {corpus: read for corpus, read in tokens.items() if corpus in kept}
    random = random_texts(module, some, most_random_documents, reading, seed)
    return _outcome(corpora, tables, units_by_corpora(windows)) | {"random": random}


@dataclass(frozen=True, eq=False)
class _States:
    """The clouds, the functions for the tables of a pooling and layer, and the settings."""

    clouds: Mapping[str, TextCloud]
    windows: Mapping[str, pd.DataFrame]
    shown: tuple[str, int]
    n_histogram_bins: int
    for_halves: np.random.Generator
    """Only the seed counts, by `stream_of`: all states have the same halves."""
    pairs: Callable[..., Tables]
    spectrum: Callable[..., pd.DataFrame]
    dealt: Callable[..., pd.DataFrame]
    separation: Callable[..., pd.DataFrame]

    def tables(self, pooling: str, layer: int, rng: np.random.Generator) -> Tables:
        x = {
            corpus: grouped_vectors(self.clouds[corpus].states[pooling][layer], table)
            for corpus, table in self.windows.items()
        }
        axes = {corpus: principal_axes(vectors) for corpus, vectors in x.items()}
        n_bins = self.n_histogram_bins if (pooling, layer) == self.shown else None
        tables = self.pairs(x, axes, n_histogram_bins=n_bins, rng=self.for_halves)
        # Child 1, so that the draws stay those of the published numbers.
        tables["spectrum"] = self.spectrum(x, axes, rng=rng.spawn(2)[1])
        alike = tables.pop("alike")
        keys, apart = ["corpus", "other_corpus"], self.separation(x)
        if len(apart):
            apart = apart.merge(alike, "left", keys)
        tables["separation"] = apart
        tables["shapes"] = self.dealt(x, rng=self.for_halves)
        return {name: table.assign(pooling=pooling, layer=layer) for name, table in tables.items()}


def _all_states(
    tables_at: Callable[[str, int, np.random.Generator], Tables],
    states: Sequence[tuple[str, int]],
    rng: np.random.Generator,
) -> list[Tables]:
    """The tables of each pooling and layer, in this order whatever the number of cores."""
    from joblib import Parallel, delayed
    from tqdm import tqdm

    calls = (
        delayed(tables_at)(pooling, layer, stream)
        for (pooling, layer), stream in zip(states, rng.spawn(len(states)), strict=True)
    )
    n_threads = min(cpu_count() or 1, MOST_THREADS)
    tables = Parallel(n_threads, prefer="threads", return_as="generator")(calls)
    return list(tqdm(tables, total=len(states), desc="clouds of texts", disable=None))


def _outcome(corpora: pd.DataFrame, state_tables: list[Tables], units: pd.DataFrame) -> Outcome:
    """Return the tables of all poolings and layers as those of the stage."""
    joined = {name: _joined(name, state_tables) for name in JOINED}
    for name in ("distributions", "positive"):
        joined[name] = joined[name].merge(units, "left", ["corpus", "other_corpus"])
    tables, deviations = without_deviations(joined)
    tables = {name: TEXT_CLOUDS.tables[name].of(table) for name, table in tables.items()}
    return {"corpora": corpora, **tables, "parquet": deviations}


def _joined(name: str, state_tables: list[Tables]) -> pd.DataFrame:
    """Return a table of all states; a corpus without a second corpus has no rows."""
    parts = [tables[name] for tables in state_tables if len(tables[name])]
    return pd.concat(parts, ignore_index=True) if parts else TEXT_CLOUDS.tables[name].of()


def _corpora(
    clouds: Mapping[str, TextCloud], kept: Mapping[str, TextCloud], fewest: int
) -> pd.DataFrame:
    rows = []
    for corpus, cloud in clouds.items():
        lengths = summary_of(cloud.windows["n_tokens"].to_numpy(dtype=np.float64), [0.5])
        rows.append(
            {
                "corpus": corpus,
                "n": len(cloud.windows),
                "n_texts": cloud.windows["text"].nunique(),
                "n_documents": cloud.n_documents,
                "smallest_n_tokens": lengths["minimum"],
                "median_n_tokens": lengths["quantile_0.5"],
                "largest_n_tokens": lengths["maximum"],
                "left_out": "" if corpus in kept else f"fewer than {fewest} documents",
            }
        )
    return pd.DataFrame(rows)


def _shape(clouds: Mapping[str, TextCloud]) -> tuple[int, int]:
    """Number of layers, and of dimensions."""
    n_layers, _, dim = next(iter(clouds.values())).states[POOLINGS[0]].shape
    return n_layers, dim


def _layer_number(layer: int, n_layers: int) -> int:
    """Counted from the last where negative."""
    if not -n_layers <= layer < n_layers:
        raise InputError(
            f"conf/measure/texts/text_clouds.yaml: key 'shown_layer': found {layer}, allowed: "
            f"{-n_layers} to {n_layers - 1}, the layers of this model"
        )
    return layer % n_layers


main = TEXT_CLOUDS.main(measure_text_clouds)

if __name__ == "__main__":
    run_stage(main, measure_text_clouds)
