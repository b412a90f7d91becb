"""Stage `measure_homonyms`: whether the senses of a word drift apart through the layers.

Luisto's thesis, section 4.3 and the answer to its research question 2, of one pair of sentences
with "mouse"; here of many words, against shuffled senses, random weights and the context alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int
from pydantic import NonNegativeInt, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.files.rows import save_rows
from embspace.files.tensors import load_tensors
from embspace.geometry.groups.contrast import chance_accuracy
from embspace.geometry.pairs.types import RowNumbers
from embspace.measure.tables.deviations import units_named, without_deviations
from embspace.measure.words.homonym_statistics import word_values
from embspace.measure.words.homonym_tables import (
    AT_RANDOM,
    BAG_OF_WORDS,
    LAYERS,
    RECOVERY,
    SLOPE,
    bag_of_words,
    columns_of,
    drift_rows,
    find_senses,
    layer_table,
    word_table,
)
from embspace.scripts.words import whole_word
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

TENSORS = ("token", "random_token")
EXTRACTED = "data/extracted/stimuli/{model}/homonyms"
MEASURE: dict[str, Column] = dict.fromkeys(("preparation", "quantity"), "row")
KEYS: dict[str, Column] = {"layer": "row", **MEASURE}
HOMONYMS = Analysis(
    noun="homonyms",
    question="Do the senses of a homonym drift apart? Research question 2",
    reads={
        "stimuli": "data/prepared/stimuli/homonyms.parquet",
        "tokens": f"{EXTRACTED}.tokens.parquet",
        "states": Source(partial(load_tensors, names=TENSORS), f"{EXTRACTED}.safetensors"),
    },
    tables={
        "layers": Table(
            {**KEYS, "n_words": "count", **columns_of(*LAYERS)},
            compared=[cell.name for cell in LAYERS if cell.interval],
            along="layer",
        ),
        "recovery": Table(
            {**KEYS, "n_words": "count", **columns_of(*RECOVERY)},
            compared=[cell.name for cell in RECOVERY],
            along="layer",
        ),
        "words": Table(
            KEYS
            | {"rank": "count", "word": "row", "senses": "name"}
            | dict.fromkeys(("n_sentences", "n_tokens"), "count")
            | dict.fromkeys(("within", "between", "difference"), "distance")
            | dict.fromkeys(("ratio", "relative_difference"), "distance")
            | {"accuracy": "count"}
            | {f"random_weights_{name}": "distance" for name in AT_RANDOM}
        ),
        "drift": Table(
            MEASURE
            | dict.fromkeys(("statistic", "first_layer"), "row")
            | dict.fromkeys(("last_layer", "n_words"), "count")
            | columns_of(SLOPE)
            | {"largest_layer": "count"},
            compared=["slope"],
            along="first_layer",
        ),
    },
    scalars={
        "n_*": "count",
        "lost_words": "name",
        "chance_accuracy": "moment",
        **Table(BAG_OF_WORDS.columns("")).kinds,
    },
    data={"parquet": save_rows},
    undrawn=["parquet"],
)


@dataclass(frozen=True, eq=False)
class Occurrence:
    """The rows of a text's ordinary tokens in the token table."""

    own: RowNumbers
    """The tokens with a character of the word; none if the tokenizer left the word out."""
    others: RowNumbers
    """All further tokens except special tokens."""


