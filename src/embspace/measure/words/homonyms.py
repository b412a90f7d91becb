"""Stage `measure_homonyms`: whether the senses of a word drift apart through the layers.

Luisto's thesis, section 4.3 and the answer to its research question 2, of one pair of sentences
with "mouse"; here of many words, against shuffled senses, random weights and the context alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.files.rows import load_rows, save_rows
from embspace.files.scalars import save_scalars
from embspace.files.tables import save_table
from embspace.files.tensors import load_tensors
from embspace.geometry.groups.contrast import chance_accuracy
from embspace.measure.tables.deviations import units_named, without_deviations
from embspace.measure.words.homonym_occurrences import (
    Occurrence,
    find_words,
    mean_states,
    token_counts,
)
from embspace.measure.words.homonym_statistics import word_values
from embspace.measure.words.homonym_tables import (
    DRIFT_COLUMNS,
    LAYER_COLUMNS,
    LAYERS,
    RECOVERY,
    RECOVERY_COLUMNS,
    WORD_COLUMNS,
    bag_of_words,
    drift_table,
    find_senses,
    layer_table,
    word_table,
)
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Probability

TENSORS = ("token", "random_token")


@dataclass(frozen=True)
class Homonyms:
    """The tables of the stage, its scalars, and the deviations of halves of the words."""

    layers: pd.DataFrame
    recovery: pd.DataFrame
    words: pd.DataFrame
    drift: pd.DataFrame
    scalars: dict[str, Any]
    deviations: pd.DataFrame


def measure_homonyms(
    stimuli: pd.DataFrame,
    tokens: pd.DataFrame,
    states: dict[str, Float[np.ndarray, "layer token dim"]],
    *,
    n_draws: PositiveInt,
    n_resamples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> Homonyms:
    """Measure how much further apart a word's states lie in different senses than in one, by layer.

    `stimuli` has `word`, `sense` and `text`, `states` the tensors `token` and `random_token`; a
    word's state is the mean of its tokens' states. A sense needs two sentences and a word two
    senses; the others are lost. `difference` is positive where senses lie apart: cosine within a
    sense less that between senses, distance between less that within. `ratio` and
    `relative_difference` are of distances, 1 - cosine for a cosine; the latter is over the mean
    distance of different words. Means, and intervals by half-samples, are over words. The null
    deals the senses out to the sentences of each word, `n_draws` times.
    """
    found = find_words(stimuli, tokens)
    rows = usable_rows(stimuli, found)
    senses, kept = stimuli.iloc[rows].reset_index(drop=True), [found[row] for row in rows]
    scalars = counts_of(stimuli, senses, kept)
    if not len(rows):
        tables, deviations = without_deviations(
            {
                "layers": pd.DataFrame(columns=LAYER_COLUMNS),
                "recovery": pd.DataFrame(columns=RECOVERY_COLUMNS),
                "drift": pd.DataFrame(columns=DRIFT_COLUMNS),
            }
        )
        words = pd.DataFrame(columns=WORD_COLUMNS)
        return Homonyms(**tables, words=words, scalars=scalars, deviations=deviations)
    for_draws, for_intervals = np.random.default_rng(seed).spawn(2)
    own, others = [each.own for each in kept], [each.others for each in kept]
    values = word_values(
        np.stack([mean_states(states[name], own) for name in TENSORS]),
        np.stack([mean_states(states[name], others) for name in TENSORS]),
        token_counts(tokens["id"].to_numpy(), others),
        senses,
        n_draws=n_draws,
        generator=for_draws,
    )
    findings = find_senses(values, n_resamples=n_resamples, level=level, generator=for_intervals)
    units = units_named(senses.groupby("word", sort=False)["text"].agg(" / ".join))
    tables, deviations = without_deviations(
        {
            "layers": layer_table(findings, LAYERS, LAYER_COLUMNS).assign(**units),
            "recovery": layer_table(findings, RECOVERY, RECOVERY_COLUMNS).assign(**units),
            "drift": drift_table(findings).assign(**units),
        }
    )
    return Homonyms(
        **tables,
        words=word_table(values, findings, senses, kept),
        scalars=scalars | {"bag_of_words": bag_of_words(findings)},
        deviations=deviations,
    )


def usable_rows(stimuli: pd.DataFrame, found: Sequence[Occurrence]) -> Int[np.ndarray, " row"]:
    """Return the sentences with tokens of their word, of senses with two, words with two senses."""
    here = stimuli.reset_index(drop=True)[[len(each.own) > 0 for each in found]]
    here = here[here.groupby(["word", "sense"])["word"].transform("size") >= 2]
    here = here[here.groupby("word")["sense"].transform("nunique") >= 2]
    return here.index.to_numpy(dtype=np.int64)


def counts_of(
    stimuli: pd.DataFrame, senses: pd.DataFrame, kept: Sequence[Occurrence]
) -> dict[str, Any]:
    """Return how much was used and lost, and the accuracy that chance gives, exactly."""
    known = senses["word"].unique()
    lost = [word for word in stimuli["word"].unique() if word not in set(known)]
    chances = [
        chance_accuracy(pd.factorize(rows["sense"])[0].astype(np.int64))
        for _, rows in senses.groupby("word", sort=False)
    ]
    several = senses["word"][[len(each.own) > 1 for each in kept]]
    return {
        "n_words": len(known),
        "n_sentences": len(senses),
        "n_words_of_several_tokens": several.nunique(),
        "n_lost_words": len(lost),
        "lost_words": ", ".join(lost),
        "n_lost_sentences": len(stimuli) - len(senses),
        "chance_accuracy": float(np.mean(chances)) if chances else float("nan"),
    }


def main(config: StageConfig) -> None:
    """Load, call, save."""
    name = config.model_name
    extracted = f"data/extracted/stimuli/{name}/homonyms"
    found = measure_homonyms(
        load_rows("data/prepared/stimuli/homonyms.parquet"),
        load_rows(f"{extracted}.tokens.parquet"),
        load_tensors(f"{extracted}.safetensors", TENSORS),
        **config.settings,
    )
    save_table(found.layers, f"results/homonyms/layers/{name}.csv")
    save_table(found.recovery, f"results/homonyms/recovery/{name}.csv")
    save_table(found.words, f"results/homonyms/words/{name}.csv")
    save_table(found.drift, f"results/homonyms/drift/{name}.csv")
    save_rows(found.deviations, f"data/measured/homonyms/{name}.parquet")
    save_scalars(found.scalars, f"results/homonyms/{name}.json")


if __name__ == "__main__":
    run_stage(main, measure_homonyms)
