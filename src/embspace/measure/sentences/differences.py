"""Stage `measure_differences`: what the differences of pairs of sentences have in common.

Luisto's thesis, section 4.4.2: figure 24, tables 6 and 7, research question 3b.
"""

from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.clouds.pooling import Pooling
from embspace.errors import InputError
from embspace.files.rows import save_rows
from embspace.geometry.maps.pca import principal_components
from embspace.geometry.pairs.directions import norms
from embspace.measure.sentences.difference_consistency import consistency_table
from embspace.measure.sentences.difference_cosines import cosine_table
from embspace.measure.sentences.difference_pairs import (
    PairedStates,
    SentencePairs,
    draw_pairs,
    sentence_pairs,
)
from embspace.measure.tables.columns import with_bounds
from embspace.measure.tables.deviations import without_deviations
from embspace.measure.tables.shown_pooling import shown_pooling_of
from embspace.measure.tables.text_poolings import WEIGHTS, load_text_states, poolings_in
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

SentenceStates = Float[np.ndarray, "layer sentence dim"]


def load_states(path: str) -> dict[str, SentenceStates]:
    """Return the pooled states of a set of sentences, trained and at random weights."""
    return load_text_states({path: path}, WEIGHTS)[path]


def against(null: str) -> dict[str, Column]:
    """Return what stands beside a consistency for a null of this name."""
    values = {f"p_value_{null}": "p_value", f"q_value_{null}": "p_value"}
    return {**with_bounds(f"null_consistency_{null}", "null_value"), **values}


PLACE: dict[str, Column] = {"layer": ("row", "layer"), "pooling": ("row", "pooling")}
COSINE: dict[str, Column] = {
    **with_bounds("cosine", "offset_cosine", "cosine"),
    **with_bounds("corrected_cosine", "offset_cosine", "corrected", "corrected_bound"),
    "random_weights_cosine": ("offset_cosine", "random weights"),
    **with_bounds("null_cosine", "null_value"),
    "p_value": ("p_value", "p"),
    "q_value": ("p_value", "q"),
}
DIFFERENCES = Analysis(
    noun="differences",
    question=(
        "Do differences of sentences have a direction, and which go together? Fig. 24, tables 6, "
        "7, research question 3b"
    ),
    reads={
        "stimuli": "data/prepared/stimuli/differences.parquet",
        "tokens": "data/extracted/stimuli/{model}/differences.tokens.parquet",
        "states": Source(load_states, "data/extracted/stimuli/{model}/differences.safetensors"),
    },
    tables={
        "categories": Table(
            {
                "layer": "row",
                "pooling": "row",
                "category": "row",
                "n": "count",
                "norm_of_mean": "moment",
                "mean_norm": "moment",
                "reliability": "offset_cosine",
                **with_bounds("consistency", "offset_cosine"),
                "random_weights_consistency": "offset_cosine",
                **against("sign_flips"),
                **against("re_paired"),
                **against("unrelated"),
                "n_compared_different_tokens": "count",
                "consistency_different_tokens": "offset_cosine",
                "random_weights_consistency_different_tokens": "offset_cosine",
                "p_value_different_tokens": "p_value",
                "q_value_different_tokens": "p_value",
            },
            compared=["consistency"],
            along="layer",
        ),
        "cosines": Table(
            {
                **PLACE,
                "category_1": ("row", "category"),
                "category_2": ("row", "with"),
                **COSINE,
            },
            compared=["cosine", "corrected_cosine"],
            along="layer",
        ),
        "map": Table(
            {
                "kind": "row",
                "category": "row",
                "pair": "row",
                "component_1": "relative_value",
                "component_2": "relative_value",
            }
        ),
        "examples": Table(
            {
                "category": ("row", "category"),
                "pair": "row",
                "first": ("name", "first sentence"),
                "second": ("name", "second sentence"),
                "euclidean_distance": ("distance", "length of the difference"),
            }
        ),
    },
    scalars={  # at the last layer
        "layer": "row",
        "pooling": "row",
        "n_pairs": "count",
        "*.category_1": "name",
        "*.category_2": "name",
        **Table(COSINE).kinds,
        "consistency.*": "offset_cosine",
        "explained_variance_*": "relative_value",
    },
    data={"parquet": save_rows},  # deviations of halves
    undrawn=["parquet"],
    further_figures={"difference_consistency": "consistency"},
)


