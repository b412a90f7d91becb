"""Stage `compare_model_changes`: how far the weights and states of a model moved to another's."""

from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.analysis import Analysis, Column, Outcome, Table
from embspace.compare.both_models import NAMES, WEIGHTS, both_models
from embspace.compare.model_changes_rows import (
    Rules,
    left_out_rows,
    measured_changes,
    mismatch,
    paired_weights,
)
from embspace.compare.model_changes_states import state_rows
from embspace.compare.model_changes_words import Reading, token_rows, word_rows
from embspace.compare.model_states import FOLDERS, TEXTS, ModelStates, load_corpus_states
from embspace.measure.tables.columns import with_bounds
from embspace.models.parameters.all_weights import AllWeights, load_all_weights
from embspace.settings.model import describe_model
from embspace.settings.schema import read_yaml
from embspace.settings.stage import run_stage
from embspace.settings.types import Share


def load_weights(described: str, _: str) -> AllWeights | None:
    """Return the weights of a model of conf/model; None for vectors alone."""
    name = Path(described).stem
    return load_all_weights(name, describe_model(name, read_yaml(Path(described))))


PLACE: dict[str, Column] = {"group": "row", "layer": "row", "layers": "name"}
SIZE: dict[str, Column] = {
    "norm": "moment",
    "change_norm": "moment",
    "relative_change": "moment",
    "relative_change_rounding": "moment",
    "relative_change_dealt": "moment",
    "deviations_from_dealt": "score",
    "verdict": "trained_verdict",
    "rounding": "name",
}
SPECTRUM: dict[str, Column] = {
    "stored": "name",
    "rank": "count",
    "largest_rank": "count",
    "rank_tolerance": "moment",
    "stable_rank": "moment",
    "participation_ratio": "moment",
    "random_participation_ratio": "moment",
    "first_share": "share",
    "n_directions": "setting",
    "leading_share": "share",
    "overlap": "state_share",
    "random_overlap": "moment",
    "smallest_angle": "trained_statistic",
}
CHANGES = Table(  # a layer and group of weights, first groups outside of layers, last all weights
    {**PLACE, "n_rows": "count", "n_rows_changed": "count", **SIZE, **SPECTRUM, "reason": "name"}
)
WORDS = Table(  # a layer, group, direction of the change, side and reading
    {
        **PLACE,
        "direction": "row",
        "share": "share",
        "side": "row",
        "reading": "row",
        "coherence": "trained_statistic",
        "random_coherence": "null_value",
        "random_coherence_high": "null_value",
        "is_coherent": "trained_verdict",
        "tokens": "trained_verdict",
        "opposite_tokens": "trained_verdict",
    }
)
TOKENS = Table(  # the tokens that moved most
    {
        "rank": "row",
        "token": "trained_verdict",
        "relative_change": "moment",
        "times_median": "moment",
        "cosine": "cosine",
        "norm": "moment",
        "other_norm": "moment",
    }
)
STATES = Table(
    {
        "corpus": "row",
        "layer": "row",
        "n": "count",
        **with_bounds("cosine", "cosine"),
        "other_cosine": "cosine",
    }
)
MODEL_CHANGES = Analysis(
    noun="model_changes",
    question=(
        "How far did the weights of a model move, layer by layer, in how many directions, and "
        "what do these read and write? [Weights that moved](parameters.md#weights-that-moved)"
    ),
    reads={
        **both_models("weights", load_weights, *WEIGHTS),
        "names": NAMES,
        "texts": TEXTS,
        **both_models("states", load_corpus_states, FOLDERS[0], lists=["corpora"]),
    },
    tables={"csv": CHANGES, "words": WORDS, "tokens": TOKENS, "states": STATES},
    verb="compare",
    over="compared",
)


