"""Stage `measure_layer_roles`: whether lower layers choose and upper layers bring forward."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.clouds.layers import CorpusStates, load_corpora_states
from embspace.device import Device, choose_device
from embspace.files.tables import Row, save_table
from embspace.geometry.inference.resampling import Interval, half_sample_interval, upper_p_value
from embspace.measure.blocks.layer_roles_statistics import (
    STATISTICS,
    WORDS,
    RoleStatistic,
    layer_statistics,
)
from embspace.measure.blocks.layer_roles_verdict import Evidence, verdict_of
from embspace.measure.blocks.text_streams import chosen_corpus, texts_of
from embspace.models.stream.adapters import knows
from embspace.models.weights import load_model, with_random_weights
from embspace.settings.model import describe_model
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share

Sign = Literal["+", "-", "either"]
CHOICES = "lower layers specialize in finding direction choices"
FORWARD = "upper layers bring forward previous achievements"
OF_CHOICES = ("row_entropy", "value_entropy")
RANDOM = ["random_weights_mean", "random_weights_smallest", "random_weights_largest"]
SHARED = ["value", "low", "high", *RANDOM]
COLUMNS = ["corpus", "layer", "statistic", *SHARED, "n_texts", "n_tokens"]
# `seed` is empty: the table of claims on the layers of runs has it.
CLAIM_COLUMNS = ["claim", "statistic", "expected_sign", "seed", "n_blocks", *SHARED, "p_value"]
CLAIM_COLUMNS += ["n_texts", "holds_if", "verdict"]
ByText = Float[np.ndarray, "text layer statistic"]


@dataclass(frozen=True, eq=False)
class LayerRoles:
    """The two tables; both empty for an architecture that cannot be rebuilt."""

    layers: pd.DataFrame
    """One row a layer and statistic: the mean over texts."""
    claims: pd.DataFrame
    """One row a statistic: its rank correlation with the layer, and the verdict."""


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
) -> LayerRoles:
    """Statistics of the effect of blocks on their input, and the correlation with depth.

    A text is the first window of a document. Intervals are by half-samples of the texts;
    `n_random_weights` models of the same config read the same tokens. The correlation is
    Spearman's, between a statistic's mean over texts and the layer's number, 1..L; the p-value is
    from `n_orders` random orders of the layers. `verdict_of` decides between matches, differs and
    undecided.
    """
    name = chosen_corpus(corpora, corpus)
    texts = [] if name is None else texts_of(corpora[name], n_texts)
    if not knows(module) or not texts:
        return LayerRoles(pd.DataFrame(columns=COLUMNS), pd.DataFrame(columns=CLAIM_COLUMNS))
    asked = (texts, tokens_per_batch, choose_device(device))
    trained = layer_statistics(module, *asked)
    random = [
        layer_statistics(with_random_weights(module, seed + number), *asked)
        for number in range(n_random_weights)
    ]
    halves, orders = np.random.default_rng(seed).spawn(2)
    interval = partial(
        half_sample_interval,
        n_units=len(texts),
        n_resamples=n_half_samples,
        level=level,
        generator=halves,
    )
    n_tokens = sum(len(ids) for ids in texts)
    facts = {"corpus": name, "n_texts": len(texts), "n_tokens": n_tokens}
    rows = _layer_rows(trained, interval(partial(_means, trained)), random)
    bounds = interval(partial(_correlations, trained))
    claims = _claims(trained, bounds, random, _of_orders(trained.shape[1], n_orders, orders))
    rule = partial(verdict_of, largest_p_value=largest_p_value)
    judged = [
        {**claims[each], "expected_sign": sign, "n_texts": len(texts)}
        | rule(_evidence(claims[each]), sign)
        for each, sign in expected_signs.items()
    ]
    return LayerRoles(
        pd.DataFrame([{**facts, **row} for row in rows], columns=COLUMNS),
        pd.DataFrame(judged, columns=CLAIM_COLUMNS),
    )


def _evidence(claim: Row) -> Evidence:
    return Evidence(*(claim[each] for each in ("value", "low", "high", *RANDOM[1:], "p_value")))


def _means(values: ByText, texts: Int[np.ndarray, " drawn"] | None) -> Float[np.ndarray, "l s"]:
    """The mean over some texts, or over all."""
    return np.asarray((values if texts is None else values[texts]).mean(axis=0))


def _correlations(
    values: ByText, texts: Int[np.ndarray, " drawn"] | None
) -> Float[np.ndarray, " statistic"]:
    """Spearman's correlation of each statistic's mean with the layer; NaN where it is constant."""
    return rank_correlations(_means(values, texts))


def rank_correlations(means: Float[np.ndarray, "layer ..."]) -> Float[np.ndarray, "..."]:
    """Spearman's rank correlation of each column with the row's number; ties share their rank."""
    from scipy.stats import rankdata

    if len(means) < 2:
        return np.full(means.shape[1:], np.nan)
    ranks = rankdata(means, axis=0) - (len(means) + 1) / 2
    depth = np.arange(len(means)) - (len(means) - 1) / 2
    spread = np.sqrt(np.square(ranks).sum(axis=0) * np.square(depth).sum())
    with np.errstate(invalid="ignore"):
        return np.asarray(np.tensordot(depth, ranks, axes=1) / spread)


def _of_orders(n_layers: int, n_orders: int, rng: np.random.Generator) -> Float[np.ndarray, " o"]:
    """The absolute correlations of layers in random order."""
    orders = np.stack([rng.permutation(n_layers) for _ in range(n_orders)], axis=1)
    return np.abs(rank_correlations(orders.astype(np.float64)))


def _layer_rows(trained: ByText, bounds: Interval, random: list[ByText]) -> list[Row]:
    means, drawn = _means(trained, None), np.array([_means(each, None) for each in random])
    return [
        {"layer": layer + 1, "statistic": statistic, "value": means[layer, number]}
        | {"low": bounds.low[layer, number], "high": bounds.high[layer, number]}
        | _range(drawn[:, layer, number])
        for layer in range(len(means))
        for number, statistic in enumerate(STATISTICS)
    ]


def _range(drawn: Float[np.ndarray, " seed"]) -> Row:
    return dict(
        zip(RANDOM, (float(drawn.mean()), float(drawn.min()), float(drawn.max())), strict=True)
    )


def _claims(
    trained: ByText, bounds: Interval, random: list[ByText], orders: Float[np.ndarray, " o"]
) -> dict[RoleStatistic, Row]:
    """The correlation of each statistic with what it is held against."""
    values = _correlations(trained, None)
    drawn = np.array([_correlations(each, None) for each in random])
    found: dict[RoleStatistic, Row] = {}
    for number, statistic in enumerate(STATISTICS):
        # An interval is symmetric about nothing: it may leave the range of a correlation.
        low, high = (float(np.clip(each[number], -1, 1)) for each in (bounds.low, bounds.high))
        found[statistic] = {
            "statistic": WORDS[statistic],
            "claim": CHOICES if statistic in OF_CHOICES else FORWARD,
            "n_blocks": trained.shape[1],
            "value": float(values[number]),
            "low": low,
            "high": high,
            **_range(drawn[:, number]),
            # Sums of ranks in another order differ by rounding.
            "p_value": upper_p_value(abs(float(values[number])) - 1e-9, orders),
        }
    return found


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    found = measure_layer_roles(
        load_model(name, describe_model(name, config.model)),
        load_corpora_states(
            f"data/extracted/hidden_states/{name}", "data/prepared/texts", config.corpora
        ),
        **config.settings,
    )
    save_table(found.layers, f"results/layer_roles/{name}.csv")
    save_table(found.claims, f"results/layer_roles/claims/{name}.csv")


if __name__ == "__main__":
    run_stage(main, measure_layer_roles)