def measure_homonyms(
    stimuli: pd.DataFrame,
    tokens: pd.DataFrame,
    states: dict[str, Float[np.ndarray, "layer token dim"]],
    *,
    n_draws: PositiveInt,
    n_resamples: PositiveInt,
    level: Probability,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure how much farther apart a word's states are between senses than within, by layer.

    `stimuli` has `word`, `sense` and `text`, `states` the tensors `token` and `random_token`; a
    word's state is the mean of its tokens' states. A sense needs two sentences and a word two
    senses; other senses and words are left out. `difference` is positive where senses lie apart:
    cosine within a sense less that between senses, distance between less distance within. `ratio`
    and `relative_difference` are of distances, 1 - cosine for a cosine; the latter is over the mean
    distance of different words. Means, and intervals by half-samples, are over words. The null
    deals the senses out to the sentences of the word, `n_draws` times.
    """
    occurrences = find_words(stimuli, tokens)
    rows = usable_rows(stimuli, occurrences)
    kept = [occurrences[row] for row in rows]
    n_tokens = [len(occurrence.own) for occurrence in kept]
    senses = stimuli.iloc[rows].reset_index(drop=True).assign(n_tokens=n_tokens)
    scalars = counts_of(stimuli, senses)
    if not len(rows):
        return HOMONYMS.empty(**scalars)
    for_draws, for_intervals = np.random.default_rng(seed).spawn(2)
    own, others = zip(*((occurrence.own, occurrence.others) for occurrence in kept), strict=True)
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
            "layers": layer_table(findings, LAYERS).assign(**units),
            "recovery": layer_table(findings, RECOVERY).assign(**units),
            "drift": pd.DataFrame(drift_rows(findings)).assign(**units),
        }
    )
    return {
        **tables,
        "words": word_table(values, findings, senses),
        "json": scalars | {"bag_of_words": bag_of_words(findings)},
        "parquet": deviations,
    }


def usable_rows(
    stimuli: pd.DataFrame, occurrences: Sequence[Occurrence]
) -> Int[np.ndarray, " row"]:
    """Return the sentences with tokens of their word, of senses with two, words with two senses."""
    here = stimuli.reset_index(drop=True).loc[[len(word.own) > 0 for word in occurrences]]
    here = here[here.groupby(["word", "sense"])["word"].transform("size") >= 2]
    here = here[here.groupby("word")["sense"].transform("nunique") >= 2]
    return here.index.to_numpy(dtype=np.int64)


def counts_of(stimuli: pd.DataFrame, senses: pd.DataFrame) -> dict[str, Any]:
    """Return how much was used and lost, and the accuracy that chance gives, exactly."""
    known = senses["word"].unique()
    lost = [word for word in stimuli["word"].unique() if word not in set(known)]
    chances = [
        chance_accuracy(pd.factorize(rows["sense"])[0].astype(np.int64))
        for _, rows in senses.groupby("word", sort=False)
    ]
    several = senses.loc[senses["n_tokens"] > 1, "word"]
    return {
        "n_words": len(known),
        "n_sentences": len(senses),
        "n_words_of_several_tokens": several.nunique(),
        "n_lost_words": len(lost),
        "lost_words": ", ".join(lost),
        "n_lost_sentences": len(stimuli) - len(senses),
        "chance_accuracy": float(np.mean(chances)) if chances else float("nan"),
    }


def find_words(stimuli: pd.DataFrame, tokens: pd.DataFrame) -> list[Occurrence]:
    """Return the tokens of the `word` in the `text`, by row of `stimuli`.

    `tokens` has `window`, the row of the stimulus, `special`, and the tokens' characters `start` to
    `end`. The word counts whole, in capitals or not, at the first place.
    """
    ordinary = tokens[~tokens["special"].astype(bool)]
    window, start, end = (ordinary[name].to_numpy() for name in ("window", "start", "end"))
    row = ordinary.index.to_numpy(dtype=np.int64)
    occurrences = []
    for number, (word, text) in enumerate(zip(stimuli["word"], stimuli["text"], strict=True)):
        first, last = character_span(word, text)
        here = window == number
        inside = here & (start < last) & (end > first)
        occurrences.append(Occurrence(row[inside], row[here & ~inside]))
    return occurrences


def character_span(word: str, text: str) -> tuple[int, int]:
    """Return the place of the word's first character and the place after the last; else (0, 0)."""
    place = whole_word(word).search(text)
    return place.span() if place else (0, 0)


def mean_states(
    states: Float[np.ndarray, "layer token dim"], rows: Sequence[RowNumbers]
) -> Float[np.ndarray, "layer text dim"]:
    """Return the mean state of the tokens of each entry of `rows`, in float64; zero for none."""
    means = np.zeros((states.shape[0], len(rows), states.shape[2]))
    for number, chosen in enumerate(rows):
        if len(chosen):
            means[:, number] = states[:, chosen].mean(axis=1, dtype=np.float64)
    return means


def token_counts(
    ids: Int[np.ndarray, " token"], rows: Sequence[RowNumbers]
) -> Float[np.ndarray, "text id"]:
    """Return the counts of all occurring ids in the entries of `rows`."""
    known, column = np.unique(ids, return_inverse=True)
    counts = np.zeros((len(rows), len(known)))
    for number, chosen in enumerate(rows):
        np.add.at(counts[number], column[chosen], 1)
    return counts


main = HOMONYMS.main(measure_homonyms)

if __name__ == "__main__":
    run_stage(main, measure_homonyms)