def compare_model_changes(
    weights: AllWeights | None,
    other_weights: AllWeights | None,
    names: tuple[str, str],
    texts: dict[str, pd.DataFrame],
    states: ModelStates,
    other_states: ModelStates,
    *,
    n_directions: PositiveInt,
    n_read: NonNegativeInt,
    n_words: PositiveInt,
    n_tokens: NonNegativeInt,
    left_out: list[str],
    n_random_vectors: PositiveInt,
    level: Share,
    least_rows: Annotated[int, Field(ge=2)],
    least_deviations: PositiveFloat,
    smallest_n: Annotated[int, Field(ge=2)],
    largest_n: PositiveInt,
    n_half_samples: PositiveInt,
    seed: NonNegativeInt,
) -> Outcome:
    """Return how far each weight of a model lies from the same weight of another.

    `relative_change` is |W' - W| / |W|, with W of the first model. Two values stand beside it for
    comparison: W rounded to bfloat16, and the rows of W' in random order (dealt rows), sqrt 2 for
    independent weights, less for weights with a common mean. There are four verdicts.
    *Identical*: no entry differs. *Rounded*: one model is the other, rounded to a shorter format,
    or the change is no larger than the rounding of stored weights. *No nearer than dealt rows*: by
    fewer than `least_deviations` standard deviations of dealt rows, and of few entries by less than
    `NEAR_MOST` of the most deviations that they can reach. Else *moved*.

    For a moved matrix, `rank` counts the singular values of the change above the rounding error of
    the stored weights; `participation_ratio` counts directions by their size, beside independent
    entries. `overlap` is the mean squared cosine of the principal angles between the first
    `n_directions` of the change, on the side of the stream, and the first `n_directions` of W.

    Rows are paired by token and by position, as vocabularies and windows may differ; all other
    names and shapes must agree. Weights are a whole population: no interval. `state_rows` compares
    the states of the same texts.

    Args:
        weights: The weights of the first model; None for vectors alone.
        other_weights: The weights of the second model.
        names: The names of both models.
        texts: The texts of every corpus.
        states: The hidden states of the first model on the texts.
        other_states: The hidden states of the second model.
        n_directions: Number of directions of a change, and of leading directions of the weights.
        n_read: Number of directions to read as words.
        n_words: Number of words for a direction, and for the negation.
        n_tokens: Number of tokens to name.
        left_out: Kinds of tokens never named as words.
        n_random_vectors: Number of random directions, for the likeness of ten words by chance.
        level: Level of the upper bound of this likeness, and of intervals.
        least_rows: Weights with fewer rows have their entries dealt.
        least_deviations: Distance of related weights from dealt rows, in standard deviations.
        smallest_n: Least number of texts for comparing states.
        largest_n: Largest number of texts; more are sampled at random.
        n_half_samples: Number of half-samples of texts, for intervals.
        seed: Seed of all random draws.
    """
    if weights is None or other_weights is None:
        alone = names[0] if weights is None else names[1]
        return _not_checkable(f"{alone}: vectors without a model have no weights")
    if reason := mismatch(weights, other_weights, names):
        return _not_checkable(reason)
    rules = Rules(n_directions, least_rows, least_deviations)
    reading = Reading(n_read, n_words, left_out, n_random_vectors, level, seed)
    with threadpool_limits(1):  # the same sums on any number of cores
        paired = list(paired_weights(weights, other_weights))
        changes = list(measured_changes(paired, rules))
        rows = [*left_out_rows(weights, other_weights, paired, names)]
        rows += [change.row for change in changes]
        cosines = state_rows(
            texts,
            (states, other_states),
            smallest_n=smallest_n,
            largest_n=largest_n,
            n_half_samples=n_half_samples,
            level=level,
            seed=seed,
        )
        return {
            "csv": CHANGES.of(rows),
            "words": WORDS.of(word_rows(changes, weights, reading)),
            "tokens": TOKENS.of(token_rows(changes, weights, n_tokens)),
            "states": STATES.of(cosines),
        }


def _not_checkable(reason: str) -> Outcome:
    return MODEL_CHANGES.empty() | {"csv": CHANGES.of([{"reason": reason}])}


main = MODEL_CHANGES.main(compare_model_changes)

if __name__ == "__main__":
    run_stage(main, compare_model_changes, groups=("pair",))