def measure_differences(
    stimuli: pd.DataFrame,
    tokens: pd.DataFrame,
    states: dict[str, SentenceStates],
    *,
    shown_pooling: Pooling,
    bias_categories: Annotated[list[str], Field(min_length=2, max_length=2)],
    smallest_reliability: Share,
    length_tolerance: NonNegativeInt,
    n_sign_flips: PositiveInt,
    n_pairing_draws: PositiveInt,
    n_direction_draws: PositiveInt,
    n_half_samples: PositiveInt,
    level: Share,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure consistency within categories, cosines between mean differences, and a map.

    A difference is the vector of a pair's second sentence minus the vector of the first: the
    category `female-male` points from female to male, `doctor-nurse` from doctor to nurse; a
    negative cosine of the two puts nurses with women. `states` are by pooling, at random weights by
    `random_` and pooling; `window` in `tokens` is the row of the sentence. Map, examples and
    summary are for the last layer and `shown_pooling`, or for the mean if that pooling is a first
    token without context. Empty for a model that read no sentence.
    """
    stimuli = _read_by_model(stimuli, states[shown_pooling].shape[1])
    shown_pooling = shown_pooling_of(shown_pooling, states["cls"])
    paired = _paired_states(stimuli, tokens, states)
    for_draws, for_consistency, for_cosines = np.random.default_rng(seed).spawn(3)
    draws = draw_pairs(
        paired.pairs,
        tokens.groupby("window").size().to_numpy(np.int64),
        length_tolerance=length_tolerance,
        n_sign_flips=n_sign_flips,
        n_pairing_draws=n_pairing_draws,
        n_direction_draws=n_direction_draws,
        generator=for_draws,
    )
    # One thread: on more BLAS would add in another order, and a tie fall on another side.
    with threadpool_limits(1, user_api="blas"):
        categories = consistency_table(
            paired, draws, n_half_samples=n_half_samples, level=level, generator=for_consistency
        )
        cosines = cosine_table(
            paired,
            draws,
            smallest_reliability=smallest_reliability,
            n_half_samples=n_half_samples,
            level=level,
            generator=for_cosines,
        )
    tables, deviations = without_deviations({"categories": categories, "cosines": cosines})
    last = len(states[shown_pooling]) - 1
    cell = paired.cells.query("layer == @last and pooling == @shown_pooling").index[0]
    shown = paired.differences()[cell]
    at_last = _at(tables["categories"], last, shown_pooling)
    coordinates, explained_variance = _map(paired.pairs, shown)
    return {
        **tables,
        "map": coordinates,
        "examples": _examples(stimuli, paired.pairs, shown),
        "json": {
            "layer": last,
            "pooling": shown_pooling,
            "n_pairs": len(paired.pairs.names),
            **_cosine_summary(_at(tables["cosines"], last, shown_pooling), bias_categories),
            "consistency": at_last.set_index("category")["consistency"].to_dict(),
            **explained_variance,
        },
        "parquet": deviations,
    }


def _read_by_model(stimuli: pd.DataFrame, n_sentences: int) -> pd.DataFrame:
    """The sentences, or none for a model that read none."""
    stimuli = stimuli if n_sentences else stimuli[:0]
    if len(stimuli) != n_sentences:
        raise InputError(
            f"the set differences has {len(stimuli)} sentences, the model read {n_sentences}: "
            "`dvc repro` makes its hidden states anew"
        )
    return stimuli


def _paired_states(
    stimuli: pd.DataFrame, tokens: pd.DataFrame, states: dict[str, SentenceStates]
) -> PairedStates:
    poolings = poolings_in(states)
    cells = [(layer, pooling) for layer in range(len(states["cls"])) for pooling in poolings]
    return PairedStates(
        pairs=sentence_pairs(stimuli, tokens),
        cells=pd.DataFrame(cells, columns=["layer", "pooling"]),
        sentences=np.stack([states[pooling][layer] for layer, pooling in cells]),
        random_weights=np.stack([states[f"random_{pooling}"][layer] for layer, pooling in cells]),
    )


def _at(table: pd.DataFrame, layer: int, pooling: str) -> pd.DataFrame:
    chosen = table[(table["layer"] == layer) & (table["pooling"] == pooling)]
    return chosen.drop(columns=["layer", "pooling"])


def _cosine_summary(cosines: pd.DataFrame, bias_categories: list[str]) -> dict[str, Any]:
    """Return the rows of the bias and of three extremes; a missing row is empty."""
    defined = cosines.dropna(subset="cosine")
    cosine = defined["cosine"].astype(np.float64)
    is_bias = [
        set(two) == set(bias_categories)
        for two in zip(cosines["category_1"], cosines["category_2"], strict=True)
    ]
    chosen = {
        "bias": cosines[is_bias],
        "largest": defined.loc[cosine.nlargest(1).index],
        "smallest": defined.loc[cosine.nsmallest(1).index],
        "nearest_to_zero": defined.loc[cosine.abs().nsmallest(1).index],
    }
    return {
        name: {str(key): value for key, value in rows.to_dict("records")[0].items()}
        if len(rows)
        else {}
        for name, rows in chosen.items()
    }


def _map(
    pairs: SentencePairs, differences: Float[np.ndarray, "pair dim"]
) -> tuple[pd.DataFrame, dict[str, float]]:
    """All differences and the means of the categories on the plane of the most variance.

    The origin is no difference at all, from where the means are arrows. Also the shares of the
    variance that the two axes have.
    """
    n, dim = differences.shape
    if n < 2 or dim < 2:
        return DIFFERENCES.tables["map"].of(), {}
    components = principal_components(differences, n_components=2)
    means = [differences[pairs.of(number)].mean(axis=0) for number in range(len(pairs.categories))]
    with threadpool_limits(1, user_api="blas"):
        component_1, component_2 = (np.concatenate([differences, means]) @ components.axes.T).T
    table = pd.DataFrame(
        {
            "kind": ["difference"] * n + ["mean"] * len(means),
            "category": [pairs.categories[number] for number in pairs.category] + pairs.categories,
            "pair": [*pairs.names, *[np.nan] * len(means)],
            "component_1": component_1,
            "component_2": component_2,
        }
    )
    shares = enumerate(components.explained_variance, 1)
    return table, {f"explained_variance_{number}": float(share) for number, share in shares}


def _examples(
    stimuli: pd.DataFrame, pairs: SentencePairs, differences: Float[np.ndarray, "pair dim"]
) -> pd.DataFrame:
    """Return the first pair of each category, and the length of its difference."""
    chosen = [int(pairs.of(number)[0]) for number in range(len(pairs.categories))]
    texts, length = stimuli["text"].to_numpy(), norms(differences)
    return DIFFERENCES.tables["examples"].of(
        {
            "category": pairs.categories[pairs.category[row]],
            "pair": pairs.names[row],
            "first": texts[pairs.first[row]],
            "second": texts[pairs.second[row]],
            "euclidean_distance": length[row],
        }
        for row in chosen
    )


main = DIFFERENCES.main(measure_differences)

if __name__ == "__main__":
    run_stage(main, measure_differences)
