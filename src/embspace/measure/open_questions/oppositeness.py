"""Stage `measure_oppositeness`: are opposites freed, on one line, told from synonyms?

The first question of Luisto's thesis, section 5.2, by the rules of docs/open_questions.md.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
import pandas as pd
from jaxtyping import Float
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt

from embspace.analysis import Analysis, Column, Outcome, Source, Table
from embspace.files.tensors import load_tensors
from embspace.geometry.inference.resampling import stream_of
from embspace.geometry.pairs.directions import unit_rows
from embspace.measure.open_questions.opposite_pairs import (
    PAIRS,
    PARTS_OF_SPEECH,
    RELATIONS,
    load_opposites,
)
from embspace.measure.open_questions.oppositeness_values import (
    PairsOfOneClass,
    classifiers_of_pairs,
    cosines_of_pairs,
    line_of_opposites,
    pairs_of_one_class,
    prepared,
)
from embspace.measure.tables.columns import shown, with_bounds
from embspace.settings.stage import run_stage
from embspace.settings.types import Probability

FEWEST = 20  # pairs of a kind; fewer have no interval worth a verdict
FREED, NOT_FREED, OPEN = "freed", "not freed", "open"
TIMES_NULL = 2.0  # the rule of one line
PLACE: dict[str, Column] = {
    "part_of_speech": ("row", "part of speech"),
    "vectors": ("row", "vectors"),
    "layer": ("row", "layer"),
}
OPPOSITENESS = Analysis(
    noun="oppositeness",
    question="Do opposites come apart when what their part of speech shares is taken away?",
    over="profiled",
    reads={
        "pairs": Source(load_opposites, PAIRS),
        "words": "data/measured/opposite_words/{model}.parquet",
        "states": Source(
            partial(load_tensors, names=["input", "state", "random_input", "random_state"]),
            "data/measured/opposite_words/{model}.safetensors",
        ),
    },
    tables={
        "cosines": Table(
            {
                **PLACE,
                "preparation": ("row", "preparation"),
                "n_antonyms": "count",
                "n_synonyms": "count",
                **with_bounds("antonyms", "profile", "antonyms", "profile_bound"),
                **with_bounds("synonyms", "profile", "synonyms", "profile_bound"),
                **with_bounds("random_pairs", "profile", "random pairs", "profile_bound"),
                **with_bounds("difference", "profile", "antonyms - random pairs", "profile_bound"),
                **with_bounds("auc", "state_auc", "synonyms above antonyms", "state_auc"),
                "n_below_zero": ("count", "antonyms below 0"),
                "random_weights_difference": "profile",
                **with_bounds("random_weights_auc", "state_auc"),
                "verdict": ("name", "opposites are"),
                "is_told": ("name", "told apart"),
            },
        ),
        "lines": Table(
            {
                **PLACE,
                "absolute_cosine": ("profile", "|cosine| of differences"),
                "null_absolute_cosine": ("null_value", "words dealt anew"),
                "null_absolute_cosine_largest": ("null_value", "largest of deals"),
                "random_weights_absolute_cosine": ("profile", "random weights"),
                "is_shared": ("name", "one line"),
            },
        ),
        "classifiers": Table(
            {
                **PLACE,
                **with_bounds("auc", "state_auc", "AUC of relation", "state_auc"),
                **with_bounds("words_auc", "state_auc", "AUC of words alone", "state_auc"),
                **with_bounds("gain", "state_auc", "difference", "state_auc"),
                "random_weights_auc": ("state_auc", "random weights"),
                "is_told": ("name", "told apart"),
            },
        ),
        "examples": Table(
            {
                **shown("row", "part_of_speech", "relation"),
                "rank": "row",
                **shown("name", "word", "other_word"),
                "as_is": ("profile", "cosine"),
                "less_mean": ("profile", "less the mean"),
            }
        ),
    },
    scalars={"n_pairs": "count", "n_lost": "count", "n_words": "count"},
)


def measure_oppositeness(
    pairs: pd.DataFrame,
    words: pd.DataFrame,
    states: Mapping[str, Float[np.ndarray, "layer word dim"]],
    *,
    n_components: PositiveInt,
    ridge: PositiveFloat,
    n_folds: Annotated[int, Field(ge=2)],
    n_shuffles: PositiveInt,
    n_resamples: PositiveInt,
    level: Probability,
    n_listed: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Measure opposites beside synonyms and random pairs, by part of speech, layer, preparation.

    `pairs` has the list, `words` the words that are one token, `states` a row for each. A part of
    speech with fewer than `FEWEST` pairs of a relation is left out. Cosines are in [-1, 1], AUCs
    in [0, 1]; intervals of `level` are over pairs, by halves. Intervals that decide share the level
    (Bonferroni): every `auc` among layers, `difference` among layers and preparations.
    Verdicts are those of docs/open_questions.md.
    """
    classes = dict(_classes(pairs, words, n_folds, n_resamples, seed))
    counts = {
        "n_pairs": sum(len(kinds.all) for kinds in classes.values()),
        "n_lost": len(pairs) - len(_known(pairs, words)) if len(words) else 0,
        "n_words": len(words),
    }
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in OPPOSITENESS.tables}
    n_layers = 1 + len(states["state"])
    effort = (n_components, ridge, level, n_layers)
    for part, kinds in classes.items():
        generator = stream_of(np.random.default_rng(seed), "shuffles", part)
        for vectors in ("input", "state"):
            for layer, x in enumerate(states[vectors]):
                place = {"part_of_speech": part, "vectors": vectors, "layer": layer}
                at_random = states[f"random_{vectors}"][layer]
                tables["cosines"] += [
                    place | row for row in _cosine_rows(x, at_random, kinds, *effort)
                ]
                line = line_of_opposites(x, kinds.antonyms, n_shuffles, generator)
                plain = line_of_opposites(at_random, kinds.antonyms, 1, generator)
                tables["lines"].append(place | _line_row(line, plain["absolute_cosine"]))
                shared = 1 - (1 - level) / n_layers
                scores = classifiers_of_pairs(x, kinds, ridge, shared)
                plain = classifiers_of_pairs(at_random, kinds, ridge, shared)
                tables["classifiers"].append(place | _classifier_row(scores, plain["auc"]))
        tables["examples"] += list(_examples(states["input"][0], words, part, kinds, n_listed))
    declared = OPPOSITENESS.tables
    return {name: declared[name].of(rows) for name, rows in tables.items()} | {"json": counts}


