"""Stage `measure_layer_roles`: whether lower layers choose and upper layers bring forward."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Outcome, Source, Table
from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.clouds.texts import TEXT_FOLDERS
from embspace.device import Device, choose_device
from embspace.files.tables import Row
from embspace.geometry.inference.resampling import Interval, half_sample_interval, upper_p_value
from embspace.measure.blocks.layer_roles_statistics import (
    STATISTICS,
    WORDS,
    RoleStatistic,
    layer_statistics,
)
from embspace.measure.blocks.layer_roles_verdict import verdict_of
from embspace.measure.blocks.text_streams import chosen_texts, estimate_row
from embspace.measure.tables.columns import BESIDE_RANDOM_WEIGHTS
from embspace.models.stream.adapters import knows
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.stage import run_stage
from embspace.settings.types import Share

Sign = Literal["+", "-", "either"]
CHOICES = "lower layers specialize in finding direction choices"
FORWARD = "upper layers bring forward previous achievements"
OF_CHOICES = ("row_entropy", "value_entropy")
ByText = Float[np.ndarray, "text layer statistic"]
LAYER_ROLES = Analysis(
    noun="layer_roles",
    question=(
        "Do lower layers choose where to look, and upper layers bring forward what was there? "
        "With `make all`"
    ),
    over="profiled",
    reads={
        "module": Source(load_model),
        "corpora": Source(load_corpora_states, TEXT_FOLDERS, lists=["corpora"]),
    },
    tables={
        "csv": Table(  # means over texts
            {
                "corpus": "row",
                "layer": "row",
                "statistic": "row",
                **BESIDE_RANDOM_WEIGHTS,
                "n_texts": "count",
                "n_tokens": "count",
            }
        ),
        "claims": Table(  # rank correlations of the statistics with the layer
            {
                "claim": "row",
                "statistic": "row",
                "expected_sign": "setting",
                "seed": "name",  # empty; the table of claims on the layers of runs has seeds
                "n_blocks": "count",
                **BESIDE_RANDOM_WEIGHTS,
                "p_value": "p_value",
                "n_texts": "count",
                "holds_if": "name",
                "verdict": "name",
            }
        ),
    },
)


def measure_layer_roles(
    module: Any,
    corpora: Mapping[str, CorpusStates],
    *,
    corpus: str,
    n_texts: PositiveInt,
    n_random_weights: PositiveInt,
    tokens_per_batch: PositiveInt,
    n_half_samples: PositiveInt,
    level: Share,
    n_orders: PositiveInt,
    largest_p_value: Share,
    expected_signs: dict[RoleStatistic, Sign],
    device: Device,
    seed: NonNegativeInt,
) -> Outcome:
    """Return statistics of the effect of blocks on their input, and the correlation with depth.

    A text is the first window of a document. Intervals are by half-samples of the texts;
    `n_random_weights` models of the same config read the same tokens. The correlation is
    Spearman's, between a statistic's mean over texts and the layer's number, 1..L; the p-value is
    from `n_orders` random orders of the layers. `verdict_of` decides between matches, differs and
    undecided. Empty for an architecture that cannot be rebuilt.
    """
    texts = chosen_texts(corpora, corpus, n_texts)
    if not knows(module) or not texts.tokens:
        return LAYER_ROLES.empty()
    reading = (texts.tokens, tokens_per_batch, choose_device(device))
    trained = layer_statistics(module, *reading)
    random = [
        layer_statistics(with_random_weights(module, seed + number), *reading)
        for number in range(n_random_weights)
    ]
    halves, orders = np.random.default_rng(seed).spawn(2)
    interval = partial(
        half_sample_interval,
        n_units=len(trained),
        n_resamples=n_half_samples,
        level=level,
        generator=halves,
    )
    rows = _layer_rows(trained, interval(partial(_means, trained)), random)
    bounds = interval(partial(_correlations, trained))
    claims = _claims(trained, bounds, random, _shuffled(trained.shape[1], n_orders, orders))
    judged = [
        claims[statistic]
        | {"expected_sign": sign, "n_texts": len(trained)}
        | verdict_of(claims[statistic], sign, largest_p_value=largest_p_value)
        for statistic, sign in expected_signs.items()
    ]
    return {
        "csv": LAYER_ROLES.tables["csv"].of(texts.facts | row for row in rows),
        "claims": LAYER_ROLES.tables["claims"].of(judged),
    }


def _means(
    values: ByText, texts: Int[np.ndarray, " drawn"] | slice = slice(None)
) -> Float[np.ndarray, "layer statistic"]:
    """Return the mean over some texts, or over all."""
    return np.asarray(values[texts].mean(axis=0))


def _correlations(
    values: ByText, texts: Int[np.ndarray, " drawn"] | slice = slice(None)
) -> Float[np.ndarray, " statistic"]:
    """Return Spearman's correlation of every statistic's mean with the layer; NaN if constant."""
    return rank_correlations(_means(values, texts))


def rank_correlations(means: Float[np.ndarray, "layer ..."]) -> Float[np.ndarray, "..."]:
    """Return Spearman's rank correlation of every column with the row number; ties share a rank."""
    from scipy.stats import rankdata

    if len(means) < 2:
        return np.full(means.shape[1:], np.nan)
    ranks = rankdata(means, axis=0) - (len(means) + 1) / 2
    depth = np.arange(len(means)) - (len(means) - 1) / 2
    spread = np.sqrt(np.square(ranks).sum(axis=0) * np.square(depth).sum())
    with np.errstate(invalid="ignore"):
        return np.asarray(np.tensordot(depth, ranks, axes=1) / spread)


def _shuffled(n_layers: int, n_orders: int, rng: np.random.Generator) -> Float[np.ndarray, " o"]:
    """Return the absolute correlations of layers in random order."""
    orders = np.stack([rng.permutation(n_layers) for _ in range(n_orders)], axis=1)
    return np.abs(rank_correlations(orders.astype(np.float64)))


def _layer_rows(trained: ByText, bounds: Interval, random: list[ByText]) -> list[Row]:
    means, at_random = _means(trained), np.array([_means(values) for values in random])
    return [
        {"layer": layer + 1, "statistic": statistic}
        | estimate_row(value[at], bounds.low[layer, at], bounds.high[layer, at], drawn[:, at])
        for layer, value in enumerate(means)
        for drawn in [at_random[:, layer]]
        for at, statistic in enumerate(STATISTICS)
    ]


def _claims(
    trained: ByText, bounds: Interval, random: list[ByText], orders: Float[np.ndarray, " order"]
) -> dict[RoleStatistic, Row]:
    """Return the correlation of every statistic, beside chance and random weights."""
    values = _correlations(trained)
    at_random = np.array([_correlations(drawn) for drawn in random])
    # An interval is symmetric about nothing: it may leave the range of a correlation.
    low, high = (np.clip(bound, -1, 1) for bound in (bounds.low, bounds.high))
    return {
        statistic: {
            "statistic": WORDS[statistic],
            "claim": CHOICES if statistic in OF_CHOICES else FORWARD,
            "n_blocks": trained.shape[1],
            **estimate_row(values[at], low[at], high[at], at_random[:, at]),
            # Sums of ranks in another order differ by rounding.
            "p_value": upper_p_value(abs(float(values[at])) - 1e-9, orders),
        }
        for at, statistic in enumerate(STATISTICS)
    }


main = LAYER_ROLES.main(measure_layer_roles)

if __name__ == "__main__":
    run_stage(main, measure_layer_roles)
