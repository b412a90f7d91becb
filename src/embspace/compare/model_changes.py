"""Stage `compare_model_changes`: how far the weights and states of a model moved to another's."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt
from threadpoolctl import threadpool_limits

from embspace.compare.alignment import AlignedCorpus, ReadModel
from embspace.compare.model_changes_rows import (
    COLUMNS,
    Rules,
    left_out_rows,
    measured_changes,
    mismatch,
    paired_weights,
)
from embspace.compare.model_changes_states import STATES, state_rows
from embspace.compare.model_changes_words import (
    MOVED_TOKENS,
    WORDS,
    Reading,
    token_rows,
    word_rows,
)
from embspace.files.rows import load_rows
from embspace.files.tables import save_table
from embspace.files.tensors import map_tensors
from embspace.models.parameters.all_weights import AllWeights, read_all_weights
from embspace.models.weights import load_model
from embspace.settings.model import VectorsModel, describe_model
from embspace.settings.params import models_of
from embspace.settings.schema import read_yaml
from embspace.settings.stage import StageConfig, run_stage
from embspace.settings.types import Share


@dataclass(frozen=True, eq=False)
class ModelChanges:
    """The tables of a pair; `changes` of models that are no pair has one row, with the reason."""

    changes: pd.DataFrame
    """One row a layer and group of weights, first groups outside of layers, last all weights."""
    words: pd.DataFrame
    """One row a layer, group, direction of the change, side and reading."""
    tokens: pd.DataFrame
    """One row a token, for the tokens that moved most."""
    states: pd.DataFrame
    """One row a corpus and layer."""


def compare_model_changes(
    one: AllWeights | None,
    other: AllWeights | None,
    names: tuple[str, str],
    texts: dict[str, pd.DataFrame],
    read: tuple[ReadModel, ReadModel],
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
) -> ModelChanges:
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
        one: The weights of the first model; None for vectors alone.
        other: The weights of the second model.
        names: The names of both models.
        texts: The texts of every corpus.
        read: The hidden states of both models on the texts.
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
    if one is None or other is None:
        alone = names[0] if one is None else names[1]
        return _not_checkable(f"{alone}: vectors without a model have no weights")
    if reason := mismatch(one, other, names):
        return _not_checkable(reason)
    rules = Rules(n_directions, least_rows, least_deviations)
    paired = list(paired_weights(one, other))
    changes = list(measured_changes(paired, rules))
    rows = [*left_out_rows(one, other, paired, names), *(change.row for change in changes)]
    states = state_rows(
        texts,
        read,
        smallest_n=smallest_n,
        largest_n=largest_n,
        n_half_samples=n_half_samples,
        level=level,
        seed=seed,
    )
    reading = Reading(n_read, n_words, left_out, n_random_vectors, level, seed)
    return ModelChanges(
        pd.DataFrame(rows, columns=COLUMNS),
        pd.DataFrame(word_rows(changes, one, reading), columns=WORDS),
        pd.DataFrame(token_rows(changes, one, n_tokens), columns=MOVED_TOKENS),
        pd.DataFrame(states, columns=STATES),
    )


def _not_checkable(reason: str) -> ModelChanges:
    changes = pd.DataFrame([{"reason": reason}], columns=COLUMNS)
    nothing = (pd.DataFrame(columns=columns) for columns in (WORDS, MOVED_TOKENS, STATES))
    return ModelChanges(changes, *nothing)


def _loaded(name: str) -> AllWeights | None:
    model = describe_model(name, read_yaml(Path(f"conf/model/{name}.yaml")))
    if isinstance(model, VectorsModel):
        return None
    return read_all_weights(name, model, load_model(name, model))


def _read(name: str, corpora: list[str]) -> ReadModel:
    """Return the mean states of the windows of a model's texts."""
    folder = f"data/extracted/hidden_states/{name}"
    return ReadModel(
        {
            corpus: AlignedCorpus(
                load_rows(f"{folder}/{corpus}.windows.parquet"),
                pd.DataFrame(),
                map_tensors(f"{folder}/{corpus}.safetensors", ["mean"]),
            )
            for corpus in corpora
        },
        {},
    )


def main(config: StageConfig) -> None:
    """Load, call, save."""
    names = models_of(config.pair)
    one, other = map(_loaded, names)
    read, other_read = (_read(name, config.corpora) for name in names)
    texts = {name: load_rows(f"data/prepared/texts/{name}.parquet") for name in config.corpora}
    with threadpool_limits(1):  # the same sums on any number of cores
        found = compare_model_changes(
            one, other, names, texts, (read, other_read), **config.settings
        )
    save_table(found.changes, f"results/model_changes/{config.pair}.csv")
    save_table(found.words, f"results/model_changes/words/{config.pair}.csv")
    save_table(found.tokens, f"results/model_changes/tokens/{config.pair}.csv")
    save_table(found.states, f"results/model_changes/states/{config.pair}.csv")


if __name__ == "__main__":
    run_stage(main, compare_model_changes, groups=("pair",))