def _known(pairs: pd.DataFrame, words: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs whose words both have vectors, with their rows as `first` and `second`."""
    keys = zip(words["part_of_speech"], words["word"], strict=True)
    numbers = {key: row for row, key in enumerate(keys)}
    rows = [
        [numbers.get(key, -1) for key in zip(pairs["part_of_speech"], pairs[name], strict=True)]
        for name in ("word", "other_word")
    ]
    known = pairs.assign(first=rows[0], second=rows[1])
    return known[(known["first"] >= 0) & (known["second"] >= 0)]


def _classes(
    pairs: pd.DataFrame, words: pd.DataFrame, n_folds: int, n_resamples: int, seed: int
) -> Iterator[tuple[str, PairsOfOneClass]]:
    """Yield the parts of speech with enough pairs of both relations."""
    known = _known(pairs, words)
    for part in PARTS_OF_SPEECH:
        own = known[known["part_of_speech"] == part]
        kinds = [
            own.loc[own["relation"] == relation, ["first", "second"]].to_numpy(dtype=np.int64)
            for relation in RELATIONS
        ]
        if min(map(len, kinds)) >= FEWEST:
            generator = stream_of(np.random.default_rng(seed), "halves", part)
            yield (
                part,
                pairs_of_one_class(
                    *kinds, n_folds=n_folds, n_resamples=n_resamples, generator=generator
                ),
            )


def _cosine_rows(
    x: Float[np.ndarray, "word dim"],
    at_random: Float[np.ndarray, "word dim"],
    kinds: PairsOfOneClass,
    n_components: int,
    ridge: float,
    level: float,
    n_layers: int,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each preparation, with the verdicts."""
    ways = [*prepared(x, kinds.words, n_components, ridge)]
    plain_ways = prepared(at_random, kinds.words, n_components, ridge)
    levels = (level, 1 - (1 - level) / (n_layers * len(ways)), 1 - (1 - level) / n_layers)
    for (name, own), (_, plain_own) in zip(ways, plain_ways, strict=True):
        row = cosines_of_pairs(own, kinds, *levels)
        plain = cosines_of_pairs(plain_own, kinds, *levels)
        verdict = FREED if row["difference_high"] < 0 else OPEN
        verdict = NOT_FREED if row["difference_low"] > 0 else verdict
        yield {
            "preparation": name,
            "n_antonyms": len(kinds.antonyms),
            "n_synonyms": len(kinds.synonyms),
            **row,
            "random_weights_difference": plain["difference"],
            **{f"random_weights_{key}": plain[key] for key in ("auc", "auc_low", "auc_high")},
            "verdict": verdict,
            "is_told": _yes(row["auc_low"] > 0.5 and plain["auc_low"] <= 0.5),
        }


def _line_row(line: Mapping[str, float], at_random: float) -> dict[str, Any]:
    value, null = line["absolute_cosine"], line["null_absolute_cosine"]
    is_shared = value > line["null_absolute_cosine_largest"] and value > TIMES_NULL * null
    return {**line, "random_weights_absolute_cosine": at_random, "is_shared": _yes(is_shared)}


def _classifier_row(scores: Mapping[str, float], at_random: float) -> dict[str, Any]:
    is_told = scores["auc_low"] > scores["words_auc_high"]
    return {**scores, "random_weights_auc": at_random, "is_told": _yes(is_told)}


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _examples(
    x: Float[np.ndarray, "word dim"],
    words: pd.DataFrame,
    part: str,
    kinds: PairsOfOneClass,
    n_listed: int,
) -> Iterator[dict[str, Any]]:
    """Yield the pairs of each relation with the smallest and the largest cosine of embeddings."""
    unit = unit_rows(x)
    centered = unit_rows(x - x[kinds.words].mean(axis=0))
    for relation, pairs in zip(RELATIONS, (kinds.antonyms, kinds.synonyms), strict=True):
        first, second = pairs.T
        as_is, less_mean = ((y[first] * y[second]).sum(axis=1) for y in (unit, centered))
        order = np.argsort(as_is, kind="stable")
        few = min(n_listed, len(order) // 2)
        for place in (*order[:few], *order[len(order) - few :]):
            yield {
                "part_of_speech": part,
                "relation": relation,
                "rank": int(np.flatnonzero(order == place)[0]) + 1,
                "word": words["word"].iloc[first[place]],
                "other_word": words["word"].iloc[second[place]],
                "as_is": float(as_is[place]),
                "less_mean": float(less_mean[place]),
            }


main = OPPOSITENESS.main(measure_oppositeness)

if __name__ == "__main__":
    run_stage(main, measure_oppositeness)
