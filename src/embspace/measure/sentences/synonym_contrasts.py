"""Does meaning or wording decide, in `measure_synonyms`: paraphrases beside controls."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from embspace.geometry.inference.resampling import probability_of_larger
from embspace.geometry.pairs.safe_ratio import ratio
from embspace.measure.sentences.synonym_vectors import (
    Statistic,
    Stimuli,
    codes,
    cosines_of,
    estimate_names,
    estimate_table,
    vectors_of,
)
from embspace.measure.tables.deviations import units_named

PARAPHRASE, UNRELATED = "paraphrase", "unrelated"
QUANTITIES = ["cosine", "paraphrase_minus_kind_cosine", "relative_similarity", "auc"]
COLUMNS = ["kind", "pooling", "layer", "n_pairs", *estimate_names(QUANTITIES)]


@dataclass(frozen=True)
class Pairs:
    """Pairs of sentences of several kinds, and the independent units of the pairs."""

    kinds: list[str]
    kind: Int[np.ndarray, " pair"]
    first: Int[np.ndarray, " pair"]
    """The unit, a meaning or a control's pair, of the first sentence."""
    second: Int[np.ndarray, " pair"]
    stratum: Int[np.ndarray, " unit"]
    """Meanings, then the kinds of controls."""
    units: list[str]
    """The units' names."""


def pairs_of(paraphrases: pd.DataFrame, controls: pd.DataFrame) -> Pairs:
    """All pairs of paraphrases, of one meaning or of two, then the pairs of the controls."""
    meaning = codes(paraphrases["meaning"])
    i, j = np.triu_indices(len(meaning), 1)
    changed = controls[controls["side"] == "changed"]
    control_kinds = list(dict.fromkeys(changed["kind"]))
    control_kind = codes(changed["kind"])
    n_meanings = paraphrases["meaning"].nunique()
    units = n_meanings + np.arange(len(changed))
    return Pairs(
        kinds=[PARAPHRASE, *control_kinds, UNRELATED],
        kind=np.concatenate(
            [np.where(meaning[i] == meaning[j], 0, len(control_kinds) + 1), 1 + control_kind]
        ),
        first=np.concatenate([meaning[i], units]),
        second=np.concatenate([meaning[j], units]),
        stratum=np.concatenate([np.zeros(n_meanings, dtype=np.int64), 1 + control_kind]),
        units=[*paraphrases["meaning"].unique(), *changed["id"]],
    )


def pair_cosines(
    paraphrases: Float[np.ndarray, "layer paraphrase dim_1"],
    controls: Float[np.ndarray, "layer control dim_2"],
    table: pd.DataFrame,
) -> Float[np.ndarray, "layer pair"]:
    """Return the cosines of `pairs_of`, in the same order; `table` has the controls."""
    i, j = np.triu_indices(paraphrases.shape[1], 1)
    changed = table[table["side"] == "changed"]
    rows = {key: row for row, key in enumerate(_keys(table))}
    first = [rows[(kind, pair, "original")] for kind, pair, _ in _keys(changed)]
    second = [rows[key] for key in _keys(changed)]
    return np.concatenate(
        [cosines_of(paraphrases)[:, i, j], cosines_of(controls)[:, first, second]], axis=1
    )


def _keys(table: pd.DataFrame) -> list[tuple[str, str, str]]:
    return list(zip(table["kind"], table["pair"], table["side"], strict=True))


def contrast_table(
    paraphrases: Stimuli,
    controls: Stimuli,
    *,
    n_half_samples: int,
    level: float,
    generator: np.random.Generator,
) -> pd.DataFrame:
    """Return a row per kind of pair, pooling and layer: the cosine, beside that of paraphrases.

    `auc` is the probability that a pair of paraphrases is more alike than a pair of the kind;
    `relative_similarity` is where paraphrases lie between unrelated pairs, 0, and the kind, 1.
    Half-samples are of meanings, and of pairs of controls.
    """
    pairs = pairs_of(paraphrases.table, controls.table)
    every = list(zip(vectors_of(paraphrases), vectors_of(controls), strict=True))
    parts = []
    for (same, other), halves in zip(every, generator.spawn(len(every)), strict=True):
        statistics = [
            contrast_statistic(pair_cosines(*clouds, controls.table), pairs)
            for clouds in zip(same.by_weights(), other.by_weights(), strict=True)
        ]
        table = estimate_table(
            {"kind": pairs.kinds, "pooling": [same.pooling], "layer": range(len(same.trained))},
            QUANTITIES,
            statistics,
            pairs.stratum,
            n_half_samples=n_half_samples,
            level=level,
            generator=halves,
        )
        n_pairs = np.bincount(pairs.kind, minlength=len(pairs.kinds))
        table["n_pairs"] = np.repeat(n_pairs, len(same.trained))
        parts.append(table.assign(**units_named(pairs.units))[COLUMNS])
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)


def contrast_statistic(cosines: Float[np.ndarray, "layer pair"], pairs: Pairs) -> Statistic:
    """`QUANTITIES` by kind, as a function of the units that are in; NaN of paraphrases' own."""

    def statistic(units: Int[np.ndarray, " drawn"]) -> Float[np.ndarray, "quantity kind layer"]:
        inside = np.isin(np.arange(len(pairs.stratum)), units)
        chosen = inside[pairs.first] & inside[pairs.second]
        by_kind = [cosines[:, chosen & (pairs.kind == k)] for k in range(len(pairs.kinds))]
        mean = np.stack([_mean(values) for values in by_kind])
        auc = np.stack([probability_of_larger(by_kind[0], values) for values in by_kind])
        above = mean - mean[-1]
        quantities = np.stack([mean, mean[:1] - mean, ratio(above[:1], above), auc])
        quantities[1:, 0] = np.nan
        return quantities

    return statistic


def _mean(values: Float[np.ndarray, "layer pair"]) -> Float[np.ndarray, " layer"]:
    return values.mean(axis=1) if values.shape[1] else np.full(len(values), np.nan)
